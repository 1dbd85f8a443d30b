import { stat } from 'node:fs/promises';

import { interruptedUploads } from '../model/doubts.ts';
import type { LedgerPort } from '../model/ports/ledger-port.ts';
import type { SafetySettings } from '../model/settings.ts';
import { damaged, LedgerTooNewError } from './ledger-errors.ts';
import { listLedger } from './ledger-files.ts';
import type { LedgerListing, LedgerPaths } from './ledger-files.ts';
import { isStateFree } from './lock-state-directory.ts';
import { readSnapshot } from './snapshot.ts';
import { readChange } from './records/stored-change.ts';
import { createCommitQueue } from './journal/commit-queue.ts';
import { readJournal } from './journal/read-journal.ts';
import type { JournalReading } from './journal/read-journal.ts';
import { createDataFiller, LedgerData } from './records/ledger-data.ts';
import type { DataFiller, LedgerReader, RejectedRecord } from './records/ledger-data.ts';
import { refOf, toRecord } from './records/stored-record.ts';

const TRIES = 5;

/**
 * The ledger as it is at this moment, read beside whoever writes it; nothing is changed on disk. Empty where there
 * is none. Rejects with LedgerDamagedError.
 */
export async function readLedger(dir: string): Promise<LedgerReader> {
  return (await readData(dir)).reader;
}

/**
 * The same as the next start would find it, to be written to in memory alone: what is committed is forgotten. Uploads
 * that are under way are left out while a process writes the ledger, which will know what becomes of them; otherwise
 * they are in doubt, as `inDoubt` says.
 */
export async function readScratchLedger(
  dir: string,
  inDoubt: SafetySettings['inDoubt'],
): Promise<LedgerPort> {
  const isFree = await isStateFree(dir);
  const data = await readData(dir);
  const intents = data.reader.intents();
  const changes = isFree
    ? interruptedUploads(intents, inDoubt)
    : intents.map(({ id }) => ({ kind: 'resolve' as const, id }));
  for (const change of changes) data.apply(change);
  return inMemory(data);
}

/** One without records, in memory alone. */
export function emptyLedger(): LedgerPort {
  return inMemory(new LedgerData());
}

function inMemory(data: LedgerData): LedgerPort {
  const { commit, close } = createCommitQueue(data, async (_, apply) => apply());
  return { ...data.reader, commit, close };
}

function readData(dir: string): Promise<LedgerData> {
  return readSteadily(dir, async (listing) =>
    (await isFresh(listing)) ? new LedgerData() : (await loadLedger(listing)).data,
  );
}

/**
 * Reads files that a running daemon may move meanwhile: repeats the read as long as it rejects, or its result is not
 * `good`, and files have come or gone since it began.
 */
export async function readSteadily<T>(
  dir: string,
  read: (listing: LedgerListing) => Promise<T>,
  good: (found: T) => boolean = () => true,
): Promise<T> {
  let before = await pictureOf(dir);
  for (let attempt = 1; ; attempt += 1) {
    const reading = read(before.listing);
    const isGood = await reading.then(good, () => false);
    if (isGood || attempt === TRIES) return reading;
    const after = await pictureOf(dir);
    if (after.text === before.text) return reading;
    before = after;
  }
}

async function pictureOf(dir: string): Promise<{ readonly listing: LedgerListing; readonly text: string }> {
  const listing = await listLedger(dir);
  const snapshot = await stat(listing.paths.snapshot).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => '',
  );
  const { paths, journals, previous } = listing;
  return { listing, text: JSON.stringify([paths.fence, journals, previous, snapshot]) };
}

/** A ledger as it was found. */
export interface LoadedLedger extends Awaited<ReturnType<typeof loadFrom>> {
  /** Set when the snapshot in force was damaged and the one before it, with its journals, gave the same. */
  readonly recovered: { readonly error: unknown } | null;
}

