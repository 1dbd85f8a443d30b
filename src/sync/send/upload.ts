import { randomUUID } from 'node:crypto';

import type { DocumentRef, FileStat, FoundAttachment, FoundDocument } from '../../model/document.ts';
import type { Doubt, LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';
import type { Operation } from '../../model/operation.ts';
import type { ContentSource } from '../../model/ports/folder-port.ts';
import type { OutgoingFile, SentContent, UploadRequest } from '../../model/ports/service-port.ts';
import type { RequestAbout } from './tracked-request.ts';

/** Opens a file of the document's folder for sending. */
export type OpenFile = (path: string, stat: FileStat) => Promise<ContentSource>;

type Upload = Extract<Operation, { kind: 'upload' }>;

/** What the journal and the progress know of an upload. */
export function aboutUpload(document: FoundDocument): RequestAbout {
  return {
    ...document.ref,
    operation: 'upload',
    bytesTotal: bytesOf(document, { content: true, attachments: true }),
    documents: 1,
    intent: { ref: document.ref, size: document.stat.size, stat: document.stat },
  };
}

export function uploadRequest(document: FoundDocument, { metadata }: Upload, open: OpenFile): UploadRequest {
  return { file: fileOf(document, open), attachments: attachmentsOf(document, open), metadata };
}

/** The record of an accepted upload. `doubts`: earlier uploads of the path that the service may have taken, too. */
export function uploadedRecord(
  document: FoundDocument,
  { accepted }: Upload,
  {
    docId,
    sent,
    doubts,
    now,
  }: {
    readonly docId: string;
    readonly sent: readonly SentContent[];
    readonly doubts: readonly Doubt[];
    readonly now: number;
  },
): LedgerRecord {
  return {
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
}

/** `count` further documents of a path may stand at the service. `stat`: of the file that was sent. `holds`: nothing is sent before a person says so. */
export function doubtAbout(
  ref: DocumentRef,
  {
    message,
    now,
    stat,
    count = 1,
    holds = false,
  }: { message: string; now: number; stat?: FileStat | undefined; count?: number; holds?: boolean },
): Doubt {
  return { id: randomUUID(), ref, stat, count, since: now, message, holds };
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
