import { withHeldMode, withUnsureMode } from '../../model/metadata/held-mode.ts';
import type { Operation } from '../../model/operation.ts';
import { standingAs } from '../../model/ports/ledger-port.ts';
import type { Change, LedgerRecord, RecordedAttachment } from '../../model/ports/ledger-port.ts';
import type { ModifyRequest, SentContent, BulkModifyRequest } from '../../model/ports/service-port.ts';
import type { Sendable } from '../decide/assess.ts';
import { unsentAttachments, unsureStill } from '../decide/attachments.ts';
import { isPerhapsGone } from './delete.ts';
import { attachmentsOf, bytesOf, fileOf, recordedAttachments } from './outgoing-files.ts';
import type { OpenFile } from './outgoing-files.ts';
import type { Planned } from './planned.ts';
import type { RequestAbout } from './tracked-request.ts';

/** A document that has to be modified. */
export interface Modifiable extends Sendable {
  readonly operation: Extract<Operation, { kind: 'modify' }>;
  readonly record: LedgerRecord;
}

export function isModifiable(found: Sendable): found is Modifiable {
  return found.operation.kind === 'modify' && found.record !== null;
}

export function aboutModify(found: Modifiable): RequestAbout {
  const { operation, record, compared } = found;
  const { document } = compared;
  return {
    ...document.ref,
    operation: 'modify',
    bytesTotal: bytesOf(document, operation),
    documents: 1,
    mayBeGone: isPerhapsGone(record),
    before: [markUnsure(found)],
  };
}

export function modifyRequest(
  { operation, compared: { document } }: Modifiable,
  open: OpenFile,
): ModifyRequest {
  return {
    docId: operation.docId,
    file: operation.content ? fileOf(document, open) : null,
    attachments: operation.attachments ? attachmentsOf(document, open) : null,
    metadata: operation.metadata,
  };
}

/** What an accepted modify changes in the ledger, single (`sent` as it went out) or in bulk (nothing was sent). */
export function modifiedChanges(
  found: Modifiable,
  sent: readonly SentContent[],
  now: number,
): readonly Change[] {
  const { operation, record, compared } = found;
  const { document } = compared;
  const { ref, companions } = document;
  const { accepted: metadata, narrows } = operation;
  const modifiedAt = new Date(now).toISOString();
  const files = narrows === true ? stillToSend(found) : contentSent(found, sent);
  const accepted = { ...record, ...files, companions, metadata, modifiedAt };
  const before = { before: record, sent: operation.metadata?.shareInfo !== undefined };
  const put: Change = { kind: 'put', ref, record: withHeldMode(accepted, document, before) };
  // What was refused of its content still is.
  return narrows === true ? [put] : [put, { kind: 'clear', ref }];
}

/** What a record says of the files that the service holds now. */
function contentSent(
  { operation, record, compared }: Modifiable,
  sent: readonly SentContent[],
): Partial<LedgerRecord> {
  const { document } = compared;
  const newContent = operation.content ? sent[0]?.sha256 : undefined;
  return {
    sha256: newContent ?? compared.sha256 ?? record.sha256,
    stat: document.stat,
    fingerprint: document.fingerprint,
    fileName: operation.content ? document.fileName : record.fileName,
    attachments: operation.attachments
      ? recordedAttachments(document.attachments, sent.slice(operation.content ? 1 : 0))
      : unsentAttachments(compared, record),
    said: [...(record.said ?? []), ...operation.unclearable.map(({ code }) => code)],
    unsure: unsureStill(compared, record),
    standing: undefined,
  };
}

/** What a record says while all but the sharing mode is still to be sent: each scan has it inspected. */
function stillToSend({ operation, record, compared: { document } }: Modifiable): Partial<LedgerRecord> {
  const { shareInfo } = operation.accepted;
  const unsure = record.unsure && {
    ...record.unsure,
    metadata: record.unsure.metadata.map((one) => ({ ...one, shareInfo })),
  };
  return { fingerprint: '', standing: standingAs(record, document.stat), unsure };
}

/**
 * Says in the record that a modify is under way. Should no answer come and the file be changed back meanwhile, what the
 * service may have taken is still put right. Without a fingerprint the next scan has the document inspected in any case.
 */
export function markUnsure({ operation, record, compared }: Modifiable): Change {
  const { content, attachments, accepted } = operation;
  const { document } = compared;
  const { unsure } = record;
  const now = attachments ? unsentAttachments(compared, record) : [];
  const isIn = (one: RecordedAttachment) =>
    now.some(({ path, folder }) => path === one.path && folder === one.folder);
  const metadata = new Map([...(unsure?.metadata ?? []), accepted].map((one) => [JSON.stringify(one), one]));
  const marked: LedgerRecord = {
    ...record,
    fingerprint: '',
    // Whatever becomes of the request.
    standing: standingAs(record, document.stat),
    // What may be held with it, and what it was sent with before, stays its attachment.
    attachments: [...now, ...record.attachments.filter((one) => !isIn(one))],
    unsure: {
      content: content || unsure?.content === true,
      attachments: attachments || unsure?.attachments === true,
      metadata: [...metadata.values()],
      ...(unsure?.gone === true ? { gone: true } : null),
    },
  };
  return { kind: 'put', ref: document.ref, record: withUnsureMode(marked, document, record) };
}

/** One document of a bulk call. */
export interface BulkMember extends Planned {
  readonly record: LedgerRecord;
  readonly found: Modifiable;
}

/** One metadata change of many documents of a folder in one call, interface 4.6. */
export function bulkModify(members: readonly [BulkMember, ...BulkMember[]]): {
  readonly about: RequestAbout;
  readonly request: BulkModifyRequest;
} {
  const [first] = members;
  return {
    about: {
      folder: first.task.ref.folder,
      path: '',
      operation: 'bulk_modify',
      bytesTotal: 0,
      documents: members.length,
      untaken: first.task.untaken,
      before: members.map(({ found }) => markUnsure(found)),
    },
    request: {
      docIds: members.map(({ found }) => found.operation.docId),
      ...first.found.operation.bulk?.change,
    },
  };
}
