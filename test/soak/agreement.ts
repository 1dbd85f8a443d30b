import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Metadata } from '../../src/model/metadata/metadata.ts';
import type { FolderSettings } from '../../src/model/settings.ts';
import type { LedgerExport } from '../../src/ledger/transfer/export-ledger.ts';
import { attachmentNames } from './folder/folder-work.ts';
import { nameOf } from '../simulate/judge/reading.ts';
import { documentsOnDisk } from './folder/documents-on-disk.ts';
import type { DocumentOnDisk } from './folder/documents-on-disk.ts';
import type { HeldDocument } from './service/separate-service.ts';

type Exported = LedgerExport['documents'][number];

/** A watched folder and what of its settings the comparison needs. */
export type WatchedRoot = Pick<FolderSettings, 'name' | 'title' | 'onRemove'>;

/** How folders, ledger and service compare. */
export interface Agreement {
  /** In words; empty: they agree. */
  readonly differences: readonly string[];
  /** Documents that the service holds and the ledger does not know. */
  readonly strangers: number;
  readonly documents: number;
}

interface Sides {
  /** Absolute: the folders are below it. */
  readonly home: string;
  readonly roots: readonly WatchedRoot[];
  readonly ledger: LedgerExport;
  readonly service: readonly HeldDocument[];
  /** Documents that are said to be kept private for attachments that the service may have, whatever became of the last modify. */
  readonly barred: ReadonlySet<string>;
  /** Documents that are said to stay as they were last sent, while their files are attachments of others. */
  readonly remaining: ReadonlySet<string>;
}

/** Compares the three, byte for byte: everything is read, nothing is taken on trust. */
export function compareAll({ home, roots, ledger, service, barred, remaining }: Sides): Agreement {
  const differences: string[] = [];
  const held = new Map(service.map((document) => [document.docId, document]));
  const records = new Map(ledger.documents.map((record) => [`${record.folder}/${record.path}`, record]));
  const docIds = new Set(ledger.documents.map(({ docId }) => docId));
  if (docIds.size < ledger.documents.length) differences.push('one docId stands twice in the ledger');
  const kept = new Set(roots.filter(({ onRemove }) => onRemove === 'keep').map(({ name }) => name));
  const found = new Map(roots.map((root) => [root, documentsOnDisk(home, root.name)]));
  const standing = new Set(
    [...found].flatMap(([{ name }, documents]) => documents.map(({ path }) => `${name}/${path}`)),
  );
  for (const [key, record] of records) {
    const document = held.get(record.docId);
    if (document === undefined) differences.push(`${key}: LOST, the service does not hold ${record.docId}`);
    // Of a kept document whose file is gone, a modify that a crash cut short can never be completed.
    else if (standing.has(key) || !kept.has(record.folder))
      differences.push(...compareRecord(record, document).map((words) => `${key}: ${words}`));
  }
  for (const [root, documents] of found) {
    for (const document of documents) {
      const key = `${root.name}/${document.path}`;
      const record = records.get(key);
      const there = record === undefined ? undefined : held.get(record.docId);
      // An attachment stays one wherever its directory is moved.
      if (record === undefined && !attachmentNames.test(key))
        differences.push(`${key}: on disk, not in the ledger`);
      else if (there !== undefined && !remaining.has(key))
        differences.push(
          ...compareFile(root, document, there, barred.has(key)).map((words) => `${key}: ${words}`),
        );
    }
    // What is listed and not sent, as an attachment, keeps its document.
    for (const [key, { folder }] of records) {
      if (folder === root.name && root.onRemove === 'delete' && !existsSync(join(home, key)))
        differences.push(`${key}: in the ledger, gone from disk`);
    }
  }
  const strangers = service.filter(({ docId }) => !docIds.has(docId)).length;
  return { differences, strangers, documents: records.size };
}

function compareRecord(record: Exported, document: HeldDocument): string[] {
  const differences: string[] = [];
  if (record.sha256 !== document.sha256) differences.push('ledger and service have other bytes');
  if (hashOf(document.contentPath) !== document.sha256)
    differences.push('the service’s own bytes are not what it says');
  for (const field of ['title', 'customTags', 'shareInfo'] as const) {
    const [here, there] = [textOf(record.metadata, field), textOf(document.metadata, field)];
    if (here !== there) differences.push(`${field}: ledger ${here}, service ${there}`);
  }
  // The last attachments cannot be taken back, so that the ledger may know of none where the service has some.
  if (record.attachments.length === 0) return differences;
  const [ours, theirs] = [record, document].map(({ attachments }) =>
    JSON.stringify(attachments.map(({ name, sha256 }) => [name, sha256])),
  );
  if (ours !== theirs) differences.push(`attachments: ledger ${ours}, service ${theirs}`);
  return differences;
}

function compareFile(
  root: WatchedRoot,
  file: DocumentOnDisk,
  document: HeldDocument,
  isSaidBarred: boolean,
): string[] {
  const differences: string[] = [];
  if (hashOf(file.absolute) !== document.sha256) differences.push('disk and service have other bytes');
  const name = nameOf(file.path);
  const stem = root.title === 'fileStem' ? name.slice(0, name.lastIndexOf('.')) : undefined;
  const attached = file.attachments.map((one) => `${one.name} ${hashOf(one.absolute)}`).sort();
  // More people would see attachments that the service cannot take back.
  const isBarred = attached.length === 0 && (document.attachments.length > 0 || isSaidBarred);
  const expected = [...file.layers, ...(stem === undefined ? [] : [{ title: stem }])];
  for (const field of ['title', 'customTags', 'shareInfo'] as const) {
    const stated = expected.find((layer) => layer[field] !== undefined);
    const [here, there] = [textOf(stated ?? {}, field), textOf(document.metadata, field)];
    // What nobody states any more stays: a title, and NONE.
    const stays = field === 'title' || document.metadata.shareInfo?.mode === 'NONE';
    if (stated === undefined && field !== 'customTags' && stays) continue;
    if (here !== there && !(field === 'shareInfo' && isBarred))
      differences.push(`${field}: disk ${here}, service ${there}`);
  }
  const there = document.attachments.map((one) => `${one.name} ${one.sha256}`).sort();
  if (attached.length > 0 && JSON.stringify(attached) !== JSON.stringify(there))
    differences.push(`attachments: disk ${JSON.stringify(attached)}, service ${JSON.stringify(there)}`);
  return differences;
}

function textOf(metadata: Metadata, field: 'title' | 'customTags' | 'shareInfo'): string {
  if (field === 'customTags')
    return JSON.stringify((metadata.customTags ?? []).map(({ name }) => name).sort());
  if (field === 'shareInfo') return JSON.stringify(metadata.shareInfo?.mode ?? 'DEFAULT');
  return JSON.stringify(metadata.title ?? null);
}

const hashes = new Map<string, string>();

/** SHA-256 of a file; what has not changed since is not read again. */
function hashOf(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  const key = `${path}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
  hashes.set(key, hash);
  return hash;
}
