import { explain } from '../../model/report/fixes.ts';
import { printable } from '../../lib/printable.ts';
import type { FailureStatus } from '../../model/report/status.ts';
import { toldAsDoubt } from '../../model/report/told-as-doubt.ts';
import { countWords, numberWords } from '../../lib/words.ts';
import { retry } from './act.ts';
import { button, byId, createList, el, setText } from './dom.ts';
import type { Part } from './dom.ts';
import { groupByCause } from './group-failures.ts';
import type { Group } from './group-failures.ts';
import type { PageStatus } from './page-status.ts';
import { pathText } from './path-text.ts';
import { clockWords } from './time-words.ts';

/** Rows of one cause at first, and after "Show all". */
const FEW_ROWS = 4;
const MAX_ROWS = 200;

/** The documents that failed, by cause, each cause with its fix. */
export function createFailures(): (status: PageStatus) => void {
  const show = createList<Group<FailureStatus>>(byId('failure-groups'), ({ code }) => code, createGroup);
  const everything = byId('retry-everything');
  everything.append(button('Retry all that failed', {}, () => retry([])));
  return (status) => {
    const elsewhere = toldAsDoubt(status);
    const failures = status.failures.filter((failure) => !elsewhere.has(failure));
    const failuresTotal = status.failuresTotal - elsewhere.size;
    byId('failures').hidden = failuresTotal === 0;
    setText(byId('failures-count'), numberWords(failuresTotal));
    show(groupByCause(failures));
    // Retrying without a path dismisses doubts too: that is not to happen in passing.
    everything.hidden = failuresTotal <= failures.length || status.inDoubtTotal > 0;
    const cut = byId('failures-cut');
    cut.hidden = failuresTotal <= failures.length;
    setText(cut, `The first ${numberWords(failures.length)} of ${numberWords(failuresTotal)} are listed.`);
  };
}

function createGroup({ code }: Group<FailureStatus>): Part<Group<FailureStatus>> {
  const { cause, fix } = explain(code);
  const count = el('span', { class: 'count' });
  const list = el('ul', { class: 'rows' });
  const showRows = createList<FailureStatus>(list, keyOf, createRow);
  let group: Group<FailureStatus> = { code, items: [] };
  let all = false;
  const retryAll = button('', { class: 'strong' }, () => retry(group.items.map(keyOf)));
  const more = button('', { class: 'quiet' }, () => {
    all = !all;
    showGroup(group);
  });

  const showGroup = (next: Group<FailureStatus>) => {
    group = next;
    const total = next.items.length;
    setText(count, countWords(total, 'document'));
    setText(retryAll, total === 1 ? 'Retry' : `Retry all ${numberWords(total)}`);
    retryAll.setAttribute('aria-label', `${retryAll.textContent}: ${cause}`);
    showRows(next.items.slice(0, all ? MAX_ROWS : FEW_ROWS));
    more.hidden = total <= FEW_ROWS;
    more.setAttribute('aria-expanded', String(all));
    setText(more, all ? 'Show fewer' : `Show ${numberWords(Math.min(total, MAX_ROWS) - FEW_ROWS)} more`);
  };

  const node = el(
    'li',
    { class: 'card bad' },
    el('div', { class: 'card-head' }, el('h3', {}, cause), count, retryAll),
    el('p', { class: 'fix' }, fix),
    list,
    more,
  );
  return { node, show: showGroup };
}

function createRow(failure: FailureStatus): Part<FailureStatus> {
  const message = el('span', { class: 'message' });
  const { folder, path } = failure;
  const again = button('Retry', { class: 'quiet', 'aria-label': `Retry ${printable(path)}` }, () =>
    retry([keyOf(failure)]),
  );
  return {
    node: el('li', {}, pathText(folder, path), again, message),
    show: (next) => {
      const parts = [printable(next.message)];
      if (next.attempts > 1) parts.push(`${next.attempts} attempts`);
      if (next.retryAt !== null) parts.push(`tried again at ${clockWords(next.retryAt)}`);
      setText(message, parts.join(' · '));
    },
  };
}

function keyOf({ folder, path }: FailureStatus): string {
  return `${folder}/${path}`;
}
