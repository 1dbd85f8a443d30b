import type { Clock } from '../../lib/time/clock.ts';
import { refKey } from '../../model/document.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import type { Why } from '../../model/report/command-reports.ts';
import type { Engine } from '../../sync/engine.ts';
import { dueOf } from '../../sync/tasks/task.ts';
import type { History } from '../history/history.ts';
import { describeFile } from './describe-file.ts';
import type { Ahead } from './describe-file.ts';
import { describeFormer } from './describe-former.ts';
import { requirePath } from './resolve-path.ts';

interface Sources extends Pick<Ahead, 'isRunning' | 'isFleetPaused' | 'obstacle'> {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly engine: Engine;
  readonly ledger: LedgerPort;
  readonly folders: readonly FolderPort[];
  readonly past: History['past'];
  /** Names of the folders that a person paused. */
  readonly paused: readonly string[];
}

/** The whole story of the file that a text means. Throws ConfigurationError where it is in no folder. */
export async function storyOf(text: string, sources: Sources): Promise<Why> {
  const { clock, engine, ledger, folders, past, paused } = sources;
  const former = await describeFormer(text, { folders, ledger, pastOf: past });
  if (former !== null) return former;
  const { ref, folder: port } = requirePath(folders, text);
  const task = engine.tasks.get(ref);
  const dueMs = task === undefined || !sources.isRunning ? null : dueOf(task);
  return describeFile({
    ref,
    port,
    known: engine.known,
    ledger,
    past: await past(ref),
    recent: engine.attempts.of(refKey(ref)),
    ahead: {
      isRunning: sources.isRunning,
      task,
      isInBacklog: engine.tasks.backlog.has(ref),
      isPaused: paused.includes(ref.folder),
      isFleetPaused: sources.isFleetPaused,
      obstacle: sources.obstacle,
    },
    nextAt: dueMs === null ? null : new Date(clock.now() + dueMs - clock.monotonic()).toISOString(),
  });
}
