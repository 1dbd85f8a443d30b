import { activityWords } from './activity-words.ts';
import type { Activity } from './status.ts';

/** What of the history is wanted. */
export interface LogFilter {
  /** ISO 8601, UTC; null: from the beginning. What a clock that was ahead put into the future is not since then. */
  readonly since: string | null;
  /** Only what went wrong, or may have, and that it is over. */
  readonly failed: boolean;
  /** Words that all have to occur in place, action, message or docId, in any case; empty: everything. */
  readonly search: string;
}

/** A part of the history, asked for by the page. */
export interface LogQuery extends LogFilter {
  /** Where the part before this one ended (`LogPage.next`); null: begin with the newest. */
  readonly before: string | null;
}

export interface LogPage {
  /** Newest first. */
  readonly entries: readonly Activity[];
  /** Where older ones may be found; null: there are none. */
  readonly next: string | null;
}

const failures: ReadonlySet<string> = new Set([
  'failed',
  'in doubt',
  'held',
  'warning',
  'problem',
  'recovered',
]);

/** The clocks of a daemon and of who looks at its page may differ by so much. */
const toleratedAheadMs = 5 * 60_000;

/** Makes the test that entries of the log have to pass. */
export function logMatcher({ since, failed, search }: LogFilter): (activity: Activity) => boolean {
  const matches = wordsMatcher(search);
  return (activity) => {
    const { at, folder, path, what, docId } = activity;
    if (since !== null && (at < since || Date.parse(at) > Date.now() + toleratedAheadMs)) return false;
    if (failed && !failures.has(what)) return false;
    return matches(`${folder}/${path}\n${what}\n${activityWords(activity) ?? ''}\n${docId ?? ''}`);
  };
}

/** Makes the test whether all words of a search occur in a text, in any case. */
export function wordsMatcher(search: string): (text: string) => boolean {
  const words = fold(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (text) => {
    const folded = fold(text);
    return words.every((word) => folded.includes(word));
  };
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
