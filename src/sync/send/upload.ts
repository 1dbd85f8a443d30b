import { randomUUID } from 'node:crypto';

import { doubtsAbout } from '../../model/doubts.ts';
import type { DocumentRef, FileStat, FoundAttachment, FoundDocument } from '../../model/document.ts';
import type {
  Change,
  Doubt,
  LedgerPort,
  LedgerRecord,
  RecordedAttachment,
} from '../../model/ports/ledger-port.ts';
import type { Operation } from '../../model/operation.ts';
import type { ContentSource } from '../../model/ports/folder-port.ts';
import type { OutgoingFile, SentContent, UploadRequest } from '../../model/ports/service-port.ts';
import type { RequestAbout } from './tracked-request.ts';

/** Opens a file of the document's folder for sending. */
export type OpenFile = (path: string, stat: FileStat) => Promise<ContentSource>;

type Upload = Extract<Operation, { kind: 'upload' }>;

/** What the journal and the progress know of an upload. */
export function aboutUpload(document: FoundDocument, { accepted }: Upload): RequestAbout {
  const { ref, stat } = document;
  const carried = { metadata: accepted, attachments: document.attachments.length > 0 };
  return {
    ...document.ref,
    operation: 'upload',
    bytesTotal: bytesOf(document, { content: true, attachments: true }),
    documents: 1,
    intent: { ref, size: stat.size, stat, carried },
  };
}

export function uploadRequest(document: FoundDocument, { metadata }: Upload, open: OpenFile): UploadRequest {
  return { file: fileOf(document, open), attachments: attachmentsOf(document, open), metadata };
}

/**
 * What an accepted upload changes in the ledger: earlier ones of its path that may have been taken, too, are its
 * copies.
 */
export function uploadedChanges(
  document: FoundDocument,
  { accepted }: Upload,
  {
    docId,
    sent,
    now,
  }: { readonly docId: string; readonly sent: readonly SentContent[]; readonly now: number },
  ledger: Pick<LedgerPort, 'get' | 'doubts'>,
): readonly Change[] {
  const { ref } = document;
  const doubts = doubtsAbout(ref, ledger);
  const record: LedgerRecord = {
    docId,
    sha256: sent[0]?.sha256 ?? '',
    stat: document.stat,
    fingerprint: document.fingerprint,
    fileName: document.fileName,
    attachments: recordedAttachments(document.attachments, sent.slice(1)),
    companions: document.companions,
    metadata: accepted,
    uploadedAt: isoOf(now),
    modifiedAt: null,
    possibleDuplicates: doubts.reduce((total, { count }) => total + count, 0),
  };
  return [
    { kind: 'put', ref, record },
    ...traceOfDuplicates(ref, ledger.get(ref), now, replacedMessage),
    ...doubts.map(({ id }): Change => ({ kind: 'dismiss', id })),
    { kind: 'clear', ref },
  ];
}

const replacedMessage = 'the service may have extra copies of it, because answers to uploads were lost';

/** What lost answers may have left at the service is not forgotten with the record. */
export function traceOfDuplicates(
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  now: number,
  message: string,
): readonly Change[] {
  const count = record?.possibleDuplicates ?? 0;
  return count === 0 ? [] : [{ kind: 'doubt', doubt: doubtAbout(ref, { message, now, count }) }];
}

/**
 * `count` further documents of a path may stand at the service. `stat`: of the file that was sent. `holds`: nothing is
 * sent before a person says so.
 */
export function doubtAbout(
  ref: DocumentRef,
  {
    message,
    now,
    stat,
    carried,
    count = 1,
    holds = false,
  }: Pick<Doubt, 'message' | 'stat' | 'carried'> & { now: number; count?: number; holds?: boolean },
): Doubt {
  return { id: randomUUID(), ref, stat, carried, count, since: now, message, holds };
}

export function fileOf(document: FoundDocument, open: OpenFile): OutgoingFile {
  return { name: document.fileName, open: () => open(document.ref.path, document.stat) };
}

export function attachmentsOf({ attachments }: FoundDocument, open: OpenFile): readonly OutgoingFile[] {
  return attachments.map(({ name, path, stat }) => ({ name, open: () => open(path, stat) }));
}

export function recordedAttachments(
  found: readonly FoundAttachment[],
  sent: readonly SentContent[],
): readonly RecordedAttachment[] {
  return found.map(({ name, path, stat }, index) => ({
    name,
    path,
    stat,
    sha256: sent[index]?.sha256 ?? '',
  }));
}

export function bytesOf(
  { stat, attachments }: FoundDocument,
  parts: { readonly content: boolean; readonly attachments: boolean },
): number {
  const children = parts.attachments ? attachments.reduce((total, one) => total + one.stat.size, 0) : 0;
  return (parts.content ? stat.size : 0) + children;
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
