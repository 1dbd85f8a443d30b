import { printable } from '../../lib/text/printable.ts';
import {
  hasGone,
  isBirthKnown,
  isPerhapsSame,
  isSameFile,
  refKey,
  replacedPath,
  sameDirectory,
  sameFile,
} from '../../model/document.ts';
import type { DocumentRef, FileStat, FoundDocument, Inspection } from '../../model/document.ts';
import { errorCode, exitCodes, IngestdError, shownTwiceCode, unreadableNowCode } from '../../model/errors.ts';
import { candidates, isFileOf, matchMove } from '../../model/match-moves.ts';
import { movedRecord } from '../../model/metadata/held-mode.ts';
import type { DirectoryMove } from '../../model/metadata/held-mode.ts';
import type { MissingEntry, Newcomer } from '../../model/match-moves.ts';
import { filesOfRecord } from '../../model/ports/ledger-port.ts';
import type { Change, Intent, LedgerEntry, LedgerPort, LedgerRecord } from '../../model/ports/ledger-port.ts';
import { changedUnderWayMs } from '../send/consequence.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Task } from '../tasks/task.ts';
import { attachedMark, attachmentsAfterMove } from './attachments.ts';

/** One record that follows its file. */
export interface MoveStep {
  readonly entry: LedgerEntry;
  readonly to: DocumentRef;
  /** What the record says of the file from now on: its old stat where the content was edited too. */
  readonly stat: FileStat;
  readonly isEdited: boolean;
  /** The directory that it was moved with. */
  readonly with?: DirectoryMove;
}

/** A path where nothing stands any more, and the overwritten document that takes it; null: the record just leaves. */
export interface LeftPath {
  readonly ref: DocumentRef;
  readonly takenBy: LedgerEntry | null;
}

/** Records that change their paths in one commit, without a request. */
export interface Move {
  readonly kind: 'move';
  readonly steps: readonly MoveStep[];
  readonly left: readonly LeftPath[];
  /** Of records that move with their directories: which of these hold what is at the paths in question from then on. */
  readonly directories?: readonly Extract<Change, { kind: 'directory' }>[];
}

/** `settling`: something of it is under way. */
export type MoveDecision =
  { readonly kind: 'none' } | { readonly kind: 'settling'; readonly againMs: number | null } | Move;

/** What is asked while looking for a move. */
export interface MoveEvidence {
  readonly ledger: Pick<LedgerPort, 'get' | 'findByFile' | 'intents' | 'root' | 'folders'>;
  readonly tasks: Pick<TaskStore, 'get' | 'in' | 'missingOfSize' | 'presentLike'>;
  /** The root of a folder is another one than the ledger knows. */
  readonly isRootChanged: (folder: string) => boolean;
  /** Nothing of a folder can be read. */
  readonly isUnavailable: (folder: string) => boolean;
  /** How long what has gone from a path may still come back, ms. */
  readonly graceMs: (ref: DocumentRef) => number;
  /** Undefined: the folder is not configured any more. */
  readonly inspect: (ref: DocumentRef) => Promise<Inspection | undefined>;
  /** Null: another file by now. Rejects where it cannot be read. */
  readonly hash: (ref: DocumentRef, stat: FileStat) => Promise<string | null>;
  /** Whether any directory that is listed has a file, as they are now. */
  readonly isFound: (stat: FileStat) => Promise<boolean>;
  /** Whether the file of a record that is gone from its path stands in such a directory, or may be where a mount hides it. */
  readonly mayStand: (entry: LedgerEntry) => Promise<boolean>;
}

/** A chain longer than this is sent file by file. */
const longestChain = 100_000;

const none = { kind: 'none' } as const;

/** The file, its record or its directory changes at this moment: it is compared again a little later. */
export const compareAgain = { kind: 'settling', againMs: changedUnderWayMs } as const;

/** A request about it is under way: it is compared again when one has ended. */
export const compareAfterRequest = { kind: 'settling', againMs: null } as const;

/** Whether the record of a found document's file is another path's. Only reads. */
export async function findMove(
  task: Task,
  document: FoundDocument,
  evidence: MoveEvidence,
): Promise<MoveDecision> {
  const known = evidence.ledger.get(document.ref);
  if (known === undefined) {
    const origin = await findOrigin(task, document, evidence);
    return origin.kind === 'none' ? findShownBefore(document, evidence) : origin;
  }
  // It would be uploaded again, since the service does not know the document of this path.
  if (known.docId === task.unknownDocId && isBeingUploaded(task, document, evidence))
    return compareAfterRequest;
  if (known.stat.ino !== document.stat.ino) return findRelocation(document, evidence);
  return none;
}

