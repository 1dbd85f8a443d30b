import { refKey } from '../../model/document.ts';
import type { LedgerEntry, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Settings } from '../../model/settings.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import { readImport } from '../../ledger/transfer/read-import.ts';
import type { ImportedChange } from '../../ledger/transfer/imported-ledger.ts';
import { withLedger } from '../offline/with-ledger.ts';
import type { OfflineOptions } from '../offline/with-ledger.ts';
import { adoptFiles } from './adopt-files.ts';
import {
  claimLedger,
  requireService,
  serviceIdentity,
  serviceWords,
} from '../../daemon/ledger/whose-ledger.ts';
import { systemClock } from '../../lib/time/clock.ts';

const recordsAtOnce = 5_000;

/** What came of an import. */
export interface ImportResult {
  readonly adopted: number;
  /** Documents that the ledger knows just so; they are left as they are. */
  readonly known: number;
  readonly problems: readonly string[];
}

/**
 * Adopts documents that the service already holds, with their files as they stand. Nothing is taken from a file in
 * which anything is wrong, or that gives a document another docId than the ledger does: `problems` says what, with line
 * numbers. Throws StateLockedError beside a running daemon, ConfigurationError where the ledger is
 * another service's.
 */
export async function importIntoLedger(
  options: OfflineOptions,
  text: string,
  fileName: string,
): Promise<ImportResult> {
  const { settings, log = silentLog } = options;
  const folders = settings.folders.map(({ name }) => name);
  const imported = readImport(text, { folders, now: systemClock.now() });
  const { service } = imported;
  const refuse = (problems: readonly string[]): ImportResult => ({ adopted: 0, known: 0, problems });
  if (imported.problems.length > 0) {
    return refuse(imported.problems.map(({ line, message }) => `${placeOf(fileName, line)}: ${message}`));
  }
  if (service !== undefined && service !== serviceIdentity(settings.service)) {
    return refuse([`${fileName}: ${foreign(service, settings)}`]);
  }
  return withLedger(options, async (ledger) => {
    const conflicts = imported.entries.flatMap((entry, index) => {
      const conflict = conflictWith(ledger, entry);
      return conflict === null ? [] : [`${placeOf(fileName, imported.lines[index] ?? null)}: ${conflict}`];
    });
    if (conflicts.length > 0) return refuse(conflicts);
    requireService(ledger, settings);
    const entries = imported.entries.filter((entry) => !isKnown(ledger, entry));
    const files = await adoptFiles(entries, { settings, log });
    if (files.problems.length > 0) {
      return refuse(files.problems.map((problem) => `${fileName}: ${problem}`));
    }
    await claimLedger(ledger, settings);
    for (let start = 0; start < entries.length; start += recordsAtOnce) {
      await ledger.commit(
        files.entries
          .slice(start, start + recordsAtOnce)
          .map(({ ref, record }) => ({ kind: 'put', ref, record })),
      );
    }
    await ledger.commit((imported.changes ?? []).filter((change) => isNew(ledger, change)));
    return { adopted: entries.length, known: imported.entries.length - entries.length, problems: [] };
  });
}

function placeOf(fileName: string, line: number | null): string {
  return line === null ? fileName : `${fileName}:${line}`;
}

/** Why a document cannot be taken beside what the ledger knows; null: it can. */
function conflictWith(
  ledger: Pick<LedgerPort, 'get' | 'findByDocId'>,
  { ref, record: { docId } }: LedgerEntry,
): string | null {
  const owner = ledger.findByDocId(docId);
  if (owner !== undefined && refKey(owner) !== refKey(ref)) {
    return `${docId} is already the docId of ${refKey(owner)}`;
  }
  const known = ledger.get(ref)?.docId;
  if (known === undefined || known === docId) return null;
  return (
    `${refKey(ref)} has the docId ${known} in the ledger and ${docId} in the import. The first would stay at the ` +
    'service without a file. Correct the docId, or remove the line from the import'
  );
}

/** The ledger has all that the import tells of it: what it knows of the file is as new, or newer. */
function isKnown(ledger: Pick<LedgerPort, 'get'>, { ref, record }: LedgerEntry): boolean {
  const known = ledger.get(ref);
  if (known?.docId !== record.docId) return false;
  return record.sha256 === '' || toldOf(known) === toldOf(record);
}

function toldOf({
  sha256,
  attachments,
  metadata,
  fileName,
  possibleDuplicates,
  unsure,
}: LedgerRecord): string {
  const held = attachments.map((attachment) => [attachment.name, attachment.sha256]);
  return JSON.stringify([sha256, held, metadata, fileName, possibleDuplicates, unsure]);
}

/** What the ledger itself says of the same thing is newer than any export. */
function isNew(ledger: LedgerPort, change: ImportedChange): boolean {
  switch (change.kind) {
    case 'doubt':
      return ledger.doubts().every(({ id }) => id !== change.doubt.id);
    case 'intent':
      return ledger.intents().every(({ id }) => id !== change.intent.id);
    case 'fail':
      return ledger.failure(change.ref) === undefined;
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
  }
}

function foreign(service: string, settings: Settings): string {
  return (
    `"service": the documents are at ${serviceWords(service)}, but the configured service is ` +
    `${serviceWords(serviceIdentity(settings.service))}. Use the file or the configuration of the right service; if both ` +
    'addresses are the same service, remove "service" from the file'
  );
}
