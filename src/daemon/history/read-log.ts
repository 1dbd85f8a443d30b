import { isAtOrBelow, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { Activity } from '../../model/report/status.ts';
import { activityOf, linesBack } from './history-files.ts';

/** What of the history is wanted. */
interface LogFilter {
  /** ISO 8601, UTC; null: from the beginning. What a clock that was ahead put into the future is not since then. */
  readonly since: string | null;
  /** Only what went wrong, or may have, and that it is over. */
  readonly failed: boolean;
  /** Documents, or directories with all that is in them; null: everything. */
  readonly places: readonly DocumentRef[] | null;
}

/**
 * Reads what was written since the last time, oldest first; a daemon may be writing it. `most`: only the last of it;
 * `isMore`: whether the next older one is part of what counts already, else each counts.
 */
export function createLogReader(stateDir: string, filter: LogFilter) {
  const from = filter.since?.slice(0, 10) ?? '';
  /** The place of what was read last. */
  let last = '';
  return async (most = Infinity, isMore?: (activity: Activity) => boolean): Promise<readonly Activity[]> => {
    const found: Activity[] = [];
    let remaining = most;
    let newest = last;
    // Before the first that happened to a file itself, what was said of its folder is no part of its story.
    const places = last === '' ? filter.places : null;
    let later: Activity[] = [];
    for await (const { said, place } of linesBack(stateDir, activityOf)) {
      if (place === last || place < from) break;
      if (newest === last) newest = place;
      if (isWanted(said, filter)) later.push(said);
      if (places !== null && !isAtOneOf(said, places)) continue;
      for (const one of later) if (isMore?.(one) === true || (remaining -= 1) >= 0) found.push(one);
      if (remaining < 0) break;
      later = [];
    }
    last = newest;
    return found.toReversed();
  };
}

/** Whether anything was said of these places themselves. */
export async function isInLog(stateDir: string, places: readonly DocumentRef[]): Promise<boolean> {
  for await (const { said } of linesBack(stateDir, activityOf)) if (isAtOneOf(said, places)) return true;
  return false;
}

const failures: ReadonlySet<string> = new Set([
  'failed',
  'in doubt',
  'held',
  'warning',
  'problem',
  'limit',
  'recovered',
  'ended',
  'returned',
]);

/** What is said of a folder, or of all, concerns each of its documents. */
const ofWholeFolder: ReadonlySet<string> = new Set(['paused', 'resumed']);

/** The clocks of a daemon and of who looks at its log may differ by so much. */
const toleratedAheadMs = 5 * 60_000;

/** Whether an entry of the log is one of those that are wanted. */
function isWanted(said: Activity, { since, failed, places }: LogFilter): boolean {
  const { at, folder, path, what } = said;
  if (since !== null && (at < since || Date.parse(at) > Date.now() + toleratedAheadMs)) return false;
  if (failed && !failures.has(what) && said.after === undefined) return false;
  if (places === null) return true;
  const isOfAll = path === '' && ofWholeFolder.has(what);
  return isAtOneOf(said, places) || (isOfAll && ['', ...places.map((one) => one.folder)].includes(folder));
}

/** Whether it happened to a document that is at one of these places, or was moved away from there. */
function isAtOneOf({ folder, path, from }: Activity, places: readonly DocumentRef[]): boolean {
  const keyOf = (ref: DocumentRef) => (ref.path === '' ? ref.folder : refKey(ref));
  const isAt = (key: string) => places.some((one) => isAtOrBelow(key, keyOf(one)));
  return isAt(keyOf({ folder, path })) || (from !== undefined && isAt(from));
}