/** The record of the same place in a folder that shows this directory too, whose files are this one's by now. */
async function findShownBefore({ ref }: FoundDocument, evidence: MoveEvidence): Promise<MoveDecision> {
  const { ledger, inspect } = evidence;
  const root = ledger.root(ref.folder);
  for (const folder of ledger.folders()) {
    const before = { ...ref, folder };
    const [record, shown] = [ledger.get(before), ledger.root(folder)];
    if (record === undefined || root === undefined || shown === undefined) continue;
    const found = await inspect(before);
    if (!sameDirectory(shown, root) || found?.kind !== 'unknown' || found.code !== shownTwiceCode) continue;
    const step = { entry: { ref: before, record }, to: ref, stat: record.stat, isEdited: true };
    return { kind: 'move', steps: [step], left: [{ ref: before, takenBy: null }] };
  }
  return none;
}

/** What a move changes in the ledger. */
export function changesOf(
  { get, answer }: Pick<LedgerPort, 'get' | 'answer'>,
  { steps, left, directories }: Move,
): readonly Change[] {
  return [
    ...left.flatMap(({ ref, takenBy }): readonly Change[] => {
      const { folder, path } = takenBy?.ref ?? ref;
      // What a person keeps stays kept, wherever its record goes.
      const isKept = takenBy !== null && answer(takenBy.ref) === 'keep';
      return [
        takenBy === null
          ? { kind: 'drop', ref }
          : { kind: 'put', ref, record: recordAfterMove(overwritten(takenBy, steps), ref) },
        { kind: 'unapprove', folder, paths: [path] },
        ...(isKept ? [{ kind: 'approve', folder: ref.folder, paths: [ref.path], keeps: true } as const] : []),
        { kind: 'clear', ref },
      ];
    }),
    ...steps.map(({ entry: { ref, record: seen }, to, stat, isEdited, with: directory }): Change => {
      const record = get(ref) ?? seen;
      // What was edited on its way out of an attachment's place was no document's yet.
      const unsent = record.said?.includes(attachedMark) === true ? stat : record.standing;
      const standing = isEdited ? unsent : undefined;
      const moved = { ...record, stat, standing, fingerprint: '' };
      return { kind: 'put', ref: to, record: recordAfterMove({ ref, record: moved }, to, directory) };
    }),
    ...(directories ?? []),
  ];
}

/** The file that has come to its place is no longer what stands there of its own. */
function overwritten({ ref, record }: LedgerEntry, steps: readonly MoveStep[]): LedgerEntry {
  const { standing } = record;
  const came = steps.flatMap(({ entry, to }) =>
    refKey(to) === refKey(ref) ? filesOfRecord(entry.record) : [],
  );
  const isOwn = standing === undefined || !came.some((file) => sameFile(file, standing));
  return isOwn ? { ref, record } : { ref, record: { ...record, standing: undefined } };
}

/** A record at another path, which may be in another folder than its attachments, and what stated its mode. */
function recordAfterMove(
  { ref: from, record }: LedgerEntry,
  to: DocumentRef,
  directory?: DirectoryMove,
): LedgerRecord {
  const isWithDirectory = directory !== undefined;
  const attachments = attachmentsAfterMove(record, { from, to, isWithDirectory });
  return movedRecord({ ...record, attachments }, from, to, directory);
}

/** Whether the ledger is still what a move was worked out from: no path has another record by now. */
export function isStillTrue({ get }: Pick<LedgerPort, 'get'>, { steps, left }: Move): boolean {
  const leaving = new Set([
    ...steps.map(({ entry }) => entry.record.docId),
    ...left.flatMap(({ takenBy }) => (takenBy === null ? [] : [takenBy.record.docId])),
  ]);
  return steps.every(({ entry, to }) => {
    const record = get(entry.ref);
    const occupant = get(to);
    return (
      record?.docId === entry.record.docId &&
      record.sha256 === entry.record.sha256 &&
      (occupant === undefined || leaving.has(occupant.docId))
    );
  });
}

/**
 * Finds the record whose file a new document is. The record's old path is inspected before: what still stands somewhere
 * is never taken.
 */
