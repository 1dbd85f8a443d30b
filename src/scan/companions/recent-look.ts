import { answerHoldsMs } from '../../model/ports/service-port.ts';

/** What was seen of directories, by their paths, and until when that counts, monotonic ms. */
export type RecentLooks<T> = Map<string, { readonly seen: T; readonly until: number }>;

/** What takes long rests for so many times as long. */
const restFactor = 4;

/**
 * Looks at a directory, unless that was done a moment before: many documents that wait for it ask at once, and it is not
 * read for each of them. What takes long counts for longer: of `false`, that nothing comes, on which something may go out,
 * for no longer than it took. `present`: the moment that holds now, monotonic ms.
 */
export function recentLook<T>(looks: RecentLooks<T>, path: string, present: () => number, look: () => T): T {
  const began = present();
  const last = looks.get(path);
  if (last !== undefined && began < last.until) return last.seen;
  const seen = look();
  const ended = present();
  const restMs = (ended - began) * (seen === false ? 1 : restFactor);
  looks.set(path, { seen, until: ended + Math.max(answerHoldsMs, restMs) });
  return seen;
}

/**
 * The names of files in a directory, of sidecars that fit none, whether there is any sidecar, and the paths that some list
 * which no listing has shown.
 */
export interface NamesLook {
  readonly files: readonly string[];
  readonly unfit: readonly string[];
  readonly hasSidecar: boolean;
  readonly listed: ReadonlySet<string>;
}
