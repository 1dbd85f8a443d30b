/**
 * Text that is safe on a terminal and in a log line: control characters, line and paragraph separators,
 * direction overrides and lone surrogates are written as `\x1b` or `\u202e`. Everything else stays.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escapeCharacter);
}

/** What `printable` escapes. */
export const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** How `printable` writes one of them. Stands alone: its source goes into a page's script. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Text quoted from inside a file is cut to so many characters: a message must not be as long as a file. */
const maxExcerptLength = 200;

/** Text from inside a file for a message: printable, and at most 200 characters of it. Paths are never cut. */
export function excerpt(text: string): string {
  return text.length <= maxExcerptLength ? printable(text) : `${printable(text.slice(0, maxExcerptLength))}…`;
}
