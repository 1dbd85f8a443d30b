import { directoryOf, sameInode } from '../../model/document.ts';
import type { FileIdentity } from '../../model/document.ts';
import type {
  BareMountPoint,
  Change,
  DirectoryRef,
  LedgerPort,
  MountIdentity,
} from '../../model/ports/ledger-port.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Task } from '../tasks/task.ts';
import type { FolderView } from './folder-view.ts';
import { coveredRoot } from './root-trust.ts';

export function isBelow({ ref }: Pick<Task, 'ref'>, mount: string): boolean {
  return ref.path.startsWith(`${mount}/`);
}

/**
 * Whether another directory is mounted where one is remembered, of the same device perhaps. Each mount may give a file
 * system another device number, so that a birth time that is unknown proves nothing.
 */
export function isOtherMount(known: MountIdentity, view: FolderView): boolean {
  const there = view.directoryAt(known.path);
  return there !== undefined && !sameInode(there, known);
}

/** A mount point, below which or on which files may lie that nobody sees. */
export interface CoveredMountPoint extends DirectoryRef {
  /** The moment at which something was found to be mounted there, or to be no longer. */
  readonly until: number;
  /** It is what was mounted there that may hold them. */
  readonly isAway: boolean;
  /** Whether files of this device may lie below it. */
  readonly mayHold: (device: number) => boolean;
}

/** Whether a file of this device that was last seen at that moment may lie there. */
export function mayHide({ until, mayHold }: CoveredMountPoint, device: number, seenAt: number): boolean {
  return until >= seenAt && mayHold(device);
}

/**
 * Mount points of a folder on which something is mounted by now, and on which nothing was for a time, or the other way
 * round; and its root, where another directory has come to its path.
 */
export function coveredMountPoints(
  folder: string,
  ledger: Pick<LedgerPort, 'bareMountPoints' | 'root'>,
  view: FolderView,
): readonly CoveredMountPoint[] {
  const holds = (place: number | undefined) => (device: number) =>
    place === undefined || !view.isOtherDevice(device, place);
  const below = ledger.bareMountPoints(folder).flatMap(({ path, until, since }) => {
    if (until !== null) {
      const mayHold = holds(view.directoryAt(directoryOf(path))?.dev);
      return [{ folder, path, until, isAway: false, mayHold }];
    }
    // A file that is moved to another device gets another identity.
    return since === undefined ? [] : [{ folder, path, until: since, isAway: true, mayHold: () => true }];
  });
  const known = ledger.root(folder);
  const other = view.otherRoot;
  // While another root stands there, each of the two may hold them, whichever is seen at this moment.
  const roots = [
    coveredRoot(known, other, Infinity),
    coveredRoot(other, known, Infinity),
    known?.covered,
  ].filter((root) => root !== undefined);
  return [
    ...below,
    ...roots.map(({ dev, until }) => ({ folder, path: '', until, isAway: false, mayHold: holds(dev) })),
  ];
}

/**
 * What the ledger has to learn of a folder's mounts; null: nothing.
 * - New mounts are added. None is taken away before a person approves: what lay on it may be missing.
 * - Which directory is mounted where is noted when the whole folder was listed (`isWhole`).
 * - A directory that was noted is replaced by the one that stands there now only if nothing below it is missing: in between
 *   nothing was mounted there.
 * - A new mount over documents that are missing since hides them, so it is noted as no directory.
 * - Until when a mount point was bare is noted, as files may have come into it; not where it never was. And since when it
 *   is, as they may have come onto what was mounted.
 */
export function mountsToRemember(
  folder: string,
  seen: {
    readonly tasks: Pick<TaskStore, 'missing'>;
    readonly ledger: Pick<LedgerPort, 'mounts' | 'mountIdentities' | 'bareMountPoints'>;
    readonly view: FolderView;
    /** Directories and files on which something is mounted now. */
    readonly mounts: readonly string[];
    readonly isWhole: boolean;
    /** For the first time. */
    readonly isFirst: boolean;
    /** This moment. */
    readonly now: number;
  },
): Extract<Change, { kind: 'mounts' }> | null {
  const { tasks, ledger, view, mounts: mounted, isWhole, isFirst, now } = seen;
  const known = ledger.mounts(folder);
  const added = mounted.filter((path) => !known.includes(path));
  const before = ledger.mountIdentities(folder);
  const isComplete = (path: string) => [...tasks.missing(folder)].every((task) => !isBelow(task, path));
  const mounts = [...known, ...added];
  const isOther = (path: string) =>
    before.some((one) => one.path === path && isOtherMount(one, view)) && isComplete(path);
  // Another directory was listed there since the one that was noted: the mount was away in between.
  const isReplaced = (path: string) => view.directorySince(path) !== -Infinity && isOther(path);
  const found = identitiesOf(isWhole ? mounts : mounts.filter(isReplaced), view).filter(({ path }) =>
    before.some((one) => one.path === path)
      ? isOther(path)
      : isComplete(path) || (known.includes(path) && mounted.includes(path)),
  );
  const hiding = added.filter((path) => !isComplete(path)).map((path) => ({ path, ...noDirectory }));
  const bareBefore = ledger.bareMountPoints(folder);
  // Something may be mounted on a file, too.
  const isMissing = (path: string) => [...tasks.missing(folder)].some(({ ref }) => ref.path === path);
  const bare = mounts.flatMap((path): readonly BareMountPoint[] => {
    const old = bareBefore.find((one) => one.path === path);
    if (!mounted.includes(path)) return [old?.until === null ? old : { path, until: null, since: now }];
    // The first listing of all goes with the first reading of the mounts: what is mounted later was bare then.
    const wasBare = view.isResumed || !isFirst || view.directorySince(path) !== -Infinity;
    const isNew = added.includes(path) && (wasBare || isMissing(path));
    if (isNew || isReplaced(path) || old?.until === null) return [{ path, until: now }];
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
