import { lstat } from 'node:fs/promises';

import { countWords } from '../lib/text/amounts.ts';
import { shellWord } from '../lib/text/printable.ts';
import { systemClock } from '../lib/time/clock.ts';
import { refKey } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import { doubtsAbout, inDoubtCode, isOpenDoubt } from '../model/doubts.ts';
import { isImported } from '../model/ports/ledger-port.ts';
import type { Change, LedgerEntry, LedgerPort, LedgerRecord } from '../model/ports/ledger-port.ts';
import { isModeUnknown } from '../model/report/sharing-change.ts';
import { silentLog } from '../model/ports/log-port.ts';
import { readImport } from '../ledger/transfer/read-import.ts';
import type { ImportedChange, ImportedEntry } from '../ledger/transfer/imported-ledger.ts';
import { claimLedger, foreignWords, requireService } from '../daemon/preconditions/whose-ledger.ts';
import { errorMessage } from '../model/errors.ts';
import type { FolderPort } from '../model/ports/folder-port.ts';
import { entryAt, locateOnDisk, unscannedFolder } from '../scan/folder-state.ts';
import type { FolderOnDisk } from '../scan/folder-state.ts';
import { statOf } from '../scan/rules/entry.ts';
import { inspectDocument } from '../sync/decide/inspect-document.ts';
import { withHistory, withLedger } from './offline/with-ledger.ts';
import type { OfflineOptions } from './offline/with-ledger.ts';
import { asItStands, openUnwatched } from './offline/resting-engine.ts';

const recordsAtOnce = 5_000;

/**
 * Adopts documents that the service already holds, with their files as they stand. Nothing is taken from a file in
 * which anything is wrong, or that gives a document another docId than the ledger does: `problems` says what, with line
 * numbers. `known`: documents that the ledger knows just so; they are left as they are. `former`: documents, new and
 * known, of folders that were taken out of the configuration. `unknownModes`: how many of the adopted ones the file
 * does not say the sharing mode of. Throws StateLockedError beside a running daemon, ConfigurationError where the
 * ledger is another service's.
 */
export async function importIntoLedger(options: OfflineOptions, text: string, fileName: string) {
  const { settings, log = silentLog } = options;
  const folders = settings.folders.map(({ name }) => name);
  const paths = settings.folders.map(({ path }) => path);
  const refuse = (problems: readonly string[]) => ({
    adopted: 0,
    besides: [],
    unknownModes: 0,
    known: 0,
    former: [],
    problems,
  });
  // Beside a running daemon nothing is judged.
  return withLedger(options, async (ledger) => {
    const imported = readImport(text, { folders, paths, now: systemClock.now() });
    const problems = [...imported.problems];
    const foreign = imported.service === undefined ? null : foreignWords(imported.service, settings);
    if (foreign !== null) return refuse([`${fileName}: ${foreign}`]);
    const note = ({ line }: ImportedEntry, message: string) => problems.push({ line, message });
    for (const entry of imported.entries) {
      const conflict = conflictWith(ledger, entry);
      if (conflict !== null) note(entry, conflict);
    }
    requireService(ledger, settings);
    const entries = imported.entries.filter((entry) => !isKnown(ledger, entry));
    const adopted = await adoptFiles(entries, { settings, log }, note);
    if (problems.length > 0)
      return refuse(
        problems
          .toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0))
          .map(({ line, message }) => `${fileName}${line === null ? '' : `:${line}`}: ${message}`),
      );
    await claimLedger(ledger, settings);
    const changes = (imported.changes ?? []).filter((change) => isNew(ledger, change));
    for (let start = 0; start < entries.length; start += recordsAtOnce) {
      await ledger.commit(
        adopted.slice(start, start + recordsAtOnce).flatMap((entry) => adoption(ledger, entry)),
      );
    }
    await ledger.commit(changes);
    const besides = besideDocuments(changes);
    const at = new Date(systemClock.now()).toISOString();
    const message = `${[countWords(entries.length, 'document'), ...besides].join(', ')} from ${fileName}`;
    const about = { at, folder: '', path: '', docId: null, documents: entries.length, message };
    if (entries.length > 0 || besides.length > 0)
      await withHistory(settings, ({ add }) => add({ ...about, what: 'imported', by: 'command line' }));
    return {
      adopted: entries.length,
      besides,
      unknownModes: entries.filter(({ record }) => isModeUnknown(record)).length,
      known: imported.entries.length - entries.length,
      former: imported.entries.map(({ ref }) => ref).filter(({ folder }) => !folders.includes(folder)),
      problems: [],
    };
  });
}

