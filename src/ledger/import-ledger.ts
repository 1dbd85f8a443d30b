import type { LedgerEntry } from '../core/ledger-port.ts';
import { importCsv } from './import-csv.ts';
import { importJson } from './import-json.ts';

/** Something in an import file that cannot be taken. */
export interface ImportProblem {
  /** From 1; null where it is the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** What an import file holds. Either all of it can be taken, or there are problems and nothing should be. */
export interface ImportedLedger {
  readonly entries: readonly LedgerEntry[];
  readonly problems: readonly ImportProblem[];
}

/** What an import file is read with. */
export interface ImportOptions {
  /** Names of the configured folders. With one of them the CSV may leave the folder out. */
  readonly folders: readonly string[];
  /** Wall clock, ms: the time of upload of documents whose time is not known. */
  readonly now: number;
}

/**
 * Reads what `ledger export` printed, or CSV with the header `folder,path,docId`: contract section 7, 17. Files
 * are not looked at: stamps are 0, contexts empty, and hashes empty where the file does not give them, so that the
 * next sweep compares each document anew. Paths are brought into NFC.
 */
export function importLedger(text: string, options: ImportOptions): ImportedLedger {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return content.trimStart().startsWith('{') ? importJson(content, options) : importCsv(content, options);
}
