import { minuteWords, numberWords } from '../../../lib/text/amounts.ts';
import { sumOf } from '../../../lib/sum-of.ts';
import { columnsOf, deliveryKinds } from '../../metrics/delivery-history.ts';
import type { HistoryReport } from '../../metrics/delivery-history.ts';
import { useAnswer } from '../data/daemon.ts';

/** Deliveries of the last day; asked for again when `now` changes. */
export function Chart({ now }: { readonly now: number }) {
  const { answer: history } = useAnswer<HistoryReport>('api/history', now);
  if (history === undefined) return null;
  const columns = columnsOf(history);
  const top = Math.max(1, ...columns.map(({ counts }) => sumOf(counts, Number)));
  const ticks = columns.filter((_, index) => index % (columns.length / 4) === 0);
  const sums = deliveryKinds.map((_, at) => sumOf(columns, ({ counts }) => counts[at] ?? 0));
  return (
    <>
      <div
        class="chart"
        role="img"
        aria-label={`${partsOf(sums).join(', ') || 'nothing'} in the last 24 hours`}
      >
        {columns.map(({ start, counts }) => (
          <div key={start} title={`${minuteWords(start)}: ${partsOf(counts).join(', ') || 'nothing'}`}>
            {counts.map((count, at) => (
              <i key={at} class={deliveryKinds[at]} style={{ height: `${(count / top) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <div class="chart-times" aria-hidden="true">
        {ticks.map(({ start }) => (
          <span key={start}>{minuteWords(start)}</span>
        ))}
      </div>
      <ul class="legend">
        {partsOf(sums).map((part) => (
          <li key={part} class={part.split(' ')[1]}>
            {part}
          </li>
        ))}
      </ul>
      <p class="faint">A document counts each time. What failed is counted until that is over.</p>
    </>
  );
}

/** One for each kind that there is: `12 uploaded`. */
function partsOf(counts: readonly number[]): string[] {
  return deliveryKinds.flatMap((kind, at) => (counts[at] ? [`${numberWords(counts[at])} ${kind}`] : []));
}