async function findOrigin(
  task: Task,
  document: FoundDocument,
  evidence: MoveEvidence,
): Promise<MoveDecision> {
  const { ledger } = evidence;
  const { ref, stat: standing } = document;
  if (isBeingUploaded(task, document, evidence)) return compareAfterRequest;
  const possible = candidates(standing, perhapsMissing(standing, evidence));
  if (possible.length === 0) return findRelocation(document, evidence);
  const sha256 = await evidence.hash(ref, standing).catch(emptyUnlessPassing);
  if (sha256 === null) return compareAgain;
  if (sha256 === '') return none;
  const like = possible.filter((entry) => isFileOf(entry, standing) || entry.record.sha256 === sha256);
  const found = await matchOfLeft({ ref, stat: standing, sha256 }, like, evidence);
  if (ledger.get(document.ref) !== undefined) return none;
  // None of those that are gone: one that stands elsewhere by now may have been pushed from its path.
  if (found === null) return findRelocation(document, evidence);
  const { match, proof } = found;
  // Its own file stands at another path, sent or not, or may be hidden: what is like it is a copy.
  if (proof === 'content' && (await evidence.mayStand(match))) return none;
  // It may be a copy: what is back in its place within its grace keeps its document.
  const graceMs = proof === 'content' ? evidence.graceMs(match.ref) : 0;
  if (graceMs > 0) return { kind: 'settling', againMs: graceMs };
  const isEdited = proof === 'edited';
  const stat = isEdited ? match.record.stat : document.stat;
  const step = { entry: match, to: document.ref, stat, isEdited };
  return { kind: 'move', steps: [step], left: [{ ref: match.ref, takenBy: null }] };
}

/**
 * A record follows its file to where that is not sent, and takes that path from another; null: not into a folder that
 * treats removed files otherwise. `removeAlike`: whether two folders treat them alike; not where one is not configured any
 * more.
 */
export function moveUnsent(
  entry: LedgerEntry,
  to: { readonly ref: DocumentRef; readonly stat: FileStat },
  ledger: Pick<LedgerPort, 'get'>,
  removeAlike: (one: string, other: string) => boolean,
): Move | null {
  if (!removeAlike(entry.ref.folder, to.ref.folder)) return null;
  const { stat } = entry.record;
  const isEdited =
    stat.size !== to.stat.size || stat.mtimeMs !== to.stat.mtimeMs || !isPerhapsSame(stat, to.stat);
  const step = { entry, to: to.ref, stat: isEdited ? stat : to.stat, isEdited };
  const record = ledger.get(to.ref);
  const overwritten = record === undefined ? record : { ref: to.ref, record };
  return { kind: 'move', steps: [step], left: leavePaths([[entry.ref, overwritten]], ledger) };
}

/** The record that a newcomer is, of those whose files have left their paths. */
async function matchOfLeft(
  found: Newcomer,
  like: readonly MissingEntry[],
  evidence: MoveEvidence,
): Promise<ReturnType<typeof matchMove>> {
  const isStill = ({ ref, record }: MissingEntry) => evidence.ledger.get(ref)?.docId === record.docId;
  // The same file with the same content is the best match, whatever else is missing: many files may be equal.
  const best = matchMove(found, like);
  const isGone = async (entry: LedgerEntry) =>
    hasLeft(entry, found.stat, await evidence.inspect(entry.ref), evidence);
  if (best?.proof === 'inode' && (await isGone(best.match)) && isStill(best.match)) return best;
  const missing: MissingEntry[] = [];
  for (const entry of like) if (await isGone(entry)) missing.push(entry);
  return matchMove(found, missing.filter(isStill));
}

/**
 * The same file is on its way to the service under the name that it had a moment ago: soon there is a record of it.
 * Whoever has a permit waits only for a request that has gone out: two names of one file would wait for each other.
 */
function isBeingUploaded(task: Task, { stat }: FoundDocument, { ledger, tasks }: MoveEvidence): boolean {
  if (task.state.kind === 'sending') {
    const goesOut = ({ ref, stat: sent }: Intent) =>
      refKey(ref) !== task.key && sent !== undefined && isPerhapsSame(stat, sent);
    const intents = ledger.intents();
    const own = intents.findIndex(({ ref }) => refKey(ref) === task.key);
    // One that began later waits for this one.
    return intents.slice(0, own === -1 ? undefined : own).some(goesOut);
  }
  // Without a number it may be what is sent for a path where nothing stands any more, which may not be known yet.
  if (stat.ino === 0)
    return [...tasks.in('sending')].some(({ seen }) => seen !== null && isPerhapsSame(seen.stat, stat));
  for (const other of tasks.presentLike(stat)) {
    const isSent = other.state.kind === 'sending' && other.seen?.stat.dev === stat.dev;
    if (isSent && other !== task) return true;
  }
  return false;
}

