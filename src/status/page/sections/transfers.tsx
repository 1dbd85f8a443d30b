import { useRef } from 'preact/hooks';

import { countWords, numberWords, sizeWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import { secondsLeft, failuresInDoubt } from '../../../model/report/headline.ts';
import type { TransferStatus } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { filledOf } from '../data/proportions.ts';
import { clockWords, shortDuration } from '../data/time-words.ts';
import { FoldedPanel, PathText, said, Subject } from '../parts.tsx';

/** More would push everything else off the screen. */
const maxTransfers = 8;

/** What is being sent now, what comes next, and how much of the minute's budget is used. */
export function Transfers({ status }: { readonly status: StatusAnswer }) {
  const { transfers, rate } = status;
  const { limit, used, windowSeconds, pausedUntil, nextFreeSeconds } = rate;
  const more = transfers.length - maxTransfers;
  const span = windowSeconds === 60 ? 'minute' : shortDuration(windowSeconds);
  return (
    <FoldedPanel title="In progress" words={queueWords(status)}>
      <ul class="transfers">
        {transfers.slice(0, maxTransfers).map((transfer) => (
          <Transfer key={`${transfer.operation} ${transfer.documents} ${refKey(transfer)}`} {...transfer} />
        ))}
      </ul>
      {more > 0 && <p class="faint">{numberWords(more)} more</p>}
      <p>
        {numberWords(used)} of {countWords(limit, 'request')} in the last {span}
      </p>
      <progress aria-label="Requests used" max={limit} value={Math.min(used, limit)} />
      {pausedUntil !== null && <p class="faint">The service asked to wait until {clockWords(pausedUntil)}</p>}
      {pausedUntil === null && nextFreeSeconds > 0 && status.queue.etaSeconds !== null && (
        <p class="faint">Next request in {shortDuration(nextFreeSeconds)}</p>
      )}
    </FoldedPanel>
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

function queueWords(status: StatusAnswer): string {
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
export function Waiting({ status }: { readonly status: StatusAnswer }) {
  const elsewhere = failuresInDoubt(status);
  const retried = status.failures.filter((one) => one.retryAt !== null && !elsewhere.has(one));
  const waits = [...status.waiting.map((one) => ({ ...one, retryAt: null })), ...retried];
  // The others are being written: they have nothing to say.
  const all = status.folders.reduce((sum, { waiting }) => sum + waiting, 0);
  const more = Math.max(waits.length, all) - Math.min(maxWaits, waits.length);
  if (waits.length === 0) return null;
  return (
    <FoldedPanel title="Waiting" words={countWords(Math.max(waits.length, all), 'document')}>
      <ul class="rows">
        {waits.slice(0, maxWaits).map((wait) => (
          <li key={refKey(wait)}>
            <PathText {...wait} />
            <p>
              {said(wait.message)}
              {wait.retryAt !== null && ` Next attempt at ${clockWords(wait.retryAt)}.`}
            </p>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">and {numberWords(more)} more</p>}
    </FoldedPanel>
  );
}
