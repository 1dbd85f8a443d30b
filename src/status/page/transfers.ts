import { countWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { printable } from '../../lib/text/printable.ts';
import { secondsLeft, failuresInDoubt } from '../../model/report/headline.ts';
import type { TransferStatus } from '../../model/report/status.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { filledOf } from './data/proportions.ts';
import { clockWords, shortDuration } from './data/time-words.ts';
import { byId, createList, el, setAttribute, setText, showTextIf, fixed } from './dom.ts';
import type { Part } from './dom.ts';
import { pathText, subjectText } from './file-story.ts';

/** More would push everything else off the screen. */
const maxTransfers = 8;

/** A speed is measured over at least so long. */
const speedEveryMs = 1000;

/** What is being sent now, what comes next, and how much of the minute's budget is used. */
export function createTransfers(): (status: StatusAnswer) => void {
  const show = createList<TransferStatus>(byId('transfer-list'), keyOf, createTransfer);
  return (status) => {
    const { transfers, rate } = status;
    show(transfers.slice(0, maxTransfers));
    const more = transfers.length - maxTransfers;
    showTextIf(more > 0, byId('transfers-more'), `${numberWords(more)} more`);
    setText(byId('queue'), queueWords(status));
    showBudget(rate);
  };
}

function keyOf({ folder, path, operation, documents }: TransferStatus): string {
  return `${operation} ${documents} ${folder}/${path}`;
}

function createTransfer({ folder, path, operation, documents }: TransferStatus): Part<TransferStatus> {
  const what = subjectText(folder, path, documents);
  const amount = el('span', { class: 'amount' });
  const progress = el('progress', { 'aria-label': `${operation} ${documents > 1 ? '' : path}` });
  const speed = createSpeed();
  const node = el(
    'li',
    {},
    el('div', { class: 'line' }, what, el('span', { class: 'faint' }, operation)),
    progress,
    amount,
  );
  return {
    node,
    show: ({ bytesSent, bytesTotal }) => {
      const measured = bytesTotal > 0;
      const sent = Math.min(bytesSent, bytesTotal);
      progress.hidden = !measured;
      if (measured) {
        setAttribute(progress, 'max', String(bytesTotal));
        setAttribute(progress, 'value', String(filledOf(sent, bytesTotal)));
      }
      const rate = speed(sent);
      const words = `${sizeWords(sent)} of ${sizeWords(bytesTotal)}${rate === null ? '' : ` · ${sizeWords(rate)}/s`}`;
      setText(amount, measured && sent < bytesTotal ? words : 'waiting for an answer');
    },
  };
}

/** Bytes per second since a moment ago; null: not known yet. */
function createSpeed(): (bytes: number) => number | null {
  let last: { readonly bytes: number; readonly at: number } | null = null;
  let rate: number | null = null;
  return (bytes) => {
    const at = performance.now();
    if (last === null || bytes < last.bytes) {
      last = { bytes, at };
      rate = null;
    } else if (at - last.at >= speedEveryMs) {
      rate = ((bytes - last.bytes) * 1000) / (at - last.at);
      last = { bytes, at };
    }
    return rate;
  };
}

function queueWords(status: StatusAnswer): string {
  const { pending, waiting } = status.queue;
  const parts: string[] = [];
  if (pending > 0) parts.push(`${numberWords(pending)} queued`);
  if (waiting > 0) parts.push(`${numberWords(waiting)} waiting`);
  if (parts.length === 0)
    return status.transfers.length === 0 ? 'Nothing in progress.' : 'Nothing else is queued.';
  const seconds = secondsLeft(status);
  return `${parts.join(', ')}${seconds === null ? '' : `, ${shortDuration(seconds)} left`}.`;
}

function showBudget({
  limit,
  used,
  windowSeconds,
  pausedUntil,
  nextFreeSeconds,
}: StatusAnswer['rate']): void {
  const meter = byId('budget-meter');
  setAttribute(meter, 'max', String(limit));
  setAttribute(meter, 'value', String(Math.min(used, limit)));
  const span = windowSeconds === 60 ? 'minute' : shortDuration(windowSeconds);
  setText(byId('budget-used'), `${numberWords(used)} of ${countWords(limit, 'request')} in the last ${span}`);
  const next = byId('budget-next');
  next.hidden = pausedUntil === null && nextFreeSeconds <= 0;
  setText(
    next,
    pausedUntil === null
      ? `Next request in ${shortDuration(nextFreeSeconds)}`
      : `The service asked to wait until ${clockWords(pausedUntil)}`,
  );
  byId('budget').dataset['paused'] = String(pausedUntil !== null);
}

const maxWaits = 5;

interface Wait {
  readonly folder: string;
  readonly path: string;
  readonly message: string;
  /** ISO 8601; null: until something changes. */
  readonly retryAt: string | null;
}

/**
 * Documents that wait for something by name: a sidecar, an attachment, the next attempt. Nobody has to do anything
 * about a retry.
 */
export function createWaits(): (status: StatusAnswer) => void {
  const show = createList<Wait>(
    byId('wait-list'),
    ({ folder, path, message, retryAt }) => `${folder}/${path} ${message} ${retryAt ?? ''}`,
    ({ folder, path, message, retryAt }) => {
      const next = retryAt === null ? '' : ` Next attempt at ${clockWords(retryAt)}.`;
      const words = `${sentence(printable(message))}${next}`;
      return fixed(el('li', {}, pathText(folder, path), el('span', { class: 'message' }, words)));
    },
  );
  return (status) => {
    const elsewhere = failuresInDoubt(status);
    const retried = status.failures.filter((one) => one.retryAt !== null && !elsewhere.has(one));
    const waits: Wait[] = [...status.waiting.map((one) => ({ ...one, retryAt: null })), ...retried];
    // The others are being written: they have nothing to say.
    const total = Math.max(
      waits.length,
      status.folders.reduce((sum, { waiting }) => sum + waiting, 0),
    );
    byId('waits').hidden = waits.length === 0;
    setText(byId('waits-count'), numberWords(total));
    show(waits.slice(0, maxWaits));
    const more = total - Math.min(maxWaits, waits.length);
    showTextIf(more > 0, byId('waits-more'), `and ${numberWords(more)} more`);
  };
}