/** Records that this file could be, of files that scans did not list, or of its inode. */
function perhapsMissing(stat: FileStat, { ledger, tasks }: MoveEvidence): readonly MissingEntry[] {
  const found = new Map<string, MissingEntry>();
  for (const entry of ledger.findByFile(stat)) found.set(refKey(entry.ref), entry);
  for (const { key, ref, seen } of tasks.missingOfSize(stat.size)) {
    const record = ledger.get(ref);
    if (record !== undefined) found.set(key, { ref, record, seen: seen?.stat });
  }
  return [...found.values()];
}

/**
 * Whether the file of a record has left its path. What is not listed need not be gone: it may be ignored, or an
 * attachment by now. In a root that is another one than the ledger knows nothing is gone, but what this file itself proves.
 */
function hasLeft(
  { ref, record }: LedgerEntry,
  standing: FileStat,
  found: Inspection | undefined,
  { isRootChanged, isUnavailable }: MoveEvidence,
): boolean {
  const files = filesOfRecord(record);
  const isItself = isProven(files, standing);
  const isSame = isItself || files.some((file) => isSameFile(file, standing));
  // In a folder that is not configured any more, cannot be read, or shows the files of this one, nobody looks. What stands
  // elsewhere has left it, or is a link of it.
  if (found === undefined || (found.kind === 'unknown' && isUnavailable(ref.folder))) return isSame;
  // Where an ignore file is not valid nothing is deleted: what stands elsewhere has left it all the same.
  const presence = 'presence' in found ? found.presence : undefined;
  if (hasGone(found) || presence === 'gone') return isSame || !isRootChanged(ref.folder);
  return isItself && presence === 'unseen';
}

/** Whether another document's own file stands, and is not sent, where one of a record has been: that one follows it later. */
function isOfAnother(
  { ref, record }: LedgerEntry,
  found: Inspection | undefined,
  { findByFile }: Pick<LedgerPort, 'findByFile'>,
): boolean {
  const stat = found?.kind === 'ignored' || found?.kind === 'skipped' ? found.stat : undefined;
  if (stat === undefined || sameFile(stat, record.stat)) return false;
  return findByFile(stat).some((one) => refKey(one.ref) !== refKey(ref) && sameFile(one.record.stat, stat));
}

/** Nothing equals a file that this user may not read; of one that can be read again soon, nothing is concluded now. */
function emptyUnlessPassing(error: unknown): '' {
  if (errorCode(error) === unreadableNowCode) throw error;
  return '';
}

function isProven(known: readonly FileStat[], found: FileStat): boolean {
  return known.some((file) => isBirthKnown(found, file) && isPerhapsSame(file, found));
}

/**
 * Recognises documents that changed places: swaps, chains of renames, a rename over another document, where each file
 * in question is a recorded one by inode and content. A document whose file was overwritten is missing from then on: it is
 * deleted like any other, with grace and guard, or found again. Where no path came free, the path keeps its docId: so does
 * the one in a rotation in whose place a file without a record stands, a save with a backup.
 */
async function findRelocation(document: FoundDocument, evidence: MoveEvidence): Promise<MoveDecision> {
  const { ledger, tasks, inspect } = evidence;
  const steps = new Map<string, MoveStep>();
  const moved = new Set<string>();
  const free: DocumentRef[] = [];
  const overwritten: LedgerEntry[] = [];
  let saved: MoveStep | undefined;
  const queue: { ref: DocumentRef; stat: FileStat }[] = [document];
  for (const { ref, stat } of queue) {
    const key = refKey(ref);
    if (steps.has(key)) continue;
    const found = await recordOfFile(ref, stat, evidence);
    if (found === 'unclear') return compareAgain;
    if (steps.size >= longestChain) return none;
    if (found === null) {
      saved = [...steps.values()].find(({ entry }) => refKey(entry.ref) === key);
      if (saved === undefined) return none;
      continue;
    }
    const { entry, isEdited } = found;
    // A hard link: one file stands at two paths, and its docId can have one.
    if (moved.has(entry.record.docId)) return none;
    moved.add(entry.record.docId);
    steps.set(key, { entry, to: ref, stat: isEdited ? entry.record.stat : stat, isEdited });
    const source = await inspect(entry.ref);
    if (hasLeft(entry, stat, source, evidence) || isOfAnother(entry, source, ledger)) free.push(entry.ref);
    else {
      const standing = standingAt(entry, source, tasks);
      if (standing === null) return none;
      if (standing === 'unclear') return compareAgain;
      queue.push(standing);
    }
    const displaced = ledger.get(ref);
    if (displaced === undefined || moved.has(displaced.docId)) continue;
    if (displaced.stat.ino === stat.ino) return none;
    const target = newPlaceOf(key, displaced.stat, tasks);
    if (target === null) overwritten.push({ ref, record: displaced });
    else queue.push(target);
  }
  const homeless = overwritten.filter(({ record }) => !moved.has(record.docId));
  const followed = [...steps.values()].filter((step) => step !== saved);
  if (homeless.length > free.length || followed.length === 0) return none;
  const left = leavePaths(
    free.map((ref, index) => [ref, homeless[index]]),
    ledger,
  );
  const vacated = saved === undefined ? [] : [{ ref: saved.to, takenBy: null }];
  return { kind: 'move', steps: followed, left: [...left, ...vacated] };
}

