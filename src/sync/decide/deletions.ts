import { judgeDeletions, recentDeletions } from '../../model/deletion-guard.ts';
import type { Verdict } from '../../model/deletion-guard.ts';
import { directoryOf, sameDirectory, sameFile, sameInode } from '../../model/document.ts';
import type { DocumentRef, FileIdentity } from '../../model/document.ts';
import type {
  BareMountPoint,
  Change,
  DirectoryRef,
  LedgerPort,
  MountIdentity,
  RootIdentity,
} from '../../model/ports/ledger-port.ts';
import type { SafetySettings } from '../../model/settings.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Task } from '../tasks/task.ts';
import type { FolderView } from './folder-view.ts';

/** What a judgement over the deletions of one folder goes by. */
interface DeletionEvidence {
  readonly tasks: Pick<TaskStore, 'missing'>;
  readonly ledger: Pick<
    LedgerPort,
    'get' | 'hold' | 'isApproved' | 'removals' | 'count' | 'root' | 'mounts' | 'mountIdentities'
  >;
  readonly view: FolderView;
  /** Null: not there, or not readable. */
  readonly root: RootIdentity | null;
  /** Directories on which something is mounted now. */
  readonly mounts: readonly string[];
  /** Why a hold was begun that is being written to the ledger. */
  readonly holdBeingWritten: string | undefined;
  readonly limits: SafetySettings;
  /** Wall clock, ms. */
  readonly now: number;
}

const keptReason = 'onRemove was keep until now, so these may be documents that were kept';

/** Judges all documents of a folder that are gone, together: sent now, or held for a person. */
export function judgeMissing(folder: string, evidence: DeletionEvidence): Verdict {
  const { tasks, ledger, view, limits, now } = evidence;
  const reason = ledger.hold(folder)?.reason ?? evidence.holdBeingWritten;
  if (reason !== undefined) return { kind: 'hold', reason };
  const missing = [...tasks.missing(folder)].filter(({ ref }) => !ledger.isApproved(ref));
  const waiting = missing.filter(({ state }) => state.kind !== 'held');
  const recent = recentDeletions(ledger.removals(folder), now);
  const verdict = judgeDeletions({
    removed: waiting.length,
    held: missing.length - waiting.length,
    recent,
    documents: ledger.count(folder) + recent,
    limits,
    rootChanged: isOtherRoot(folder, evidence),
    unmounted: waiting.filter((task) => {
      const device = ledger.get(task.ref)?.stat.dev ?? 0;
      return (
        isUnmounted(task, device, view) ||
        wasMounted(task, ledger.mounts(folder), evidence.mounts) ||
        ledger.mountIdentities(folder).some((known) => isBelow(task, known.path) && isAnother(known, view))
      );
    }).length,
  });
  // What goes after everything was read was not kept.
  const isKept =
    ledger.root(folder)?.keeps === true && waiting.some(({ since }) => since <= view.readWholeAt);
  return isKept && verdict.kind === 'allow' ? { kind: 'hold', reason: keptReason } : verdict;
}

/**
 * With deletions of a folder that may not go out, those that are held now: those that were judged, and all whose grace
 * is over, but for what is inspected right now and comes by itself. `documents`: how many wait in all.
 */
export function heldTogether(
  judged: readonly Task[],
  folder: string,
  {
    tasks,
    ledger,
    removeGraceMs,
    now,
  }: Pick<DeletionEvidence, 'tasks'> & {
    readonly ledger: Pick<LedgerPort, 'isApproved'>;
    readonly removeGraceMs: number;
    /** Monotonic, ms. */
    readonly now: number;
  },
): { readonly due: readonly Task[]; readonly documents: number } {
  const waiting = [...tasks.missing(folder)].filter(
    ({ state, ref }) => state.kind !== 'held' && state.kind !== 'sending' && !ledger.isApproved(ref),
  );
  const due = waiting.filter(
    (task) =>
      task.gone !== null &&
      (judged.includes(task) || (now - task.gone.since >= removeGraceMs && task.state.kind !== 'inspecting')),
  );
  return { due, documents: waiting.length };
}

/** Whether the root that stands there is not the one whose documents the ledger knows. */
export function isOtherRoot(
  folder: string,
  { ledger, view, root }: Pick<DeletionEvidence, 'view' | 'root'> & { ledger: Pick<LedgerPort, 'root'> },
): boolean {
  const known = ledger.root(folder);
  return view.isRootChanged || root === null || (known !== undefined && !sameDirectory(known, root));
}

/** Whether files of device `was` were never seen where `now` is: they may be away with their file system. */
export function isOtherDevice(view: FolderView, was: number, now: number): boolean {
  return was !== 0 && !view.isSameDevice(was, now);
}

/** Its file system was never seen under the device that its directory has now. */
function isUnmounted({ gone }: Task, recordedDevice: number, view: FolderView): boolean {
  return gone !== null && isOtherDevice(view, recordedDevice, gone.device);
}

/** It lay on a mount that is there no more. */
function wasMounted({ ref }: Task, known: readonly string[], now: readonly string[]): boolean {
  return known.some((mount) => isBelow({ ref }, mount) && !now.includes(mount));
}

function isBelow({ ref }: Pick<Task, 'ref'>, mount: string): boolean {
  return ref.path.startsWith(`${mount}/`);
}

/**
 * Whether another directory is mounted where one is remembered, of the same device perhaps. Each mount may give a file
 * system another device number, so that a birth time that is unknown proves nothing.
 */
function isAnother(known: MountIdentity, view: FolderView): boolean {
  const there = view.directoryAt(known.path);
  return there !== undefined && !sameInode(there, known);
}

