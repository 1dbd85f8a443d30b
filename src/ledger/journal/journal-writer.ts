import { createTimeSlice } from '../../lib/time/time-slice.ts';
import type { Disk, DiskFile } from '../disk-operations.ts';
import { notHeld, unwritable } from '../ledger-errors.ts';
import type { LedgerPaths } from '../ledger-files.ts';
import { groupLine, headerLine, sealLine } from './journal-line.ts';

const LINE_CHARACTERS = 128 * 1024;

/** Where a journal stands. */
export interface JournalPosition {
  readonly generation: number;
  readonly sequence: number;
  readonly bytes: number;
}

/** Makes an empty journal that goes on from the snapshot of its generation; durable when it resolves. */
export async function createJournal(
  disk: Disk,
  paths: LedgerPaths,
  head: Pick<JournalPosition, 'generation' | 'sequence'>,
): Promise<{ readonly file: DiskFile; readonly bytes: number }> {
  const file = await disk.create(paths.journal(head.generation));
  try {
    const line = Buffer.from(headerLine(head));
    await file.write(line, 0);
    await file.sync();
    await disk.syncDirectory(paths.dir);
    return { file, bytes: line.length };
  } catch (error) {
    await file.close();
    throw error;
  }
}

export type JournalWriter = Awaited<ReturnType<typeof openJournalWriter>>;

/** Whether this process still holds the journal. */
export interface JournalHold {
  /** Asked after each write: false, and nothing of it counts. */
  readonly isHeld: () => boolean;
  /** Asked after a write that failed: false, and what is left of it stays, for another holder may have written behind. */
  readonly mayCut: () => boolean;
}

/** Goes on with a journal that ends at `start`; whatever stands behind is cut off first. Calls must not overlap. */
export async function openJournalWriter(
  disk: Disk,
  paths: LedgerPaths,
  start: JournalPosition,
  { isHeld, mayCut }: JournalHold,
) {
  let { generation, sequence, bytes } = start;
  let file = await disk.open(paths.journal(generation)).catch((error: unknown) => {
    throw unwritable(paths.journal(generation), error);
  });
  /** Something may stand behind the last good byte. */
  let dirty = true;

  async function cut(): Promise<void> {
    await file.truncate(bytes);
    await file.sync();
    dirty = false;
  }

  async function write(lines: Iterable<string>): Promise<number> {
    const slice = createTimeSlice();
    if (dirty) await cut();
    dirty = true;
    let end = bytes;
    for (const line of lines) {
      const encoded = Buffer.from(line);
      await file.write(encoded, end);
      end += encoded.length;
      const pause = slice();
      if (pause !== undefined) await pause;
    }
    await file.sync();
    if (!file.isInPlace()) throw new Error('the file is no longer there');
    if (!isHeld()) throw new Error(notHeld);
    dirty = false;
    return end;
  }

  async function attempt(lines: Iterable<string>): Promise<void> {
    try {
      bytes = await write(lines);
    } catch (error) {
      // What could not be cut off now is cut off before the next group.
      if (mayCut()) await cut().catch(() => undefined);
      throw unwritable(paths.journal(generation), error);
    }
  }

  try {
    await cut();
  } catch (error) {
    await file.close();
    throw unwritable(paths.journal(generation), error);
  }

  return {
    position: (): JournalPosition => ({ generation, sequence, bytes }),
    /** Appends a group and resolves when it is on the medium; LedgerUnwritableError: nothing of it counts. */
    append: async (changes: readonly string[]): Promise<void> => {
      await attempt(groupLines(sequence + 1, changes));
      sequence += 1;
    },
    /** Ends this journal and goes on with that of the next generation; on an error goes on with this one. */
    rotate: async (): Promise<void> => {
      const next = await createJournal(disk, paths, { generation: generation + 1, sequence }).catch(
        (error: unknown) => {
          throw unwritable(paths.journal(generation + 1), error);
        },
      );
      try {
        await attempt([sealLine(sequence)]);
      } catch (error) {
        await next.file.close();
        throw error;
      }
      await file.close().catch(() => undefined);
      generation += 1;
      file = next.file;
      bytes = next.bytes;
    },
    close: (): Promise<void> => file.close(),
  };
}

/** Lines of one group; a big one is cut so that neither memory nor the event loop is held for long. */
function* groupLines(sequence: number, changes: readonly string[]): Generator<string> {
  let line: string[] = [];
  let characters = 0;
  for (const change of changes) {
    if (characters > LINE_CHARACTERS) {
      yield groupLine(sequence, false, line);
      line = [];
      characters = 0;
    }
    line.push(change);
    characters += change.length;
  }
  yield groupLine(sequence, true, line);
}
