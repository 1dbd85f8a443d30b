import { directoryOf, refKey, sameFile } from '../../model/document.ts';
import type { DocumentRef, FileIdentity } from '../../model/document.ts';
import type { Change, DirectoryRef, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { WatchedFolders } from './watched-folders.ts';

export type KnownDirectories = ReturnType<typeof createKnownDirectories>;

/** Which directories stand where, of all folders, and which of them have brought the records of other paths. */
export function createKnownDirectories(
  ledger: Pick<LedgerPort, 'directories' | 'directory' | 'placesOf'>,
  folders: Pick<WatchedFolders, 'view' | 'isUnavailable'>,
) {
  /** Where directories were listed last that hold the records of other paths, by inode number. */
  const elsewhere = new Map<number, DirectoryRef>();

  /** The directory that was listed last at a path; null: none is there; undefined: its folder was not listed yet. */
  function at({ folder, path }: DirectoryRef): FileIdentity | null | undefined {
    const view = folders.view(folder);
    if (view === undefined) return null;
    return view.directoryAt(path) ?? (view.isScanned || folders.isUnavailable(folder) ? null : undefined);
  }

  function stands(place: DirectoryRef, identity: FileIdentity): boolean {
    const there = at(place);
    return there !== null && there !== undefined && sameFile(there, identity);
  }

  /** The directory that was listed last above a document, as `at` says it. */
  const holding = (ref: DocumentRef) => at(placeOf(ref));

  /** What is recorded first in a directory says which one it is, unless that one has still to bring its own records. */
  function firstIdentity(ref: DocumentRef, there = holding(ref)): readonly Change[] {
    const place = placeOf(ref);
    const isKnown = place.path === '' || !there || there.ino === 0 || ledger.directory(place) !== undefined;
    if (isKnown || ledger.placesOf(there).length > 0) return [];
    return [{ kind: 'directory', ...place, identity: there }];
  }

  return {
    at,
    holding,
    /** Another directory than before was listed at a path. */
    note: (place: DirectoryRef, identity: FileIdentity): void => {
      const recorded = ledger.directory(place);
      if (recorded !== undefined && sameFile(recorded, identity)) return;
      if (ledger.placesOf(identity).length > 0) elsewhere.set(identity.ino, place);
    },
    /** Where a directory was listed last that is not where its records are; null: nowhere. */
    seenElsewhere: (identity: FileIdentity): DirectoryRef | null => {
      const place = elsewhere.get(identity.ino);
      return place !== undefined && stands(place, identity) ? place : null;
    },
    firstIdentity,
    /** The same of all that is recorded at one time. */
    firstIdentities: (changes: readonly Change[]): readonly Change[] => {
      if (changes.some(({ kind }) => kind === 'directory')) return [];
      const refs = changes.flatMap((change) => (change.kind === 'put' ? [change.ref] : []));
      const each = new Map(refs.map((ref) => [refKey(placeOf(ref)), ref])).values();
      return [...each].flatMap((ref) => firstIdentity(ref));
    },
    /**
     * The directories that stand at the paths of a folder's records and are not known there, where all records of that
     * path are as they should be: what was moved has been moved by then.
     */
    toRemember: (folder: string, tasks: Pick<TaskStore, 'inDirectory' | 'backlog'>): readonly Change[] => {
      const changes: Change[] = [];
      const isDecided = ({ folder: name, path }: DirectoryRef) =>
        folders.view(name)?.isScanned !== false &&
        tasks.inDirectory(name, path).size === 0 &&
        tasks.backlog.inDirectory(name, path).size === 0;
      for (const path of ledger.directories(folder)) {
        const place = { folder, path };
        const there = folders.view(folder)?.directoryAt(path);
        if (path === '' || there === undefined || there.ino === 0) continue;
        const recorded = ledger.directory(place);
        if (recorded !== undefined && (sameFile(recorded, there) || !isDecided(place))) continue;
        const others = ledger.placesOf(there);
        // One that stands there still is mounted here, or linked.
        if (!others.every((other) => isDecided(other) && !stands(other, there))) continue;
        for (const other of others) changes.push({ kind: 'directory', ...other, identity: null });
        changes.push({ kind: 'directory', ...place, identity: there });
      }
      return changes;
    },
  };
}

function placeOf({ folder, path }: DocumentRef): DirectoryRef {
  return { folder, path: directoryOf(path) };
}
