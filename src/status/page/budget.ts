import { countWords, numberWords } from '../../lib/words.ts';
import { byId, setAttribute, setText, svg } from './dom.ts';
import type { PageStatus } from './page-status.ts';
import { clockWords, shortDuration } from './time-words.ts';

type Rate = PageStatus['rate'];

/** A mark for each request up to this many; beyond it a mark stands for several. */
const MAX_MARKS = 100;

/** The minute as the dial of a watch: a mark for each request, those that are used are filled. */
export function createBudget(): (status: PageStatus) => void {
  const dial = byId('dial');
  let marks: readonly SVGElement[] = [];
  return ({ rate }) => {
    const count = Math.max(1, Math.min(MAX_MARKS, rate.limit));
    if (marks.length !== count) {
      marks = drawMarks(count);
      dial.querySelector('g')?.replaceChildren(...marks);
    }
    const free = Math.max(0, rate.limit - rate.used);
    const used = Math.ceil((Math.min(rate.used, rate.limit) / Math.max(1, rate.limit)) * count);
    for (const [index, mark] of marks.entries()) {
      setAttribute(mark, 'class', index < used ? 'mark used' : 'mark');
    }
    setText(byId('dial-free'), numberWords(free));
    setText(byId('dial-title'), `${free} of ${countWords(rate.limit, 'request')} free, ${rate.used} used`);
    setText(byId('budget-used'), `${numberWords(rate.used)} of ${numberWords(rate.limit)}`);
    setText(
      byId('budget-window'),
      `used in the last ${rate.windowSeconds === 60 ? 'minute' : shortDuration(rate.windowSeconds)}`,
    );
    setText(byId('budget-next'), nextWords(rate));
    byId('budget').dataset['paused'] = String(rate.pausedUntil !== null);
  };
}

function drawMarks(count: number): SVGElement[] {
  return Array.from({ length: count }, (_, index) =>
    svg('rect', {
      x: '-1.5',
      y: '-56',
      width: String(Math.min(3, 200 / count)),
      height: '13',
      rx: '1.5',
      transform: `rotate(${((index * 360) / count).toFixed(2)})`,
    }),
  );
}

function nextWords({ pausedUntil, nextFreeSeconds }: Rate): string {
  if (pausedUntil !== null) return `The service asked to wait until ${clockWords(pausedUntil)}`;
  if (nextFreeSeconds <= 0) return 'The next request can go out now';
  return `The next request can go out in ${shortDuration(nextFreeSeconds)}`;
}
