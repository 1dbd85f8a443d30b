import { explain } from '../../model/report/fixes.ts';
import type { SkipStatus } from '../../model/report/status.ts';
import { countWords, numberWords } from '../../lib/words.ts';
import { byId, createList, el, setText } from './dom.ts';
import type { Part } from './dom.ts';
import { groupByCause } from './group-failures.ts';
import type { Group } from './group-failures.ts';
import type { PageStatus } from './page-status.ts';
import { pathText } from './path-text.ts';

const MAX_ROWS = 50;

/** Files that stand in a folder and are no documents, by the rule that says so. */
export function createSkips(): (status: PageStatus) => void {
  const show = createList<Group<SkipStatus>>(byId('skip-groups'), ({ code }) => code, createGroup);
  return ({ skipped, skippedTotal }) => {
    byId('skips').hidden = skippedTotal === 0;
    setText(byId('skips-summary'), `${countWords(skippedTotal, 'file')} not sent`);
    show(groupByCause(skipped));
  };
}

function createGroup({ code }: Group<SkipStatus>): Part<Group<SkipStatus>> {
  const { cause, fix } = explain(code);
  const count = el('span', { class: 'count' });
  const list = el('ul', { class: 'names', tabindex: '0', 'aria-label': cause });
  const more = el('p', { class: 'faint' });
  const showRows = createList<SkipStatus>(
    list,
    ({ folder, path }) => `${folder}/${path}`,
    ({ folder, path }) => ({ node: el('li', {}, pathText(folder, path)), show: () => undefined }),
  );
  return {
    node: el(
      'li',
      {},
      el('div', { class: 'card-head' }, el('h3', {}, cause), count),
      el('p', { class: 'fix' }, fix),
      list,
      more,
    ),
    show: ({ items }) => {
      setText(count, numberWords(items.length));
      showRows(items.slice(0, MAX_ROWS));
      more.hidden = items.length <= MAX_ROWS;
      setText(more, `and ${numberWords(items.length - MAX_ROWS)} more`);
    },
  };
}
