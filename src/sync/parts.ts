import type { Clock } from '../lib/clock.ts';
import type { FolderPort } from '../model/ports/folder-port.ts';
import type { Change, LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { FolderSettings, SafetySettings, ServiceSettings, TimingSettings } from '../model/settings.ts';
import type { Activity } from '../model/report/status.ts';
import type { Desk } from './desk.ts';
import type { Task } from './task.ts';
import type { Totals } from './totals.ts';

/** A folder with its settings, as the engine sees it. */
export interface EngineFolder {
  readonly settings: Pick<FolderSettings, 'name' | 'onRemove' | 'watch'>;
  readonly port: FolderPort;
}

/** What every station of the engine works with. */
export interface Parts {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly desk: Desk;
  readonly ledger: LedgerPort;
  readonly folder: (name: string) => EngineFolder | undefined;
  readonly service: ServiceSettings;
  readonly timing: TimingSettings;
  readonly safety: SafetySettings;
  readonly totals: Totals;
  /** Commits, and keeps trying while the disk does not take it. Rejects with StoppedError only. */
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  /** Keys of the paths whose records are about to move: the commit is under way. */
  readonly moving: Set<string>;
  /** Puts a task in line to be looked at. */
  readonly look: (task: Task) => void;
  /** Says what happened to a document: activity list and log. */
  readonly tell: (activity: Omit<Activity, 'at' | 'documents'> & { readonly documents?: number }) => void;
}
