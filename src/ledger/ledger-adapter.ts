import { randomBytes } from 'node:crypto';

import type { Adapter } from 'lowdb';

import { LedgerUnwritableError, errorCode } from '../model/errors.ts';
import type { Append } from './commit-queue.ts';
import type { Disk } from './disk.ts';
import { initializeLedger, markUsed } from './initialize-ledger.ts';
import { openJournalWriter, unwritable } from './journal-writer.ts';
import type { JournalPosition, JournalWriter } from './journal-writer.ts';
import { createLane } from './lane.ts';
import { listLedger } from './ledger-files.ts';
import type { LedgerPaths } from './ledger-files.ts';
import type { Capture, LedgerState } from './ledger-state.ts';
import { isFresh, loadLedger } from './load-ledger.ts';
import type { LoadedLedger } from './load-ledger.ts';
import { snapshotRows } from './snapshot-rows.ts';
import { writeSnapshot } from './write-snapshot.ts';

/** What the adapter works with. */
export interface AdapterParts {
  readonly paths: LedgerPaths;
  readonly disk: Disk;
  /** Asked after each append: false, and nothing of it holds. */
  readonly isHeld: () => boolean;
  /** Told what was found, before anything is changed. */
  readonly onLoaded: (loaded: LoadedLedger) => void;
}

/** lowdb's door to the files: `read` is snapshot and journal, `write` compacts the journal into the snapshot. */
export interface LedgerAdapter extends Adapter<LedgerState> {
  /** Once, and before all else. */
  readonly read: () => Promise<LedgerState>;
  /** Commits go on meanwhile. One at a time. LedgerUnwritableError: the old snapshot is still in force. */
  readonly write: (state: LedgerState) => Promise<void>;
  readonly append: Append;
  /** Bytes that a start would have to replay, and bytes of the snapshot. */
  readonly sizes: () => { readonly journal: number; readonly snapshot: number };
  readonly close: () => Promise<void>;
}

/** An adapter for one state directory that this process holds. */
export function createLedgerAdapter({ paths, disk, isHeld, onLoaded }: AdapterParts): LedgerAdapter {
  const lane = createLane();
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

  async function beginGeneration(state: LedgerState): Promise<{ head: JournalPosition; capture: Capture }> {
    const { bytes } = journal().position();
    await journal().rotate();
    olderBytes += bytes;
    return { head: journal().position(), capture: state.capture() };
  }

  /** Puts a snapshot in force, keeps the one before it, and takes away journals that neither needs. */
  async function putInForce(temporary: string, generation: number): Promise<void> {
    const oldest = isBaseInForce && !(await keepPrevious(disk, paths)) ? generation : baseGeneration;
    await disk.rename(temporary, paths.snapshot);
    await disk.syncDirectory(paths.dir);
    baseGeneration = generation;
    isBaseInForce = true;
    const { journals } = await listLedger(paths.dir);
    for (const old of journals.filter((old) => old < oldest)) await disk.remove(paths.journal(old));
  }

  return {
    read: async () => {
      await tidy(disk, paths);
      const listing = await listLedger(paths.dir);
      const loaded = await loadLedger(paths, listing);
      onLoaded(loaded);
      const { generation, sequence, goodBytes } = loaded.journal;
      baseGeneration = loaded.generation;
      isBaseInForce = loaded.recovered === null;
      snapshotBytes = loaded.snapshotBytes;
      olderBytes = loaded.journalBytes - goodBytes;
      writer = await openJournalWriter(disk, paths, { generation, sequence, bytes: goodBytes });
      // Of a generation whose beginning a crash cut short.
      for (const left of listing.journals.filter((left) => left > generation)) {
        await disk.remove(paths.journal(left));
      }
      return loaded.state;
    },
    write: async (state) => {
      const { head, capture } = await lane.run(() => beginGeneration(state));
      const temporary = paths.temporary(`${process.pid}.${randomBytes(6).toString('hex')}`);
      try {
        const bytes = await writeSnapshot(disk, temporary, { head, lines: snapshotRows(state, capture) });
        await putInForce(temporary, head.generation);
        snapshotBytes = bytes;
        olderBytes = 0;
      } catch (error) {
        await disk.remove(temporary).catch(() => undefined);
        throw unwritable(paths.snapshot, error);
      } finally {
        capture.release();
      }
    },
    append: (changes, apply) =>
      lane.run(async () => {
        await journal().append(changes, isHeld);
        apply();
      }),
    sizes: () => ({ journal: olderBytes + (writer?.position().bytes ?? 0), snapshot: snapshotBytes }),
    close: () => lane.run(async () => writer?.close()),
  };
}

/** Takes away what a crash left, and begins a ledger where there was none. */
async function tidy(disk: Disk, paths: LedgerPaths): Promise<void> {
  const found = await listLedger(paths.dir);
  const fresh = await isFresh(paths, found);
  try {
    for (const path of found.temporaries) await disk.remove(path);
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
    // An older one would be of no use without all journals since.
    await disk.remove(paths.previous);
    return false;
  }
  await disk.rename(temporary, paths.previous);
  // Where both were names of one file already, rename leaves both.
  await disk.remove(temporary);
  return true;
}