/** Says whether a directory holds no ledger: never used, or a crash came before the first one was complete. */
export async function isFresh(listing: LedgerListing): Promise<boolean> {
  if (listing.snapshot || listing.previous || listing.marker) return false;
  const [first, second] = listing.journals;
  if (first === undefined) return true;
  if (first !== 1 || second !== undefined) return false;
  const groups = await readJournal(listing.paths.journal(1), () => undefined).then(
    (reading) => reading.groups,
    () => 0,
  );
  return groups === 0;
}

/**
 * Reads snapshot and journals; a LedgerDamagedError when what they held cannot be told without guessing. The
 * snapshot before the last stands in for a damaged one: with its journals it gives the very same.
 */
export async function loadLedger(listing: LedgerListing): Promise<LoadedLedger> {
  const { paths } = listing;
  try {
    if (!listing.snapshot)
      throw damaged(paths.snapshot, 'it is missing, although the state directory was in use');
    return { ...(await loadFrom(paths, paths.snapshot)), recovered: null };
  } catch (error) {
    if (!listing.previous || error instanceof LedgerTooNewError) throw error;
    try {
      return { ...(await loadFrom(paths, paths.previous)), recovered: { error } };
    } catch {
      throw error;
    }
  }
}

async function loadFrom(paths: LedgerPaths, snapshot: string) {
  const data = new LedgerData();
  const filler = createDataFiller(data);
  const { generation, sequence, bytes } = await readSnapshot(snapshot, filler);
  let journal = await readJournalOf(paths, { generation, sequence }, filler);
  let journalBytes = journal.goodBytes;
  while (await follows(paths, journal)) {
    journal = await readJournalOf(paths, { ...journal, generation: journal.generation + 1 }, filler);
    journalBytes += journal.goodBytes;
  }
  const rejected = [...filler.rejected, ...rejectDoubles(data)];
  return {
    data,
    /** Of the snapshot it was read from. */
    generation,
    /** The journal that is written on. */
    journal,
    /** Size of the snapshot it was read from. */
    snapshotBytes: bytes,
    /** Bytes of journals that were replayed. */
    journalBytes,
    rejected,
  };
}

async function readJournalOf(
  paths: LedgerPaths,
  { generation, sequence }: Pick<JournalReading, 'generation' | 'sequence'>,
  filler: DataFiller,
): Promise<JournalReading> {
  const path = paths.journal(generation);
  const reading = await readJournal(path, (changes) => {
    for (const change of changes) filler.change(readChange(change, filler.shared));
  });
  if (reading.generation !== generation) throw damaged(path, `it contains journal ${reading.generation}`);
  if (reading.sequence - reading.groups !== sequence)
    throw damaged(path, 'it does not continue where the ledger ends');
  return reading;
}

/** Says whether the next journal belongs to this one, or is what a crash left of a beginning. */
async function follows(paths: LedgerPaths, journal: JournalReading): Promise<boolean> {
  if (journal.sealed) return true;
  const path = paths.journal(journal.generation + 1);
  const next = await readJournal(path, () => undefined).catch(() => null);
  return next !== null && next.groups > 0;
}

/**
 * Takes out all records whose docId another record has too: nobody can tell whose it is, and a modify or a deletion in
 * the name of the wrong one would fall on the other's document. They become failures that say so, so that they are not
 * uploaded again by themselves.
 */
function rejectDoubles({ records, side }: LedgerData): readonly RejectedRecord[] {
  return records.withSharedDocId().map((stored) => {
    const ref = refOf(stored);
    const { docId, stat, fingerprint } = toRecord(stored);
    const message = `its docId ${docId} also belongs to another document; the record was skipped`;
    const history = [{ at: 0, operation: 'read ledger', code: 'double-doc-id', message }];
    records.drop(ref);
    side.apply({
      kind: 'fail',
      ref,
      failure: { code: 'double-doc-id', message, attempts: 1, history, stat, fingerprint },
    });
    return { ...ref, message };
  });
}
