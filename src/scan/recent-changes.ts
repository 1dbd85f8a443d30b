import type { Clock } from '../lib/time/clock.ts';

/** What happened longer ago is forgotten. */
const keptMs = 120_000;
/** From so many directories on, what is too old is looked for. */
const crowded = 1_000;

/** In which directories of a folder something has happened of late, as far as events and scans told. */
export function createRecentChanges(clock: Clock) {
  /** By directory, when it was told last, monotonic ms; the latest last. */
  const told = new Map<string, number>();
  let lostAt = -Infinity;

  return {
    note: (directories: readonly string[]): void => {
      const now = clock.monotonic();
      for (const directory of directories) {
        told.delete(directory);
        told.set(directory, now);
      }
      if (told.size < crowded) return;
      for (const [directory, at] of told) {
        if (at > now - keptMs) return;
        told.delete(directory);
      }
    },
    /** It may have been in any directory. */
    noteLost: (): void => {
      lostAt = clock.monotonic();
    },
    /** The directories in which something has happened since then; null: nobody can say. */
    since: (since: number): readonly string[] | null => {
      if (lostAt >= since) return null;
      return [...told].flatMap(([directory, at]) => (at >= since ? [directory] : []));
    },
  };
}
