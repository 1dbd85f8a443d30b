import { printable } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { isBirthKnown, refKey, sameFile } from '../../model/document.ts';
import type { DocumentRef, FileIdentity, FileStat } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { isUnreadable } from '../../model/errors.ts';
import type { FolderPort, FoundFile, UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { CoveredMountPoint } from '../folders/mounts.ts';
import type { MoveEvidence } from './find-moves.ts';

/** `code` of a document whose file stands where it is not sent. */
const keptElsewhereCode = 'kept-elsewhere';
/** The same where that ends when something is fixed. */
export const movedUnsentCode = 'moved-unsent';

/** Where the file of a document is that is gone from its path. */
export type Whereabouts =
  | { readonly kind: 'nowhere' }
  /** It stands where no document is sent: the service keeps its document. */
  | { readonly kind: 'kept'; readonly reason: Reason }
  /** It may be in a directory that cannot be read, or below a mount. */
  | { readonly kind: 'hidden'; readonly reason: string }
  /** It stands there, and has not been compared yet, or moves on: it has to be inspected. */
  | { readonly kind: 'unclear'; readonly ref: DocumentRef };

interface Evidence extends Pick<MoveEvidence, 'inspect' | 'hash'> {
  readonly search: SearchResult;
  readonly covered: readonly CoveredMountPoint[];
  readonly ledger: Pick<LedgerPort, 'get'>;
  readonly tasks: Pick<TaskStore, 'get'>;
  /** The document was at its path at this time at the latest that is known, wall clock, ms. */
  readonly seenAt: number;
  /** Its directory stands where it stood: the file alone can have gone. */
  readonly hasDirectory: boolean;
}

/** File systems have clocks of their own. */
const clockDifferenceMs = 60_000;

const nowhere = { kind: 'nowhere' } as const;

/** Where the file of a record stands now, by what a search of all folders found. */
export async function whereaboutsOf(
  { ref, record }: { readonly ref: DocumentRef; readonly record: LedgerRecord },
  evidence: Evidence,
): Promise<Whereabouts> {
  for (const { folder, path, stat, isNamed } of evidence.search.files) {
    const there = { folder, path };
    if (!(await isSameContent(there, { stat, record }, evidence))) continue;
    if (!isNamed) return kept(there, 'its name cannot be sent');
    // Hard links: what is another record's own file proves nothing about this one.
    const other = evidence.ledger.get(there);
    if (refKey(there) === refKey(ref) || (other !== undefined && sameFile(other.stat, stat))) continue;
    const found = await evidence.inspect(there);
    switch (found?.kind) {
      case 'document':
        if (other !== undefined || isRefused(there, evidence)) continue;
        return { kind: 'unclear', ref: there };
      case 'ignored':
      case 'skipped':
        return kept(there, found.message);
      case 'unfit':
      case 'waiting':
        return kept(there, found.message, movedUnsentCode);
      case 'unknown':
        // Below a directory of which nothing is sent or deleted until it can be read: it stands there all the same.
        if (isUnreadable(found)) return kept(there, found.message, movedUnsentCode);
        return { kind: 'unclear', ref: there };
      case 'absent':
      case 'settling':
      case undefined:
        return { kind: 'unclear', ref: there };
    }
  }
  const { covered, hasDirectory, seenAt } = evidence;
  const covering = covered.find(({ until, mayHold }) => until >= seenAt && mayHold(record.stat.dev));
  if (covering !== undefined) {
    const where = printable(refKey(covering));
    return {
      kind: 'hidden',
      reason: `the file may be in ${where}, hidden by what was mounted there since the file was last seen`,
    };
  }
  const hiding = evidence.search.unreadable.find(
    ({ changedMs, movedMs }) => (hasDirectory ? changedMs : movedMs) >= seenAt - clockDifferenceMs,
  );
  if (hiding === undefined) return nowhere;
  const where = printable(refKey({ folder: hiding.folder, path: hiding.path }));
  return {
    kind: 'hidden',
    reason: `the file may be in ${where}, which cannot be read and has changed or moved since the file was last seen`,
  };
}

/** Where birth times are unknown, an inode number alone proves little. */
async function isSameContent(
  ref: DocumentRef,
  { stat, record }: { readonly stat: FileStat; readonly record: LedgerRecord },
  { hash }: Evidence,
): Promise<boolean> {
  if (isBirthKnown(stat, record.stat)) return true;
  if (stat.size !== record.stat.size) return false;
  const sha256 = await hash(ref, stat).catch(() => null);
  // What cannot be read may be it.
  return sha256 === null || sha256 === record.sha256;
}

/**
 * What the service refused is a document of its own: a hard link. What is in doubt waits for a person, and may be
 * moved.
 */
function isRefused(ref: DocumentRef, { tasks }: Evidence): boolean {
  const state = tasks.get(ref)?.state;
  return state?.kind === 'failed' && state.recorded && state.reason.code !== inDoubtCode;
}

function kept(ref: DocumentRef, why: string, code = keptElsewhereCode): Whereabouts {
  const message = `its file is ${printable(refKey(ref))} now, which is not sent (${why}); the document is kept`;
  return { kind: 'kept', reason: { code, message } };
}

type InFolder<T> = T & { readonly folder: string };

/** What one walk over all folders found. */
interface SearchResult {
  readonly files: readonly InFolder<FoundFile>[];
  readonly unreadable: readonly InFolder<UnreadableDirectory>[];
}

interface Walk extends SearchResult {
  readonly beganAt: number;
  readonly endedAt: number;
  readonly wanted: readonly FileIdentity[];
}

/** A file may come from outside at any time: what was found longer ago is looked for again. */
const freshMs = 60_000;

/**
 * Looks for files in all folders by their identity: one walk at a time, for all that are missing together. What it
 * makes says where a file stands that went after `since` (monotonic ms), by a walk that began later, and by another look
 * into the directories in which something has happened since that.
 */
export function createFileSearch(
  clock: Clock,
  {
    folders,
    missing,
    rootDevice,
    afterWalk,
  }: {
    readonly folders: readonly Pick<FolderPort, 'name' | 'find'>[];
    readonly missing: () => Iterable<FileIdentity>;
    /** On which device the root of a folder was when it was seen last; undefined: it never was. */
    readonly rootDevice: (folder: string) => number | undefined;
    /** A folder was walked; what it notes is known before anything is concluded. */
    readonly afterWalk: (folder: string) => Promise<void>;
  },
): (file: FileIdentity, since: number) => Promise<SearchResult> {
  let last: Walk | null = null;
  let running: Promise<void> | null = null;
  let looking: Promise<SearchResult> | null = null;

  async function walk(file: FileIdentity): Promise<void> {
    const beganAt = clock.monotonic();
    const wanted = [file, ...missing()];
    const found = await lookIn(wanted);
    for (const { name } of folders) await afterWalk(name);
    last = { beganAt, endedAt: clock.monotonic(), wanted, ...found };
  }

  /** `since`: only where something has happened since then. */
  async function lookIn(wanted: readonly FileIdentity[], since?: number): Promise<SearchResult> {
    const found = await Promise.all(
      folders.map(async ({ name, find }) => ({ folder: name, found: await find(wanted, since) })),
    );
    return {
      files: found.flatMap(({ folder, found }) => (found?.files ?? []).map((one) => ({ ...one, folder }))),
      unreadable: found.flatMap(({ folder, found }) =>
        (found?.unreadable ?? [wholeRoot]).map((one) => ({ ...one, folder })),
      ),
    };
  }

  /** A file is renamed within its device only. */
  function mayHold({ folder, path }: InFolder<UnreadableDirectory>, { dev }: FileIdentity): boolean {
    const device = path === '' ? rootDevice(folder) : undefined;
    return device === undefined || device === dev;
  }

  return async (file, since) => {
    for (;;) {
      // Counted from the end: a walk that takes longer than that would never be fresh.
      const isFresh = last !== null && last.endedAt >= clock.monotonic() - freshMs;
      const isMeant = last?.wanted.some(({ ino }) => ino === file.ino) === true;
      if (last !== null && isFresh && last.beganAt >= since && isMeant) {
        const { wanted, beganAt, files, unreadable } = last;
        looking ??= lookIn(wanted, beganAt).finally(() => (looking = null));
        const later = await looking;
        return {
          files: [...files, ...later.files].filter(({ stat }) => sameFile(stat, file)),
          unreadable: [...unreadable, ...later.unreadable].filter((one) => mayHold(one, file)),
        };
      }
      running ??= walk(file).finally(() => (running = null));
      await running;
    }
  };
}

/** A root that cannot be read may hold anything. */
const wholeRoot: UnreadableDirectory = { path: '', changedMs: Infinity, movedMs: Infinity };
