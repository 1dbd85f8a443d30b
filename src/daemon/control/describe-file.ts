import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { whySchema } from '../../model/report/command-reports.ts';
import type { Why } from '../../model/report/command-reports.ts';
import { awaitsContent, nameOf, refKey } from '../../model/document.ts';
import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import { doubtsAbout, inDoubtCode, isOpenDoubt } from '../../model/doubts.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import { isImported, isOfDeletion, isStillRefused } from '../../model/ports/ledger-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { explain, fixBeside } from '../../model/report/explanations.ts';
import { incompleteCode } from '../../model/report/wait-kinds.ts';
import { isAttachmentDirectory } from '../../scan/rules/classify.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';
import type { FileKnowledge } from '../../sync/decide/inspect-document.ts';
import { reasonOf } from '../../sync/tasks/task.ts';
import type { Task } from '../../sync/tasks/task.ts';
import { attemptsOf } from './attempts-of.ts';
import type { AttemptSources } from './attempts-of.ts';
import { metadataOf, notesOn } from './held-metadata.ts';
import { ownerOfAttachments, isAbsent, orphanAttachments } from './orphan-attachments.ts';

/** What the engine has before it. */
export interface Ahead {
  /** False: no daemon runs, and the engine only looks. */
  readonly isRunning: boolean;
  readonly task: Task | undefined;
  readonly isInBacklog: boolean;
  /** A person paused its folder. */
  readonly isPaused: boolean;
  /** A person paused all hosts of the fleet. */
  readonly isFleetPaused: boolean;
  /** Why nothing is sent now, of whatever document; null: requests go out. */
  readonly obstacle: string | null;
}

interface LedgerSources extends AttemptSources {
  readonly ledger: Pick<LedgerPort, 'get' | 'failure' | 'findByDocId' | 'doubts'>;
}

interface Sources extends LedgerSources {
  readonly port: FolderPort;
  readonly known: FileKnowledge;
  readonly ahead: Ahead;
  /** ISO 8601 of the task's next step. */
  readonly nextAt: string | null;
}

/** The whole story of one file, as `why` prints it. */
export async function describeFile(sources: Sources): Promise<Why> {
  const { ref, port, ledger, nextAt, known } = sources;
  const record = ledger.get(ref);
  if (record === undefined && (await isDirectory(join(port.path, ref.path))))
    return describeDirectory(ref, port);
  const found = await inspectDocument(port, ref, record, known);
  const owner = found.kind === 'ignored' ? found.owner : undefined;
  const aside = owner === undefined ? null : await describeOwner(sources, owner);
  const document = found.kind === 'document' ? found.document : null;
  const absent = found.kind === 'absent' ? absentFile(sources) : null;
  const held = metadataOf(document, record);
  const verdict = verdictOf(found);
  return {
    ...ref,
    ...remembered(sources),
    verdict: absent === null ? verdict : { ...verdict, message: absent.message },
    fix: fixOf(verdict, { ...sources, document, narrower: held.narrower }),
    sidecar: found.kind === 'document' ? (found.document.sidecar ?? null) : null,
    sentAs: document === null || document.fileName === nameOf(ref.path) ? null : document.fileName,
    ...held,
    attachments: document?.attachments.map(({ path }) => path) ?? [],
    docId: record?.docId ?? absent?.docId ?? null,
    uploadedAt: record?.uploadedAt ?? absent?.uploadedAt ?? null,
    deletedAt: absent?.deletedAt ?? null,
    notes: [
      ...(held.narrower === null ? [] : [held.narrower.message]),
      ...(aside?.notes ?? (document === null || record === undefined ? [] : notesOn(document, record))),
      ...doubtNotes(sources, found.kind === 'absent'),
    ],
    next: aside?.next ?? nextStep(found, sources),
    nextAt,
  };
}

/** What does not depend on the file as it stands. */
export function remembered(
  sources: LedgerSources,
): Pick<Why, 'sha256' | 'imported' | 'modifiedAt' | 'possibleDuplicates' | 'attempts' | 'decisions'> {
  const { ref, ledger, past } = sources;
  const record = ledger.get(ref);
  return {
    sha256: record?.sha256 ?? null,
    imported: record !== undefined && isImported(record),
    modifiedAt: record?.modifiedAt ?? null,
    possibleDuplicates: record?.possibleDuplicates ?? 0,
    attempts: attemptsOf(sources),
    decisions: past.filter(({ by }) => by !== undefined),
  };
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true;
}

