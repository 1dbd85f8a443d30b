import type { Clock } from '../../lib/time/clock.ts';
import { isSameFile } from '../../model/document.ts';
import { judgeDeletions, recentDeletions } from '../../model/deletion-guard.ts';
import type { Verdict } from '../../model/deletion-guard.ts';
import type { LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { SafetySettings } from '../../model/settings.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Task } from '../tasks/task.ts';
import type { FolderView } from '../folders/folder-view.ts';
import { isBelow, isOtherMount } from '../folders/mounts.ts';
import { isOtherRoot } from '../folders/root-trust.ts';

/** What a judgement over the deletions of one folder goes by. */
interface DeletionEvidence {
  readonly tasks: Pick<TaskStore, 'counts' | 'missing'>;
  readonly ledger: Pick<
    LedgerPort,
    'get' | 'answer' | 'removals' | 'count' | 'root' | 'mounts' | 'mountIdentities'
  >;
  readonly view: FolderView;
  /** Null: not there, or not readable. */
  readonly root: RootIdentity | null;
  /** Directories on which something is mounted now. */
  readonly mounts: readonly string[];
  /**
   * Why they are held already. Undefined: they are not, or a directory is in sight by now for which they are. What stands
   * there and was not listed since may still hide the files, whatever rule or setting it is that keeps it from being listed.
   */
  readonly heldFor: string | undefined;
  readonly limits: SafetySettings;
  readonly clock: Pick<Clock, 'now' | 'sinceBoot'>;
}

const keptReason = 'onRemove was keep until now, so these may be documents that were kept';

/** Judges all documents of a folder that are gone, together: sent now, or held for a person. */
export function judgeMissing(folder: string, evidence: DeletionEvidence): Verdict {
  const { tasks, ledger, view, heldFor, limits, clock } = evidence;
  if (heldFor !== undefined) return { kind: 'hold', reason: heldFor };
  const missing = [...tasks.missing(folder)].filter(({ ref }) => ledger.answer(ref) === undefined);
  const waiting = missing.filter(({ state }) => state.kind !== 'held');
  const { count: recent, documents } = recentDeletions(ledger.removals(folder), clock);
  const verdict = judgeDeletions({
    removed: waiting.length,
    held: missing.length - waiting.length,
    recent,
    // What has come since the ten minutes began makes no room for others.
    documents: Math.min(documents, sentDocuments(folder, evidence) + recent),
    limits,
    rootChanged: isOtherRoot(ledger.root(folder), view, evidence.root),
    unmounted: waiting.filter((task) => {
      const device = ledger.get(task.ref)?.stat.dev ?? 0;
      return (
        // Its file system was never seen under the device that its directory has now.
        (task.gone !== null && view.isOtherDevice(device, task.gone.device)) ||
        // It lay on a mount that is there no more.
        ledger.mounts(folder).some((mount) => isBelow(task, mount) && !evidence.mounts.includes(mount)) ||
        ledger.mountIdentities(folder).some((known) => isBelow(task, known.path) && isOtherMount(known, view))
      );
    }).length,
  });
  // What goes after everything was read was not kept.
  const isKept =
    ledger.root(folder)?.keeps === true && waiting.some(({ since }) => since <= view.readWholeAt);
  return isKept && verdict.kind === 'allow' ? { kind: 'hold', reason: keptReason } : verdict;
}

/** Documents of a folder but for those that are kept: of these no file is here that is sent. */
export function sentDocuments(
  folder: string,
  { ledger, tasks }: Pick<DeletionEvidence, 'ledger' | 'tasks'>,
): number {
  return ledger.count(folder) - tasks.counts(folder).kept;
}

/**
 * With deletions of a folder that may not go out, those that are held now: those that were judged, and all whose grace
 * is over, but for what is inspected right now and comes by itself. `lastOver`: over is that of what is gone since then at
 * the latest, monotonic, ms.
 */
export function heldTogether(
  judged: readonly Task[],
  folder: string,
  { tasks, ledger }: Pick<DeletionEvidence, 'tasks' | 'ledger'>,
  lastOver: number,
): readonly Task[] {
  return [...tasks.missing(folder)].filter((task) => {
    const { state, ref, gone } = task;
    if (state.kind === 'held' || state.kind === 'sending' || ledger.answer(ref) !== undefined) return false;
    if (gone === null) return false;
    return judged.includes(task) || (gone.since <= lastOver && state.kind !== 'inspecting');
  });
}

/** States in which a new document has not been compared yet with what is missing. */
const comparing: ReadonlySet<Task['state']['kind']> = new Set(['inspect', 'inspecting', 'settling']);

/**
 * New documents, not compared yet, that may be a missing one: nothing is deleted before they are compared. What goes out
 * under its former name just now was compared as that.
 */
export function uncompared(
  tasks: Pick<TaskStore, 'newcomersLike' | 'presentLike'>,
  { gone }: Task,
  stat: Parameters<TaskStore['newcomersLike']>[0],
): readonly Task[] {
  const since = gone?.since ?? 0;
  const isUnderWay = ({ seen: own }: Task) =>
    own !== null &&
    [...tasks.presentLike(own.stat)].some(
      ({ state, seen }) => state.kind === 'sending' && seen !== null && isSameFile(seen.stat, own.stat),
    );
  return tasks
    .newcomersLike(stat)
    .filter(({ state }) => comparing.has(state.kind) || (state.kind === 'ready' && state.since < since))
    .filter((one) => !isUnderWay(one));
}
