import * as z from 'zod';

import { errorMessage } from '../../model/errors.ts';
import { isValidDirectory } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { exportedChangeSchema } from '../../model/ports/ledger-schema.ts';
import { checkEntries, documentSchema, importedEntry, refProblem } from './imported-ledger.ts';
import type {
  ImportedChange,
  ImportedEntry,
  ImportedLedger,
  ImportOptions,
  ImportProblem,
} from './imported-ledger.ts';

const ledgerSchema = z.object({
  version: z.literal(1, 'is not 1; name a file that ledger export wrote'),
  /** Whose documents they are. */
  service: z.string().optional(),
  documents: z.array(z.unknown()),
  changes: z.array(exportedChangeSchema).default([]),
});

type Ledger = z.output<typeof ledgerSchema>;

/** The object that `ledger export` prints. */
export function importJson(text: string, configured: ImportOptions): ImportedLedger {
  const ledger = readLedger(text);
  if ('message' in ledger) return { entries: [], problems: [ledger] };
  const { changes, service } = ledger;
  // Folders that were taken out of the configuration: the ledger keeps what it knows of them. One at the path of a
  // configured folder is that folder under another name, which is a mistake.
  const former = changes.flatMap((change) =>
    change.kind === 'root' && !configured.paths.includes(change.identity.path) ? [change.folder] : [],
  );
  const options = { ...configured, folders: [...new Set([...configured.folders, ...former])] };
  const problems: ImportProblem[] = [];
  const imported: ImportedEntry[] = [];
  for (const [index, document] of ledger.documents.entries()) {
    const place = `documents[${index}]: `;
    const read = documentSchema.safeParse(document);
    if (read.success) {
      imported.push({ ...importedEntry(read.data, options), line: null, place });
    } else
      problems.push(
        ...read.error.issues.map((issue) => ({ line: null, message: `${place}${words(issue)}` })),
      );
  }
  for (const [index, change] of changes.entries()) {
    const problem = problemOf(change, options.folders);
    if (problem !== null) problems.push({ line: null, message: `changes[${index}]: ${problem}` });
  }
  return { ...checkEntries(imported, options, problems), changes, service };
}

function readLedger(text: string): Ledger | ImportProblem {
  try {
    const read = ledgerSchema.safeParse(JSON.parse(text));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    return { line: null, message: `it is not a ledger export: ${issue === undefined ? '' : words(issue)}` };
  } catch (error) {
    return { line: lineOf(text, error), message: `it is not JSON: ${errorMessage(error)}` };
  }
}

/** Where the parser stopped, from the position that its message names. */
function lineOf(text: string, error: unknown): number | null {
  const position = /at position (\d+)/.exec(errorMessage(error))?.[1];
  return position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
}

/** The same that is asked of documents: a folder that is configured, or was, and paths inside it. Null: it is right. */
function problemOf(change: ImportedChange, folders: readonly string[]): string | null {
  if (change.kind === 'directory' && !isValidDirectory(change.folder, change.path))
    return `${JSON.stringify(change.path)} is not a path inside the folder`;
  const problems = placesOf(change).map((place) => refProblem(place, folders));
  return problems.find((problem) => problem !== null) ?? null;
}

function placesOf(change: ImportedChange): readonly DocumentRef[] {
  if (change.kind === 'doubt') return [change.doubt.ref];
  if (change.kind === 'intent') return [change.intent.ref];
  if (change.kind === 'former') return [change.held];
  if (change.kind === 'fail') return [change.ref];
  const { folder } = change;
  const paths = 'paths' in change ? change.paths : 'mounts' in change ? change.mounts : [];
  return ['any', ...paths].map((path) => ({ folder, path }));
}

function words({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')} ${message}`;
}