async function describeDirectory(ref: DocumentRef, port: FolderPort): Promise<Why> {
  const kind = 'directory';
  const owner = isAttachmentDirectory(nameOf(ref.path)) ? await ownerOfAttachments(port, ref.path) : null;
  if (owner !== null) {
    const name = refKey({ ...ref, path: owner });
    const isOrphan = await isAbsent(port, owner);
    const attachments = { code: 'attachments', message: `the attachments of ${name}` };
    return whySchema.parse({
      ...ref,
      verdict: { kind, ...(isOrphan ? orphanAttachments : attachments) },
      fix: isOrphan ? explain(orphanAttachments.code).fix : null,
      next: isOrphan
        ? `nothing until ${name} exists`
        : `they are sent with their document; see ingestd why ${name}`,
    });
  }
  const message =
    ref.path === ''
      ? 'the folder itself; for its state run ingestd status'
      : 'a directory; ingestd scans it for documents';
  const verdict = { kind, code: kind, message };
  return whySchema.parse({ ...ref, verdict, next: 'nothing; ask about a file in it' });
}

/** Verdicts whose code has a fix. */
const withFix: ReadonlySet<string> = new Set(['unfit', 'skipped', 'waiting', 'unknown']);

/** What to do about what keeps it from being sent; null: nothing does, or its message says so. */
function fixOf(
  verdict: Why['verdict'],
  {
    ref,
    ledger,
    ahead: { task },
    document,
    narrower,
  }: Sources & { readonly document: FoundDocument | null; readonly narrower: Why['narrower'] },
): string | null {
  const failure = ledger.failure(ref);
  const isRefused =
    failure !== undefined && (document === null ? isOfDeletion(failure) : isStillRefused(failure, document));
  const isStopped = task !== undefined && stoppedStates.has(task.state.kind);
  const stopped = (isStopped ? reasonOf(task) : null) ?? (isRefused ? failure : null);
  const reason = withFix.has(verdict.kind) ? verdict : (narrower ?? stopped);
  const fix = reason === null ? '' : fixBeside(reason.code);
  return fix === '' ? null : fix;
}

/** States of a task whose reason has a fix. */
const stoppedStates: ReadonlySet<Task['state']['kind']> = new Set(['retry', 'failed', 'held', 'waiting']);

/** An attachment or a sidecar goes where its document goes: what keeps that one here keeps this one, too. */
async function describeOwner(
  { ref: { folder }, port, ledger }: Sources,
  path: string,
): Promise<Pick<Why, 'notes' | 'next'>> {
  const owner = { folder, path };
  const found = await inspectDocument(port, owner, ledger.get(owner));
  const name = refKey(owner);
  if (found.kind === 'absent') {
    return { notes: [`its document ${name} does not exist`], next: `nothing until ${name} exists` };
  }
  const failure = ledger.failure(owner)?.message;
  const isFit = found.kind === 'document' || found.kind === 'settling';
  const why = isFit ? (failure ?? null) : verdictOf(found).message;
  return {
    notes: why === null ? [] : [`its document ${name} is not sent: ${why}`],
    next:
      why === null
        ? `it is sent with its document; see ingestd why ${name}`
        : `nothing until that is fixed; see ingestd why ${name}`,
  };
}

/** What is held because of a doubt says so; nothing else does. */
export function doubtNotes({ ref, ledger }: LedgerSources, isGone: boolean): readonly string[] {
  const open = doubtsAbout(ref, ledger).filter(isOpenDoubt);
  const unsaid = open.filter(({ holds }) => isGone || !holds);
  return unsaid.map(
    ({ message }) => `its upload is in doubt: ${message}; end the doubt with ingestd resolve`,
  );
}

function verdictOf(found: Inspection): Why['verdict'] {
  switch (found.kind) {
    case 'document':
      return { kind: 'document', code: 'document', message: 'a document of this folder' };
    case 'settling':
      return {
        kind: 'settling',
        code: 'settling',
        message:
          'it changed a moment ago, or what belongs to it may still come; it is sent when nothing changes any more',
      };
    case 'absent':
      return { kind: 'absent', code: 'absent', message: 'no such file in the folder' };
    case 'unknown':
    case 'ignored':
    case 'skipped':
    case 'waiting':
    case 'unfit':
      return { kind: found.kind, code: found.code, message: found.message };
  }
}

function afterPause({ folder }: DocumentRef, isForAll: boolean): string {
  return isForAll
    ? 'it is sent after the pause of all hosts of the fleet; end it with ingestd resume --fleet'
    : `it is sent after the pause; end it with ingestd resume ${folder}`;
}

const asSent = 'nothing; the service has the current version';
export const remains = 'nothing; its document stays at the service as it was last sent';
const fixFirst = 'nothing until that is fixed; then it is sent';
const soon = 'it is checked again when nothing has changed for a while';
const readFirst = 'nothing until it can be read';
const whenOtherwise = 'nothing until that changes; then it is sent';

/** The verdict gave this reason already. */
function isTold(found: Inspection, message: string): boolean {
  return 'message' in found && found.message === message;
}

