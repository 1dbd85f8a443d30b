import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { explain, fixBeside, groupByCause } from '../../model/report/explanations.ts';
import type { Group } from '../../model/report/explanations.ts';
import type { DuplicateStatus, FailureStatus, HeldStatus, InDoubtStatus } from '../../model/report/status.ts';
import { failedCount, failuresInDoubt } from '../../model/report/headline.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { approve, keep, resolve, retry } from './data/ask-daemon.ts';
import { clockWords, momentWords } from './data/time-words.ts';
import { button, byId, createList, el, fixed, setText, showCut, showTextIf } from './dom.ts';
import type { Part } from './dom.ts';
import { pathText } from './file-story.ts';

/** Rows of one cause at first, and after "Show more". */
const fewRows = 3;
const maxRows = 200;
const maxDoubts = 100;

/** Everything that needs a person: failures with their fix, held deletions, uploads in doubt, duplicates. */
export function createAttention(): (status: StatusAnswer) => void {
  const views = [createFailures(), createHeld(), createDoubts(), createDuplicates()];
  return (status) => {
    for (const view of views) view(status);
  };
}

function createFailures(): (status: StatusAnswer) => void {
  const show = createList<Group<FailureStatus>>(byId('failure-groups'), ({ code }) => code, createGroup);
  const everything = byId('retry-everything');
  everything.append(button('Retry all', {}, () => retry([])));
  return (status) => {
    const elsewhere = failuresInDoubt(status);
    // What is retried has not failed: it waits.
    const failures = status.failures.filter((failure) => failure.retryAt === null && !elsewhere.has(failure));
    const isCut = status.failures.length < status.failuresTotal;
    const total = isCut ? Math.max(failures.length, failedCount(status)) : failures.length;
    byId('failures').hidden = total === 0;
    setText(byId('failures-count'), numberWords(total));
    show(groupByCause(failures));
    // Retrying without a path concerns doubts too: that is not to happen in passing.
    everything.hidden = total <= failures.length || status.inDoubtTotal > 0;
    showCut('failures-cut', failures.length, total);
  };
}

function createGroup({ code }: Group<FailureStatus>): Part<Group<FailureStatus>> {
  const { cause, fix } = explain(code);
  const count = el('span', { class: 'count' });
  const shared = el('p', { class: 'shared' });
  const list = el('ul', { class: 'rows' });
  const showRows = createList<FailureStatus>(list, keyOf, createFailure);
  let group: Group<FailureStatus> = { code, items: [] };
  let all = false;
  const retryAll = button('', { class: 'quiet' }, () => retry(group.items.map(keyOf)));
  const more = button('', { class: 'quiet more' }, () => {
    all = !all;
    showGroup(group);
  });

  const showGroup = (next: Group<FailureStatus>) => {
    group = next;
    const total = next.items.length;
    setText(count, numberWords(total));
    count.hidden = total === 1;
    setText(retryAll, total === 1 ? 'Retry' : `Retry all ${numberWords(total)}`);
    retryAll.setAttribute('aria-label', `${retryAll.textContent}: ${cause}`);
    // What is the same for all is said once.
    const messages = new Set(next.items.map(({ message }) => message));
    const isShared = total > 1 && messages.size === 1;
    const isTold = fixBeside(next.code) === '';
    setText(shared, isShared ? sentence(printable([...messages].join(''))) : '');
    // Such a message only repeats the fix.
    shared.hidden = !isShared || isTold;
    list.classList.toggle('same', isShared);
    showRows(next.items.slice(0, all ? maxRows : fewRows));
    more.setAttribute('aria-expanded', String(all));
    const cut =
      total > maxRows ? ` (the first ${numberWords(maxRows)} of ${numberWords(total)} are listed)` : '';
    const others = Math.min(total, maxRows) - fewRows;
    showTextIf(others > 0, more, all ? `Show fewer${cut}` : `Show ${numberWords(others)} more`);
  };

  const node = el(
    'li',
    { class: 'card bad' },
    el('div', { class: 'card-head' }, el('h3', {}, cause), count, retryAll),
    el('p', { class: 'fix' }, fix),
    shared,
    list,
    more,
  );
  return { node, show: showGroup };
}

