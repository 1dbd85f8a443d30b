import { printable } from '../../lib/text/printable.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { explain, groupByCause } from '../../model/report/explanations.ts';
import type { Group } from '../../model/report/explanations.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import { withDoubts } from '../../model/report/headline.ts';
import type { FolderStatus, SkipStatus } from '../../model/report/status.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { shortDuration } from './data/time-words.ts';
import { rescan, setPaused } from './data/ask-daemon.ts';
import type { Counts } from './data/proportions.ts';
import { button, byId, createList, el, fixed, setAttribute, setText, showCut, showTextIf } from './dom.ts';
import type { Part } from './dom.ts';
import { pathText } from './file-story.ts';
import { createProportions } from './overview.ts';

/** The watched folders, and the invitation where there is nothing in them yet. */
export function createFolders(): (status: StatusAnswer) => void {
  const showSkips = createSkips();
  const show = createList<ShownFolder>(byId('folder-list'), ({ name }) => name, createFolder);
  const showUnconfigured = createList<NonNullable<StatusAnswer['unconfigured']>[number]>(
    byId('unconfigured'),
    ({ name, documents }) => `${name} ${documents}`,
    ({ name, documents }) => {
      const kept = countWords(documents, 'document');
      const words = `${printable(name)} is no longer configured. The service keeps its ${kept}.`;
      return fixed(el('li', {}, words));
    },
  );
  const showAll = createActions(byId('folders-actions'), null);
  return (status) => {
    const { folders, state, held, paused, reasons } = status;
    const isForAll = isFleetPaused(reasons);
    show(
      withDoubts(status).map((folder) => ({ ...folder, isPaused: paused.includes(folder.name), isForAll })),
    );
    showAll({ isPaused: paused.length > 0, isForAll });
    // One folder has the same buttons below.
    byId('folders-actions').hidden = folders.length < 2;
    showSkips(status);
    showUnconfigured(status.unconfigured ?? []);
    byId('unconfigured').hidden = (status.unconfigured ?? []).length === 0;
    const first = folders.find((folder) => folder.state !== 'unavailable');
    const untouched =
      held.length === 0 && folders.every((one) => one.onDisk + one.held + one.kept + one.attached === 0);
    const looking = state === 'starting' || folders.some((folder) => folder.state === 'scanning');
    byId('invitation').hidden = !untouched || looking || first === undefined;
    if (first !== undefined) setText(byId('invitation-path'), printable(first.path));
  };
}

interface ShownPause {
  readonly isPaused: boolean;
  /** With all hosts of the fleet: nothing on this page ends it. */
  readonly isForAll: boolean;
}

type ShownFolder = FolderStatus & Counts & ShownPause;

/** Pause or resume, and scan: of one folder, or of all (null). */
function createActions(container: Element, folder: string | null): (pause: ShownPause) => void {
  const whose = folder === null ? 'all folders' : printable(folder);
  let paused = false;
  const toggle = button('Pause', { class: 'quiet' }, () => setPaused(folder, !paused));
  const scan = button(
    folder === null ? 'Rescan all' : 'Rescan',
    { class: 'quiet', 'aria-label': `Rescan ${whose}` },
    () => rescan(folder),
  );
  container.append(toggle, scan);
  return ({ isPaused, isForAll }) => {
    paused = isPaused;
    toggle.hidden = isForAll;
    const word = isPaused ? 'Resume' : 'Pause';
    setText(toggle, folder === null ? `${word} all` : word);
    setAttribute(toggle, 'aria-label', `${word} ${whose}`);
  };
}

function createFolder({ name, path }: ShownFolder): Part<ShownFolder> {
  const state = el('span', { class: 'pill' });
  const proportions = el('div', {});
  const showProportions = createProportions(proportions);
  const notes = el('p', { class: 'notes' });
  const actions = el('div', { class: 'actions folder-actions' });
  const showActions = createActions(actions, name);
  const node = el(
    'li',
    { class: 'folder' },
    el(
      'div',
      { class: 'folder-head' },
      el('h3', {}, el('bdi', {}, printable(name))),
      el('div', { class: 'folder-controls' }, actions, state),
    ),
    el('p', { class: 'path faint', title: printable(path) }, el('bdi', {}, printable(path))),
    proportions,
    notes,
  );
  return {
    node,
    show: (folder) => {
      const word = folder.isPaused && folder.state !== 'unavailable' ? 'paused' : folder.state;
      setText(state, word);
      setAttribute(state, 'data-state', word);
      showActions(folder);
      showProportions([folder]);
      const text = notesOf(folder).join(' · ');
      showTextIf(text !== '', notes, text);
    },
  };
}

function notesOf(folder: FolderStatus): string[] {
  const { oldestUnsyncedSeconds, missedByWatcher, state, kept, attached, narrower } = folder;
  const notes: string[] = [];
  if (state === 'unavailable') notes.push('nothing is deleted while it is unavailable');
  if (oldestUnsyncedSeconds >= 1) notes.push(`oldest change ${shortDuration(oldestUnsyncedSeconds)} ago`);
  if (attached > 0) notes.push(countWords(attached, 'attachment'));
  if (narrower > 0) notes.push(`${numberWords(narrower)} held more narrowly than stated`);
  if (kept > 0) notes.push(`${numberWords(kept)} kept at the service`);
  if (missedByWatcher > 0) notes.push(`${countWords(missedByWatcher, 'change')} found by rescan`);
  return notes;
}

const maxSkipRows = 50;

/** Files in the folders that are no documents, by the rule that says so. */
function createSkips(): (status: StatusAnswer) => void {
  const show = createList<Group<SkipStatus>>(byId('skip-groups'), ({ code }) => code, createSkipGroup);
  return ({ skipped, skippedTotal }) => {
    byId('skips').hidden = skippedTotal === 0;
    setText(byId('skips-summary'), `${countWords(skippedTotal, 'file')} skipped`);
    show(groupByCause(skipped));
    showCut('skips-cut', skipped.length, skippedTotal);
  };
}

function createSkipGroup({ code }: Group<SkipStatus>): Part<Group<SkipStatus>> {
  const { cause, fix } = explain(code);
  const count = el('span', { class: 'count' });
  const list = el('ul', { class: 'names', tabindex: '0', 'aria-label': cause });
  const more = el('p', { class: 'faint' });
  const showRows = createList<SkipStatus>(
    list,
    ({ folder, path, pathBytes }) => `${folder}/${path}/${pathBytes ?? ''}`,
    ({ folder, path }) => fixed(el('li', {}, pathText(folder, path))),
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
      showRows(items.slice(0, maxSkipRows));
      const others = items.length - maxSkipRows;
      showTextIf(others > 0, more, `and ${numberWords(others)} more`);
    },
  };
}
