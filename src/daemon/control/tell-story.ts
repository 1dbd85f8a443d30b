import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import type { Why } from '../../model/ports/control-port.ts';
import { refKey, sameStat } from '../../model/document.ts';
import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import type { ComparedDocument } from '../../model/operation.ts';
import { planDocument } from '../../model/plan.ts';
import type { Activity } from '../../model/report/status.ts';
import { reasonOf } from '../../sync/tasks/task.ts';
import type { Task } from '../../sync/tasks/task.ts';

interface Sources {
  readonly ref: DocumentRef;
  readonly port: FolderPort;
  readonly ledger: Pick<LedgerPort, 'get' | 'failure' | 'findByDocId'>;
  /** What happened lately, newest last; empty where no daemon remembers it. */
  readonly recent: readonly Activity[];
  /** What a running daemon has to do with it; null: no daemon runs. */
  readonly task: Task | undefined | null;
  /** A new file that waits in the backlog. */
  readonly isInBacklog?: boolean;
  /** A person paused its folder. */
  readonly isPaused?: boolean;
  /** ISO 8601 of the task's next step. */
  readonly nextAt: string | null;
}

/** The whole story of one file, contract section 2, `why`. */
export async function tellStory(sources: Sources): Promise<Why> {
  const { ref, port, ledger, recent, nextAt } = sources;
  const record = ledger.get(ref);
  if (record === undefined && (await isDirectory(join(port.path, ref.path)))) return directoryStory(ref);
  const look = await port.inspect(ref.path);
  const owner = look.kind === 'ignored' ? look.owner : undefined;
  const aside = owner === undefined ? null : await ownerStory(sources, owner);
  const document = look.kind === 'document' ? look.document : null;
  const absent = look.kind === 'absent' ? absentFile(ref, { ledger, recent }) : null;
  const attempts = ledger.failure(ref)?.history ?? [];
  return {
    ...ref,
    verdict: absent === null ? verdictOf(look) : { ...verdictOf(look), message: absent.message },
    sidecar: look.kind === 'document' ? (look.document.sidecar ?? null) : null,
    metadata: document?.metadata ?? record?.metadata ?? null,
    attachments: document?.attachments.map(({ path }) => path) ?? [],
    docId: record?.docId ?? absent?.docId ?? null,
    sha256: record?.sha256 ?? null,
    uploadedAt: record?.uploadedAt ?? absent?.uploadedAt ?? null,
    modifiedAt: record?.modifiedAt ?? null,
    deletedAt: absent?.deletedAt ?? null,
    possibleDuplicates: record?.possibleDuplicates ?? 0,
    attempts,
    notes: aside?.notes ?? (document === null || record === undefined ? [] : notesOn(document, record)),
    next: aside?.next ?? nextStep(look, sources),
    nextAt,
  };
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true;
}

function directoryStory(ref: DocumentRef): Why {
  const message =
    ref.path === ''
      ? 'the folder itself: ingestd status tells how it stands'
      : 'a directory: it is looked through for documents, each of which has a story of its own';
  return {
    ...ref,
    verdict: { kind: 'directory', code: 'directory', message },
    sidecar: null,
    metadata: null,
    attachments: [],
    docId: null,
    sha256: null,
    uploadedAt: null,
    modifiedAt: null,
    deletedAt: null,
    possibleDuplicates: 0,
    attempts: [],
    notes: [],
    next: 'nothing: name a file in it',
    nextAt: null,
  };
}

/** An attachment goes where its document goes: what keeps that one here keeps this one, too. */
async function ownerStory(
  { ref: { folder }, port, ledger }: Sources,
  path: string,
): Promise<Pick<Why, 'notes' | 'next'>> {
  const owner = { folder, path };
  const look = await port.inspect(path);
  const name = refKey(owner);
  if (look.kind === 'absent') {
    return { notes: [`its document ${name} is not there`], next: `nothing until ${name} is there` };
  }
  const failure = ledger.failure(owner)?.message;
  const why = look.kind === 'document' ? (failure ?? null) : verdictOf(look).message;
  return {
    notes: why === null ? [] : [`its document ${name} is not sent as it stands: ${why}`],
    next: `it goes out with its document: ingestd why ${name}`,
  };
}

/** Everything that cannot be taken back or changed, whether the log said it before or not. */
function notesOn(document: FoundDocument, record: LedgerRecord): readonly string[] {
  const operation = planDocument(unread(document), { ...record, said: [] });
  const unclearable = operation.kind === 'upload' ? [] : operation.unclearable.map(({ message }) => message);
  if (record.fileName === document.fileName) return unclearable;
  const name =
    `the file is still called ${record.fileName} at the service: the interface has no way to rename it, and the new ` +
    'name goes out when its content does next';
  return [name, ...unclearable];
}

function verdictOf(look: Inspection): Why['verdict'] {
  switch (look.kind) {
    case 'document':
      return { kind: 'document', code: 'document', message: 'a document of this folder' };
    case 'settling':
      return { kind: 'settling', code: 'settling', message: 'it changed a moment ago and is left to settle' };
    case 'absent':
      return { kind: 'absent', code: 'absent', message: 'no such file is in the folder' };
    case 'unknown':
    case 'ignored':
    case 'skipped':
    case 'waiting':
    case 'unfit':
      return { kind: look.kind, code: look.code, message: look.message };
  }
}

