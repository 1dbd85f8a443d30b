import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { readIfThere, syncDirectory, writeDurably } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import { IngestdError } from '../../model/errors.ts';
import type { DataDirectory } from './data-directory.ts';
import { uploadMetadataSchema } from './metadata.ts';

const fileRecordSchema = z.strictObject({
  /** The name of its bytes in the content directory. */
  blob: z.uuid(),
  name: z.string(),
  size: z.number().int().nonnegative(),
  sha256: z.string(),
});

/** A document as the journal holds it: what it says and where its bytes are. */
const documentRecordSchema = z.strictObject({
  docId: z.string(),
  owner: z.string(),
  /** ISO 8601, UTC. */
  uploadedAt: z.string(),
  modifiedAt: z.string().nullable(),
  file: fileRecordSchema,
  attachments: z.array(fileRecordSchema),
  metadata: uploadMetadataSchema,
});

export type FileRecord = Readonly<z.infer<typeof fileRecordSchema>>;

export type DocumentRecord = DeepReadonly<z.infer<typeof documentRecordSchema>>;

const changeSchema = z.strictObject({
  put: z.array(documentRecordSchema).optional(),
  remove: z.array(z.string()).optional(),
});

/** One step from one state of the documents to the next: all of it happens or none. One line of the journal. */
type DocumentChange = DeepReadonly<z.infer<typeof changeSchema>>;

type Decision<T> = DocumentChange & { readonly result: T };

/** What the service holds: an index in memory, a journal and the bytes on disk. */
export type DocumentStore = Awaited<ReturnType<typeof openDocumentStore>>;

/**
 * Opens the documents, shortens their journal to a line a document, and removes bytes that no document refers to. Throws
 * IngestdError when the journal is damaged.
 */
export async function openDocumentStore(data: DataDirectory) {
  const path = data.join('documents.jsonl');
  const found = await readIfThere(path);
  const records = replay(found ?? '', path);
  const text = [...records.values()].map((record) => lineOf({ put: [record] })).join('');
  if (text !== found) await writeDurably(path, text);
  await removeStrays(data.content, records);
  const journal = await open(path, 'a', 0o600);
  const inTurn = createTurns();
  /** Bytes of the journal. */
  let size = Buffer.byteLength(text);

  const pathOf = ({ blob }: Pick<FileRecord, 'blob'>) => join(data.content, blob);

  async function carryOut<T>({ result, ...change }: Decision<T>): Promise<T> {
    const { put = [], remove = [] } = change;
    const ids = [...put.map(({ docId }) => docId), ...remove];
    const before = ids.flatMap((docId) => filesOf(records.get(docId)));
    const line = Buffer.from(lineOf(change));
    try {
      // The names of files that have come: their bytes are durable already.
      await syncDirectory(data.content);
      await journal.appendFile(line);
      await journal.datasync();
    } catch (error) {
      await journal.truncate(size);
      throw error;
    }
    size += line.length;
    apply(records, change);
    const kept = new Set(put.flatMap(filesOf).map(({ blob }) => blob));
    // The change stands; bytes that cannot be removed now are removed at the next start.
    for (const file of before)
      if (!kept.has(file.blob)) await rm(pathOf(file), { force: true }).catch(() => {});
    return result;
  }

  return {
    get: (docId: string) => records.get(docId),
    /** In the order of their upload. */
    list: () => [...records.values()],
    /** Absolute path of a file's bytes. */
    pathOf,
    /**
     * Decides and commits, one after the other. `decide` sees the documents as they stand; what it throws is passed on
     * and changes nothing. Durable when this returns.
     */
    commit: <T>(decide: () => Decision<T>): Promise<T> => inTurn(() => carryOut(decide())),
    /** Waits for what is being committed. */
    close: () => inTurn(() => journal.close()),
  };
}

function lineOf(change: DocumentChange): string {
  return `${JSON.stringify(change)}\n`;
}

/** Reads the journal; a last line that a crash cut off, or left without its bytes, is dropped. */
function replay(text: string, path: string): Map<string, DocumentRecord> {
  const records = new Map<string, DocumentRecord>();
  const lines = text.split('\n').slice(0, -1);
  for (const [place, line] of lines.entries()) {
    const change = orNull<DocumentChange>(() => changeSchema.parse(JSON.parse(line)));
    if (change !== null) apply(records, change);
    else if (place < lines.length - 1) {
      const message = `${path} is damaged in line ${place + 1}; restore it`;
      throw new IngestdError('embedded-data-damaged', 1, message);
    }
  }
  return records;
}

async function removeStrays(content: string, records: ReadonlyMap<string, DocumentRecord>): Promise<void> {
  const known = new Set([...records.values()].flatMap(filesOf).map(({ blob }) => blob));
  for (const name of await readdir(content)) {
    if (!known.has(name)) await rm(join(content, name), { force: true });
  }
}

function apply(records: Map<string, DocumentRecord>, { put = [], remove = [] }: DocumentChange): void {
  for (const record of put) records.set(record.docId, record);
  for (const docId of remove) records.delete(docId);
}

/** The document's own file, and then its attachments. */
export function filesOf(record: DocumentRecord | undefined): readonly FileRecord[] {
  return record === undefined ? [] : [record.file, ...record.attachments];
}
