import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import type { LedgerReader } from '../../ledger/records/ledger-data.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { fixFor } from '../../model/report/explanations.ts';
import { missingFiles, mixedUpFolders } from '../../daemon/ledger/folders-on-disk.ts';
import { otherService } from '../../daemon/ledger/whose-ledger.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { refKey, sameStat } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { statOf } from '../../scan/walk/entry.ts';

/** What the ledger has to say. */
export interface LedgerCheck {
  readonly findings: readonly CheckFinding[];
  /** Null: it cannot be read, or its records are of another service. */
  readonly ledger: LedgerReader | null;
}

/** Judges what the ledger says: can it be read, is it of the configured service, and do its records fit the folders. */
export async function checkLedger(settings: Settings): Promise<LedgerCheck> {
  const found = { level: 'error', subject: 'state.dir' } as const;
  try {
    const ledger = await readLedger(settings.state.dir);
    const other = otherService(ledger, settings);
    // Records of another service are nobody's here.
    if (other !== null) {
      return { findings: [{ ...found, code: 'other-service', ...other }], ledger: null };
    }
    return { findings: await checkRecords(ledger, settings), ledger };
  } catch (error) {
    const code = errorCode(error);
    // Of a directory that is closed to this user it is said elsewhere.
    const findings =
      code === 'ledger-damaged' ? [{ ...found, code, message: errorMessage(error), fix: fixFor(code) }] : [];
    return { findings, ledger: null };
  }
}

/** Judges the ledger's records beside what is on disk: deletions that are held or will be, records that two folders share. */
async function checkRecords(ledger: LedgerReader, settings: Settings): Promise<CheckFinding[]> {
  const shared = (await mixedUpFolders(ledger, settings)).map(({ folder, message, fix }): CheckFinding => ({
    level: 'warning',
    subject: folder,
    code: 'state-shared',
    message,
    fix,
  }));
  const held: CheckFinding[] = [];
  for (const folder of settings.folders) {
    // Of a folder that cannot be read it is said elsewhere.
    const missing = await missingFiles(ledger, folder).catch(() => []);
    if (missing.length === 0) continue;
    const finding =
      heldFinding(ledger, folder, missing.length) ?? (await rootFinding(ledger, folder, missing.length));
    if (finding !== null) held.push(finding);
  }
  return [...shared, ...held, ...(await doubtsWithoutFile(ledger, settings))];
}

/** Where the file is, the doubt is a finding about the file. */
async function doubtsWithoutFile(ledger: LedgerReader, { folders }: Settings): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const { ref, message } of ledger.doubts()) {
    const folder = folders.find(({ name }) => name === ref.folder);
    const isThere =
      folder !== undefined && (await lstat(join(folder.path, ref.path)).catch(() => null)) !== null;
    if (!isThere) findings.push({ level: 'warning', ...doubtFinding(ref, message) });
  }
  return findings;
}

/** An upload whose outcome is not known. */
export function doubtFinding(ref: DocumentRef, message: string): Omit<CheckFinding, 'level'> {
  return {
    subject: refKey(ref),
    code: inDoubtCode,
    message: `its upload is in doubt: ${message}`,
    fix: fixFor(inDoubtCode),
  };
}

function heldFinding(ledger: LedgerReader, { name }: FolderSettings, missing: number): CheckFinding | null {
  const hold = ledger.hold(name);
  if (hold === undefined) return null;
  const since = new Date(hold.since).toISOString();
  const message = `${countWords(missing, 'deletion')} held since ${since}: ${hold.reason}`;
  return { level: 'warning', subject: name, code: 'held', message, fix: fixFor('held') };
}

/** What the next start makes of the root: another one is proven to be the same by one recorded file in it. */
async function rootFinding(
  ledger: LedgerReader,
  { name, path }: FolderSettings,
  missing: number,
): Promise<CheckFinding | null> {
  const known = ledger.root(name);
  const now = await stat(path).catch(() => null);
  if (known === undefined || now === null || (known.dev === now.dev && known.ino === now.ino)) return null;
  if (await isProven(ledger, { name, path })) return null;
  const are = missing === 1 ? 'is' : 'are';
  const message =
    `${path} is not the directory that the ledger knows, and ${countWords(missing, 'document')} ${are} missing ` +
    'from it; the deletions will be held';
  return {
    level: 'warning',
    subject: name,
    code: 'folder-changed',
    message,
    fix: fixFor('folder-changed'),
  };
}

async function isProven(
  ledger: LedgerReader,
  { name, path }: Pick<FolderSettings, 'name' | 'path'>,
): Promise<boolean> {
  for (const { ref, record } of ledger.entries()) {
    if (ref.folder !== name) continue;
    const found = await lstat(join(path, ref.path)).catch(() => null);
    if (found !== null && sameStat(statOf(found), record.stat)) return true;
  }
  return false;
}
