import { doubtsAbout } from '../../model/doubts.ts';
import type { FoundDocument } from '../../model/document.ts';
import { statedMode, withHeldMode } from '../../model/metadata/held-mode.ts';
import type { Change, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { Operation } from '../../model/operation.ts';
import type { SentContent, UploadRequest } from '../../model/ports/service-port.ts';
import { traceOfDuplicates } from './doubt-about.ts';
import { attachmentsOf, bytesOf, fileOf, recordedAttachments } from './outgoing-files.ts';
import type { OpenFile } from './outgoing-files.ts';
import type { RequestAbout } from './tracked-request.ts';

type Upload = Extract<Operation, { kind: 'upload' }>;

/** What the journal and the progress know of an upload. */
export function aboutUpload(document: FoundDocument, { accepted }: Upload): RequestAbout {
  const { ref, stat } = document;
  const attachments = document.attachments.length > 0;
  const carried = { metadata: accepted, attachments, held: document.kept?.held ?? statedMode(document) };
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

/** What an accepted upload changes in the ledger: earlier ones of its path that may have been taken are its copies. */
export function uploadedChanges(
  document: FoundDocument,
  { accepted }: Upload,
  {
    docId,
    sent: parts,
    now,
  }: { readonly docId: string; readonly sent: readonly SentContent[]; readonly now: number },
  ledger: Pick<LedgerPort, 'get' | 'doubts'>,
): readonly Change[] {
  const { ref } = document;
  const doubts = doubtsAbout(ref, ledger);
  const before = ledger.get(ref);
  const record: LedgerRecord = {
    docId,
    sha256: parts[0]?.sha256 ?? '',
    stat: document.stat,
    // Where it was held back for attachments that the service lost with it, the next scan finds that.
    fingerprint: document.kept?.because === 'attachments' ? '' : document.fingerprint,
    fileName: document.fileName,
    attachments: recordedAttachments(document.attachments, parts.slice(1)),
    companions: document.companions,
    metadata: accepted,
    uploadedAt: new Date(now).toISOString(),
    modifiedAt: null,
    possibleDuplicates: doubts.reduce((total, { count }) => total + count, 0),
  };
  return [
    { kind: 'put', ref, record: withHeldMode(record, document, { before, sent: true }) },
    ...traceOfDuplicates(ref, before, now, replacedMessage),
    ...doubts.map(({ id }): Change => ({ kind: 'dismiss', id })),
    { kind: 'clear', ref },
  ];
}

const replacedMessage = 'the service may have extra copies of it, because answers to uploads were lost';
