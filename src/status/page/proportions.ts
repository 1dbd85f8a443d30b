import type { FolderStatus } from '../../model/report/status.ts';
import { numberWords } from '../../lib/words.ts';
import { el, setAttribute, setText } from './dom.ts';

type Counts = Pick<FolderStatus, 'synced' | 'pending' | 'waiting' | 'failed' | 'skipped' | 'held'>;

/** What a file on disk can be, in the order of the bar. Held deletions are not on disk: they have a number only. */
const shares = [
  { key: 'synced', label: 'in the service', of: (counts: Counts) => counts.synced },
  { key: 'moving', label: 'on the way', of: ({ pending, waiting }: Counts) => pending + waiting },
  { key: 'failed', label: 'failed', of: (counts: Counts) => counts.failed },
  { key: 'skipped', label: 'not sent', of: (counts: Counts) => counts.skipped },
  { key: 'held', label: 'held', of: (counts: Counts) => counts.held },
] as const;

/** How many there have to be before a share is worth a place in the legend when it is empty. */
const always: ReadonlySet<string> = new Set(['synced', 'moving']);

/** Fills `container` with a bar in proportion and the numbers under it. */
export function createProportions(container: Element): (folders: readonly Counts[]) => void {
  const bar = el('div', { class: 'bar', 'aria-hidden': 'true' });
  const legend = el('dl', { class: 'legend' });
  const rows = shares.map(({ key, label, of }) => {
    const piece = el('i', { class: `piece ${key}` });
    const number = el('dd', {});
    const row = el('div', { class: key }, el('dt', {}, label), number);
    if (key !== 'held') bar.append(piece);
    legend.append(row);
    return { key, of, piece, number, row };
  });
  container.append(bar, legend);

  return (folders) => {
    let onDisk = 0;
    for (const { key, of, piece, number, row } of rows) {
      const count = folders.reduce((sum, folder) => sum + of(folder), 0);
      if (key !== 'held') onDisk += count;
      piece.style.flexGrow = String(count);
      piece.hidden = count === 0;
      setText(number, numberWords(count));
      row.hidden = count === 0 && !always.has(key);
    }
    setAttribute(container, 'data-empty', String(onDisk === 0));
  };
}