/** What failed before the document was adopted does not count any more. */
function adoption(ledger: Pick<LedgerPort, 'get'>, { ref, record }: LedgerEntry): readonly Change[] {
  const put = { kind: 'put', ref, record } as const;
  return ledger.get(ref) === undefined ? [put, { kind: 'clear', ref }] : [put];
}

/** Why a document cannot be taken beside what the ledger knows; null: it can. */
function conflictWith(
  ledger: Pick<LedgerPort, 'get' | 'findByDocId' | 'doubts'>,
  { ref, record: { docId } }: LedgerEntry,
): string | null {
  const owner = ledger.findByDocId(docId);
  if (owner !== undefined && refKey(owner) !== refKey(ref)) {
    return `${docId} is already the docId of ${refKey(owner)}`;
  }
  const known = ledger.get(ref)?.docId;
  if (known === docId) return null;
  if (known === undefined) {
    if (!doubtsAbout(ref, ledger).some(isOpenDoubt)) return null;
    return (
      `an upload of ${refKey(ref)} is in doubt, so the service may hold it more than once. Resolve it with ` +
      `ingestd resolve ${shellWord(refKey(ref))} --doc-id ${shellWord(docId)}, or remove the line from the import`
    );
  }
  return (
    `${refKey(ref)} has the docId ${known} in the ledger and ${docId} in the import. The first would stay at the ` +
    'service without a file. Correct the docId, or remove the line from the import'
  );
}

/** The ledger has all that the import says about the document: what it knows of the file is as new, or newer. */
function isKnown(ledger: Pick<LedgerPort, 'get'>, { ref, record }: LedgerEntry): boolean {
  const known = ledger.get(ref);
  if (known?.docId !== record.docId) return false;
  // One that was adopted and not sent since knows less than an export.
  const knowsLess = isImported(known) && known.modifiedAt === null && !isImported(record);
  return record.sha256 === '' || (!knowsLess && acceptedAt(known) >= acceptedAt(record));
}

/** When the service accepted the last of it. */
function acceptedAt({ modifiedAt, uploadedAt }: LedgerRecord): number {
  return Date.parse(modifiedAt ?? uploadedAt);
}

/** What is brought that waits for a person, or for another attempt, in words. */
function besideDocuments(changes: readonly ImportedChange[]): readonly string[] {
  const isDoubt = (one: ImportedChange) =>
    one.kind === 'intent' || (one.kind === 'doubt' && isOpenDoubt(one.doubt));
  const isFailure = (one: ImportedChange) => one.kind === 'fail' && one.failure.code !== inDoubtCode;
  const doubts = changes.filter(isDoubt).length;
  const failures = changes.filter(isFailure).length;
  return [
    ...(doubts === 0 ? [] : [countWords(doubts, 'upload in doubt', 'uploads in doubt')]),
    ...(failures === 0 ? [] : [countWords(failures, 'failure')]),
  ];
}

