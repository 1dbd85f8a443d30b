import { countWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { activityWords } from '../../model/report/activity-words.ts';
import { logMatcher } from '../../model/report/log-query.ts';
import type { LogFilter, LogPage } from '../../model/report/log-query.ts';
import type { Activity } from '../../model/report/status.ts';
import { get } from './data/ask-daemon.ts';
import { dayAndClockWords, clockWords } from './data/time-words.ts';
import { button, byId, setText, el } from './dom.ts';
import { subjectText } from './file-story.ts';

/** So many are loaded at first and with each "Show older", and never more than the other in all. */
const rowsAtOnce = 50;
const maxRows = 500;

/** After the last letter. */
const typingMs = 250;

/** The log with its search, as `ingestd log` prints it, newest first. Nothing of it is loaded before it is opened. */
export function createLog() {
  const dialog = byId('log') as HTMLDialogElement;
  const form = byId('log-form') as HTMLFormElement;
  const list = byId('log-list');
  const older = button('Show older', {}, () => load(rowsAtOnce));
  byId('log-older').append(older);
  /** Counts the searches: an answer to an older one comes too late. */
  let search = 0;
  let next: string | null = null;
  let shown = new Set<string>();
  let filter = readFilter(form);
  let matches = logMatcher(filter);
  let isSearching = false;
  let typing: ReturnType<typeof setTimeout> | undefined;

  const begin = () => {
    clearTimeout(typing);
    search += 1;
    next = null;
    shown = new Set();
    list.replaceChildren();
    filter = readFilter(form);
    matches = logMatcher(filter);
    void load(rowsAtOnce);
  };

  /** Each answer looks back a little further: asks until there are enough, or nothing is left. */
  async function load(wanted: number): Promise<void> {
    const mine = search;
    const enough = Math.min(maxRows, list.childElementCount + wanted);
    older.hidden = true;
    isSearching = true;
    say('Searching…');
    for (;;) {
      const page = await ask(filter, next);
      if (mine !== search || !dialog.open) return;
      if (page === null) {
        older.hidden = false;
        isSearching = false;
        return say('The daemon does not answer.');
      }
      for (const entry of page.entries) show(entry, 'older');
      next = page.next;
      if (next === null || list.childElementCount >= enough) break;
    }
    older.hidden = next === null || list.childElementCount >= maxRows;
    isSearching = false;
    sum();
  }

  function sum(): void {
    const rows = list.childElementCount;
    if (rows === 0) say('Nothing found.');
    else if (next === null) say(`${countWords(rows, 'entry', 'entries')}, none older.`);
    else
      say(
        rows >= maxRows
          ? `The newest ${rows} entries. Search for something narrower to see older ones.`
          : `The newest ${rows} entries.`,
      );
  }

  function show(entry: Activity, where: 'newer' | 'older'): void {
    const key = `${entry.at} ${entry.what} ${entry.folder}/${entry.path}`;
    if (shown.has(key)) return;
    shown.add(key);
    const row = createRow(entry, dayAndClockWords(entry.at));
    if (where === 'newer') list.prepend(row);
    else list.append(row);
  }

  function say(text: string): void {
    setText(byId('log-count'), text);
  }

  byId('log-open').append(
    button('Search the log…', { class: 'quiet', 'aria-haspopup': 'dialog' }, () => {
      dialog.showModal();
      begin();
    }),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    begin();
  });
  form.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(begin, typingMs);
  });
  dialog.addEventListener('close', () => {
    clearTimeout(typing);
    list.replaceChildren();
    shown = new Set();
  });

  return {
    /** Something happened: an open log that wants it shows it. */
    add: (activity: Activity): void => {
      if (!dialog.open || !matches(activity)) return;
      show(activity, 'newer');
      while (list.childElementCount > maxRows) list.lastElementChild?.remove();
      // While it searches, it has not found all yet.
      if (!isSearching) sum();
    },
    /** The connection is back: what happened meanwhile is looked up. */
    renew: (): void => {
      if (dialog.open) begin();
    },
  };
}

function readFilter(form: HTMLFormElement): LogFilter {
  const data = new FormData(form);
  const search = data.get('search');
  const hours = Number(data.get('hours'));
  return {
    search: typeof search === 'string' ? search.trim() : '',
    failed: data.has('failed'),
    since: hours === 0 ? null : new Date(Date.now() - hours * 3_600_000).toISOString(),
  };
}

function ask({ search, failed, since }: LogFilter, before: string | null): Promise<LogPage | null> {
  const query = new URLSearchParams({ search, failed: String(failed) });
  if (since !== null) query.set('since', since);
  if (before !== null) query.set('before', before);
  return get(`api/log?${query.toString()}`);
}

/** The list never grows beyond this, however long the page is open: the log has the rest. */
const maxRecent = 15;

const tones: Readonly<Record<string, string>> = {
  uploaded: 'good',
  modified: 'moving',
  moved: 'moving',
  deleted: 'plain',
  failed: 'bad',
  held: 'warn',
  'in doubt': 'warn',
  warning: 'warn',
  problem: 'bad',
  recovered: 'good',
};

/** What happened lately, newest first. Rows that come in a burst are put on the page together, once a frame. */
export function createActivityList() {
  const list = byId('activity-list');
  let waiting: Activity[] = [];

  const flush = () => {
    const rows = waiting.map((activity) => createRow(activity, clockWords(activity.at))).toReversed();
    waiting = [];
    list.prepend(...rows);
    while (list.childElementCount > maxRecent) list.lastElementChild?.remove();
    byId('activity-none').hidden = list.childElementCount > 0;
  };

  return {
    add: (activity: Activity): void => {
      if (waiting.length === 0) requestAnimationFrame(flush);
      waiting.push(activity);
      if (waiting.length > maxRecent) waiting.shift();
    },
    /** Newest last, as the daemon gives it. */
    replace: (activities: readonly Activity[]): void => {
      list.replaceChildren();
      waiting = activities.slice(-maxRecent);
      flush();
    },
  };
}

/** One thing that happened, with its time in words. */
function createRow(activity: Activity, when: string): HTMLElement {
  const { at, folder, path, what, documents } = activity;
  const row = el(
    'li',
    {},
    el('time', { datetime: at, title: at }, when),
    el('span', { class: `what ${tones[what] ?? 'plain'}` }, printable(what)),
    subjectText(folder, path, documents),
  );
  const words = activityWords(activity);
  if (words !== null) row.append(el('span', { class: 'message' }, printable(words)));
  return row;
}