function createFailure(failure: FailureStatus): Part<FailureStatus> {
  const words = el('span', { class: 'message words' });
  const more = el('span', { class: 'message' });
  const { folder, path } = failure;
  const again = button('Retry', { class: 'quiet', 'aria-label': `Retry ${printable(path)}` }, () =>
    retry([keyOf(failure)]),
  );
  return {
    node: el('li', {}, pathText(folder, path), again, words, more),
    show: (next) => {
      const parts: string[] = [];
      if (next.attempts > 1) parts.push(`${next.attempts} attempts`);
      if (next.retryAt !== null) parts.push(`next attempt at ${clockWords(next.retryAt)}`);
      setText(words, sentence(printable(next.message)));
      showTextIf(parts.length > 0, more, parts.join(' · '));
    },
  };
}

function createHeld(): (status: StatusAnswer) => void {
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
  const names = el('ul', {
    class: 'names',
    tabindex: '0',
    'aria-label': `Missing from ${printable(folder)}`,
  });
  const more = el('p', { class: 'faint' });
  const showNames = createList<string>(
    names,
    (path) => path,
    (path) => fixed(el('li', {}, el('bdi', { class: 'path' }, printable(path)))),
  );
  const confirmation = createConfirmation({
    opener: button('Approve deletion…', {}, () => undefined),
    label: 'Decide about the deletion',
    keep: 'Cancel',
    other: button('Keep at the service', {}, () => keep(folder)),
    look: 'danger',
  });
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
      setText(heading, `${countWords(count, 'file')} missing from ${printable(folder)}`);
      setText(
        reason,
        `If this was a mistake, put the files back: nothing is deleted at the service until you decide. ${sentence(`Held since ${momentWords(since)}: ${printable(held.reason)}`)}`,
      );
      setText(summary, count === 1 ? 'Show the file' : 'Show the files');
      showNames(paths);
      const others = count - paths.length;
      showTextIf(others > 0, more, `and ${numberWords(others)} more`);
      const documents = countWords(count, 'document');
      confirmation.ask({
        question: `Delete ${documents} at the service? That cannot be undone.`,
        confirm: `Delete ${documents}`,
        act: () => approve(held),
      });
    },
  };
}

function createDoubts(): (status: StatusAnswer) => void {
  const show = createList<InDoubtStatus>(byId('doubt-list'), keyOf, createDoubt);
  return ({ inDoubt, inDoubtTotal }) => {
    byId('doubts').hidden = inDoubtTotal === 0;
    setText(byId('doubts-count'), numberWords(inDoubtTotal));
    const shown = inDoubt.slice(0, maxDoubts);
    show(shown);
    showCut('doubts-cut', shown.length, inDoubtTotal);
  };
}

function createDoubt(doubt: InDoubtStatus): Part<InDoubtStatus> {
  const { folder, path } = doubt;
  const message = el('span', { class: 'message' });
  const key = keyOf(doubt);
  const name = printable(path);
  const again = createConfirmation({
    opener: button('Send again…', { class: 'quiet', 'aria-label': `Send again: ${name}` }, () => undefined),
    label: `Confirm sending ${name} again`,
    keep: 'Cancel',
    look: 'strong',
  });
  again.ask({
    question:
      'This uploads the document once more. If the first upload arrived, the service then has two copies.',
    confirm: 'Upload again',
    act: () => resolve(key, { kind: 'again' }),
  });
  const dismiss = button('Dismiss', { class: 'quiet', 'aria-label': `Dismiss ${name}` }, () =>
    resolve(key, { kind: 'dismiss' }),
  );
  const docId = el('input', { maxlength: '200', autocomplete: 'off' });
  const adopt = button('Adopt it', {}, async () => {
    if (docId.value.trim() !== '') await resolve(key, { kind: 'adopt', docId: docId.value.trim() });
  });
  docId.addEventListener('keydown', ({ key: pressed }) => {
    if (pressed === 'Enter') adopt.click();
  });
  const there = el(
    'details',
    { class: 'adopt' },
    el('summary', {}, 'It is at the service…'),
    el('label', {}, 'docId ', docId),
    ' ',
    adopt,
  );
  return {
    node: el(
      'li',
      {},
      pathText(folder, path),
      el('span', {}, again.opener, dismiss),
      message,
      again.node,
      there,
    ),
    show: ({ count, since, message: words }) => {
      const copies = count > 1 ? [`up to ${countWords(count, 'copy', 'copies')}`] : [];
      setText(
        message,
        [sentence(printable(words)).replace(/\.$/, ''), ...copies, momentWords(since)].join(' · '),
      );
    },
  };
}

