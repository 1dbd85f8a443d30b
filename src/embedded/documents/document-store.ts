import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import * as z from 'zod';

import { syncDirectory, temporarySuffix, withPath } from '../../lib/files/durable-file.ts';
import { orNull } from '../../lib/or-null.ts';
import { errorCode, IngestdError } from '../../model/errors.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
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

/** With the types of the interface, which tell a field that is left out from one that is undefined. */
export type DocumentRecord = Readonly<
  Omit<z.infer<typeof documentRecordSchema>, 'attachments' | 'metadata'>
> & {
  readonly attachments: readonly FileRecord[];
  readonly metadata: Metadata;
};

/** A document as the service shows it: what holds now. */
export type StoredDocument = ReturnType<typeof showDocument>;

/** What may be shown of a record. */
export function showDocument({ file, attachments, ...record }: DocumentRecord) {
  return {
    ...record,
    fileName: file.name,
    size: file.size,
    sha256: file.sha256,
    attachments: attachments.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
  };
}

const changeSchema = z.strictObject({
  put: z.array(documentRecordSchema).optional(),
  remove: z.array(z.string()).optional(),
});

/** One step from one state of the documents to the next: all of it happens or none. One line of the journal. */
interface DocumentChange {
  readonly put?: readonly DocumentRecord[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** A change and the incoming files that it takes in. */
interface Decision<T> extends DocumentChange {
  readonly adopt?: readonly FileRecord[] | undefined;
  readonly result: T;
}

/** Obsolete lines before the journal is rewritten. */
const spareLines = 1000;

/**
 * Opens the documents and removes bytes that no document refers to. Throws IngestdError when the journal is damaged.
 */
export async function openDocumentStore(data: DataDirectory): Promise<DocumentStore> {
  const path = data.join('documents.jsonl');
  const { records, size, lines } = await replay(path);
  const journal = await open(path, 'a', 0o600);
  await journal.truncate(size);
  await journal.sync();
  await syncDirectory(dirname(path));
  const store = new DocumentStore(data, { path, records, journal, size, lines });
  await store.tidy();
  return store;
}

/** What the service holds: an index in memory, a journal and the bytes on disk. */
export class DocumentStore {
  readonly #data: DataDirectory;
  readonly #path: string;
  readonly #records: Map<string, DocumentRecord>;
  #journal: FileHandle;
  /** Of the journal: bytes, and lines. */
  #size: number;
  #lines: number;
  #revision = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    data: DataDirectory,
    found: Replayed & { readonly path: string; readonly journal: FileHandle },
  ) {
    this.#data = data;
    this.#path = found.path;
    this.#records = found.records;
    this.#journal = found.journal;
    this.#size = found.size;
    this.#lines = found.lines;
  }

  get(docId: string): DocumentRecord | undefined {
    return this.#records.get(docId);
  }

  /** In the order of their upload. */
  list(): readonly DocumentRecord[] {
    return [...this.#records.values()];
  }

  /** Changes whenever a document does. */
  get revision(): number {
    return this.#revision;
  }

  /** Absolute path of a file's bytes. */
  pathOf({ blob }: Pick<FileRecord, 'blob'>): string {
    return join(this.#data.content, blob);
  }

  /**
   * Decides and commits, one after the other. `decide` sees the documents as they stand; what it throws is passed on
   * and changes nothing. Durable when this returns; adopted files have left the incoming directory.
   */
  commit<T>(decide: () => Decision<T>): Promise<T> {
    const mine = this.#last.then(() => this.#carryOut(decide()));
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** Waits for what is being committed. */
  async close(): Promise<void> {
    await this.#last;
    await this.#journal.close();
  }

  /** At a start: shortens the journal, and removes bytes that no document refers to. */
  async tidy(): Promise<void> {
    if (this.#isLong()) await this.#compact();
    const known = new Set(
      this.list()
        .flatMap(filesOf)
        .map(({ blob }) => blob),
    );
    for (const name of await readdir(this.#data.content)) {
      if (!known.has(name)) await rm(join(this.#data.content, name), { force: true });
    }
  }

  async #carryOut<T>({ adopt = [], result, ...change }: Decision<T>): Promise<T> {
    const { put = [], remove = [] } = change;
    const ids = [...put.map(({ docId }) => docId), ...remove];
    const before = ids.flatMap((docId) => filesOf(this.#records.get(docId)));
    try {
      for (const file of adopt) await rename(join(this.#data.incoming, file.blob), this.pathOf(file));
      if (adopt.length > 0) await syncDirectory(this.#data.content);
      await this.#append(change);
    } catch (error) {
      for (const file of adopt) await rm(this.pathOf(file), { force: true });
      throw error;
    }
    this.#revision += 1;
    const kept = new Set(put.flatMap(filesOf).map(({ blob }) => blob));
    // The change stands; bytes that cannot be removed now are removed at the next start.
    for (const file of before)
      if (!kept.has(file.blob)) await rm(this.pathOf(file), { force: true }).catch(() => {});
    return result;
  }

  /** Durable when it returns, and in the records; when it rejects nothing has changed. */
  async #append(change: DocumentChange): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(change)}\n`);
    try {
      await this.#journal.appendFile(line);
      await this.#journal.datasync();
    } catch (error) {
      await this.#journal.truncate(this.#size);
      throw error;
    }
    this.#size += line.length;
    this.#lines += 1;
    apply(this.#records, change);
    // A full disk must not undo what has been written: the next change retries.
    if (this.#isLong()) await this.#compact().catch(() => {});
  }

  #isLong(): boolean {
    return this.#lines > 2 * this.#records.size + spareLines;
  }

  /** Writes a new journal, one line a document. */
  async #compact(): Promise<void> {
    const temporary = `${this.#path}${temporarySuffix}`;
    await rm(temporary, { force: true });
    const fresh = await open(temporary, 'ax', 0o600);
    const text = this.list()
      .map((record) => `${JSON.stringify({ put: [record] })}\n`)
      .join('');
    try {
      await fresh.appendFile(text);
      await fresh.sync();
      await rename(temporary, this.#path);
    } catch (error) {
      await fresh.close();
      await rm(temporary, { force: true });
      throw error;
    }
    // From here on it is the journal, whatever fails after it.
    const old = this.#journal;
    this.#journal = fresh;
    this.#size = Buffer.byteLength(text);
    this.#lines = this.#records.size;
    await old.close();
    await syncDirectory(dirname(this.#path));
  }
}

interface Replayed {
  readonly records: Map<string, DocumentRecord>;
  /** Of the lines that are whole. */
  readonly size: number;
  readonly lines: number;
}

/** Reads the journal; a last line that a crash cut off is dropped. */
async function replay(path: string): Promise<Replayed> {
  const records = new Map<string, DocumentRecord>();
  const bytes = await readBytes(path);
  let start = 0;
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    const line = bytes.toString('utf8', start, end);
    const change = orNull<DocumentChange>(() => changeSchema.parse(JSON.parse(line)));
    if (change === null) {
      if (bytes.indexOf(10, end + 1) < 0) break;
      throw new IngestdError(
        'embedded-data-damaged',
        1,
        `${path} is damaged in line ${lines + 1}; restore it`,
      );
    }
    apply(records, change);
    start = end + 1;
    lines += 1;
  }
  return { records, size: start, lines };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw withPath(error, path);
  }
}

function apply(records: Map<string, DocumentRecord>, { put = [], remove = [] }: DocumentChange): void {
  for (const record of put) records.set(record.docId, record);
  for (const docId of remove) records.delete(docId);
}

function filesOf(record: DocumentRecord | undefined): readonly FileRecord[] {
  return record === undefined ? [] : [record.file, ...record.attachments];
}
