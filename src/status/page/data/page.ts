import type { ComponentChildren } from 'preact';

import type { DocumentRef } from '../../../model/document.ts';
import type { Activity } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';

/** What is asked before something that cannot be undone. */
export interface Question {
  /** On the button that does it, and on the one that asks about it. */
  readonly words: string;
  /** What screen readers call it, where its words alone say too little. */
  readonly name?: string;
  readonly look: 'danger' | 'strong';
  readonly act: () => void;
  /** The other answer, beside that button. */
  readonly instead?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** All that the page shows, beside what a part of it asks the daemon for. */
export const page = {
  /** Null: nothing was heard yet. */
  status: null as StatusAnswer | null,
  /** When the daemon was heard last, ms. */
  heardAt: 0,
  isOffline: false,
  /** What happened last, newest first. */
  recent: [] as readonly Activity[],
  /** Whether it went well what a person asked for, or why not. */
  feedback: { words: '' },
  /** Questions, and files whose story is told; the uppermost is the last. */
  dialogs: [] as readonly (Question | DocumentRef)[],
};

let draw = (): void => {};

/** What draws the page, now and after each change. */
export function drawWith(drawPage: () => void): void {
  draw = drawPage;
  draw();
}

export function change(parts: Partial<typeof page>): void {
  Object.assign(page, parts);
  draw();
}

/** Opens a dialog above those that are open. What it asks stays as it is now. */
export function open(dialog: Question | DocumentRef): void {
  change({ dialogs: [...page.dialogs, dialog] });
}
