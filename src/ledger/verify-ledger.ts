import { basename } from 'node:path';

import { countWords } from '../lib/text/amounts.ts';
import { LedgerDamagedError, errorCode, errorMessage } from '../model/errors.ts';
import { wayOut } from './ledger-errors.ts';
import type { LedgerListing } from './ledger-files.ts';
import { isFresh, loadLedger, readSteadily } from './read-ledger.ts';
import type { LoadedLedger } from './read-ledger.ts';
import { readSnapshot } from './snapshot.ts';
import { LedgerData, createDataFiller } from './records/ledger-data.ts';
import { readJournal } from './journal/read-journal.ts';

/** What was found about one file, or about a row of it. */
interface LedgerFinding {
  /** File name, without the state directory. */
  readonly file: string;
  readonly state: 'good' | 'torn' | 'damaged' | 'missing' | 'leftover';
  readonly message: string;
}

/** What `ledger verify` says. */
export interface LedgerVerification {
  /** True: every file that is needed is whole. An unfinished end is no fault: it was never acknowledged. */
  readonly ok: boolean;
  /** True: a start gets everything back without guessing. */
  readonly recoverable: boolean;
  /** Null where it cannot be read. */
  readonly documents: number | null;
  /** Whose documents they are; null: the ledger does not say. */
  readonly service: string | null;
  readonly findings: readonly LedgerFinding[];
  /** What to do; null where all is well. */
  readonly fix: string | null;
}

/**
 * Checks every file of a ledger against its checksums, beside a running daemon too. Changes nothing. ConfigurationError
 * where this user cannot read them, which says nothing of them.
 */
export async function verifyLedger(dir: string): Promise<LedgerVerification> {
  return readSteadily(dir, verify, ({ ok }) => ok);
}

async function verify(listing: LedgerListing): Promise<LedgerVerification> {
  if (await isFresh(listing)) return nothingYet;
  const findings = await findingsOf(listing);
  const loaded = await loadLedger(listing).catch((error: unknown) => ({ error }));
  if ('error' in loaded) {
    const message = faultOf(loaded.error);
    const isTold = findings.some((known) => known.message === message);
    if (!isTold) findings.push({ file: 'ledger', state: 'damaged', message });
    const fix = wayOut(listing.paths.dir);
    return { ...nothingYet, ok: false, recoverable: false, documents: null, findings, fix };
  }
  for (const { folder, path, message } of loaded.rejected)
    findings.push({ file: `${folder}/${path}`, state: 'damaged', message });
  const ok = findings.every(({ state }) => harmless.has(state));
  const { total, service } = loaded.data.reader;
  const fix = ok ? null : fixOf(loaded);
  return { ok, recoverable: true, documents: total(), service: service(), findings, fix };
}

/** An end that is not whole was never acknowledged; what is left over is taken away at the next start. */
const harmless: ReadonlySet<LedgerFinding['state']> = new Set(['good', 'torn', 'leftover']);

const nothingYet: LedgerVerification = {
  ok: true,
  recoverable: true,
  documents: 0,
  service: null,
  findings: [],
  fix: null,
};

async function findingsOf(listing: LedgerListing): Promise<LedgerFinding[]> {
  const { paths } = listing;
  const findings: LedgerFinding[] = [];
  if (listing.snapshot) findings.push(await snapshotFinding(paths.snapshot));
  else findings.push({ file: basename(paths.snapshot), state: 'missing', message: 'it does not exist' });
  if (listing.previous) findings.push(await snapshotFinding(paths.previous));
  for (const generation of listing.journals) findings.push(await journalFinding(paths.journal(generation)));
  const leftovers = [
    ...listing.temporaries.map((path) => [path, 'left over from an unfinished snapshot'] as const),
    ...listing.others.map((path) => [path, 'written by another holder of the ledger; not in use'] as const),
  ];
  for (const [path, message] of leftovers)
    findings.push({ file: basename(path), state: 'leftover', message });
  return findings;
}

async function snapshotFinding(path: string): Promise<LedgerFinding> {
  const filler = createDataFiller(new LedgerData());
  return finding(path, async () => {
    const { generation, count } = await readSnapshot(path, filler);
    return {
      state: 'good',
      message: `generation ${generation}, ${countWords(count, 'line')}, checksum correct`,
    };
  });
}

async function journalFinding(path: string): Promise<LedgerFinding> {
  return finding(path, async () => {
    const { groups, tornBytes, sealed } = await readJournal(path, () => undefined);
    const good = `${countWords(groups, 'commit')}, ${groups === 1 ? 'checksum' : 'checksums'} correct${sealed ? ', closed' : ''}`;
    if (tornBytes === 0) return { state: 'good', message: good };
    return {
      state: 'torn',
      message: `${good}; an incomplete entry of ${countWords(tornBytes, 'byte')} at the end is ignored`,
    };
  });
}

async function finding(
  path: string,
  look: () => Promise<Pick<LedgerFinding, 'state' | 'message'>>,
): Promise<LedgerFinding> {
  try {
    return { file: basename(path), ...(await look()) };
  } catch (error) {
    if (errorCode(error) === 'configuration') throw error;
    return { file: basename(path), state: 'damaged', message: faultOf(error) };
  }
}

/** What is wrong, without the way out, which is said once for all. */
function faultOf(error: unknown): string {
  return error instanceof LedgerDamagedError ? error.fault : errorMessage(error);
}

function fixOf({ recovered, rejected }: LoadedLedger): string {
  if (rejected.length > 0) return 'The next start skips these records and logs them.';
  return recovered === null
    ? 'Nothing is lost: the damaged file is not in use. The next snapshot replaces it.'
    : 'Nothing is lost: the next start reads the previous snapshot and its journals, and writes a new snapshot.';
}
