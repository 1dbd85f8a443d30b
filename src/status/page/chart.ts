import { countWords, numberWords } from '../../lib/text/amounts.ts';
import type { HistoryReport } from '../metrics/delivery-history.ts';
import { byKind, chartKinds, columnCount, columnsOf, roundUp, stack } from './data/proportions.ts';
import type { ByKind, Column } from './data/proportions.ts';
import { minuteWords } from './data/time-words.ts';
import { byId, el, setAttribute, setText, svg } from './dom.ts';

const columnWidth = 10;

interface Drawing {
  readonly pieces: ByKind<SVGRectElement>;
  readonly title: SVGTitleElement;
}

/** Deliveries over the last hours, a column every few minutes; the reader chooses how far back. */
export function createChart(): (history: HistoryReport) => void {
  const picture = byId('chart-picture');
  const drawings = Array.from({ length: columnCount }, (_, index) => draw(picture, index));
  const ticks = Array.from({ length: 4 }, () => byId('chart-times').appendChild(el('span', {})));
  let history: HistoryReport | null = null;
  let hours = 6;

  const show = () => {
    if (history === null) return;
    const columns = columnsOf(history, hours);
    const most = Math.max(...columns.map(({ total }) => total));
    const top = roundUp(most);
    for (const [index, drawing] of drawings.entries()) showColumn(drawing, columns[index], top);
    for (const [index, tick] of ticks.entries()) {
      setText(tick, minuteWords(columns[(index * columnCount) / ticks.length]?.start ?? 0));
    }
    setText(byId('chart-top'), numberWords(top));
    byId('chart-empty').hidden = most > 0;
    showLegend(columns);
    setText(byId('chart-title'), describe(columns, hours));
  };

  for (const choice of byId('chart-choice').querySelectorAll('input')) {
    choice.addEventListener('change', () => {
      hours = Number(choice.value);
      show();
    });
  }
  return (next) => {
    history = next;
    show();
  };
}

function draw(picture: Element, index: number): Drawing {
  const x = String(index * columnWidth + 1.5);
  const width = String(columnWidth - 3);
  const pieces = byKind((kind) => svg('rect', { class: `piece ${kind}`, x, width, y: '100', height: '0' }));
  const title = svg('title');
  const place = svg('rect', {
    class: 'place',
    x: String(index * columnWidth),
    width: '10',
    y: '0',
    height: '100',
  });
  picture.append(svg('g', {}, title, place, ...Object.values(pieces)));
  return { pieces, title };
}

function showColumn({ pieces, title }: Drawing, column: Column | undefined, top: number): void {
  if (column === undefined) return;
  for (const { kind, y, height } of stack(column, top)) {
    setAttribute(pieces[kind], 'y', y.toFixed(2));
    setAttribute(pieces[kind], 'height', height.toFixed(2));
  }
  const parts = chartKinds.flatMap((kind) =>
    column.counts[kind] > 0 ? [`${column.counts[kind]} ${kind}`] : [],
  );
  setText(title, `${minuteWords(column.start)}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`);
}

function showLegend(columns: readonly Column[]): void {
  for (const kind of chartKinds) {
    const row = byId('chart-legend').querySelector(`.${kind}`);
    const sum = columns.reduce((total, { counts }) => total + counts[kind], 0);
    if (row === null) continue;
    setText(row, `${numberWords(sum)} ${kind}`);
    row.toggleAttribute('hidden', sum === 0);
  }
}

function describe(columns: readonly Column[], hours: number): string {
  const total = columns.reduce((sum, column) => sum + column.total, 0);
  if (total === 0) return `Nothing in the last ${hours} hours`;
  const most = columns.reduce((a, b) => (b.total > a.total ? b : a));
  return `${countWords(total, 'document')} in the last ${hours} hours, most (${numberWords(most.total)}) around ${minuteWords(most.start)}`;
}
