import type { Clock } from '../lib/time/clock.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings, TimingSettings } from '../model/settings.ts';
import type { Watcher } from './watch/backend.ts';

/** What a folder is opened with. */
export interface FolderOptions {
  readonly settings: FolderSettings;
  readonly timing: TimingSettings;
  readonly maxFileBytes: number;
  /** Nothing in it is ever looked at, should it lie in the folder. */
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Who watches; without a word, the size of the tree decides. */
  readonly watcher?: Watcher['kind'];
}
