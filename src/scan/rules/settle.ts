import type { FileStat } from '../../model/document.ts';

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

/** How soon a moved-in file is inspected for the second time. */
const secondInspectionMs = 50;

/**
 * Says how long until a file counts as settled, in whole milliseconds; 0: it has. Quiet time is counted from the
 * mtime; with an mtime in the future or after a jump of the wall clock, on the monotonic clock since the stat was
 * first seen (F49). An older file that came a moment ago (its ctime says so) has settled when two inspections agree, unless
 * it was seen changing: then its times come from another clock, such as a file server's, or are set by who writes it.
 */
export function settleDelay(question: SettleQuestion): number {
  const { stat, seenSince, hasChanged, now, monotonic, jumpedAt, settleMs } = question;
  const watched = settleMs - (seenSince === null ? 0 : monotonic - seenSince);
  if (watched <= 0) return 0;
  const jumped = jumpedAt !== null && monotonic - jumpedAt < settleMs;
  if (jumped || stat.mtimeMs > now) return Math.ceil(watched);
  const quiet = settleMs - (now - stat.mtimeMs);
  if (quiet > 0) return Math.ceil(Math.min(quiet, watched));
  if (hasChanged) return Math.ceil(watched);
  const came = now - stat.ctimeMs;
  const cameLongAgo = came >= settleMs;
  return cameLongAgo || seenSince !== null ? 0 : Math.min(secondInspectionMs, settleMs);
}