/** Nothing is hashed for it: a file with another stat may still have the same content. */
function nextAtStart(look: Inspection, { ref, ledger }: Sources): string {
  const record = ledger.get(ref);
  const failure = ledger.failure(ref);
  if (look.kind === 'absent') {
    return record === undefined ? 'nothing' : 'its deletion is planned at the next look';
  }
  if (look.kind !== 'document' && look.kind !== 'settling') return 'nothing is planned for it now';
  if (failure !== undefined) return `it is looked at again when ingestd runs; it failed: ${failure.message}`;
  if (record === undefined) return 'it is uploaded when ingestd runs';
  if (look.kind === 'document' && isAsSent(look.document, record)) {
    return 'nothing: the service holds it as it stands here';
  }
  return 'it is compared when ingestd runs, and what differs from what was sent goes out';
}

function isAsSent(document: FoundDocument, record: LedgerRecord): boolean {
  const attachments = document.attachments.every(({ name, stat }) =>
    record.attachments.some((known) => known.name === name && sameStat(known.stat, stat)),
  );
  return (
    attachments &&
    sameStat(document.stat, record.stat) &&
    planDocument(unread(document), record).kind === 'none'
  );
}

/** A document of which nothing was hashed. */
function unread(document: FoundDocument): ComparedDocument {
  return { document, sha256: null, attachmentHashes: document.attachments.map(() => null) };
}

function nextStep(look: Inspection, sources: Sources): string {
  const { task, ledger, ref, isInBacklog = false, isPaused = false } = sources;
  if (task === null) return nextAtStart(look, sources);
  if (isPaused && (isInBacklog || task?.state.kind === 'ready'))
    return `it is sent when the pause ends: ingestd resume ${ref.folder}`;
  if (isInBacklog) return 'it waits in the backlog of new files; the newest are sent first';
  return nextOf(look, task, ledger.get(ref) !== undefined);
}

function nextOf(look: Inspection, task: Task | undefined, known: boolean): string {
  if (task === undefined) {
    if (look.kind === 'absent') return known ? 'its deletion is planned at the next look' : 'nothing';
    return known ? 'nothing: the service holds it as it stands here' : 'nothing is planned for it now';
  }
  const { state } = task;
  const message = reasonOf(task)?.message ?? '';
  switch (state.kind) {
    case 'inspect':
    case 'inspecting':
      return 'it is inspected next';
    case 'ready':
      return `its ${state.operation} waits for a free request in the minute`;
    case 'sending':
      return 'it is being sent';
    case 'settling':
      return 'it is inspected again when it has settled';
    case 'grace':
      return 'its file is gone: the deletion waits for its other half, a move or a save';
    case 'retry':
      return `it is tried again: ${message}`;
    case 'waiting':
      return `it waits: ${message}`;
    case 'failed':
      return `nothing until it changes, or ingestd retry: ${message}`;
    case 'held':
      return `its deletion waits for ingestd approve: ${message}`;
    case 'dormant':
      return `nothing: ${message}`;
  }
}

interface AbsenceSources {
  readonly ledger: Pick<LedgerPort, 'get' | 'findByDocId'>;
  /** Newest last. */
  readonly recent: readonly Activity[];
}

/** What is known of a path where no file stands. */
interface AbsentFile {
  readonly message: string;
  /** Of the document that it was; null: nothing is known of one. */
  readonly docId: string | null;
  readonly uploadedAt: string | null;
  readonly deletedAt: string | null;
}

/** Says what became of a file that is not there: from the ledger, and from what happened lately. */
function absentFile(ref: DocumentRef, { ledger, recent }: AbsenceSources): AbsentFile {
  const record = ledger.get(ref);
  if (record !== undefined) {
    return {
      message: 'the file is gone from the folder; the service still holds its document',
      docId: record.docId,
      uploadedAt: record.uploadedAt,
      deletedAt: null,
    };
  }
  const events = recent.filter((one) => one.folder === ref.folder && one.path === ref.path);
  const last = events.findLast(({ docId }) => docId !== null);
  const docId = last?.docId ?? null;
  if (last === undefined || docId === null) {
    const message = 'no such file is in the folder, and nothing is known of one';
    return { message, docId, uploadedAt: null, deletedAt: null };
  }
  const uploadedAt = events.find((one) => one.what === 'uploaded' && one.docId === docId)?.at ?? null;
  const elsewhere = ledger.findByDocId(docId);
  if (elsewhere !== undefined) {
    const message = `the file is gone from here: it was moved to ${refKey(elsewhere)}, and its document with it`;
    return { message, docId, uploadedAt, deletedAt: null };
  }
  const isDeleted = last.what === 'deleted';
  return {
    message: isDeleted
      ? 'the file is gone from the folder, and its document from the service'
      : 'the file is gone from the folder',
    docId,
    uploadedAt,
    deletedAt: isDeleted ? last.at : null,
  };
}