/** What the ledger itself says of the same thing, or of what came after it, is newer than any export. */
function isNew(ledger: LedgerPort, change: ImportedChange): boolean {
  const isOver = (ref: DocumentRef, at: number) => Date.parse(ledger.get(ref)?.uploadedAt ?? '') >= at;
  switch (change.kind) {
    case 'doubt': {
      const { id, ref, since } = change.doubt;
      return !isOver(ref, since) && ledger.doubts().every((doubt) => doubt.id !== id);
    }
    case 'intent': {
      const { id, ref, at } = change.intent;
      return !isOver(ref, at) && [...ledger.intents(), ...ledger.doubts()].every((one) => one.id !== id);
    }
    case 'fail':
      return ledger.get(change.ref) === undefined && ledger.failure(change.ref) === undefined;
    case 'hold':
      return ledger.hold(change.folder) === undefined;
    case 'approve':
      return true;
    case 'removed':
      return ledger.removals(change.folder).every(({ at }) => at !== change.removal.at);
    case 'root':
      return ledger.root(change.folder) === undefined;
    case 'mounts':
      return ledger.mounts(change.folder).length === 0;
    case 'directory':
      return ledger.directory(change) === undefined;
    case 'former':
      return ledger.formerModes(change.held.file).length === 0;
  }
}

const atOnce = 16;

/**
 * Gives each imported document whose bytes nobody knows (`sha256` empty) those of its file: the file as it stands is
 * what is adopted, and an edit from now on is a change. One without a file is a problem: the first pass would take the
 * file for removed, and delete the document. Where the bytes are known, as in an export, it rightly would.
 * In a folder that is not configured no file is looked at. `note` takes why the file of an entry cannot be adopted.
 */
async function adoptFiles(
  entries: readonly ImportedEntry[],
  { settings, log }: Required<Pick<OfflineOptions, 'settings' | 'log'>>,
  note: (entry: ImportedEntry, message: string) => void,
): Promise<readonly LedgerEntry[]> {
  const adopted: LedgerEntry[] = entries.filter(
    ({ ref, record }) => record.sha256 !== '' || settings.folders.every(({ name }) => name !== ref.folder),
  );
  for (const folder of settings.folders) {
    const unknown = entries.filter(({ ref, record }) => record.sha256 === '' && ref.folder === folder.name);
    if (unknown.length === 0) continue;
    const port = openUnwatched(folder, { settings: asItStands(settings), log });
    try {
      await port.start({ directory: () => {}, scanned: () => {}, changed: () => {} });
      const onDisk = unscannedFolder(port.path);
      for (let from = 0; from < unknown.length; from += atOnce) {
        const some = unknown.slice(from, from + atOnce);
        await Promise.all(
          some.map(async (entry) => {
            const found = await adoptFile(port, entry, onDisk);
            if (typeof found === 'string') note(entry, `${refKey(entry.ref)} ${found}`);
            else adopted.push(found);
          }),
        );
      }
    } finally {
      await port.close();
    }
  }
  return adopted;
}

/** Gives the reason as a text where the file cannot be adopted. */
async function adoptFile(
  port: FolderPort,
  { ref, record }: LedgerEntry,
  onDisk: FolderOnDisk,
): Promise<LedgerEntry | string> {
  const found = await inspectDocument(port, ref, record);
  if (found.kind === 'unknown') return `cannot be inspected (${found.message}); fix that, then import again`;
  const isThere = entryAt(onDisk, ref.path, locateOnDisk) !== null;
  if (found.kind === 'absent' || !isThere)
    return `${isThere ? 'is not a regular file' : 'does not exist'}, so its document would be deleted; correct the path, add the file, or remove the line from the import`;
  try {
    // One that is not sent as it is, too: the first pass says why, and an edit before it can be sent is an edit all the same.
    const stats = await lstat(locateOnDisk(onDisk, ref.path));
    if (!stats.isFile()) return { ref, record };
    const stat = statOf(stats);
    const sha256 = await port.hash(ref.path, stat);
    if (sha256 !== null) return { ref, record: { ...record, stat, sha256 } };
    return 'is still changing; import again when it has stopped';
  } catch (error) {
    return `cannot be read (${errorMessage(error)}); make it readable, or remove the line from the import`;
  }
}