function waitingWords(found: Inspection, message: string): string {
  if (found.kind === 'settling' || message === '') return soon;
  if (!isTold(found, message)) return message;
  return found.kind === 'waiting' ? whenOtherwise : readFirst;
}

function failedWords(
  found: Inspection,
  { code, message }: { readonly code: string | null; readonly message: string },
): string {
  if (code === inDoubtCode) return `nothing until you decide with ingestd resolve: ${message}`;
  return isTold(found, message) ? fixFirst : `nothing until it changes or you run ingestd retry: ${message}`;
}

function nextStep(found: Inspection, { ahead, ledger, ref }: Sources): string {
  const { task, isInBacklog, isPaused, isFleetPaused, isRunning, obstacle } = ahead;
  if (!isRunning && obstacle !== null) return `nothing; ${obstacle}`;
  const known = ledger.get(ref) !== undefined;
  const isQueued = (isInBacklog && !known) || task?.state.kind === 'ready';
  if (isQueued && (isPaused || isFleetPaused)) return afterPause(ref, isFleetPaused);
  if (isQueued && !isRunning) return atStart(found, { ledger, ref });
  if (isInBacklog && known) return 'it is queued to be compared with its record';
  if (isInBacklog) return 'it is queued with other new files, newest first';
  if (task?.state.kind === 'ready' && obstacle !== null)
    return `its ${task.state.operation} is queued, and nothing is sent at present: ${obstacle}`;
  return nextOf(found, task, known);
}

/** What the next start does first with what is ready to be sent. */
function atStart(found: Inspection, { ledger, ref }: Pick<Sources, 'ledger' | 'ref'>): string {
  const record = ledger.get(ref);
  if (found.kind !== 'document') return 'its document is deleted at the service when ingestd runs';
  if (record === undefined) {
    return doubtsAbout(ref, ledger).some(isOpenDoubt)
      ? 'it is uploaded again when ingestd runs (safety.inDoubt: retry), and the service may then have it twice'
      : 'it is uploaded when ingestd runs';
  }
  return 'its changes are sent when ingestd runs';
}

function nextOf(found: Inspection, task: Task | undefined, known: boolean): string {
  if (task === undefined) {
    if (found.kind === 'unknown') return readFirst;
    if (!known) return awaitsContent(found) ? 'nothing until it has content; then it is sent' : 'nothing';
    return found.kind === 'absent' ? 'its deletion is planned at the next scan' : asSent;
  }
  const { state } = task;
  const message = reasonOf(task)?.message ?? '';
  switch (state.kind) {
    case 'inspect':
    case 'inspecting':
      return 'it is being checked';
    case 'ready':
      return `its ${state.operation} is queued and is sent as the request limit allows`;
    case 'sending':
      return 'it is being sent';
    case 'settling':
    case 'waiting':
      return 'reason' in state && state.reason?.code === incompleteCode
        ? `${message}; if it does not change, it is sent as it stands`
        : waitingWords(found, message);
    case 'grace':
      return 'its document is deleted shortly, unless the file comes back or turns up in another place';
    case 'retry':
      return `retrying: ${message}`;
    case 'failed':
      return failedWords(found, state.reason);
    case 'held':
      return `its deletion waits for your approval (ingestd approve): ${message}`;
    case 'dormant':
      return isTold(found, message) ? remains : `${remains}: ${message}`;
  }
}

/**
 * Says what became of a file that is not there, and of its document: from the ledger, and from the log.
 */
export function absentFile({
  ref,
  ledger,
  past,
}: LedgerSources): Pick<Why, 'docId' | 'uploadedAt' | 'deletedAt'> & { readonly message: string } {
  const record = ledger.get(ref);
  if (record !== undefined) {
    return {
      message: 'the file is gone from the folder; the service still has its document',
      docId: record.docId,
      uploadedAt: record.uploadedAt,
      deletedAt: null,
    };
  }
  const last = past.findLast(({ docId }) => docId !== null);
  const docId = last?.docId ?? null;
  if (last === undefined || docId === null) {
    const message = 'no such file in the folder, and no record of one';
    return { message, docId, uploadedAt: null, deletedAt: null };
  }
  const uploadedAt = past.find((one) => one.what === 'uploaded' && one.docId === docId)?.at ?? null;
  const elsewhere = ledger.findByDocId(docId);
  if (elsewhere !== undefined) {
    const message = `the file was moved to ${refKey(elsewhere)}, and its document with it`;
    return { message, docId, uploadedAt, deletedAt: null };
  }
  const isDeleted = last.what === 'deleted' && refKey(last) === refKey(ref);
  return {
    message: isDeleted
      ? 'the file is gone from the folder, and its document was deleted at the service'
      : 'the file is gone from the folder',
    docId,
    uploadedAt,
    deletedAt: isDeleted ? last.at : null,
  };
}
