import { open, readFile, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import * as z from 'zod';

import { errorCode, IngestdError } from '../../model/errors.ts';
import { syncDirectory, temporarySuffix } from '../../lib/files/durable-file.ts';
import type { DocumentRecord } from './stored-document.ts';
import { documentRecordSchema } from './stored-document.ts';

const changeSchema = z.strictObject({
  put: z.array(documentRecordSchema).optional(),
  remove: z.array(z.string()).optional(),
});

/** One step from one state of the documents to the next: all of it happens or none. */
export interface DocumentChange {
  readonly put?: readonly DocumentRecord[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** The documents, one line a change. One caller at a time. */
export interface DocumentJournal {
  readonly records: Map<string, DocumentRecord>;
  /** Durable when it returns, and in `records`; when it rejects nothing has changed. */
  readonly append: (change: DocumentChange) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Obsolete lines before the file is rewritten. */
const spareLines = 1000;

/** Reads the journal; a last line that a crash cut off is dropped. Throws IngestdError when it is damaged elsewhere. */
export async function openDocumentJournal(path: string): Promise<DocumentJournal> {
  const { records, goodBytes, lines } = await replay(path);
  let handle = await open(path, 'a', 0o600);
  await handle.truncate(goodBytes);
  await handle.sync();
  await syncDirectory(dirname(path));
  let size = goodBytes;
  let count = lines;

  const compact = async (): Promise<void> => {
    const fresh = await rewrite(path, records);
    await handle.close();
    handle = fresh.handle;
    size = fresh.size;
    count = records.size;
  };
  if (count > 2 * records.size + spareLines) await compact();

  return {
    records,
    append: async (change) => {
      const line = Buffer.from(`${JSON.stringify(change)}\n`);
      try {
        await handle.appendFile(line);
        await handle.datasync();
      } catch (error) {
        await handle.truncate(size);
        throw error;
      }
      size += line.length;
      count += 1;
      apply(records, change);
      // A full disk must not undo what has been written: the next change retries.
      if (count > 2 * records.size + spareLines) await compact().catch(() => {});
    },
    close: () => handle.close(),
  };
}

async function replay(
  path: string,
): Promise<{ records: Map<string, DocumentRecord>; goodBytes: number; lines: number }> {
  const records = new Map<string, DocumentRecord>();
  const bytes = await readBytes(path);
  let start = 0;
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    const change = parse(bytes.toString('utf8', start, end));
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
  return { records, goodBytes: start, lines };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function parse(line: string): DocumentChange | null {
  try {
    const parsed = changeSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function apply(records: Map<string, DocumentRecord>, { put = [], remove = [] }: DocumentChange): void {
  for (const record of put) records.set(record.docId, record);
  for (const docId of remove) records.delete(docId);
}

async function rewrite(
  path: string,
  records: ReadonlyMap<string, DocumentRecord>,
): Promise<{ handle: FileHandle; size: number }> {
  const temporary = `${path}${temporarySuffix}`;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'ax', 0o600);
  try {
    const text = [...records.values()].map((record) => `${JSON.stringify({ put: [record] })}\n`).join('');
    await handle.appendFile(text);
    await handle.sync();
    await rename(temporary, path);
    await syncDirectory(dirname(path));
    return { handle, size: Buffer.byteLength(text) };
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
}