/** A mount point below which files may lie that nobody sees. */
export interface CoveredMountPoint extends DirectoryRef {
  /** When something was found to be mounted there, wall clock, ms. */
  readonly until: number;
  /** Whether files of this device may lie below it. */
  readonly mayHold: (device: number) => boolean;
}

/** Mount points of a folder on which something is mounted by now, and on which nothing was for a time. */
export function coveredMountPoints(
  folder: string,
  ledger: Pick<LedgerPort, 'bareMountPoints'>,
  view: FolderView,
): readonly CoveredMountPoint[] {
  return ledger.bareMountPoints(folder).flatMap(({ path, until }) => {
    const above = view.directoryAt(directoryOf(path))?.dev;
    const mayHold = (device: number) => above === undefined || !isOtherDevice(view, device, above);
    return until === null ? [] : [{ folder, path, until, mayHold }];
  });
}

/**
 * What the ledger has to learn of a folder's mounts; null: nothing.
 * - New mounts are added. None is taken away before a person approves: what lay on it may be missing.
 * - Which directory is mounted where is noted when the whole folder was listed (`isWhole`).
 * - A directory that was noted is replaced by the one that stands there now only if nothing below it is missing.
 * - A new mount over documents that are missing since hides them, so it is noted as no directory.
 * - Until when a mount point was bare is noted, as files may have come into it; not where there are no documents yet.
 */
export function mountsToRemember(
  folder: string,
  {
    tasks,
    ledger,
    view,
    mounts: mounted,
    isWhole,
    now,
  }: Pick<DeletionEvidence, 'tasks' | 'view' | 'mounts' | 'now'> & {
    readonly ledger: Pick<LedgerPort, 'mounts' | 'mountIdentities' | 'bareMountPoints' | 'count'>;
    readonly isWhole: boolean;
  },
): Extract<Change, { kind: 'mounts' }> | null {
  const known = ledger.mounts(folder);
  const added = mounted.filter((path) => !known.includes(path));
  const before = ledger.mountIdentities(folder);
  const isComplete = (path: string) => [...tasks.missing(folder)].every((task) => !isBelow(task, path));
  const mounts = [...known, ...added];
  const found = identitiesOf(isWhole ? mounts : [], view).filter(({ path }) => {
    const old = before.find((one) => one.path === path);
    if (old !== undefined) return isAnother(old, view) && isComplete(path);
    return isComplete(path) || (known.includes(path) && mounted.includes(path));
  });
  const hiding = added.filter((path) => !isComplete(path)).map((path) => ({ path, ...noDirectory }));
  const bareBefore = ledger.bareMountPoints(folder);
  const bare = mounts.flatMap((path): readonly BareMountPoint[] => {
    const old = bareBefore.find((one) => one.path === path);
    if (!mounted.includes(path)) return [{ path, until: null }];
    const isNew = added.includes(path) && ledger.count(folder) > 0;
    if (isNew || old?.until === null) return [{ path, until: now }];
    return old === undefined ? [] : [old];
  });
  const isBareAsBefore = bare.every(({ path, until }) =>
    bareBefore.some((one) => one.path === path && one.until === until),
  );
  if (added.length === 0 && found.length === 0 && isBareAsBefore) return null;
  const kept = before.filter(({ path }) => found.every((one) => one.path !== path));
  return { kind: 'mounts', folder, mounts, identities: [...kept, ...found, ...hiding], bare };
}

/** Of no directory that is ever listed: a mount that hides documents is never the one that is noted. */
const noDirectory: FileIdentity = { ino: 0, birthtimeMs: 0, dev: 0 };

/** Which directories are mounted at these paths, as far as they were listed. */
export function identitiesOf(mounts: readonly string[], view: FolderView): readonly MountIdentity[] {
  return mounts.flatMap((path) => {
    const there = view.directoryAt(path);
    if (there === undefined || there.ino === 0) return [];
    return [{ path, ...there }];
  });
}

/** States in which a new document has not been compared yet with what is missing. */
const comparing: ReadonlySet<Task['state']['kind']> = new Set(['inspect', 'inspecting', 'settling']);

/**
 * New documents that may be a missing one and were not compared with it since it went: nothing is deleted before they
 * are.
 */
export function uncompared(
  tasks: Pick<TaskStore, 'newcomersLike'>,
  { gone }: Task,
  stat: Parameters<TaskStore['newcomersLike']>[0],
): readonly Task[] {
  const since = gone?.since ?? 0;
  return tasks
    .newcomersLike(stat)
    .filter(({ state }) => comparing.has(state.kind) || (state.kind === 'ready' && state.since < since));
}

/**
 * Where the file of a document that is gone from its path stands now, as something that cannot be sent: under a name
 * that breaks a rule, below a sidecar that is not valid. It was moved and not removed. Null: nowhere. A new file with
 * the same inode number and another birth time is another file.
 */
export function standsUnsent(
  { tasks, ledger }: { tasks: Pick<TaskStore, 'presentWithInode'>; ledger: Pick<LedgerPort, 'get'> },
  task: Task,
): DocumentRef | null {
  const stat = ledger.get(task.ref)?.stat;
  if (stat === undefined) return null;
  for (const other of tasks.presentWithInode(stat.ino)) {
    const { state, seen, hasRecord, ref } = other;
    if (other === task || hasRecord || seen === null || !sameFile(seen.stat, stat)) continue;
    // What the service refused is a document of its own: a hard link.
    if (state.kind === 'waiting' || (state.kind === 'failed' && !state.recorded)) return ref;
  }
  return null;
}
