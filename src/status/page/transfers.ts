import type { TransferStatus } from '../../model/report/status.ts';
import { countWords, durationWords, numberWords, sizeWords } from '../../lib/words.ts';
import { byId, createList, el, setAttribute, setText } from './dom.ts';
import type { Part } from './dom.ts';
import type { PageStatus } from './page-status.ts';
import { pathText } from './path-text.ts';

/** What is on its way now, with its progress, and what comes after. */
export function createTransfers(): (status: PageStatus) => void {
  const show = createList<TransferStatus>(byId('transfer-list'), keyOf, createTransfer);
  return ({ transfers, queue }) => {
    show(transfers);
    setText(byId('queue'), queueWords(queue, transfers.length));
  };
}

function keyOf({ folder, path, operation, documents }: TransferStatus): string {
  return `${operation} ${documents} ${folder}/${path}`;
}

function createTransfer({ folder, path, operation, documents }: TransferStatus): Part<TransferStatus> {
  const what =
    documents > 1 ? el('span', { class: 'path' }, countWords(documents, 'document')) : pathText(folder, path);
  const amount = el('span', { class: 'amount' });
  const progress = el('progress', { 'aria-label': `${operation} ${documents > 1 ? '' : path}` });
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
      progress.hidden = !measured;
      if (measured) {
        setAttribute(progress, 'max', String(bytesTotal));
        setAttribute(progress, 'value', String(Math.min(bytesSent, bytesTotal)));
      }
      const sent = bytesSent >= bytesTotal;
      setText(
        amount,
        measured && !sent ? `${sizeWords(bytesSent)} of ${sizeWords(bytesTotal)}` : 'waiting for the answer',
      );
    },
  };
}

function queueWords({ pending, waiting, etaSeconds }: PageStatus['queue'], transfers: number): string {
  const parts: string[] = [];
  if (pending > 0) parts.push(`${numberWords(pending)} queued`);
  if (waiting > 0) parts.push(`${numberWords(waiting)} waiting to settle or for a retry`);
  if (parts.length === 0) return transfers === 0 ? 'Nothing is on its way.' : 'Nothing else is queued.';
  return `${parts.join(', ')}${pending > 0 && etaSeconds > 0 ? `; done in ${durationWords(etaSeconds)}` : ''}.`;
}
