import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { groupBy } from '../../lib/group-by.ts';
import { sumOf } from '../../lib/sum-of.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { shellWord } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { nowStates, whySchema } from '../../model/report/command-reports.ts';
import type { Why } from '../../model/report/command-reports.ts';
import {
  isAbsent,
  isAtOrBelow,
  joinPath,
  nameOf,
  orphanAttachments,
  refKey,
  replacedPath,
} from '../../model/document.ts';
import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import { inDoubtCode, resolveWords, sentAgainNow } from '../../model/doubts.ts';
import { ignoreFileCode } from '../../model/errors.ts';
import type { PausedFolders } from '../../model/ports/control-port.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import { isOfDeletion, isStillRefused } from '../../model/ports/ledger-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { attachmentDirectoryEnd, isAttachmentDirectory } from '../../model/names-and-types.ts';
import { explain, fixAt, placed, mayHelpToRetry } from '../../model/report/explanations.ts';
import { resumeWords } from '../../model/report/pause-words.ts';
import type { Reason } from '../../model/report/status.ts';
import { incompleteCode } from '../../model/report/wait-kinds.ts';
import type { Settings } from '../../model/settings.ts';
import { withDocument } from '../../sync/decide/document-of-sidecar.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';
import type { Engine } from '../../sync/engine.ts';
import { dueOf, isAttached, reasonOf } from '../../sync/tasks/task.ts';
import type { Task } from '../../sync/tasks/task.ts';
import { counterOf } from '../../sync/tasks/task-store.ts';
import type { History } from '../history/history.ts';
import { isInLog } from '../history/read-log.ts';
import { metadataOf, notesOn } from './held-metadata.ts';
import { absentFile, doubtNotes, remains, remembered } from './remembered.ts';
import { formerPath, requirePath, resolvePath } from './resolve-path.ts';

/** Where what `why` says comes from. */
interface WhySources {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly settings: Pick<Settings, 'file'> & { readonly state: Pick<Settings['state'], 'dir'> };
  readonly engine: Engine;
  readonly ledger: LedgerPort;
  readonly folders: readonly FolderPort[];
  readonly past: History['past'];
  /** False: no daemon runs, and the engine only looks. */
  readonly isRunning: boolean;
  /** What a person paused. */
  readonly pauses: PausedFolders;
  /** A person paused all hosts of the fleet. */
  readonly isFleetPaused: boolean;
  /** Why nothing is sent now, of whatever document; null: requests go out. */
  readonly obstacle: string | null;
}

/** One file of a folder. */
interface Asked extends WhySources {
  readonly ref: DocumentRef;
  readonly port: FolderPort;
  readonly task: Task | undefined;
}

