import { damaged, isTooNew } from './damage.ts';
import { createStateFiller } from './fill-state.ts';
import type { RejectedRow, StateFiller } from './fill-state.ts';
import type { LedgerListing, LedgerPaths } from './ledger-files.ts';
import { createLedgerState } from './ledger-state.ts';
import type { LedgerState } from './ledger-state.ts';
import { readJournal } from './read-journal.ts';
import type { JournalReading } from './read-journal.ts';
import { readSnapshot } from './read-snapshot.ts';
import { rejectDoubles } from './reject-doubles.ts';

/** A ledger as it was found. */
export interface LoadedLedger {
  readonly state: LedgerState;
  /** Of the snapshot it was read from. */
  readonly generation: number;
  /** The journal that is written on. */
  readonly journal: JournalReading;
  /** Size of the snapshot it was read from. */
  readonly snapshotBytes: number;
  /** Bytes of journals that were replayed. */
  readonly journalBytes: number;
  readonly rejected: readonly RejectedRow[];
  /** Set when the snapshot in force was damaged and the one before it, with its journals, gave the same. */
  readonly recovered: { readonly error: unknown } | null;
}

/** Says whether a directory holds no ledger: never used, or a crash came before the first one was complete. */
export async function isFresh(paths: LedgerPaths, listing: LedgerListing): Promise<boolean> {
  if (listing.snapshot || listing.previous || listing.marker) return false;
  const [first, second] = listing.journals;
  if (first === undefined) return true;
  if (first !== 1 || second !== undefined) return false;
  const groups = await readJournal(paths.journal(1), () => undefined).then(
    (reading) => reading.groups,
    () => 0,
  );
  return groups === 0;
}

/**
 * Reads snapshot and journals; a LedgerDamagedError when what they held cannot be told without guessing. The
 * snapshot before the last stands in for a damaged one: with its journals it gives the very same.
 */
export async function loadLedger(paths: LedgerPaths, listing: LedgerListing): Promise<LoadedLedger> {
  try {
    if (!listing.snapshot) throw damaged(paths.snapshot, 'it is missing, and the state directory was in use');
    return { ...(await loadFrom(paths, paths.snapshot)), recovered: null };
  } catch (error) {
    if (!listing.previous || isTooNew(error)) throw error;
    try {
      return { ...(await loadFrom(paths, paths.previous)), recovered: { error } };
    } catch {
      throw error;
    }
  }
}

async function loadFrom(paths: LedgerPaths, snapshot: string): Promise<Omit<LoadedLedger, 'recovered'>> {
  const state = createLedgerState();
  const filler = createStateFiller(state);
  const { generation, sequence, bytes } = await readSnapshot(snapshot, filler);
  filler.endSnapshot();
  const { journal, journalBytes } = await replay(paths, { generation, sequence }, filler);
  const doubles = rejectDoubles(state);
  const rejected = [...filler.rejected, ...doubles];
  return { state, generation, journal, snapshotBytes: bytes, journalBytes, rejected };
}

/** Follows the journals from a snapshot's own to the last. */
async function replay(
  paths: LedgerPaths,
  from: { readonly generation: number; readonly sequence: number },
  filler: StateFiller,
): Promise<{ readonly journal: JournalReading; readonly journalBytes: number }> {
  let journal = await readJournalOf(paths, from, filler);
  let journalBytes = journal.goodBytes;
  for (;;) {
    const next = { generation: journal.generation + 1, sequence: journal.sequence };
    if (!(await follows(paths, journal))) return { journal, journalBytes };
    journal = await readJournalOf(paths, next, filler);
    journalBytes += journal.goodBytes;
  }
}

async function readJournalOf(
  paths: LedgerPaths,
  { generation, sequence }: { readonly generation: number; readonly sequence: number },
  filler: StateFiller,
): Promise<JournalReading> {
  const path = paths.journal(generation);
  const reading = await readJournal(path, filler.group);
  if (reading.generation !== generation) throw damaged(path, `it is the journal ${reading.generation}`);
  if (reading.sequence - reading.groups !== sequence)
    throw damaged(path, 'it does not go on where the ledger ends');
  return reading;
}

/** Says whether the next journal belongs to this one, or is what a crash left of a beginning. */
async function follows(paths: LedgerPaths, journal: JournalReading): Promise<boolean> {
  if (journal.sealed) return true;
  const path = paths.journal(journal.generation + 1);
  const next = await readJournal(path, () => undefined).catch(() => null);
  return next !== null && next.groups > 0;
}
