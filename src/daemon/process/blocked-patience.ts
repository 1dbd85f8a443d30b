import { systemClock } from '../../lib/time/clock.ts';
import type { Reason } from '../../model/report/status.ts';

/** Reasons for which nothing is sent until somebody else does something. */
const blockingCodes: ReadonlySet<string> = new Set([
  'redis-unavailable',
  'redis-refuses',
  'fleet-paused',
  'ledger-unwritable',
]);

/**
 * Gives why nothing can be sent, once that has lasted for `ms` and no request went out meanwhile; null: it has not.
 */
export function createBlockedPatience(
  ask: () => { readonly reasons: readonly Reason[]; readonly requests: number },
  ms: number,
): () => Reason | null {
  let since: number | null = null;
  let requests = -1;
  return () => {
    const now = systemClock.monotonic();
    const { reasons, requests: sent } = ask();
    const reason = reasons.find(({ code }) => blockingCodes.has(code));
    if (reason === undefined) since = null;
    else if (since === null || sent !== requests) since = now;
    requests = sent;
    return reason !== undefined && since !== null && now - since >= ms ? reason : null;
  };
}
