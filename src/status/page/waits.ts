import { sentence } from '../../lib/text/sentences.ts';
import { printable } from '../../lib/text/printable.ts';
import { numberWords } from '../../lib/text/amounts.ts';
import { failuresInDoubt } from '../../model/report/headline.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { clockWords } from './data/time-words.ts';
import { byId, createList, el, fixed, setText } from './dom.ts';
import { pathText } from './file-story.ts';

const maxRows = 5;

interface Wait {
  readonly folder: string;
  readonly path: string;
  readonly message: string;
  /** ISO 8601; null: until something changes. */
  readonly retryAt: string | null;
}

/** Documents that wait for something by name: a sidecar, an attachment, the next attempt. Nobody has to do anything about a retry. */
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
    show(waits.slice(0, maxRows));
    const more = total - Math.min(maxRows, waits.length);
    byId('waits-more').hidden = more <= 0;
    setText(byId('waits-more'), `and ${numberWords(more)} more`);
  };
}
