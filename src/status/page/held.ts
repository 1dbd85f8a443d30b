import { printable } from '../../lib/printable.ts';
import type { HeldStatus } from '../../model/report/status.ts';
import { countWords, numberWords } from '../../lib/words.ts';
import { approve } from './act.ts';
import { button, byId, createList, el, setText } from './dom.ts';
import type { Part } from './dom.ts';
import type { PageStatus } from './page-status.ts';
import { momentWords } from './time-words.ts';

/** Deletions that wait for a person, each folder's with its names and a way to release them in two steps. */
export function createHeld(): (status: PageStatus) => void {
  const show = createList<HeldStatus>(byId('held-list'), ({ folder }) => folder, createHold);
  return ({ held }) => {
    byId('held').hidden = held.length === 0;
    setText(byId('held-count'), numberWords(held.reduce((sum, { count }) => sum + count, 0)));
    show(held);
  };
}

function createHold({ folder }: HeldStatus): Part<HeldStatus> {
  const heading = el('h3', {});
  const reason = el('p', { class: 'fix' });
  const summary = el('summary', {});
  const names = el('ul', { class: 'names', tabindex: '0', 'aria-label': `Gone from ${printable(folder)}` });
  const more = el('p', { class: 'faint' });
  const showNames = createList<string>(names, (path) => path, createName);
  const confirmation = createConfirmation(folder);

  const node = el(
    'li',
    { class: 'card warn' },
    el('div', { class: 'card-head' }, heading, confirmation.opener),
    reason,
    confirmation.node,
    el('details', {}, summary, names, more),
  );
  return {
    node,
    show: (held) => {
      const { count, since, paths } = held;
      setText(heading, `${countWords(count, 'document')} gone from ${printable(folder)}`);
      setText(
        reason,
        `${printable(held.reason)}, since ${momentWords(since)}. The service still holds ${count === 1 ? 'it' : 'them'}. If this was a mistake, put the files back and nothing is deleted.`,
      );
      setText(summary, count === 1 ? 'Which one' : 'Which ones');
      showNames(paths);
      more.hidden = count <= paths.length;
      setText(more, `and ${numberWords(count - paths.length)} more`);
      confirmation.show(held);
    },
  };
}

function createName(path: string): Part<string> {
  return { node: el('li', {}, el('bdi', { class: 'path' }, printable(path))), show: () => undefined };
}

interface Confirmation extends Part<HeldStatus> {
  readonly opener: HTMLButtonElement;
}

/** The second step: what will happen in plain words, the way back first. Escape is the way back too. */
function createConfirmation(folder: string): Confirmation {
  const question = el('p', {});
  const open = (yes: boolean) => {
    node.hidden = !yes;
    opener.hidden = yes;
    (yes ? keep : opener).focus();
  };
  const opener = button('Approve deletion…', { class: 'strong' }, () => open(true));
  const keep = button('Keep waiting', {}, () => open(false));
  const confirm = button('', { class: 'danger' }, async () => {
    await approve(folder);
    open(false);
  });
  const node = el(
    'div',
    { class: 'confirm', role: 'group', 'aria-label': 'Confirm the deletion', hidden: '' },
    question,
    el('div', { class: 'actions' }, keep, confirm),
  );
  node.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') open(false);
  });
  return {
    node,
    opener,
    show: ({ count }) => {
      const documents = countWords(count, 'document');
      setText(question, `${documents} will be deleted at the service. This cannot be taken back.`);
      setText(confirm, `Delete ${documents}`);
    },
  };
}
