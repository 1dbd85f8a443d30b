import { useRef } from 'preact/hooks';

import { countWords, numberWords, sizeWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import { secondsLeft, failuresInDoubt } from '../../../model/report/headline.ts';
import type { TransferStatus } from '../../../model/report/status.ts';
import { filledOf } from '../data/proportions.ts';
import { clockWords, shortDuration } from '../data/time-words.ts';
import { Cut, Fold, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { Subject } from './activity.tsx';

/** More would push everything else off the screen. */
const maxTransfers = 8;

/** What is being sent now, what comes next, and how much of the minute's budget is used. */
export function Transfers({ status }: Shown) {
  const { transfers, rate } = status;
  const { limit, used, windowSeconds, pausedUntil, nextFreeSeconds } = rate;
  const listed = transfers.slice(0, maxTransfers);
  const span = windowSeconds === 60 ? 'minute' : shortDuration(windowSeconds);
  return (
    <Fold title="In progress" words={queueWords(status)}>
      <ul class="transfers">
        {listed.map((transfer) => (
          <Transfer key={`${transfer.operation} ${transfer.documents} ${refKey(transfer)}`} {...transfer} />
        ))}
      </ul>
      <Cut listed={listed.length} total={transfers.length} />
      <p>
        {numberWords(used)} of {countWords(limit, 'request')} in the last {span}
      </p>
      <progress aria-label="Requests used" max={limit} value={Math.min(used, limit)} />
      {pausedUntil !== null && <p class="faint">The service asked to wait until {clockWords(pausedUntil)}</p>}
      {pausedUntil === null && nextFreeSeconds > 0 && status.queue.etaSeconds !== null && (
        <p class="faint">Next request in {shortDuration(nextFreeSeconds)}</p>
      )}
    </Fold>
  );
}

function Transfer({ folder, path, operation, bytesSent, bytesTotal, documents }: TransferStatus) {
  const sent = Math.min(bytesSent, bytesTotal);
  const rate = useSpeed(sent);
  const speed = rate === null ? '' : ` · ${sizeWords(rate)}/s`;
  return (
    <li>
      <Subject folder={folder} path={path} documents={documents} /> <span class="faint">{operation}</span>
      {bytesTotal > 0 && (
        <progress
          aria-label={`${operation} ${documents > 1 ? '' : path}`}
          max={bytesTotal}
          value={filledOf(sent, bytesTotal)}
        />
      )}
      <p class="faint">
        {sent < bytesTotal
          ? `${sizeWords(sent)} of ${sizeWords(bytesTotal)}${speed}`
          : 'waiting for an answer'}
      </p>
    </li>
  );
}

/** A speed is measured over at least so long. */
const speedEveryMs = 1000;

/** Bytes per second since a moment ago; null: not known yet. */
function useSpeed(bytes: number): number | null {
  const last = useRef({ bytes, at: performance.now(), rate: null as number | null });
  const at = performance.now();
  const since = last.current;
  if (bytes < since.bytes) last.current = { bytes, at, rate: null };
  else if (at - since.at >= speedEveryMs) {
    last.current = { bytes, at, rate: ((bytes - since.bytes) * 1000) / (at - since.at) };
  }
  return last.current.rate;
}

function queueWords(status: Shown['status']): string {
  const { pending, inFlight, waiting } = status.queue;
  const parts = [
    ...(inFlight > 0 ? [`${numberWords(inFlight)} being sent`] : []),
    ...(pending > 0 ? [`${numberWords(pending)} queued`] : []),
    ...(waiting > 0 ? [`${numberWords(waiting)} waiting`] : []),
  ];
  const seconds = secondsLeft(status);
  if (seconds !== null) parts.push(`${shortDuration(seconds)} left`);
  return parts.join(', ') || 'nothing';
}

const maxWaits = 5;

/**
 * Documents that wait for something by name: a sidecar, an attachment, the next attempt. Nobody has to do anything
 * about a retry.
 */
export function Waiting({ status }: Shown) {
  const elsewhere = failuresInDoubt(status);
  const retried = status.failures.filter((one) => one.retryAt !== null && !elsewhere.has(one));
  const waits = [...status.waiting.map((one) => ({ ...one, retryAt: null })), ...retried];
  // The others are being written: they have nothing to say.
  const all = status.folders.reduce((sum, { waiting }) => sum + waiting, 0);
  if (waits.length === 0) return null;
  const total = Math.max(waits.length, all);
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
