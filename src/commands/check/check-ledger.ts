import { existsSync } from 'node:fs';
import { access, constants, lstat, open, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { countWords, sizeWords } from '../../lib/text/amounts.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import type { LedgerReader } from '../../ledger/records/ledger-data.ts';
import { inDoubtCode, openDoubts } from '../../model/doubts.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { missingFiles, mixedUpFolders } from '../../daemon/preconditions/folders-on-disk.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import { isLedgerMissing, missingFix, missingWords } from '../../daemon/preconditions/new-ledger.ts';
import { otherService } from '../../daemon/preconditions/whose-ledger.ts';
import { listLedger } from '../../ledger/ledger-files.ts';
import { readScratchLedger } from '../../ledger/read-ledger.ts';
import { refKey, sameDirectory, sameStat } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { locateOnDisk, presenceOf, unscannedFolder } from '../../scan/folder-state.ts';
import { statOf } from '../../scan/rules/entry.ts';

/** Judges what the ledger says: can it be read, is it of the configured service, and do its records fit the folders. */
export async function checkLedger(settings: Settings): Promise<{
  readonly findings: readonly CheckFinding[];
  /** Null: it cannot be read, or its records are of another service. */
  readonly ledger: LedgerReader | null;
}> {
  try {
    const ledger = await readScratchLedger(settings.state.dir, settings.safety.inDoubt);
    const other = otherService(ledger, settings);
    // Records of another service are nobody's here.
    if (other !== null) {
      return { findings: [finding('error', 'state.dir', { code: 'other-service', ...other })], ledger: null };
    }
    await followFolders(ledger, settings, silentLog);
    return { findings: await checkRecords(ledger, settings), ledger };
  } catch (error) {
    const code = errorCode(error);
    // Of a directory that is closed to this user it is said elsewhere.
    const findings =
      code === 'ledger-damaged'
        ? [finding('error', 'state.dir', { code, message: errorMessage(error) })]
        : [];
    return { findings, ledger: null };
  }
}

/**
 * Judges the ledger's records beside what is on disk: deletions that are held or will be, records that two folders
 * share.
 */
async function checkRecords(ledger: LedgerReader, settings: Settings): Promise<CheckFinding[]> {
  const shared = (await mixedUpFolders(ledger, settings)).map(({ folder, message, fix }) =>
    finding('warning', folder, { code: 'state-shared', message, fix }),
  );
  const held: CheckFinding[] = [];
  for (const folder of settings.folders) {
    // Of a folder that cannot be read it is said elsewhere.
    const missing = await missingFiles(ledger, folder, settings.folders).catch(() => []);
    if (missing.length === 0) continue;
    const found =
      heldFinding(ledger, folder, missing.length) ?? (await rootFinding(ledger, folder, missing.length));
    if (found !== null) held.push(found);
  }
  return [...shared, ...held, ...doubtsWithoutFile(ledger, settings)];
}

/** Where the file is, the doubt is a finding about the file. */
function doubtsWithoutFile(ledger: LedgerReader, { folders }: Settings): CheckFinding[] {
  const findings: CheckFinding[] = [];
  const places = new Map(folders.map(({ name, path }) => [name, unscannedFolder(path)]));
  for (const { ref, message } of openDoubts(ledger)) {
    const folder = places.get(ref.folder);
    const isThere = folder !== undefined && presenceOf(folder, ref.path) === 'there';
    if (!isThere) findings.push(doubtFinding('warning', ref, message));
  }
  return findings;
}

/** An upload whose outcome is not known. */
export function doubtFinding(level: CheckFinding['level'], ref: DocumentRef, message: string): CheckFinding {
  return finding(level, refKey(ref), {
    code: inDoubtCode,
    message: `its upload is in doubt: ${message}`,
  });
}

function heldFinding(ledger: LedgerReader, { name }: FolderSettings, missing: number): CheckFinding | null {
  const hold = ledger.hold(name);
  if (hold === undefined) return null;
  const since = new Date(hold.since).toISOString();
  const message = `${countWords(missing, 'deletion')} held since ${since}: ${hold.reason}`;
  return finding('warning', name, { code: 'held', message });
}

/** What the next start makes of the root: another one is proven to be the same by one recorded file in it. */
async function rootFinding(
  ledger: LedgerReader,
  { name, path }: FolderSettings,
  missing: number,
): Promise<CheckFinding | null> {
  const known = ledger.root(name);
  const now = await stat(path).catch(() => null);
  if (known === undefined || now === null || sameDirectory(known, now)) return null;
  if (await isProven(ledger, { name, path })) return null;
  const are = missing === 1 ? 'is' : 'are';
  const message =
    `${path} is not the directory that the ledger knows, and ${countWords(missing, 'document')} ${are} missing ` +
    'from it; the deletions will be held';
  return finding('warning', name, { code: 'folder-changed', message });
}

async function isProven(
  ledger: LedgerReader,
  { name, path }: Pick<FolderSettings, 'name' | 'path'>,
): Promise<boolean> {
  const folder = unscannedFolder(path);
  for (const { ref, record } of ledger.entries()) {
    if (ref.folder !== name) continue;
    const found = await lstat(locateOnDisk(folder, ref.path)).catch(() => null);
    if (found !== null && sameStat(statOf(found), record.stat)) return true;
  }
  return false;
}

const lowBytes = 200_000_000;
const tooLowBytes = 10_000_000;

/** Judges whether a ledger is there that has to be. Of a directory that cannot be read it is said elsewhere. */
export async function checkLedgerExists(state: Settings['state']): Promise<CheckFinding[]> {
  if (!(await isLedgerMissing(state).catch(() => false))) return [];
  const words = { code: 'state-missing', message: missingWords(state), fix: `${missingFix}.` };
  return [finding('error', 'state.dir', words)];
}

/** Judges the place of the ledger: may it be written, is there room, can others read it. */
export async function checkStateDirectory(dir: string): Promise<CheckFinding[]> {
  const place = nearest(dir);
  // With one that may hold a ledger it is no way out: everything would be uploaded a second time.
  const elsewhere = place === dir ? '' : ', or set another state.dir';
  const findings: CheckFinding[] = [];
  try {
    await access(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    findings.push(
      finding('error', 'state.dir', {
        code: 'state-unwritable',
        message: `${place} cannot be written (${errorCode(error) ?? 'unknown'})`,
        fix: `Give the user that runs ingestd permission to write there${elsewhere}.`,
      }),
    );
  }
  if (place === dir) findings.push(...(await checkLedgerFiles(dir)));
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  if (free < lowBytes) {
    findings.push(
      finding(free < tooLowBytes ? 'error' : 'warning', 'state.dir', {
        code: 'state-disk-full',
        message: `only ${sizeWords(free)} free for the ledger in ${place}`,
        fix: `Free up space${elsewhere}. Nothing is sent while the ledger cannot be written.`,
      }),
    );
  }
  if (place === dir) {
    const { mode } = await stat(dir);
    if ((mode & 0o077) !== 0) {
      findings.push(
        finding('warning', 'state.dir', {
          code: 'state-open',
          message: `${dir} can be read by others`,
          fix: `chmod 700 ${dir}`,
        }),
      );
    }
  }
  return findings;
}

/** Judges whether this user can read the ledger's files, and write those that are written on. */
async function checkLedgerFiles(dir: string): Promise<readonly CheckFinding[]> {
  // Of a directory that cannot be read it is said elsewhere.
  const listing = await listLedger(dir).catch(() => null);
  if (listing === null) return [];
  const { paths, journals } = listing;
  const read = [...(listing.snapshot ? [paths.snapshot] : []), ...(listing.previous ? [paths.previous] : [])];
  const uses = [
    ...read.map((path) => ({ path, flags: constants.O_RDONLY, words: 'read' })),
    ...journals.map((generation) => ({
      path: paths.journal(generation),
      flags: constants.O_RDWR,
      words: 'read and written',
    })),
  ];
  const findings: CheckFinding[] = [];
  for (const { path, flags, words } of uses) {
    const code = await open(path, flags | constants.O_NOFOLLOW).then((file) => file.close(), errorCode);
    if (code !== 'EACCES' && code !== 'EPERM') continue;
    findings.push(
      finding('error', 'state.dir', {
        code: 'state-unwritable',
        message: `${path} cannot be ${words} (${code})`,
        fix: 'Run ingestd as the user that owns it, or give that user permission to read and write it.',
      }),
    );
  }
  return findings;
}

/** A path, or what of it exists. */
export function nearest(path: string): string {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return there;
}