/** The whole story of the file that a text means. Throws ConfigurationError where it is in no folder. */
export async function describeFile(text: string, sources: WhySources): Promise<Why> {
  const { clock, engine, ledger, folders, past: pastOf } = sources;
  const former = formerPath(folders, text);
  const isOfFormer = former !== null && ledger.get(former) !== undefined;
  if (isOfFormer && resolvePath(folders, text) === null) return describeFormer(former, sources);
  const { ref, folder: port } = requirePath(folders, text);
  const record = ledger.get(ref);
  const stats = record === undefined ? await lstat(join(port.path, ref.path)).catch(() => null) : null;
  if (isOfFormer && record === undefined && stats === null) return describeFormer(former, sources);
  if (stats?.isDirectory() === true) return describeDirectory(ref, port, sources);
  const task = engine.tasks.get(ref);
  const file: Asked = { ...sources, ref, port, task };
  const known = { ref, ledger, past: await pastOf(ref), recent: engine.attempts.of(refKey(ref)) };
  const found = await inspectDocument(port, ref, record, engine.known);
  const document = found.kind === 'document' ? found.document : null;
  const absent = found.kind === 'absent' ? absentFile(known) : null;
  const aside =
    found.kind === 'ignored' && found.owner !== undefined
      ? await describeOwner(file, found.owner, found.code)
      : absent?.docId === null && known.past.length === 0
        ? await goneDirectory(ref, sources)
        : null;
  const held = metadataOf(found, record);
  const replaced = { ...ref, path: replacedPath(ref.path) };
  const verdict = withDocument(ref, verdictOf(found), ledger, engine.tasks);
  // What stays an attachment is looked at again, but nothing is to happen to it then.
  const dueMs = task === undefined || !sources.isRunning || isAttached(task) ? null : dueOf(task);
  return {
    ...ref,
    ...remembered(known),
    verdict: { ...verdict, message: aside?.message ?? absent?.message ?? verdict.message },
    now: nowOf(verdict, file),
    fix: fixOf(verdict, file, { document, narrower: held.narrower }),
    sidecar: document?.sidecar ?? null,
    sentAs: document === null || document.fileName === nameOf(ref.path) ? null : document.fileName,
    ...held,
    attachments: document?.attachments.map(({ path }) => path) ?? [],
    docId: record?.docId ?? absent?.docId ?? null,
    uploadedAt: record?.uploadedAt ?? absent?.uploadedAt ?? null,
    deletedAt: absent?.deletedAt ?? null,
    notes: [
      ...(held.narrower === null ? [] : [held.narrower.message]),
      ...(aside?.notes ?? (document === null || record === undefined ? [] : notesOn(document, record))),
      ...doubtNotes(known, found.kind === 'absent', againWords(file)),
      ...(ledger.get(replaced) === undefined
        ? []
        : [`the document of the file that it replaced: see ingestd why ${shellWord(refKey(replaced))}`]),
    ],
    next: aside?.next ?? nextStep(found, file),
    nextAt: dueMs === null ? null : new Date(clock.now() + dueMs - clock.monotonic()).toISOString(),
  };
}

/** How an upload in doubt is sent again; null: it is not. */
function againWords({ engine, ref, task }: Asked): string | null {
  if (task?.state.kind === 'sending') return sentAgainNow;
  const isInLine = task === undefined ? engine.tasks.backlog.has(ref) : queuedStates.has(task.state.kind);
  if (!isInLine || task?.present === false) return null;
  return `it is sent again by itself, and the service may have it twice then; to prevent that, ${resolveWords(shellWord(refKey(ref)))}`;
}

/** A document of a folder that is no longer configured. */
async function describeFormer(ref: DocumentRef, { ledger, past }: WhySources): Promise<Why> {
  const record = ledger.get(ref);
  const message = `the folder ${ref.folder} is no longer configured; the service keeps its documents`;
  const verdict: Inspection = { kind: 'ignored', code: 'outside-folder', message };
  return whySchema.parse({
    ...ref,
    ...remembered({ ref, ledger, past: await past(ref) }),
    ...metadataOf(verdict, record),
    verdict,
    docId: record?.docId,
    uploadedAt: record?.uploadedAt,
    next: remains,
  });
}

const standing = { failed: 'failed', inDoubt: 'in doubt', waiting: 'waiting', pending: 'to send' } as const;

/**
 * What there is of a directory and of all below it. `words`: documents that the service holds, and those that it does not
 * as they stand; empty: none. `asked`: what a person is to decide or to fix; null: nothing.
 */
