import { countWords, numberWords } from '../lib/text/amounts.ts';
import { passedMs } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import type { Removal } from './ports/ledger-port.ts';
import type { SafetySettings } from './settings.ts';

/** Deletions of one folder count together for this long, so that a slow `rm -rf` is not let through in slices. */
const guardWindowMs = 10 * 60_000;

/** Deletions of one folder that are about to go out. All but the limits are numbers of documents. */
export interface Proposal {
  /** Gone and past their grace; neither held nor approved. */
  readonly removed: number;
  /** Let through in the last ten minutes, without those that a person approved. */
  readonly recent: number;
  /** Already held for approval: they count, so that the rest of the same deletion does not slip through. */
  readonly held: number;
  /** What the folder had when the ten minutes began. */
  readonly documents: number;
  readonly limits: Pick<SafetySettings, 'maxDeleteCount' | 'maxDeletePercent'>;
  /** The root is another directory than the one the ledger knows. */
  readonly rootChanged: boolean;
  /** How many of the removed lay where something is mounted now, or no longer is. */
  readonly unmounted: number;
}

/** Whether the removed documents are deleted at the service now or wait for a person. */
export type Verdict = { readonly kind: 'allow' } | { readonly kind: 'hold'; readonly reason: string };

/**
 * Says whether `removed` documents may be deleted at the service now: held when they are more than the count and more
 * than the percentage, exactly that many are let through; always held when the root is another one, or something was
 * mounted or unmounted in it.
 */
export function judgeDeletions(proposal: Proposal): Verdict {
  const { removed, recent, held, documents, limits, rootChanged, unmounted } = proposal;
  if (removed === 0) return { kind: 'allow' };
  // How many it is grows while it is held, and is said beside the reason.
  if (rootChanged) {
    const reason = 'the folder is not the same directory as before, and documents are missing from it';
    return { kind: 'hold', reason };
  }
  if (unmounted > 0) {
    const reason = 'a volume was mounted or unmounted below the folder, and documents are missing since';
    return { kind: 'hold', reason };
  }
  const count = removed + recent + held;
  if (count <= limits.maxDeleteCount) return { kind: 'allow' };
  if (count * 100 <= documents * limits.maxDeletePercent) return { kind: 'allow' };
  const gone = recent === 0 ? '' : `, with ${numberWords(recent)} that are deleted already`;
  return {
    kind: 'hold',
    // As above: of what comes and goes while it is held, the numbers of its beginning would not be true.
    reason: `more than ${countWords(limits.maxDeleteCount, 'document')}, and more than ${limits.maxDeletePercent} % of all in the folder, disappeared within ten minutes${gone}`,
  };
}

/**
 * How many deletions were let through in the last ten minutes, and how many documents the folder had before the first of
 * them; Infinity: it is not known. One that seems to lie ahead counts.
 */
export function recentDeletions(
  removals: readonly Removal[],
  clock: Pick<Clock, 'now' | 'sinceBoot'>,
): { readonly count: number; readonly documents: number } {
  const recent = removals.filter((removal) => passedMs(removal, clock) < guardWindowMs);
  return {
    count: recent.reduce((total, { count }) => total + count, 0),
    documents: recent[0]?.documents ?? Infinity,
  };
}
