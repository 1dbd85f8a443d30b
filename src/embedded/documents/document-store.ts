import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { DataDirectory } from './data-directory.ts';
import type { DocumentChange } from './document-journal.ts';
import { openDocumentJournal } from './document-journal.ts';
import { syncDirectory } from '../../lib/files/durable-file.ts';
import type { DocumentRecord, FileRecord } from './stored-document.ts';

/** A change and the incoming files that it takes in. */
interface Decision<T> extends DocumentChange {
  readonly adopt?: readonly FileRecord[] | undefined;
  readonly result: T;
}

/** What the service holds: an index in memory, a journal and the bytes on disk. */
export interface DocumentStore {
  readonly get: (docId: string) => DocumentRecord | undefined;
  /** In the order of their upload. */
  readonly list: () => readonly DocumentRecord[];
  /** Changes whenever a document does. */
  readonly revision: () => number;
  /** Absolute path of a file's bytes. */
  readonly pathOf: (file: FileRecord) => string;
  /**
   * Decides and commits, one after the other. `decide` sees the documents as they stand; what it throws is passed on
   * and changes nothing. Durable when this returns; adopted files have left the incoming directory.
   */
  readonly commit: <T>(decide: () => Decision<T>) => Promise<T>;
  /** Waits for what is being committed. */
  readonly close: () => Promise<void>;
}

/** Opens the documents and removes bytes that no document refers to. Throws IngestdError when the journal is damaged. */
export async function openDocumentStore(data: DataDirectory): Promise<DocumentStore> {
  const journal = await openDocumentJournal(data.join('documents.jsonl'));
  const { records } = journal;
  const pathOf = ({ blob }: { readonly blob: string }) => join(data.content, blob);
  await removeStrays(data.content, records);
  let revision = 0;
  let last: Promise<unknown> = Promise.resolve();

  const run = async <T>({ adopt = [], result, put, remove }: Decision<T>): Promise<T> => {
    const before = [...(put ?? []).map(({ docId }) => docId), ...(remove ?? [])].flatMap(filesOf(records));
    try {
      for (const file of adopt) await rename(join(data.incoming, file.blob), pathOf(file));
      if (adopt.length > 0) await syncDirectory(data.content);
      await journal.append({ put, remove });
    } catch (error) {
      for (const file of adopt) await rm(pathOf(file), { force: true });
      throw error;
    }
    revision += 1;
    const kept = new Set((put ?? []).flatMap(blobsOf));
    // The change stands; bytes that cannot be removed now are removed at the next start.
    for (const file of before)
      if (!kept.has(file.blob)) await rm(pathOf(file), { force: true }).catch(() => {});
    return result;
  };

  return {
    get: (docId) => records.get(docId),
    list: () => [...records.values()],
    revision: () => revision,
    pathOf,
    commit: (decide) => {
      const mine = last.then(() => run(decide()));
      last = mine.catch(() => {});
      return mine;
    },
    close: async () => {
      await last;
      await journal.close();
    },
  };
}

function filesOf(records: ReadonlyMap<string, DocumentRecord>): (docId: string) => readonly FileRecord[] {
  return (docId) => {
    const record = records.get(docId);
    return record === undefined ? [] : [record.file, ...record.attachments];
  };
}

function blobsOf({ file, attachments }: DocumentRecord): readonly string[] {
  return [file.blob, ...attachments.map(({ blob }) => blob)];
}

async function removeStrays(content: string, records: ReadonlyMap<string, DocumentRecord>): Promise<void> {
  const known = new Set([...records.values()].flatMap(blobsOf));
  for (const name of await readdir(content)) {
    if (!known.has(name)) await rm(join(content, name), { force: true });
  }
}