function contentsOf(
  { folder, path }: DocumentRef,
  { ledger, engine }: Pick<WhySources, 'ledger' | 'engine'>,
) {
  const places = Array.from(ledger.directories(folder)).filter((place) => isAtOrBelow(place, path));
  const count = sumOf(places, (place) => ledger.recordsIn(folder, place).size);
  const isInside = ({ ref }: { readonly ref: DocumentRef }) =>
    ref.folder === folder && isAtOrBelow(ref.path, path);
  const counters = groupBy([...engine.tasks.all()].filter(isInside), counterOf);
  const others = (Object.keys(standing) as (keyof typeof standing)[]).flatMap((counter) => {
    const tasks = counters.get(counter) ?? [];
    return tasks.length === 0 ? [] : [`${numberWords(tasks.length)} ${standing[counter]}`];
  });
  const words = [
    ...(count === 0 ? [] : [`; the service has ${countWords(count, 'document')} of it`]),
    ...(others.length === 0 ? [] : [`; ${others.join(', ')}`]),
  ].join('');
  const held = engine.holds.tasks(folder).filter(isInside).length;
  const place = shellWord(path === '' ? folder : refKey({ folder, path }));
  if (held > 0) {
    const choices = `ingestd approve ${shellWord(folder)}, or ingestd keep ${place}`;
    return {
      words,
      asked: `nothing until you decide about ${countWords(held, 'held deletion')} in it: ${choices}`,
    };
  }
  const isAsked = counters.has('failed') || counters.has('inDoubt');
  return {
    words,
    asked: isAsked ? 'nothing for what failed or is in doubt; ingestd status says what to do' : null,
  };
}

/** What is said of a path at which nothing stands, and never stood a file, where a directory did; null: nothing is known. */
async function goneDirectory(ref: DocumentRef, sources: WhySources) {
  const { words, asked } = contentsOf(ref, sources);
  if (words === '' && !(await isInLog(sources.settings.state.dir, [ref]))) return null;
  const next = asked ?? `nothing; ingestd log ${shellWord(refKey(ref))} tells what became of its files`;
  return { message: `the directory is gone from the folder${words}`, notes: [], next };
}

async function describeDirectory(ref: DocumentRef, port: FolderPort, sources: WhySources): Promise<Why> {
  const { ledger } = sources;
  const kind = 'directory';
  const told = (reason: Reason, next: string, more: Partial<Pick<Why, 'fix' | 'notes'>> = {}) =>
    whySchema.parse({ ...ref, verdict: { kind, ...reason }, next, ...more });
  const owner = await ownerOfAttachments(port, ref.path);
  if (owner === null) {
    const inside = await port.inspect(joinPath(ref.path, 'any'));
    if (inside.kind === 'unknown') return told(inside, unchanged, { fix: explain(inside.code).fix });
    if (inside.kind === 'ignored' && inside.code !== 'not-included') return told(inside, 'nothing');
    const { words, asked } = contentsOf(ref, sources);
    const message =
      ref.path === ''
        ? `the folder itself${words}; for its state run ingestd status`
        : `a directory; ingestd scans it for documents${words}`;
    return told({ code: kind, message }, asked ?? 'nothing; ask about a file in it');
  }
  const name = refKey({ ...ref, path: owner });
  const { orphanAttachments: orphans } = sources.engine.folders.viewOf(ref.folder);
  if (orphans.some(({ path }) => path === ref.path))
    return told(orphanAttachments, `nothing until ${name} exists`, {
      fix: explain(orphanAttachments.code).fix,
    });
  const attachments = { code: 'attachments', message: `the attachments of ${name}` };
  const { next, notes } = await describeOwner({ ref, port, ledger }, owner, attachments.code);
  return told(attachments, next, { notes });
}

/** The path of the document whose attachments lie in a directory; null: it holds none, or is ignored. */
async function ownerOfAttachments(port: FolderPort, directory: string) {
  if (!isAttachmentDirectory(nameOf(directory))) return null;
  const inside = await port.inspect(joinPath(directory, 'any'));
  return inside.kind === 'ignored' ? (inside.owner ?? null) : null;
}

/** Verdicts whose code has a fix. */
const withFix: ReadonlySet<string> = new Set(['unfit', 'skipped', 'waiting', 'unknown']);

/** A companion that is not valid is what is to be corrected, though it is no document. */
const companionCodes: ReadonlySet<string> = new Set([
  'defaults-invalid',
  'ambiguous-sidecar',
  ignoreFileCode,
]);

