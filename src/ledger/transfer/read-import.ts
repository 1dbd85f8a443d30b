import { importCsv } from './import-csv.ts';
import { importJson } from './import-json.ts';
import type { ImportedLedger, ImportOptions } from './imported-ledger.ts';

/**
 * Reads what `ledger export` printed, or CSV with the header `folder,path,docId`: contract section 7, 17. Files
 * are not read: what the text does not give is empty, and fingerprints always are, so that the next scan compares
 * each document with its record. Paths are brought into NFC.
 */
export function readImport(text: string, options: ImportOptions): ImportedLedger {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return content.trimStart().startsWith('{') ? importJson(content, options) : importCsv(content, options);
}
