import type { Clock } from '../lib/time/clock.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { SafetySettings, ServiceSettings, TimingSettings } from '../model/settings.ts';
import type { KnownDirectories } from './folders/known-directories.ts';
import type { WatchedFolders } from './folders/watched-folders.ts';
import type { LedgerCommits } from './send/ledger-commits.ts';
import type { TaskStore } from './tasks/task-store.ts';

/** What an engine shares with its parts. */
export interface EngineParts {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly ledger: LedgerPort;
  readonly settings: {
    readonly service: ServiceSettings;
    readonly timing: TimingSettings;
    readonly safety: SafetySettings;
  };
  readonly folders: WatchedFolders;
  readonly directories: KnownDirectories;
  readonly tasks: TaskStore;
  readonly writer: LedgerCommits;
}