/** What to do about what keeps it from being sent; null: nothing does, or its message says so. */
function fixOf(
  verdict: Why['verdict'],
  { ref, ledger, task, isRunning, settings }: Asked,
  { document, narrower }: { readonly document: FoundDocument | null; readonly narrower: Why['narrower'] },
): string | null {
  const failure = ledger.failure(ref);
  const isRefused =
    failure !== undefined && (document === null ? isOfDeletion(failure) : isStillRefused(failure, document));
  const isStopped = task !== undefined && stoppedStates.has(task.state.kind);
  const stopped = (isStopped ? reasonOf(task) : null) ?? (isRefused ? failure : null);
  const doubled = (ledger.get(ref)?.possibleDuplicates ?? 0) > 0 ? { code: 'possible-duplicates' } : null;
  const isVerdict = withFix.has(verdict.kind) || companionCodes.has(verdict.code);
  const reason = isVerdict ? verdict : (stopped ?? doubled ?? narrower);
  if (reason === null) return null;
  const daemon = { configuration: settings.file, pid: process.pid };
  const fix = isRunning ? fixAt(reason.code, daemon) : explain(reason.code).fix;
  return placed(fix, reason.code === 'held' ? ref.folder : refKey(ref)) || null;
}

/** States of a task that is to be sent as it is. */
const queuedStates: ReadonlySet<Task['state']['kind']> = new Set(['ready', 'retry']);

/** States of a task whose reason has a fix. */
const stoppedStates: ReadonlySet<Task['state']['kind']> = new Set(['retry', 'failed', 'held', 'waiting']);

/** An attachment, a directory of them or a sidecar goes where its document goes: what keeps that one keeps this one. */
async function describeOwner(
  { ref, port, ledger }: Pick<Asked, 'ref' | 'port' | 'ledger'>,
  path: string,
  code: string,
): Promise<Pick<Why, 'notes' | 'next'> & { readonly message?: string }> {
  const owner = { folder: ref.folder, path };
  const found = await inspectDocument(port, owner, ledger.get(owner));
  const name = refKey(owner);
  const see = `see ingestd why ${shellWord(name)}`;
  if (found.kind === 'absent') {
    return { notes: [`its document ${name} does not exist`], next: `nothing until ${name} exists` };
  }
  if (code === 'attachment' && found.kind === 'document') {
    const isSent = found.document.attachments.some((one) => one.path === ref.path);
    const why = 'it is in a subdirectory, or an ignore file in the directory of attachments names it';
    if (!isSent) return { message: `not sent with its document ${name}: ${why}`, notes: [], next: 'nothing' };
    const isListed = found.document.sidecar !== null || ref.path.startsWith(path + attachmentDirectoryEnd);
    const stays = `its document ${name} has no list of attachments by now, so it stays one until a valid sidecar of that does not list it`;
    if (!isListed) return { notes: [stays], next: `when it changes, it is sent with its document; ${see}` };
  }
  const failure = ledger.failure(owner)?.message;
  const isFit = found.kind === 'document' || found.kind === 'settling';
  const why = isFit ? (failure ?? null) : verdictOf(found).message;
  const sent = code === 'attachments' ? 'they are sent with their document' : 'it is sent with its document';
  if (why === null) return { notes: [], next: `${sent}; ${see}` };
  return { notes: [`its document ${name} is not sent: ${why}`], next: `nothing until that is fixed; ${see}` };
}

const verdicts = {
  document: 'a document of this folder',
  settling:
    'it changed a moment ago, or what belongs to it may still come; it is sent when nothing changes any more',
  absent: 'no such file in the folder',
};

function verdictOf(found: Inspection): Why['verdict'] {
  const { kind } = found;
  if (kind === 'document' || kind === 'settling' || kind === 'absent')
    return { kind, code: kind, message: verdicts[kind] };
  return { kind, code: found.code, message: found.message };
}