/**
 * The file that stands where a recorded one stood. One that came a moment ago is recorded all the same, and its own
 * record may have to follow it: a chain of renames does not settle in one instant. Null: nothing that could be told.
 */
function standingAt(
  { ref, record }: LedgerEntry,
  found: Inspection | undefined,
  tasks: MoveEvidence['tasks'],
): { ref: DocumentRef; stat: FileStat } | null | 'unclear' {
  if (found?.kind === 'document') return { ref, stat: found.document.stat };
  // Whether the file has left it, or has two names now, shows when it can be read again.
  if (found?.kind === 'unknown' && found.code === unreadableNowCode)
    throw new IngestdError(found.code, exitCodes.unforeseen, `${printable(refKey(ref))}: ${found.message}`);
  if (found?.kind !== 'settling' && found?.kind !== 'waiting' && found?.kind !== 'unfit') return null;
  // What is being sent there may have been replaced since it was seen last.
  const stat = found.stated?.stat ?? tasks.get(ref)?.seen?.stat;
  if (stat !== undefined && !sameFile(stat, record.stat)) return { ref, stat };
  // What no scan has seen yet it sees soon; else it is the recorded file itself, of which this one is a hard link.
  return found.kind === 'settling' ? 'unclear' : null;
}

/**
 * What becomes of paths that came free, and of the overwritten documents: each is missing below the file that has its path,
 * where nothing can stand.
 */
export function leavePaths(
  free: readonly (readonly [DocumentRef, LedgerEntry | undefined])[],
  { get }: Pick<LedgerPort, 'get'>,
): readonly LeftPath[] {
  return free.flatMap(([ref, overwritten]): readonly LeftPath[] => {
    if (overwritten === undefined) return [{ ref, takenBy: null }];
    let missing = overwritten.ref;
    while (get(missing) !== undefined) missing = { ...missing, path: replacedPath(missing.path) };
    return [
      { ref, takenBy: null },
      { ref: missing, takenBy: overwritten },
    ];
  });
}

/** The record of the file that stands at a path now, if it is another path's: unchanged, or its identity proves it. */
async function recordOfFile(
  ref: DocumentRef,
  stat: FileStat,
  evidence: MoveEvidence,
): Promise<Pick<MoveStep, 'entry' | 'isEdited'> | null | 'unclear'> {
  const possible = perhapsMissing(stat, evidence);
  const own = possible.filter(({ record }) => record.stat.ino === stat.ino);
  // What only stands in its place, or was seen there last, may be a link of another's.
  for (const entry of own.length > 0 ? own : possible) {
    const { record, seen } = entry;
    const isSame = isProven([...filesOfRecord(record), ...(seen === undefined ? [] : [seen])], stat);
    const isLike = isSame || (own.length > 0 && record.stat.size === stat.size);
    if (refKey(entry.ref) === refKey(ref) || !isLike) continue;
    // Of hard links, the one that still stands keeps its document.
    const there = await evidence.inspect(entry.ref);
    if (there?.kind === 'document' && sameFile(there.document.stat, stat)) continue;
    const sha256 = await evidence.hash(ref, stat).catch(emptyUnlessPassing);
    if (sha256 === null) return 'unclear';
    const isEdited = sha256 !== record.sha256;
    if ((isSame && stat.ino !== 0) || !isEdited) return { entry, isEdited };
  }
  return null;
}

/** Where a file that was pushed from its path has gone: among the paths that differ. */
function newPlaceOf(
  from: string,
  file: FileStat,
  tasks: MoveEvidence['tasks'],
): { ref: DocumentRef; stat: FileStat } | null {
  for (const { key, ref, seen } of tasks.presentLike(file)) {
    if (seen !== null && key !== from && isPerhapsSame(file, seen.stat)) return { ref, stat: seen.stat };
  }
  return null;
}
