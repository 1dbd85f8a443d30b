import type { Stats } from 'node:fs';

import { clockJumpMs } from '../../lib/time/clock.ts';
import type { FileStat } from '../../model/document.ts';
import { statKey } from './entry.ts';

/** What is known of one file when it is asked whether it has settled. */
export interface SettleQuestion {
  readonly stat: Pick<FileStat, 'mtimeMs' | 'ctimeMs'>;
  /** Monotonic time at which exactly this stat was first seen; null: it is seen for the first time. */
  readonly seenSince: number | null;
  /** It was seen with another stat shortly before. */
  readonly hasChanged: boolean;
  readonly now: number;
  readonly monotonic: number;
  /** Monotonic time of the wall clock's last jump; null: none. */
  readonly jumpedAt: number | null;
  readonly settleMs: number;
}

/** How soon a place is inspected again that a scan has to see first. */
export const afterScanMs = 250;

/**
 * How long until a file counts as settled, in whole milliseconds; 0: it has. Quiet time is counted from its last change
 * and from when it got its name (its ctime): what belongs to a document that is moved in may come a moment after it. In
 * the future, or after a jump of the wall clock, it is counted on the monotonic clock since the stat was first seen
 * (F49); so it is where the file was seen changing and its times do not say so: they come from another clock, such as a
 * file server's, or are set by who writes it.
 */
export function settleDelay(question: SettleQuestion): number {
  const { stat, seenSince, hasChanged, now, monotonic, jumpedAt, settleMs } = question;
  const watched = settleMs - (seenSince === null ? 0 : monotonic - seenSince);
  if (watched <= 0) return 0;
  const jumped = jumpedAt !== null && monotonic - jumpedAt < settleMs;
  const changedMs = Math.max(stat.mtimeMs, stat.ctimeMs);
  if (jumped || changedMs > now) return Math.ceil(watched);
  const quiet = settleMs - (now - changedMs);
  if (quiet > 0) return Math.ceil(Math.min(quiet, watched));
  return hasChanged ? Math.ceil(watched) : 0;
}

/** Wall clock and monotonic time of one moment, ms. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

interface Observation {
  readonly key: string;
  /** Monotonic. */
  readonly since: number;
  /** It was seen with another stat before. */
  readonly hasChanged: boolean;
}

/** Nothing is inspected again this late. */
const keepMs = 3_600_000;
const pruneAbove = 5_000;

/** What may be missing for a moment only, by the paths that tell it from others of its kind. */
export type Missable =
  /** A sidecar, a `.meta.json` or an `.ingestignore`. */
  | readonly [kind: 'companion', path: string]
  /** A document that claims attachments, or the sidecar in which it does. */
  | readonly [kind: 'claim', owner: string]
  /** A file that a document's sidecar attaches, as it is written there. */
  | readonly [kind: 'attachment', document: string, text: string];

export type Observations = ReturnType<typeof createObservations>;

/** Remembers since when young files have looked as they do, and since when others have been missing. */
export function createObservations(settleMs: number) {
  const seen = new Map<string, Observation>();
  const missing = new Map<string, number>();
  let at: Moment = { now: Date.now(), monotonic: 0 };
  let takenAt = performance.now();
  let offset: number | null = null;
  let jumpedAt: number | null = null;

  function present(): Moment {
    const passed = performance.now() - takenAt;
    return { now: at.now + passed, monotonic: at.monotonic + passed };
  }

  /** Gives since when the file has looked like this; null: it is seen so for the first time. */
  function observe(
    path: string,
    stats: Stats,
    monotonic: number,
  ): Pick<SettleQuestion, 'seenSince' | 'hasChanged'> {
    const key = statKey(stats);
    const known = seen.get(path);
    if (known?.key === key) return { seenSince: known.since, hasChanged: known.hasChanged };
    const hasChanged = known !== undefined;
    seen.set(path, { key, since: monotonic, hasChanged });
    return { seenSince: null, hasChanged };
  }

  return {
    /** The moment that holds now. */
    now: (): Moment => at,
    /** Takes note of a file that a scan saw, if it is young enough to matter. */
    see: (path: string, stats: Stats): void => {
      // The moment of the scan's start would do, but for scans that take longer than a file needs to settle.
      if (Math.max(stats.mtimeMs, stats.ctimeMs) < at.now - settleMs) return;
      observe(path, stats, present().monotonic);
    },
    /** Milliseconds until the file counts as settled; 0: it has. Counts as an inspection. */
    settle: (path: string, stats: Stats): number => {
      const { now, monotonic } = at;
      const observed = observe(path, stats, monotonic);
      const delay = settleDelay({ stat: stats, ...observed, now, monotonic, jumpedAt, settleMs });
      if (delay === 0 && stats.mtimeMs <= now - settleMs && stats.ctimeMs <= now - settleMs)
        seen.delete(path);
      return delay;
    },
    /** Takes note that something is missing; gives for how long it has been, in monotonic milliseconds. */
    noteMissing: (...what: Missable): number => {
      const key = what.join('\0');
      const since = missing.get(key) ?? at.monotonic;
      missing.set(key, since);
      return at.monotonic - since;
    },
    /** For how long something has been missing; null: nobody has taken note of it. */
    missingMs: (...what: Missable): number | null => {
      const since = missing.get(what.join('\0'));
      return since === undefined ? null : at.monotonic - since;
    },
    /** It is there, or nobody waits for it any more. */
    endMissing: (...what: Missable): void => {
      missing.delete(what.join('\0'));
    },
    /** The moment that holds from now on. A jump of the wall clock against the other is noticed. */
    moment: (moment: Moment): void => {
      at = moment;
      takenAt = performance.now();
      const next = moment.now - moment.monotonic;
      if (offset !== null && Math.abs(next - offset) > clockJumpMs) jumpedAt = moment.monotonic;
      if (offset === null || Math.abs(next - offset) > clockJumpMs) offset = next;
    },
    prune: (): void => {
      if (seen.size + missing.size < pruneAbove) return;
      for (const [path, { since }] of seen) if (at.monotonic - since > settleMs + keepMs) seen.delete(path);
      for (const [key, since] of missing) if (at.monotonic - since > keepMs) missing.delete(key);
    },
  };
}
