import { printable } from '../../lib/printable.ts';
import type { FolderStatus } from '../../model/report/status.ts';
import { countWords } from '../../lib/words.ts';
import { byId, createList, el, setAttribute, setText } from './dom.ts';
import type { Part } from './dom.ts';
import type { PageStatus } from './page-status.ts';
import { createProportions } from './proportions.ts';
import { shortDuration } from './time-words.ts';

/** The watched folders, and the invitation where there is nothing in them yet. */
export function createFolders(): (status: PageStatus) => void {
  const show = createList<FolderStatus>(byId('folder-list'), ({ name }) => name, createFolder);
  return ({ folders, state }) => {
    show(folders);
    const first = folders.find((folder) => folder.state !== 'unavailable');
    const untouched = folders.every(({ onDisk, held }) => onDisk === 0 && held === 0);
    const looking = state === 'starting' || folders.some((folder) => folder.state === 'scanning');
    byId('invitation').hidden = !untouched || looking || first === undefined;
    if (first !== undefined) setText(byId('invitation-path'), printable(first.path));
  };
}

function createFolder({ name, path }: FolderStatus): Part<FolderStatus> {
  const state = el('span', { class: 'pill' });
  const proportions = el('div', {});
  const showProportions = createProportions(proportions);
  const notes = el('p', { class: 'notes' });
  const node = el(
    'li',
    { class: 'folder' },
    el('div', { class: 'folder-head' }, el('h3', {}, el('bdi', {}, printable(name))), state),
    el('p', { class: 'path faint' }, el('bdi', {}, printable(path))),
    proportions,
    notes,
  );
  return {
    node,
    show: (folder) => {
      setText(state, folder.state);
      setAttribute(state, 'data-state', folder.state);
      showProportions([folder]);
      const text = notesOf(folder).join(' · ');
      setText(notes, text);
      notes.hidden = text === '';
    },
  };
}

function notesOf({ oldestUnsyncedSeconds, missedByWatcher, state }: FolderStatus): string[] {
  const notes: string[] = [];
  if (state === 'unavailable') notes.push('nothing is deleted while it is away');
  if (oldestUnsyncedSeconds >= 1) notes.push(`oldest change waits ${shortDuration(oldestUnsyncedSeconds)}`);
  if (missedByWatcher > 0) notes.push(`${countWords(missedByWatcher, 'change')} found by rescan`);
  return notes;
}
