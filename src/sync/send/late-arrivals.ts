import type { LedgerRecord, SentRequest } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { isPerhapsGone } from './delete.ts';

/** A request that was cut off longer ago than this has arrived, or never will. */
const longestUnderWayMs = 600_000;
/** So is a deletion that has not been carried out by then. */
const deletionArrivesMs = 30_000;
/** What the operating system still sends of a modify, after its process was killed, arrives within this. */
const modifyArrivesMs = 5_000;

/** What a document waits with for a request of an earlier process. */
export const underWayReason: Reason = {
  code: 'request-under-way',
  message: 'ingestd was ended in the middle of a request about it, which may still reach the service',
};

/** Whether an earlier process was ended with a request under way so recently that it may still arrive. */
export function mayArriveLate(sent: readonly SentRequest[], now: number): boolean {
  return sent.some(({ at, answeredAt }) => answeredAt === null && now - at < longestUnderWayMs);
}

/**
 * How long after a start nothing else may be sent of a document, ms, where `mayArriveLate`: what arrived after it would
 * undo it. A late deletion would take the document away and nobody would know, so it is waited for as long as for an
 * answer (`responseMs`), within reason; a late modify, whose repetition is the usual case, for as long as is likely.
 */
export function arrivesWithinMs(record: LedgerRecord, responseMs: number): number {
  if (record.unsure === undefined) return 0;
  return isPerhapsGone(record) ? Math.min(responseMs, deletionArrivesMs) : modifyArrivesMs;
}
