import { parse } from 'csv-parse/sync';
import * as z from 'zod';

import { errorMessage } from '../../model/errors.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import { importJson } from './import-json.ts';
import { checkEntries, documentSchema, importedEntry } from './imported-ledger.ts';
import type { ImportedEntry, ImportedLedger, ImportOptions, ImportProblem } from './imported-ledger.ts';

/**
 * Reads what `ledger export` printed, or CSV with the header `folder,path,docId` and, where known, `mode`. Files
 * are not read: what the text does not give is empty, and fingerprints always are, so that the next scan compares
 * each document with its record. Paths are brought into NFC.
 */
export function readImport(text: string, options: ImportOptions): ImportedLedger {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return content.trimStart().startsWith('{') ? importJson(content, options) : importCsv(content, options);
}

const columns = ['folder', 'path', 'docid', 'mode'] as const;

const rowsSchema = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));
const positionSchema = z.object({ lines: z.number() });

/** CSV with a header that names path, docId, folder where more than one is configured, and perhaps mode; in any order. */
function importCsv(text: string, options: ImportOptions): ImportedLedger {
  const rows = readRows(text);
  if (rows.rows === undefined) return { entries: [], problems: [rows] };
  const [header, ...body] = rows.rows;
  const names = header?.record.map((name) => name.trim().toLowerCase()) ?? [];
  const problem = headerProblem(names, options.folders);
  if (problem !== null) return { entries: [], problems: [{ line: 1, message: problem }] };
  const read = body.map((row) => toEntry(row, names, options));
  const problems = read.filter((one) => 'message' in one);
  const imported = read.filter((one) => 'ref' in one);
  return checkEntries(imported, options, problems);
}

function readRows(text: string) {
  let lines = 0;
  try {
    const parsed: unknown = parse(text, { info: true, skip_empty_lines: true });
    const rows = rowsSchema.parse(parsed).map(({ record, info }) => {
      const line = lines + 1;
      lines = info.lines;
      return { record, line };
    });
    return { rows };
  } catch (error) {
    const position = positionSchema.safeParse(error);
    return { line: position.success ? position.data.lines : null, message: errorMessage(error) };
  }
}

function headerProblem(names: readonly string[], folders: readonly string[]): string | null {
  const unknown = names.find((name) => !columns.includes(name as (typeof columns)[number]));
  const expected =
    'the first line must be folder,path,docId (or path,docId if only one folder is configured), ' +
    'with mode after these where sharing modes are known';
  if (unknown !== undefined || new Set(names).size !== names.length) return expected;
  if (!names.includes('path') || !names.includes('docid')) return expected;
  if (!names.includes('folder') && folders.length !== 1) {
    return `the column folder is missing, and more than one folder is configured: ${folders.join(', ')}`;
  }
  return null;
}

function toEntry(
  { record, line }: { readonly record: readonly string[]; readonly line: number },
  names: readonly string[],
  options: ImportOptions,
): ImportedEntry | ImportProblem {
  const cell = (name: string): string => record[names.indexOf(name)] ?? '';
  const named = cell('folder').trim();
  const [only = ''] = options.folders;
  const folder = named === '' && options.folders.length === 1 ? only : named;
  const stated = cell('mode').trim();
  const mode = shareModes.find((one) => one === stated);
  if (stated !== '' && mode === undefined) {
    const message = `mode ${JSON.stringify(stated)} is none of ${shareModes.join(', ')}; correct it, or leave it empty if it is not known`;
    return { line, message };
  }
  const metadata = mode === undefined ? undefined : { shareInfo: { mode } };
  const document = { folder, path: cell('path'), docId: cell('docid').trim(), metadata };
  return { ...importedEntry(documentSchema.parse(document), options), line, place: '' };
}
