import * as z from 'zod';

import { errorMessage } from '../../model/errors.ts';
import type { LedgerEntry } from '../../model/ports/ledger-port.ts';
import { checkEntries } from './check-entries.ts';
import type { ImportedEntry } from './check-entries.ts';
import { importedRecord, unknownStamp } from './imported-record.ts';
import type { ImportedLedger, ImportOptions, ImportProblem } from './imported-ledger.ts';
import { strictMetadataSchema } from '../format/metadata-schema.ts';

const hash = z.string().regex(/^(?:[0-9a-f]{64})?$/, 'is not a SHA-256 in lower-case hex');
const time = z.iso.datetime();
const documentSchema = z.object({
  folder: z.string(),
  path: z.string(),
  docId: z.string(),
  sha256: hash.default(''),
  size: z.int().nonnegative().default(0),
  attachments: z.array(z.object({ name: z.string().min(1), sha256: hash })).default([]),
  metadata: strictMetadataSchema.default({}),
  uploadedAt: time.optional(),
  modifiedAt: time.nullable().default(null),
  possibleDuplicates: z.int().nonnegative().default(0),
  fileName: z.string().min(1).optional(),
  said: z.array(z.string()).optional(),
});
const ledgerSchema = z.object({
  version: z.literal(1),
  service: z.string().optional(),
  documents: z.array(z.unknown()),
});

/** The object that `ledger export` prints. */
export function importJson(text: string, options: ImportOptions): ImportedLedger {
  const ledger = readLedger(text);
  if ('message' in ledger) return { entries: [], lines: [], problems: [ledger] };
  const problems: ImportProblem[] = [];
  const imported: ImportedEntry[] = [];
  for (const [index, document] of ledger.documents.entries()) {
    const place = `documents[${index}]: `;
    const read = documentSchema.safeParse(document);
    if (read.success) imported.push({ entry: toEntry(read.data, options), line: null, place });
    else
      problems.push(
        ...read.error.issues.map((issue) => ({ line: null, message: `${place}${words(issue)}` })),
      );
  }
  return { ...checkEntries(imported, options, problems), service: ledger.service };
}

function readLedger(text: string): z.infer<typeof ledgerSchema> | ImportProblem {
  try {
    const read = ledgerSchema.safeParse(JSON.parse(text));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    return { line: null, message: `it is no export of a ledger: ${issue === undefined ? '' : words(issue)}` };
  } catch (error) {
    return { line: lineOf(text, error), message: `it is not JSON: ${errorMessage(error)}` };
  }
}

/** Where the parser stopped, from the position that its message names. */
function lineOf(text: string, error: unknown): number | null {
  const position = /at position (\d+)/.exec(errorMessage(error))?.[1];
  return position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
}

function toEntry(document: z.infer<typeof documentSchema>, { now }: ImportOptions): LedgerEntry {
  const { folder, attachments, uploadedAt, fileName, said, ...rest } = document;
  const path = document.path.normalize('NFC');
  const record = importedRecord({
    docId: rest.docId,
    path,
    size: rest.size,
    sha256: rest.sha256,
    metadata: rest.metadata,
    modifiedAt: rest.modifiedAt,
    possibleDuplicates: rest.possibleDuplicates,
    uploadedAt: uploadedAt ?? new Date(now).toISOString(),
    attachments: attachments.map((attachment) => ({ ...attachment, stamp: unknownStamp })),
    ...(fileName === undefined ? null : { fileName }),
    ...(said === undefined ? null : { said }),
  });
  return { ref: { folder, path }, record };
}

function words({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')} ${message}`;
}
