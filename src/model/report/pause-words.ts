import { shellWord } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import type { PausedFolders } from '../ports/control-port.ts';
import { deciderWords } from './activity-words.ts';
import type { Reason } from './status.ts';

type Pauses = PausedFolders['pauses'];

/** Said while folders are paused, with what is known of that; `count`: all that are configured. Null: none is. */
export function pauseReason({ paused, pauses }: PausedFolders, count: number): Reason | null {
  if (paused.length === 0) return null;
  const which = paused.length > 1 && paused.length === count ? 'all folders' : paused.join(', ');
  return { code: 'paused', message: `sending is paused for ${which}${pauseDetails(paused, pauses)}` };
}

/** The same, or what is said of a fleet's pause, with the way out, for a report of a command. */
export function pauseLine({ code, message }: Reason, paused: readonly string[]): string {
  const command = resumeCommand(paused.length === 1 ? paused[0] : undefined);
  return `${sentence(message)}${code === 'paused' ? ` Resume with ${command}.` : ''}`;
}

/** What ends the pause of one folder, or of all. */
export function resumeCommand(folder?: string): string {
  return folder === undefined ? 'ingestd resume' : `ingestd resume ${shellWord(folder)}`;
}

/** When what waits for the end of a folder's pause is sent. */
export function resumeWords(folder: string, pauses: Pauses): string {
  const { until, ...began } = pauses[folder] ?? {};
  const end = until === undefined ? '' : `the pause ends at ${until}, or `;
  const known = wordsOf(began);
  return `when ${end}you run ${resumeCommand(folder)}${known === '' ? '' : ` (paused ${known})`}`;
}

/** `, since 13:05, on the page`, where all of these folders have it in common; else, in brackets, what is so of which. */
export function pauseDetails(names: readonly string[], pauses: Pauses): string {
  const known = names
    .map((name) => [name, wordsOf(pauses[name])] as const)
    .filter(([, words]) => words !== '');
  const [, first = ''] = known[0] ?? [];
  if (known.length === 0) return '';
  const isOne = known.length === names.length && known.every(([, words]) => words === first);
  return isOne ? `, ${first}` : ` (${known.map((one) => one.join(' ')).join('; ')})`;
}

function wordsOf({ since, by, until }: Pauses[string] = {}): string {
  const words = [since && `since ${since}`, by && deciderWords[by], until && `until ${until}`];
  return words.filter((word) => word !== undefined).join(', ');
}
