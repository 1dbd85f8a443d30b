import { groupBy } from '../../lib/group-by.ts';
import { printable } from '../../lib/text/printable.ts';
import {
  directoryOf,
  hasGone,
  isBirthKnown,
  isPerhapsSame,
  joinPath,
  nameOf,
  refKey,
} from '../../model/document.ts';
import type { DocumentRef, FileStat } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { isUnreadable } from '../../model/errors.ts';
import type { FolderPort, FoundFile, UnreadableDirectory } from '../../model/ports/folder-port.ts';
import { filesOfRecord } from '../../model/ports/ledger-port.ts';
import type { DirectoryRef, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { mayHide } from '../folders/mounts.ts';
import type { CoveredMountPoint } from '../folders/mounts.ts';
import type { DirectoryEvidence } from './find-directory-move.ts';
import type { MoveEvidence } from './find-moves.ts';

/** The code of a document whose file stands where it is not sent. */
export const keptElsewhereCode = 'kept-elsewhere';

/** Where the file of a document is that is gone from its path. */
export type Whereabouts =
  /** `look`: it is so while the directories of all folders look like this; null: nobody can tell. */
  | { readonly kind: 'nowhere'; readonly look: string | null }
  /** It stands where no document is sent: the service keeps its document. `at`: where the record can follow; null: nowhere. */
  | { readonly kind: 'kept'; readonly reason: Reason; readonly at: StandingFile | null }
  /** It may be in a directory that cannot be read, or below a mount: then `where` is null, and a person has to say so. */
  | { readonly kind: 'hidden'; readonly reason: string; readonly where: DirectoryRef | null }
  /**
   * It stands there, and has not been compared yet, or moves on: it has to be inspected. Null: a directory has to be
   * listed first.
   */
  | { readonly kind: 'unclear'; readonly ref: DocumentRef | null };

interface StandingFile {
  readonly ref: DocumentRef;
  readonly stat: FileStat;
}

interface Evidence extends Pick<MoveEvidence, 'inspect' | 'hash'>, Pick<DirectoryEvidence, 'seenElsewhere'> {
  readonly search: SearchResult;
  readonly covered: readonly CoveredMountPoint[];
  readonly ledger: Pick<LedgerPort, 'get' | 'directory'>;
  readonly tasks: Pick<TaskStore, 'get'>;
  /** The document was at its path at this moment at the latest that is known. */
  readonly seenAt: number;
  /** Whether a directory looked at that time as it does now: then the file has not come into it, or with it. */
  readonly hasStood: (directory: InFolder<UnreadableDirectory>) => boolean;
  /** A deletion of its folder is held already until a directory can be read, perhaps since an earlier run. */
  readonly wasHidden: boolean;
}

/** Where the file of a record stands now, by where it was found in all folders. */
export async function whereaboutsOf(
  { ref, record }: { readonly ref: DocumentRef; readonly record: LedgerRecord },
  evidence: Evidence,
): Promise<Whereabouts> {
  const saved = await savedInMoved(ref, evidence);
  for (const { folder, path, stat, isNamed } of [...evidence.search.files, ...saved]) {
    const there = { folder, path };
    const isSame = await isSameContent(there, { stat, record, isNamed }, evidence);
    if (isSame === null) return { kind: 'unclear', ref: there };
    if (!isSame) continue;
    if (!isNamed) return kept(there, 'its name cannot be sent', null);
    // It is back.
    if (refKey(there) === refKey(ref)) return { kind: 'unclear', ref };
    // Hard links: what is another record's own file proves nothing about this one. Without numbers, content tells.
    const other = evidence.ledger.get(there);
    const isTold = stat.ino !== 0 && isBirthKnown(stat, record.stat);
    const isOther = (file: FileStat) => stat.ino === 0 || isPerhapsSame(file, stat);
    const isOwn = other !== undefined && filesOfRecord(other).some(isOther);
    if (isOwn && (isTold || other.sha256 === record.sha256)) continue;
    const at = isOwn || isSame === 'perhaps' ? null : { ref: there, stat };
    const found = await evidence.inspect(there);
    if (found?.kind === 'document') {
      const state = evidence.tasks.get(there)?.state;
      // What the service refused is a document of its own: a hard link. What is in doubt may be moved.
      if (state?.kind === 'failed' && state.recorded && state.reason.code !== inDoubtCode) continue;
      // Compared with the ledger it waits: it is an attachment of another document.
      return state?.kind === 'waiting'
        ? kept(there, state.reason.message, at)
        : { kind: 'unclear', ref: there };
    }
    if (found === undefined || found.kind === 'absent' || found.kind === 'settling')
      return { kind: 'unclear', ref: there };
    // Below a directory of which nothing is sent or deleted until it can be read: it stands there all the same.
    if (found.kind === 'unknown' && !isUnreadable(found)) return { kind: 'unclear', ref: there };
    return kept(there, found.message, at);
  }
  if (evidence.search.isUnlisted) return { kind: 'unclear', ref: null };
  const { covered, hasStood, wasHidden, seenAt } = evidence;
  const covering = covered.find((one) => mayHide(one, record.stat.dev, seenAt));
  if (covering !== undefined) {
    const where = printable(refKey(covering));
    const reason = covering.isAway
      ? `the file may be on what was mounted at ${where}, and is no longer since the file was last seen`
      : `the file may be in ${where}, hidden by what was mounted there since the file was last seen`;
    return { kind: 'hidden', where: null, reason };
  }
  const hiding = evidence.search.unreadable.find((directory) => wasHidden || !hasStood(directory));
  if (hiding === undefined) return { kind: 'nowhere', look: evidence.search.look };
  const where = { folder: hiding.folder, path: hiding.path };
  return {
    kind: 'hidden',
    where,
    reason: `the file may be in ${printable(refKey(where))}, where something cannot be read and may have changed or moved since the file was last seen`,
  };
}

/** What was saved under its name in its directory, which stands elsewhere now, and is no other record's (contract 7.25). */
async function savedInMoved(
  ref: DocumentRef,
  { ledger, tasks, seenElsewhere, inspect }: Evidence,
): Promise<SearchResult['files']> {
  const directory = ledger.directory({ ...ref, path: directoryOf(ref.path) });
  const place = directory === undefined || directory.birthtimeMs === 0 ? null : seenElsewhere(directory);
  if (place === null) return [];
  const there = { folder: place.folder, path: joinPath(place.path, nameOf(ref.path)) };
  const found = ledger.get(there) === undefined ? await inspect(there) : undefined;
  if (found === undefined || hasGone(found)) return [];
  const own = found.kind === 'document' ? found.document : found;
  const stat = 'stat' in own ? own.stat : tasks.get(there)?.seen?.stat;
  return stat === undefined ? [] : [{ ...there, stat, isNamed: true }];
}

/**
 * Without birth times an inode number proves little, and birth times without a number as little. `perhaps`: nothing but size
 * and time is known of it. Null: it is changing.
 */
async function isSameContent(
  ref: DocumentRef,
  { stat, record, isNamed }: Pick<FoundFile, 'stat' | 'isNamed'> & { readonly record: LedgerRecord },
  { hash }: Evidence,
): Promise<boolean | 'perhaps' | null> {
  if (stat.ino !== 0 && isBirthKnown(stat, record.stat)) return true;
  if (stat.size !== record.stat.size) return false;
  // What cannot be read, or opened by its name, may be it.
  const sha256 = isNamed ? await hash(ref, stat).catch(() => undefined) : undefined;
  if (sha256 === undefined) return stat.ino === 0 ? 'perhaps' : true;
  return sha256 === null ? null : sha256 === record.sha256;
}

function kept(ref: DocumentRef, why: string, at: StandingFile | null): Whereabouts {
  const message = `its file is ${printable(refKey(ref))} now, which is not sent (${why}); the document is kept`;
  return { kind: 'kept', reason: { code: keptElsewhereCode, message }, at };
}

type InFolder<T> = T & { readonly folder: string };

/** Where the files of a document were found, in all folders. */
interface SearchResult {
  readonly files: readonly InFolder<FoundFile>[];
  readonly unreadable: readonly InFolder<UnreadableDirectory>[];
  /** A directory was not listed yet. */
  readonly isUnlisted: boolean;
  readonly look: string | null;
}

/**
 * Looks for the files of documents in all folders by what they are known by, at one go: gives what was found of each.
 * `rootDevice`: on which device the root of a folder was when it was seen last; undefined: it never was.
 */
export async function findInFolders(
  lost: readonly (readonly FileStat[])[],
  folders: readonly Pick<FolderPort, 'name' | 'find'>[],
  rootDevice: (folder: string) => number | undefined,
): Promise<(one: readonly FileStat[]) => SearchResult> {
  const wanted = lost.flat();
  const found = await Promise.all(
    folders.map(async ({ name, find }) => ({ folder: name, found: await find(wanted) })),
  );
  const byInode = groupBy(
    found.flatMap(({ folder, found }) => (found?.files ?? []).map((one) => ({ ...one, folder }))),
    ({ stat }) => stat.ino,
  );
  const looks = found.map(({ found }) => found?.look ?? null);
  const look = looks.includes(null) ? null : looks.join();
  return (files) => {
    /** A file is renamed within its device only. */
    const mayHold = (folder: string) => files.some(({ dev }) => (rootDevice(folder) ?? dev) === dev);
    const inodes = [...new Set(files.map(({ ino }) => ino))];
    return {
      look,
      files: inodes
        .flatMap((ino) => byInode.get(ino) ?? [])
        .filter(({ stat }) => files.some((one) => isPerhapsSame(one, stat))),
      isUnlisted: found.some(({ found }) => found !== null && found.unlisted.length > 0),
      unreadable: found.flatMap(({ folder, found }) =>
        (found?.unreadable ?? (mayHold(folder) ? [wholeRoot] : [])).map((one) => ({ ...one, folder })),
      ),
    };
  };
}

/** A root that cannot be read may hold anything. */
const wholeRoot: UnreadableDirectory = { path: '', look: null };