/** Where it stands on its way; null: it is where it should be. */
function nowOf({ kind, message }: Why['verdict'], { engine, ref, task }: Asked): Why['now'] {
  const counter = task !== undefined ? counterOf(task) : engine.tasks.backlog.has(ref) ? 'pending' : null;
  const { data: state } = nowStates.safeParse(counter);
  if (state === undefined) return null;
  return { state, message: (task && reasonOf(task)?.message) ?? (kind === 'document' ? '' : message) };
}

const queuedWords = {
  upload: 'it is uploaded',
  modify: 'its changes are sent',
  delete: 'its document is deleted at the service',
} as const;

const asSent = 'nothing; the service has the current version';
const soon = 'it is checked again when nothing has changed for a while';
const unchanged = 'nothing until that changes';

/** The verdict gave this reason already. */
function isTold(found: Inspection, message: string): boolean {
  return 'message' in found && found.message === message;
}

function failedWords(found: Inspection, { code, message }: Reason, path: string): string {
  if (code === inDoubtCode) return 'nothing until you decide';
  if (isAbsent(found))
    return `nothing until you run ingestd retry ${path}, or ingestd keep ${path}, which leaves its document at the service`;
  if (isTold(found, message)) return 'nothing until that is fixed; then it is sent';
  return `nothing until ${mayHelpToRetry(code) ? `it changes or you run ingestd retry ${path}` : 'that is fixed'}`;
}

function nextStep(found: Inspection, file: Asked): string {
  const { engine, ledger, ref, task, isFleetPaused, isRunning, obstacle } = file;
  if (!isRunning && obstacle !== null) return `nothing; ${obstacle}`;
  const known = ledger.get(ref) !== undefined;
  const isInBacklog = engine.tasks.backlog.has(ref);
  const isQueued = (isInBacklog && !known) || task?.state.kind === 'ready';
  const words = queuedWords[task?.state.kind === 'ready' ? task.state.operation : 'upload'];
  if (isQueued && isFleetPaused)
    return `${words} when you run ingestd resume --fleet (all hosts of the fleet are paused)`;
  if (isQueued && file.pauses.paused.includes(ref.folder))
    return `${words} ${resumeWords(ref.folder, file.pauses.pauses)}`;
  if (isQueued && !isRunning) return `${words} when ingestd runs`;
  if (isInBacklog && known) return 'it is queued to be compared with its record';
  if (isInBacklog) return 'it is queued with other new files, newest first';
  if (task?.state.kind === 'ready' && obstacle !== null)
    return `its ${task.state.operation} is queued, and nothing is sent at present: ${obstacle}`;
  return nextOf(found, task, known);
}

function nextOf(found: Inspection, task: Task | undefined, known: boolean): string {
  if (task === undefined) {
    if (found.kind === 'unknown') return unchanged;
    const isFault = 'code' in found && companionCodes.has(found.code);
    if (!known) return found.kind === 'skipped' || isFault ? unchanged : 'nothing';
    return isAbsent(found) ? 'its deletion is planned at the next scan' : asSent;
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
      if (reasonOf(task)?.code === incompleteCode) return 'if it does not change, it is sent as it stands';
      if (found.kind === 'settling' || message === '') return soon;
      if (!task.present) return message;
      return found.kind === 'unknown' ? unchanged : `${unchanged}; then it is sent`;
    case 'grace':
      return 'its document is deleted shortly, unless the file comes back or turns up in another place';
    case 'retry':
      return 'it is tried again';
    case 'failed':
      return failedWords(found, state.reason, shellWord(refKey(task.ref)));
    case 'held':
      return `its deletion waits for your approval (ingestd approve ${shellWord(task.ref.folder)})`;
    case 'dormant':
      return isTold(found, message) ? remains : `${remains}: ${message}`;
  }
}
