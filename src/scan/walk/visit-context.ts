import type { Stats } from 'node:fs';

import type { TimeSlice } from '../../lib/time/time-slice.ts';
import type { ScanCause } from '../../model/document.ts';
import type { WatchState } from '../watch/backend.ts';

/** What a visit to a directory needs besides the folder. */
export interface VisitContext {
  readonly cause: ScanCause;
  /** Where the root really is, for links that are followed. */
  readonly realRoot: string;
  readonly slice: TimeSlice;
  /** Watches a directory, and says whether it is. Called before the directory is read. */
  readonly watch: (directory: string, absolute: string, stats: Stats) => WatchState;
}
