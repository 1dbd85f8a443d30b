import type { HeldDocuments } from './held-documents.ts';
import type { Kind } from './promises.ts';
import type { Reading } from './reading.ts';
import type { ShareMode } from './statement.ts';
import type { Taint } from './taints.ts';

/** What the author means by texts whose companions are not there yet. */
export interface LiveIntent {
  readonly texts: ReadonlySet<string>;
  /** No wider than this. */
  readonly mode: ShareMode;
}

/** All that a request may be judged by, as it is from one moment on. */
export interface Moment {
  readonly from: number;
  readonly reading: Reading;
  readonly held: HeldDocuments;
  readonly intents: readonly LiveIntent[];
  readonly taintOf: (identity: object) => Taint;
  /** The same where what stood for a moment only counts. */
  readonly glimpseOf: (identity: object) => Taint;
  /** Deletions that a person has let go, while their files are out of sight. */
  readonly approved: ReadonlySet<string>;
  /** Documents that a person keeps, while their files are out of sight. */
  readonly kept: ReadonlySet<string>;
  /** A person has stopped all sending. */
  readonly isPaused: boolean;
}

/** Tells what is wrong. */
export type Add = (kind: Kind, words: string) => void;
