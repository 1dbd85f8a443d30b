import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { activityWords } from '../../model/report/activity-words.ts';
import type { Why } from '../../model/report/command-reports.ts';
import type { Activity } from '../../model/report/status.ts';
import { ask, messageOf, share } from './data/ask-daemon.ts';
import { clockWords, momentWords } from './data/time-words.ts';
import { button, byId, el, setText } from './dom.ts';

/**
 * A document's place, which opens its story: the folder faint, the path plain, isolated so that neither can change the
 * direction of the text around it.
 */
export function pathText(folder: string, path: string): HTMLElement {
  const place = button(
    '',
    { class: 'path', title: printable(`${folder}/${path}`), 'aria-haspopup': 'dialog' },
    () => openStory(folder, path),
  );
  place.append(
    el(
      'bdi',
      {},
      el('span', { class: 'faint' }, `${printable(folder)}/`),
      // A long path may break after each of its parts.
      ...printable(path)
        .split(/(?<=\/)/)
        .flatMap((part, index) => (index === 0 ? [part] : [el('wbr'), part])),
    ),
  );
  return place;
}

/** What something is about: one document, or how many. */
export function subjectText(folder: string, path: string, documents: number): HTMLElement {
  const many = countWords(documents, 'document');
  // What concerns a folder is the story of no file.
  if (path === '') {
    return el(
      'span',
      { class: 'path' },
      el('bdi', {}, printable(folder || 'ingestd')),
      documents > 1 ? ` (${many})` : '',
    );
  }
  return documents > 1 ? el('span', { class: 'path' }, many) : pathText(folder, path);
}

/** Whose story is open; null: none. */
let shown: { readonly folder: string; readonly path: string } | null = null;

/** Opens the whole story of one file, as `ingestd why` tells it. Escape closes it, and the focus goes back. */
async function openStory(folder: string, path: string): Promise<void> {
  const dialog = byId('story') as HTMLDialogElement;
  shown = { folder, path };
  setText(byId('story-title'), printable(`${folder}/${path}`));
  byId('story-body').replaceChildren();
  dialog.addEventListener('close', forget, { once: true });
  dialog.showModal();
  await load();
}

/** Loads the open story again when something happened to its file. */
export function refreshStory({ folder, path }: Pick<Activity, 'folder' | 'path'>): void {
  if (shown?.folder === folder && shown.path === path) void load();
}

function forget(): void {
  shown = null;
  byId('story-body').replaceChildren();
}

async function load(): Promise<void> {
  if (shown === null) return;
  const asked = { ...shown };
  shown = asked;
  const parts = await tell(`${asked.folder}/${asked.path}`);
  // Another story, or none, may be open by now, or this one asked for again.
  if (shown === asked) byId('story-body').replaceChildren(...parts);
}

async function tell(path: string): Promise<readonly Node[]> {
  try {
    const answer = await ask(`api/why?path=${encodeURIComponent(path)}`);
    return answer.ok ? storyText(answer.body as Why) : [el('p', {}, printable(messageOf(answer)))];
  } catch (error) {
    return [el('p', {}, error instanceof Error ? error.message : String(error))];
  }
}

/** What the daemon knows of one file: what it is, what comes next, what the service holds, each attempt. */
function storyText(why: Why): readonly Node[] {
  const { verdict, fix, next, nextAt } = why;
  const parts: Node[] = [el('p', {}, sentence(printable(verdict.message)))];
  if (fix !== null) parts.push(el('p', { class: 'fix' }, fix));
  const when = nextAt === null ? '' : ` (${clockWords(nextAt)})`;
  for (const note of why.notes) parts.push(el('p', {}, sentence(printable(note))));
  if (why.narrower !== null && why.docId !== null) parts.push(shareButton(why, why.narrower.sharing));
  parts.push(el('p', {}, el('strong', {}, 'Next: '), printable(next), when), facts(why));
  if (why.attempts.length > 0) parts.push(el('h3', {}, 'Attempts'), attempts(why.attempts));
  if (why.decisions.length > 0) parts.push(el('h3', {}, 'Decisions'), decisions(why.decisions));
  return parts;
}

/** A person's way out where a wider sharing mode is stated than is held. */
function shareButton({ folder, path }: Why, sharing: string): HTMLElement {
  return button(`Share with ${sharing}, as stated`, {}, () => share(`${folder ?? ''}/${path}`, sharing));
}

function facts(why: Why): HTMLElement {
  const list = el('dl');
  const row = (
    name: string,
    value: string | null | undefined,
    tag: 'span' | 'code' = 'span',
    source?: string,
  ) => {
    if (value === null || value === undefined || value === '') return;
    const from = source === undefined ? [] : [el('span', { class: 'source' }, `from ${printable(source)}`)];
    list.append(el('dt', {}, name), el('dd', {}, el(tag, {}, el('bdi', {}, value)), ...from));
  };
  row('Document id', why.docId === null ? null : printable(why.docId), 'code');
  row(why.imported ? 'Imported' : 'Uploaded', why.uploadedAt === null ? null : momentWords(why.uploadedAt));
  row('Modified', why.modifiedAt === null ? null : momentWords(why.modifiedAt));
  row('Deleted', why.deletedAt === null ? null : momentWords(why.deletedAt));
  row('Sent as', why.sentAs === null ? null : printable(why.sentAs));
  row('Sidecar', why.sidecar === null ? null : printable(why.sidecar), 'code');
  row('Attachments', why.attachments.map(printable).join(', '), 'code');
  row(
    'Possible duplicates',
    why.possibleDuplicates > 0 ? countWords(why.possibleDuplicates, 'extra copy', 'extra copies') : null,
  );
  for (const [field, value] of Object.entries(why.metadata ?? {})) {
    const source = why.sources[field];
    row(field, printable(typeof value === 'string' ? value : JSON.stringify(value)), 'span', source);
  }
  if (why.narrower !== null) row('Narrower', `stated is ${why.narrower.sharing}`);
  row('SHA-256', why.sha256, 'code');
  return list;
}

function decisions(all: Why['decisions']): HTMLElement {
  const rows = all.toReversed().map((one) => {
    const words = printable(`${one.what}: ${activityWords(one) ?? ''}`);
    return el('li', {}, el('time', { class: 'faint', datetime: one.at }, momentWords(one.at)), ` ${words}`);
  });
  return el('ol', {}, ...rows);
}

function attempts(all: Why['attempts']): HTMLElement {
  const rows = all
    .toReversed()
    .map(({ at, operation, code, message }) =>
      el(
        'li',
        {},
        el('time', { class: 'faint', datetime: at }, momentWords(at)),
        ` ${printable(operation)}: ${printable(message)} `,
        el('code', { class: 'faint' }, printable(code)),
      ),
    );
  return el('ol', {}, ...rows);
}
