import type { Disk } from './disk.ts';
import { createJournal } from './journal-writer.ts';
import type { LedgerPaths } from './ledger-files.ts';
import { writeSnapshot } from './write-snapshot.ts';

const FIRST = { generation: 1, sequence: 0 } as const;
const MARKER_TEXT =
  'The ledger of ingestd was begun here. Without ledger.json beside this file, ingestd does not start.\n';

/** Makes an empty ledger. Until its last step a crash leaves what counts as no ledger at all. */
export async function initializeLedger(disk: Disk, paths: LedgerPaths): Promise<void> {
  const { file } = await createJournal(disk, paths, FIRST);
  await file.close();
  const temporary = paths.temporary(`${process.pid}.first`);
  await writeSnapshot(disk, temporary, { head: FIRST, lines: [] });
  await disk.rename(temporary, paths.snapshot);
  await disk.syncDirectory(paths.dir);
  await markUsed(disk, paths);
}

/** Leaves the word that from now on a missing snapshot is damage. */
export async function markUsed(disk: Disk, paths: LedgerPaths): Promise<void> {
  const file = await disk.create(paths.marker);
  try {
    await file.write(Buffer.from(MARKER_TEXT), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.syncDirectory(paths.dir);
}
