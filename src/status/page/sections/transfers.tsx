import { sumOf } from '../../../lib/sum-of.ts';
import { countWords, durationWords, numberWords, sizeWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import { sortFailures } from '../../../model/report/failures.ts';
import { clockWords } from '../data/time-words.ts';
import { Fold, More, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { Subject } from './activity.tsx';

/** More would push everything else off the screen. */
const maxTransfers = 8;

/** What is being sent now, what comes next, and how much of the minute's budget is used. */
export function Transfers({ status: { transfers, rate, queue } }: Shown) {
  const { limit, used, windowSeconds, pausedUntil, nextFreeSeconds } = rate;
  const counts = [
    queue.inFlight > 0 && `${numberWords(queue.inFlight)} being sent`,
    queue.pending > 0 && `${numberWords(queue.pending)} queued`,
  ];
  const span = windowSeconds === 60 ? 'minute' : `${windowSeconds} s`;
  return (
    <Fold title="In progress" words={counts.filter(Boolean).join(', ') || 'nothing now'}>
      <ul class="rows">
        {transfers.slice(0, maxTransfers).map(({ operation, bytesSent, bytesTotal, ...one }) => (
          <li key={`${operation} ${one.documents} ${refKey(one)}`}>
            <Subject {...one} /> <span class="faint">{operation}</span>
            {bytesTotal > 0 && (
              <progress
                aria-label={`${operation} ${one.documents > 1 ? '' : one.path}`}
                max={bytesTotal}
                // Full is for what the service has accepted, which is in no list of transfers.
                value={Math.min(bytesSent, Math.floor(bytesTotal * 0.99))}
              />
            )}
            <p class="faint">
              {bytesSent < bytesTotal
                ? `${sizeWords(bytesSent)} of ${sizeWords(bytesTotal)}`
                : 'waiting for an answer'}
            </p>
          </li>
        ))}
      </ul>
      <More count={transfers.length - maxTransfers} />
      <p>
        {numberWords(used)} of {countWords(limit, 'request')} in the last {span}
      </p>
      <progress aria-label="Requests used" max={limit} value={used} />
      {pausedUntil !== null && <p class="faint">The service asked to wait until {clockWords(pausedUntil)}</p>}
      {pausedUntil === null && nextFreeSeconds > 0 && queue.etaSeconds !== null && (
        <p class="faint">Next request in {durationWords(nextFreeSeconds)}</p>
      )}
    </Fold>
  );
}

const maxWaits = 5;

/** Documents that wait for something by name: a sidecar, an attachment, the next attempt. A retry needs nobody. */
export function Waiting({ status }: Shown) {
  const { retried } = sortFailures(status);
  const waits = [...status.waiting.map((one) => ({ ...one, retryAt: null })), ...retried];
  if (waits.length === 0) return null;
  // The others are being written: they have nothing to say.
  const total = Math.max(
    waits.length,
    sumOf(status.folders, ({ waiting }) => waiting),
  );
  return (
    <Fold title="Waiting" words={countWords(total, 'document')}>
      <Rows of={waits} most={maxWaits} total={total}>
        {({ message, retryAt }) => (
          <p>
            {said(message)}
            {retryAt !== null && ` Next attempt at ${clockWords(retryAt)}.`}
          </p>
        )}
      </Rows>
    </Fold>
  );
}
