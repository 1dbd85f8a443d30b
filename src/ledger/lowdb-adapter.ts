import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';

import PQueue from 'p-queue';

import { LedgerUnwritableError, errorCode } from '../model/errors.ts';
import type { Disk } from './disk-operations.ts';
import { unwritable } from './ledger-errors.ts';
import { fenceOf, listLedger } from './ledger-files.ts';
import type { LedgerPaths } from './ledger-files.ts';
import { isFresh, loadLedger } from './read-ledger.ts';
import type { LoadedLedger } from './read-ledger.ts';
import { writeSnapshot } from './snapshot.ts';
import { createJournal, openJournalWriter } from './journal/journal-writer.ts';
import type { JournalHold, JournalPosition, JournalWriter } from './journal/journal-writer.ts';
import type { Capture, LedgerData } from './records/ledger-data.ts';

/** What the adapter works with. */
interface AdapterParts extends JournalHold {
  readonly paths: LedgerPaths;
  readonly disk: Disk;
  /** Resolves when the directory may be written; rejects where another holder writes it now. */
  readonly confirm: () => Promise<void>;
  /** Told what was found, before anything is changed. */
  readonly onLoaded: (loaded: LoadedLedger) => void;
}

export type LowdbAdapter = ReturnType<typeof createLowdbAdapter>;

/**
 * lowdb's adapter for one state directory that this process holds: `read` reads snapshot and journal, `write` compacts
 * the journal into the snapshot.
 */
export function createLowdbAdapter({ paths, disk, confirm, onLoaded, ...hold }: AdapterParts) {
  /** One at a time, in the order in which they came: appends, and the beginning of a generation. */
  const mutex = new PQueue({ concurrency: 1 });
  let writer: JournalWriter | null = null;
  /** Of the snapshot that is in force, or of the one before where that in force is damaged. */
  let baseGeneration = 0;
  let isBaseInForce = true;
  let snapshotBytes = 0;
  /** Of journals since that snapshot, the one that is written on left out. */
  let olderBytes = 0;

  function journal(): JournalWriter {
    if (writer === null) throw new LedgerUnwritableError('The ledger has not been read yet');
    return writer;
  }

  async function beginGeneration(data: LedgerData): Promise<{ head: JournalPosition; capture: Capture }> {
    const { bytes } = journal().position();
    await journal().rotate();
    olderBytes += bytes;
    return { head: journal().position(), capture: data.capture() };
  }

  async function putInPlace(temporary: string, generation: number): Promise<void> {
    await confirm();
    await disk.rename(temporary, paths.snapshot);
    await disk.syncDirectory(paths.dir);
    baseGeneration = generation;
    isBaseInForce = true;
  }

  /** Puts a snapshot in force, keeps the one before it, and takes away journals that neither needs. */
  async function putInForce(temporary: string, generation: number): Promise<void> {
    const oldest = isBaseInForce && !(await keepPrevious(disk, paths)) ? generation : baseGeneration;
    await putInPlace(temporary, generation);
    const { journals } = await listLedger(paths.dir);
    for (const old of journals.filter((old) => old < oldest)) await disk.remove(paths.journal(old));
  }

  /**
   * Rewrites the ledger of the holder before as the generation after its last, with a second snapshot like the first in the
   * place of the one before it. Its files are not touched before the new snapshot is in force: after a crash it is done
   * again.
   */
  async function takeOver(loaded: LoadedLedger): Promise<JournalPosition> {
    const head = { generation: loaded.journal.generation + 1, sequence: loaded.journal.sequence };
    try {
      const { file, bytes } = await createJournal(disk, paths, head);
      await file.close();
      const temporary = paths.temporary(`${process.pid}.taken`);
      const second = paths.temporary(`previous.${process.pid}`);
      for (const path of [temporary, second])
        snapshotBytes = await writeSnapshot(disk, path, { head, capture: loaded.data.capture() });
      await putInPlace(temporary, head.generation);
      await disk.rename(second, paths.previous);
      await disk.syncDirectory(paths.dir);
      const { others } = await listLedger(paths.dir);
      for (const path of others) if (fenceOf(basename(path)) < paths.fence) await disk.remove(path);
      olderBytes = 0;
      return { ...head, bytes };
    } catch (error) {
      throw unwritable(paths.dir, error);
    }
  }

  return {
    /** Once, and before all else. */
    read: async (): Promise<LedgerData> => {
      await tidy(disk, paths);
      const listing = await listLedger(paths.dir);
      if (listing.paths.fence > paths.fence) throw unwritable(paths.dir, new Error(newerHolder));
      const loaded = await loadLedger(listing);
      onLoaded(loaded);
      baseGeneration = loaded.generation;
      isBaseInForce = loaded.recovered === null;
      snapshotBytes = loaded.snapshotBytes;
      olderBytes = loaded.journalBytes - loaded.journal.goodBytes;
      const isOwn = listing.paths.fence === paths.fence;
      const { generation, sequence, goodBytes: bytes } = loaded.journal;
      const start = isOwn ? { generation, sequence, bytes } : await takeOver(loaded);
      writer = await openJournalWriter(disk, paths, start, hold);
      // Of a generation whose beginning a crash cut short.
      for (const left of listing.journals.filter((left) => left > start.generation)) {
        await disk.remove(paths.journal(left));
      }
      return loaded.data;
    },
    /** Commits go on meanwhile. One at a time. LedgerUnwritableError: the old snapshot is still in force. */
    write: async (data: LedgerData): Promise<void> => {
      await confirm();
      const { head, capture } = await mutex.add(() => beginGeneration(data));
      const temporary = paths.temporary(`${process.pid}.${randomBytes(6).toString('hex')}`);
      try {
        const bytes = await writeSnapshot(disk, temporary, { head, capture });
        await putInForce(temporary, head.generation);
        snapshotBytes = bytes;
        olderBytes = 0;
      } catch (error) {
        await disk.remove(temporary).catch(() => undefined);
        throw unwritable(paths.snapshot, error);
      }
    },
    append: (changes: readonly string[], apply: () => void): Promise<void> =>
      mutex.add(async () => {
        await confirm();
        await journal().append(changes);
        apply();
      }),
    /** Bytes that a start would have to replay, and bytes of the snapshot. */
    sizes: () => ({ journal: olderBytes + (writer?.position().bytes ?? 0), snapshot: snapshotBytes }),
    close: (): Promise<void> => mutex.add(async () => writer?.close()),
  };
}

