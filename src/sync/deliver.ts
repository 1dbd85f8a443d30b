import { refKey } from '../model/document.ts';
import type { FoundAttachment, FoundDocument } from '../model/document.ts';
import type { Change, LedgerRecord, RecordedAttachment } from '../model/ports/ledger-port.ts';
import type { Operation } from '../model/operation.ts';
import type { OutgoingFile, SentContent, ServicePort, Permit } from '../model/ports/service-port.ts';
import type { Sendable } from './assess.ts';
import { attachmentsAsHeld } from './attachments-as-held.ts';
import { doubtsAbout } from './doubts-about.ts';
import { isPerhapsGone, markUnsure } from './mark-unsure.ts';
import type { Outcomes } from './outcomes.ts';
import type { Parts } from './parts.ts';
import { sayUnclearable } from './say-unclearable.ts';
import type { Send } from './send.ts';
import type { Task } from './task.ts';

type Modify = Extract<Operation, { kind: 'modify' }>;

interface Tools {
  readonly service: ServicePort;
  readonly send: Send;
  readonly outcomes: Outcomes;
}

/** Sends one document's upload or modify on a turn, and makes what came of it durable. */
export function createDeliver(parts: Parts, { service, send, outcomes }: Tools) {
  const { clock, ledger, totals } = parts;

  async function upload(task: Task, found: Sendable, turn: Permit): Promise<void> {
    const { document } = found.compared;
    const { operation } = found;
    if (operation.kind !== 'upload') return turn.giveBack();
    const result = await send(
      {
        ...task.ref,
        operation: 'upload',
        bytesTotal: bytesOf(document, true, true),
        documents: 1,
        intent: { ref: task.ref, size: document.stamp.size },
      },
      (watch) =>
        service.upload(
          {
            file: fileOf(document),
            attachments: document.attachments.map(attachmentOf(document)),
            metadata: operation.metadata,
          },
          turn,
          watch,
        ),
    );
    const resolved = result.intentIds.map((id): Change => ({ kind: 'resolve', id }));
    const { outcome } = result;
    if (outcome.kind !== 'accepted' || outcome.docId === null) {
      await outcomes.refuse(task, 'upload', result);
      return;
    }
    const { docId } = outcome;
    if (isTaken(task, docId)) return conflict(task, docId, resolved);
    const doubts = doubtsAbout(parts, task);
    const record: LedgerRecord = {
      docId: outcome.docId,
      sha256: result.sent[0]?.sha256 ?? '',
      stamp: document.stamp,
      context: document.context,
      fileName: document.fileName,
      attachments: recorded(document.attachments, result.sent.slice(1)),
      metadata: operation.accepted,
      uploadedAt: isoOf(clock.now()),
      modifiedAt: null,
      possibleDuplicates: doubts.reduce((total, { count }) => total + count, 0),
    };
    try {
      await parts.commit([
        { kind: 'put', ref: task.ref, record },
        ...traceOfReplaced(task),
        ...resolved,
        ...doubts.map(({ id }): Change => ({ kind: 'dismiss', id })),
        { kind: 'clear', ref: task.ref },
      ]);
    } catch (error) {
      // Another answer with the same docId was written down in the same moment.
      if (!isTaken(task, docId)) throw error;
      return conflict(task, docId, resolved);
    }
    totals.uploaded += 1;
    parts.tell({ ...task.ref, what: 'uploaded', docId, message: outcome.warning });
    outcomes.done(task);
  }

  function isTaken(task: Task, docId: string): boolean {
    const owner = ledger.findByDocId(docId);
    return owner !== undefined && refKey(owner) !== task.key;
  }

  /** Whatever the service has made of it, it may hold a document that nothing here leads to. */
  async function conflict(task: Task, docId: string, resolved: readonly Change[]): Promise<void> {
    const message = 'the service answered with the docId of another document';
    await parts.commit([{ kind: 'doubt', doubt: outcomes.doubtOf(task, message) }, ...resolved]);
    parts.tell({ ...task.ref, what: 'in doubt', docId: null, message });
    const owner = ledger.findByDocId(docId);
    await outcomes.fail(task, 'upload', {
      code: 'docid-conflict',
      message: `the service answered with docId ${docId}, which is already that of ${owner === undefined ? 'another document' : refKey(owner)}`,
    });
  }

  /** What a lost answer may have left at the service is not forgotten with the record (contract 7.7). */
  function traceOfReplaced(task: Task): readonly Change[] {
    const count = ledger.get(task.ref)?.possibleDuplicates ?? 0;
    if (count === 0) return [];
    const message = 'the service may hold further documents of it: answers to uploads were lost';
    return [{ kind: 'doubt', doubt: outcomes.doubtOf(task, message, count) }];
  }

  async function modify(task: Task, found: Sendable, turn: Permit): Promise<void> {
    const { operation, record } = found;
    const { document } = found.compared;
    if (operation.kind !== 'modify' || record === null) return turn.giveBack();
    const result = await send(
      {
        ...task.ref,
        operation: 'modify',
        bytesTotal: bytesOf(document, operation.content, operation.attachments),
        documents: 1,
        mayBeGone: isPerhapsGone(record),
        before: [markUnsure(task.ref, record, operation)],
      },
      (watch) =>
        service.modify(
          {
            docId: operation.docId,
            file: operation.content ? fileOf(document) : null,
            attachments: operation.attachments ? document.attachments.map(attachmentOf(document)) : null,
            metadata: operation.metadata,
          },
          turn,
          watch,
        ),
    );
    if (result.outcome.kind !== 'accepted') {
      await outcomes.refuse(task, 'modify', result);
      return;
    }
    await recordModify(task, found, result.sent);
    parts.tell({ ...task.ref, what: 'modified', docId: record.docId, message: result.outcome.warning });
    outcomes.done(task);
  }

  /** Makes an accepted modify durable, single or in bulk. */
  async function recordModify(task: Task, found: Sendable, sent: readonly SentContent[]): Promise<void> {
    const { operation, record, compared } = found;
    const { document } = compared;
    if (operation.kind !== 'modify' || record === null) return;
    sayUnclearable(parts, document, operation.unclearable);
    const newContent = operation.content ? sent[0]?.sha256 : undefined;
    const attachments = sent.slice(operation.content ? 1 : 0);
    await parts.commit([
      {
        kind: 'put',
        ref: task.ref,
        record: {
          ...record,
          sha256: newContent ?? compared.sha256 ?? record.sha256,
          stamp: document.stamp,
          context: document.context,
          fileName: operation.content ? document.fileName : record.fileName,
          attachments: attachmentsAfter(operation, found, attachments),
          metadata: operation.accepted,
          modifiedAt: isoOf(clock.now()),
          said: [...(record.said ?? []), ...operation.unclearable.map(({ code }) => code)],
          unsure: undefined,
        },
      },
      { kind: 'clear', ref: task.ref },
    ]);
    totals.modified += 1;
  }

  function fileOf(document: FoundDocument): OutgoingFile {
    const { folder, path } = document.ref;
    return { name: document.fileName, open: () => openIn(folder, path, document.stamp) };
  }

  function attachmentOf(document: FoundDocument) {
    return (found: FoundAttachment): OutgoingFile => ({
      name: found.name,
      open: () => openIn(document.ref.folder, found.path, found.stamp),
    });
  }

  function openIn(
    folder: string,
    path: string,
    stamp: FoundDocument['stamp'],
  ): ReturnType<OutgoingFile['open']> {
    const port = parts.folder(folder)?.port;
    if (port === undefined) return Promise.reject(new Error(`the folder ${folder} is no longer configured`));
    return port.open(path, stamp);
  }

  return { upload, modify, recordModify };
}

function attachmentsAfter(
  operation: Modify,
  { compared, record }: Sendable,
  sent: readonly SentContent[],
): readonly RecordedAttachment[] {
  if (operation.attachments) return recorded(compared.document.attachments, sent);
  return attachmentsAsHeld(compared, record);
}

function recorded(
  found: readonly FoundAttachment[],
  sent: readonly SentContent[],
): readonly RecordedAttachment[] {
  return found.map(({ name, stamp }, index) => ({ name, stamp, sha256: sent[index]?.sha256 ?? '' }));
}

function bytesOf(document: FoundDocument, content: boolean, attachments: boolean): number {
  const children = attachments ? document.attachments.reduce((total, { stamp }) => total + stamp.size, 0) : 0;
  return (content ? document.stamp.size : 0) + children;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
