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
interface Page {
  /** Null: nothing was heard yet. */
  readonly status: StatusAnswer | null;
  /** When the daemon was heard last, ms. */
  readonly heardAt: number;
  readonly isOffline: boolean;
  /** What happened last, newest first. */
  readonly recent: readonly Activity[] | null;
  /** How something went that a person asked for. */
  readonly feedback: { readonly words: string };
  /** Questions, and files whose story is told; the uppermost is the last. */
  readonly dialogs: readonly (Question | DocumentRef)[];
}

export const page: Page = {
  status: null,
  heardAt: 0,
  isOffline: false,
  recent: null,
  feedback: { words: '' },
  dialogs: [],
};

let draw = (): void => {};

/** What draws the page, now and after each change. */
export function drawWith(drawPage: () => void): void {
  draw = drawPage;
  draw();
}

export function change(parts: Partial<Page>): void {
  Object.assign(page, parts);
  draw();
}

/** Opens a dialog above those that are open. What it asks stays as it is now. */
export function open(dialog: Question | DocumentRef): void {
  change({ dialogs: [...page.dialogs, dialog] });
}
