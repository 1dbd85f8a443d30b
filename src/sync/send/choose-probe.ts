import type { SendKind } from '../../model/operation.ts';

/** What may go out as the one request that tries whether the service is back. */
export interface ProbeCandidate {
  readonly key: string;
  readonly operation: SendKind;
  /** Requests in a row that did not deliver it. */
  readonly attempts: number;
}

/**
 * Which of them goes out, and what was tried before by kind, the latest last. One of those that failed least often, of
 * the kind that was tried least lately, and any of these: should some documents be what the service does not take, most
 * others are soon found.
 */
export function chooseProbe(
  candidates: readonly ProbeCandidate[],
  tried: readonly SendKind[],
  random: number,
): ProbeCandidate | undefined {
  const least = (of: (one: ProbeCandidate) => number, among: readonly ProbeCandidate[]) => {
    const lowest = among.reduce((low, one) => Math.min(low, of(one)), Infinity);
    return among.filter((one) => of(one) === lowest);
  };
  const fresh = least(({ attempts }) => attempts, candidates);
  const inTurn = least(({ operation }) => tried.lastIndexOf(operation), fresh);
  return inTurn[Math.floor(random * inTurn.length)];
}