/** Without those that are in doubt: they stand in their own list. */
function createDuplicates(): (status: StatusAnswer) => void {
  const show = createList<DuplicateStatus>(byId('duplicate-list'), keyOf, createDuplicate);
  return ({ duplicates, inDoubt, recordedDuplicates }) => {
    const doubts = new Set(inDoubt.map(keyOf));
    const shown = duplicates.filter((one) => !doubts.has(keyOf(one))).slice(0, maxDoubts);
    byId('duplicates').hidden = recordedDuplicates === 0;
    setText(byId('duplicates-count'), numberWords(recordedDuplicates));
    show(shown);
    const copies = shown.reduce((sum, one) => sum + one.copies, 0);
    showCut('duplicates-cut', copies, recordedDuplicates);
  };
}

function createDuplicate(one: DuplicateStatus): Part<DuplicateStatus> {
  const message = el('span', { class: 'message' });
  const end = button('Dismiss', { class: 'quiet', 'aria-label': `Dismiss ${printable(one.path)}` }, () =>
    resolve(keyOf(one), { kind: 'dismiss' }),
  );
  return {
    node: el('li', {}, pathText(one.folder, one.path), end, message),
    show: ({ copies }) => setText(message, `up to ${countWords(copies, 'extra copy', 'extra copies')}`),
  };
}

function keyOf({ folder, path }: Pick<FailureStatus, 'folder' | 'path'>): string {
  return `${folder}/${path}`;
}

interface ConfirmationOptions {
  /** The button that opens the question. */
  readonly opener: HTMLButtonElement;
  /** Names the question for screen readers. */
  readonly label: string;
  /** On the button that does nothing. */
  readonly keep: string;
  /** Another answer. */
  readonly other?: HTMLButtonElement;
  /** Of the button that does it. */
  readonly look: 'danger' | 'strong';
}

interface Question {
  readonly question: string;
  /** On the button that does it. */
  readonly confirm: string;
  readonly act: () => Promise<void>;
}

/**
 * A question before something that cannot be undone: what deletes or sends again takes two steps, and the safe one has
 * the focus. `node` is the question itself, to be put where it has room. An open question stays as it was asked, also
 * where there is another one by now.
 */
function createConfirmation({ opener, label, keep: no, other, look }: ConfirmationOptions) {
  const text = el('p', {});
  let next: Question | null = null;
  let asked: Question | null = null;
  const open = (yes: boolean) => {
    asked = next;
    setText(text, asked?.question ?? '');
    setText(confirm, asked?.confirm ?? '');
    node.hidden = !yes;
    opener.hidden = yes;
    (yes ? safe : opener).focus();
  };
  const safe = button(no, {}, () => open(false));
  const confirm = button('', { class: look }, async () => {
    await asked?.act();
    open(false);
  });
  const node = el(
    'div',
    { class: 'confirm', role: 'group', 'aria-label': label, hidden: '' },
    text,
    el('div', { class: 'actions' }, safe, ...(other === undefined ? [] : [other]), confirm),
  );
  opener.addEventListener('click', () => open(true));
  node.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') open(false);
  });
  return {
    opener,
    node,
    ask: (question: Question) => {
      next = question;
    },
  };
}