const newerHolder = 'another host has taken the ledger over';
const FIRST = { generation: 1, sequence: 0 } as const;
const MARKER_TEXT =
  'This directory holds a ledger of ingestd. While this file is here, ingestd does not start without ledger.json.\n';

/** Makes an empty ledger. Until its last step a crash leaves what counts as no ledger at all. */
async function initializeLedger(disk: Disk, paths: LedgerPaths): Promise<void> {
  const { file } = await createJournal(disk, paths, FIRST);
  await file.close();
  const temporary = paths.temporary(`${process.pid}.first`);
  await writeSnapshot(disk, temporary, { head: FIRST, capture: { records: [], changes: [] } });
  await disk.rename(temporary, paths.snapshot);
  await disk.syncDirectory(paths.dir);
  await markUsed(disk, paths);
}

/** Writes the mark by which a missing snapshot counts as damage from now on. */
async function markUsed(disk: Disk, paths: LedgerPaths): Promise<void> {
  const file = await disk.create(paths.marker);
  try {
    await file.write(Buffer.from(MARKER_TEXT), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.syncDirectory(paths.dir);
}

/** Takes away what a crash left, and begins a ledger where there was none. */
async function tidy(disk: Disk, paths: LedgerPaths): Promise<void> {
  const found = await listLedger(paths.dir);
  const fresh = await isFresh(found);
  try {
    // Those of a later holder are its own.
    for (const path of found.temporaries) if (fenceOf(basename(path)) <= paths.fence) await disk.remove(path);
    if (fresh) await initializeLedger(disk, paths);
    else if (!found.marker) await markUsed(disk, paths);
  } catch (error) {
    throw unwritable(paths.dir, error);
  }
}

/** Gives the snapshot in force its second name; false where the file system has no links. */
async function keepPrevious(disk: Disk, paths: LedgerPaths): Promise<boolean> {
  const temporary = paths.temporary(`previous.${process.pid}`);
  await disk.remove(temporary);
  try {
    await disk.link(paths.snapshot, temporary);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    // An older one is useless without all journals since.
    await disk.remove(paths.previous);
    return false;
  }
  await disk.rename(temporary, paths.previous);
  // Where both were names of one file already, rename leaves both.
  await disk.remove(temporary);
  return true;
}
