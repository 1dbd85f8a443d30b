import { printable } from './printable.ts';

/** Text of unknown origin is quoted up to this length, so that no message grows with what it quotes. */
const longestExcerpt = 200;

/** Text from a file, a setting or the service as a message may quote it: printable, 200 characters at most. */
export function excerpt(text: string, longest = longestExcerpt): string {
  return printable(text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
}
