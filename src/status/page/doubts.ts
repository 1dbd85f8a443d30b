import { printable } from '../../lib/printable.ts';
import type { InDoubtStatus } from '../../model/report/status.ts';
import { countWords, numberWords } from '../../lib/words.ts';
import { retry } from './act.ts';
import { button, byId, createList, el, setText } from './dom.ts';
import type { Part } from './dom.ts';
import type { PageStatus } from './page-status.ts';
import { pathText } from './path-text.ts';
import { momentWords } from './time-words.ts';

const MAX_ROWS = 100;

/** Uploads whose answer was lost, until a person has looked. */
export function createDoubts(): (status: PageStatus) => void {
  const show = createList<InDoubtStatus>(byId('doubt-list'), keyOf, createDoubt);
  return ({ inDoubt, inDoubtTotal }) => {
    byId('doubts').hidden = inDoubtTotal === 0;
    setText(byId('doubts-count'), numberWords(inDoubtTotal));
    const shown = inDoubt.slice(0, MAX_ROWS);
    show(shown);
    const cut = byId('doubts-cut');
    cut.hidden = inDoubtTotal <= shown.length;
    setText(cut, `The first ${numberWords(shown.length)} of ${numberWords(inDoubtTotal)} are listed.`);
  };
}

function createDoubt(doubt: InDoubtStatus): Part<InDoubtStatus> {
  const { folder, path } = doubt;
  const message = el('span', { class: 'message' });
  const settle = button('Settle', { class: 'quiet', 'aria-label': `Settle ${printable(path)}` }, () =>
    retry([keyOf(doubt)]),
  );
  return {
    node: el('li', {}, pathText(folder, path), settle, message),
    show: ({ count, since, message: words }) => {
      const copies = `perhaps ${countWords(count, 'copy', 'copies')} that nobody knows of`;
      setText(message, [printable(words), copies, `since ${momentWords(since)}`].join(' · '));
    },
  };
}

function keyOf({ folder, path }: InDoubtStatus): string {
  return `${folder}/${path}`;
}
