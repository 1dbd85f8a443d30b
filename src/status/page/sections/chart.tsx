import { useState } from 'preact/hooks';

import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import type { HistoryReport } from '../../metrics/delivery-history.ts';
import { chartKinds, columnCount, columnsOf, sumOf } from '../data/proportions.ts';
import type { Column } from '../data/proportions.ts';
import { minuteWords } from '../data/time-words.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Fold } from '../parts.tsx';

const everyMs = 5000;

/** Deliveries over the last hours, a column every few minutes. */
export function Chart() {
  return (
    <Fold title="Deliveries" words="of the last hours">
      <Columns />
    </Fold>
  );
}

function Columns() {
  const [hours, setHours] = useState(6);
  const { answer: history } = useAnswer<HistoryReport>('api/history', { everyMs });
  if (history === null) return null;
  const columns = columnsOf(history, hours);
  const top = Math.max(1, ...columns.map(({ counts }) => sumOf(counts)));
  const ticks = columns.filter((_, index) => index % (columnCount / 4) === 0);
  const sums = chartKinds.map((kind, at) => ({
    kind,
    sum: sumOf(columns.map(({ counts }) => counts[at] ?? 0)),
  }));
  return (
    <>
      <fieldset class="actions">
        <legend class="unseen">How far back</legend>
        {[6, 24].map((one) => (
          <label key={one}>
            <input type="radio" name="hours" checked={one === hours} onChange={() => setHours(one)} /> {one}{' '}
            hours
          </label>
        ))}
      </fieldset>
      <svg
        class="chart"
        viewBox={`0 0 ${columnCount} ${top}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(columns, hours)}
      >
        {columns.map(({ start, counts }, index) => (
          <g key={start}>
            <title>{columnWords({ start, counts })}</title>
            {chartKinds.map((kind, at) => (
              <rect
                key={kind}
                class={kind}
                x={index + 0.15}
                width="0.7"
                y={top - sumOf(counts.slice(0, at + 1))}
                height={counts[at]}
              />
            ))}
          </g>
        ))}
      </svg>
      <div class="chart-times" aria-hidden="true">
        {ticks.map(({ start }) => (
          <span key={start}>{minuteWords(start)}</span>
        ))}
      </div>
      <ul class="legend">
        {sums.map(
          ({ kind, sum }) =>
            sum > 0 && (
              <li key={kind} class={kind}>
                {numberWords(sum)} {kind}
              </li>
            ),
        )}
      </ul>
      <p class="faint">{describe(columns, hours)}</p>
    </>
  );
}

function columnWords({ start, counts }: Column): string {
  const parts = chartKinds.flatMap((kind, at) => (counts[at] === 0 ? [] : [`${counts[at]} ${kind}`]));
  return `${minuteWords(start)}: ${parts.join(', ') || 'nothing'}`;
}

function describe(columns: readonly Column[], hours: number): string {
  const total = sumOf(columns.map(({ counts }) => sumOf(counts)));
  if (total === 0) return `Nothing in the last ${hours} hours`;
  const most = columns.reduce((one, other) => (sumOf(other.counts) > sumOf(one.counts) ? other : one));
  return `${countWords(total, 'document')} in the last ${hours} hours, most (${numberWords(sumOf(most.counts))}) around ${minuteWords(most.start)}`;
}
