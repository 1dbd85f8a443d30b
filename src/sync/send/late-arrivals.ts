import type { LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { isPerhapsGone } from './delete.ts';

/** A deletion that was cut off and has not been carried out by then never will be. */
const deletionArrivesMs = 30_000;
/** What the operating system still sends of a modify, after its process was killed, arrives within this. */
const modifyArrivesMs = 5_000;

/** What a document waits with for a request of an earlier process. */
export const underWayReason: Reason = {
  code: 'request-under-way',
  message: 'ingestd was ended in the middle of a request about it, which may still reach the service',
};

/**
 * How long after a start nothing else may be sent of a document, ms, where an earlier process was ended with a request
 * under way, however long ago a clock says that was: what arrived after it would undo it. A late deletion would take the
 * document away and nobody would know, so it is waited for as long as for an answer (`responseMs`), within reason; a late
 * modify, whose repetition is the usual case, for as long as is likely.
 */
export function arrivesWithinMs(record: LedgerRecord, responseMs: number): number {
  if (record.unsure === undefined) return 0;
  return isPerhapsGone(record) ? Math.min(responseMs, deletionArrivesMs) : modifyArrivesMs;
}
