import { printable } from '../../../lib/text/printable.ts';
import type { Activity } from '../../../model/report/status.ts';
import { countWords } from '../../../lib/text/amounts.ts';
import { byId, el } from '../dom.ts';
import { pathText } from '../file-story.ts';
import { clockWords } from '../data/time-words.ts';

/** The list never grows beyond this, however long the page is open: the log has the rest. */
const maxRows = 15;

const tones: Readonly<Record<string, string>> = {
  uploaded: 'good',
  modified: 'moving',
  moved: 'moving',
  deleted: 'plain',
  failed: 'bad',
  held: 'warn',
  'in doubt': 'warn',
  warning: 'warn',
};

/** What happened lately, newest first. Rows that come in a burst are put on the page together, once a frame. */
export function createActivityList() {
  const list = byId('activity-list');
  let waiting: Activity[] = [];

  const flush = () => {
    const rows = waiting.map((activity) => createRow(activity, clockWords(activity.at))).toReversed();
    waiting = [];
    list.prepend(...rows);
    while (list.childElementCount > maxRows) list.lastElementChild?.remove();
    byId('activity-none').hidden = list.childElementCount > 0;
  };

  return {
    add: (activity: Activity): void => {
      if (waiting.length === 0) requestAnimationFrame(flush);
      waiting.push(activity);
      if (waiting.length > maxRows) waiting.shift();
    },
    /** Newest last, as the daemon gives it. */
    replace: (activities: readonly Activity[]): void => {
      list.replaceChildren();
      waiting = activities.slice(-maxRows);
      flush();
    },
  };
}

/** One thing that happened, with its time in words. */
export function createRow(
  { at, folder, path, what, message, documents }: Activity,
  when: string,
): HTMLElement {
  const subject =
    documents > 1 ? el('span', { class: 'path' }, countWords(documents, 'document')) : pathText(folder, path);
  const row = el(
    'li',
    {},
    el('time', { datetime: at, title: at }, when),
    el('span', { class: `what ${tones[what] ?? 'plain'}` }, printable(what)),
    subject,
  );
  if (message !== null && message !== '') row.append(el('span', { class: 'message' }, printable(message)));
  return row;
}
