import { printable } from '../../lib/text/printable.ts';
import {
  directoryOf,
  hasGone,
  isBirthKnown,
  isPerhapsSame,
  isSameFile,
  nameOf,
  refKey,
  replacedPath,
  sameDirectory,
  sameFile,
  sameInode,
} from '../../model/document.ts';
import type { DocumentRef, FileStat, FoundDocument, Inspection } from '../../model/document.ts';
import {
  errorCode,
  exitCodes,
  IngestdError,
  isUnreadable,
  shownTwiceCode,
  unreadableNowCode,
} from '../../model/errors.ts';
import { movedRecord } from '../../model/metadata/held-mode.ts';
import type { DirectoryMove } from '../../model/metadata/held-mode.ts';
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

/** A record whose file may be another path's. */
interface MissingEntry extends LedgerEntry {
  /** The file that was seen there last, if it is another one: it was saved there, and not sent yet. */
  readonly seen?: FileStat | undefined;
}

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
  // It would be uploaded: again, where the service does not know the document of this path.
  const isNew = known === undefined || known.docId === task.unknownDocId;
  if (isNew && isBeingUploaded(task, document, evidence)) return compareAfterRequest;
  if (known !== undefined && sameInode(known.stat, document.stat)) return none;
  const found = await findChain(document, evidence);
  return found.kind === 'none' && known === undefined ? findShownBefore(document, evidence) : found;
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
 * A record follows its file to where that is not sent, and takes that path from another; null: not into a folder that
 * treats removed files otherwise. `removeAlike`: whether two folders treat them alike; not where one is not configured any
 * more.
 */
export function moveUnsent(
  entry: LedgerEntry,
  { ref: to, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
  ledger: Pick<LedgerPort, 'get'>,
  removeAlike: (one: string, other: string) => boolean,
): Move | null {
  if (!removeAlike(entry.ref.folder, to.folder)) return null;
  const known = entry.record.stat;
  const isEdited = known.size !== stat.size || known.mtimeMs !== stat.mtimeMs || !isPerhapsSame(known, stat);
  const steps = [{ entry, to, stat: isEdited ? known : stat, isEdited }];
  return { kind: 'move', steps, left: leftAfter(steps, ledger) };
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
  const isSent = (other: Task) =>
    other !== task && other.seen?.stat.dev === stat.dev && isPerhapsSame(other.seen.stat, stat);
  return [...tasks.in('sending')].some(isSent);
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
  const isItself = files.some((file) => isBirthKnown(standing, file) && isPerhapsSame(file, standing));
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
  const stat = found !== undefined && 'stat' in found ? found.stat : undefined;
  if (stat === undefined || sameFile(stat, record.stat)) return false;
  return findByFile(stat).some((one) => refKey(one.ref) !== refKey(ref) && sameFile(one.record.stat, stat));
}

/** Nothing equals a file that this user may not read; of one that can be read again soon, nothing is concluded now. */
function emptyUnlessPassing(error: unknown): '' {
  if (errorCode(error) === unreadableNowCode) throw error;
  return '';
}

/**
 * Recognises documents that changed places: swaps, chains of renames, a rename over another document, where each file
 * in question is a recorded one by inode and content. A document whose file was overwritten is missing from then on: it is
 * deleted like any other, with grace and guard, or found again. Where no path came free, the path keeps its docId: so does
 * the one in a rotation in whose place a file without a record stands, a save with a backup.
 */
async function findChain(document: FoundDocument, evidence: MoveEvidence): Promise<MoveDecision> {
  const { ledger, tasks } = evidence;
  const steps = new Map<string, MoveStep>();
  const moved = new Set<string>();
  const pushed: LedgerEntry[] = [];
  let saved: MoveStep | undefined;
  const queue: { ref: DocumentRef; stat: FileStat }[] = [document];
  for (const { ref, stat } of queue) {
    const key = refKey(ref);
    if (steps.has(key)) continue;
    const found = await originOf({ ref, stat }, evidence);
    if (found.kind === 'settling') return found;
    if (found.kind === 'none') {
      saved = [...steps.values()].find(({ entry }) => refKey(entry.ref) === key);
      if (saved === undefined) return none;
      continue;
    }
    const { entry, source } = found;
    const isEdited = found.rank === ranks.edited;
    // A hard link: one file stands at two paths, and its docId can have one.
    if (moved.has(entry.record.docId)) return none;
    moved.add(entry.record.docId);
    steps.set(key, { entry, to: ref, stat: isEdited ? entry.record.stat : stat, isEdited });
    if (!found.hasLeft && !isOfAnother(entry, source, ledger)) {
      const standing = standingAt(entry, source, tasks);
      if (standing === null) return none;
      if (standing === 'unclear') return compareAgain;
      queue.push(standing);
    }
    const displaced = ledger.get(ref);
    if (displaced !== undefined) pushed.push({ ref, record: displaced });
    if (displaced === undefined || moved.has(displaced.docId)) continue;
    if (sameInode(displaced.stat, stat)) return none;
    const target = newPlaceOf(key, displaced.stat, tasks);
    if (target !== null) queue.push(target);
  }
  const followed = [...steps.values()].filter((step) => step !== saved);
  const left = leftAfter(followed, ledger, pushed);
  const isPushedOut = left.some(({ takenBy }) => takenBy !== null);
  if (followed.length === 0 || (saved !== undefined && isPushedOut)) return none;
  return { kind: 'move', steps: followed, left };
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
  if (found?.kind === 'unknown' && found.stat === undefined && isUnreadable(found))
    throw new IngestdError(
      unreadableNowCode,
      exitCodes.unforeseen,
      `${printable(refKey(ref))}: ${found.message}`,
    );
  if (found?.kind !== 'settling' && found?.kind !== 'waiting' && found?.kind !== 'unfit') return null;
  const stat = fileAt(ref, found, tasks);
  if (stat !== undefined && !sameFile(stat, record.stat)) return { ref, stat };
  // What no scan has seen yet it sees soon; else it is the recorded file itself, of which this one is a hard link.
  return found.kind === 'settling' ? 'unclear' : null;
}

/** The file that stands at a path, sent or not; undefined: nobody can tell. */
function fileAt(
  ref: DocumentRef,
  found: Inspection,
  tasks: Pick<MoveEvidence['tasks'], 'get'>,
): FileStat | undefined {
  if (found.kind === 'document') return found.document.stat;
  if (found.kind === 'unknown' || found.kind === 'ignored' || found.kind === 'skipped') return found.stat;
  // What is being sent there may have been replaced since it was seen last.
  return found.stated?.stat ?? tasks.get(ref)?.seen?.stat;
}

/**
 * What becomes of the paths to which nothing moves, and of the documents whose paths others take: each of these is missing
 * below the file that has its path, where nothing can stand. `occupants`: the documents at the paths to which something moves.
 */
export function leftAfter(
  steps: readonly MoveStep[],
  { get }: Pick<LedgerPort, 'get'>,
  occupants: readonly LedgerEntry[] = steps.flatMap(({ to: ref }) => {
    const record = get(ref);
    return record === undefined ? [] : [{ ref, record }];
  }),
): readonly LeftPath[] {
  const taken = new Set(steps.map(({ to }) => refKey(to)));
  const moving = new Set(steps.map(({ entry }) => entry.record.docId));
  const free = steps.flatMap(({ entry: { ref } }) =>
    taken.has(refKey(ref)) ? [] : [{ ref, takenBy: null }],
  );
  const replaced = occupants.flatMap(({ ref, record }): readonly LeftPath[] => {
    if (moving.has(record.docId)) return [];
    let missing = ref;
    while (get(missing) !== undefined) missing = { ...missing, path: replacedPath(missing.path) };
    return [{ ref: missing, takenBy: { ref, record } }];
  });
  return [...free, ...replaced];
}

/** A record that a file may be of. */
interface Origin {
  readonly kind: 'origin';
  readonly entry: LedgerEntry;
  readonly rank: number;
  /** What stands at the record's own path. */
  readonly source: Inspection | undefined;
  readonly hasLeft: boolean;
}

/**
 * The record of the file that stands at a path, if it is another path's. What proves more goes first: the file itself, as
 * it was sent or edited; its number alone, with its content; where the path has no record, the content that only one has
 * whose file has left. Where its content alone tells it, it may be a copy: a record is taken that stands nowhere, and will
 * not be back within its grace.
 */
async function originOf(
  { ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
  evidence: MoveEvidence,
): Promise<Origin | Exclude<MoveDecision, Move>> {
  const isNew = evidence.ledger.get(ref) === undefined;
  const hasNumber = ({ record }: LedgerEntry) => sameInode(record.stat, stat);
  const possible = perhapsMissing(stat, evidence).filter((one) => {
    const isLike = one.record.stat.size === stat.size && (isNew || hasNumber(one));
    return refKey(one.ref) !== refKey(ref) && (isLike || isFileOf(one, stat));
  });
  if (possible.length === 0) return none;
  const sha256 = await evidence.hash(ref, stat).catch(emptyUnlessPassing);
  if (sha256 === null) return compareAgain;
  const ranked = possible
    .map((entry) => ({ entry, rank: rankOf(entry, stat, sha256) }))
    .filter(({ rank }) => rank <= ranks.content)
    .toSorted(
      (a, b) => a.rank - b.rank || (a.rank < ranks.content ? byDistance(ref, a.entry.ref, b.entry.ref) : 0),
    );
  let standing: Origin | undefined;
  const left: Origin[] = [];
  for (const { entry, rank } of ranked) {
    const isCertain = rank <= ranks.edited;
    // What only stood in the place of one for a moment is another's own file.
    const isDecided = standing !== undefined && standing.rank <= ranks.edited && standing.rank < rank;
    if (isDecided || (!isCertain && left.length > 1)) break;
    const source = await evidence.inspect(entry.ref);
    const isLeft = hasLeft(entry, stat, source, evidence);
    const origin = { kind: 'origin', entry, rank, source, hasLeft: isLeft } as const;
    if (isLeft && (isCertain || !isNew)) return origin;
    if (isLeft) left.push(origin);
    if (isLeft && rank === ranks.number) break;
    // Of hard links, the one that still stands keeps its document. What only stands in its place, or was seen there last,
    // may be a link of another's.
    const there =
      source === undefined || source.kind === 'settling'
        ? undefined
        : fileAt(entry.ref, source, evidence.tasks);
    const isLink = there !== undefined && sameFile(there, stat);
    if (isLeft || isLink || rank === ranks.content) continue;
    if (hasNumber(entry) || !possible.some(hasNumber)) standing ??= origin;
  }
  const [only, other] = left;
  if (only === undefined || other !== undefined) return standing ?? none;
  if (await evidence.mayStand(only.entry)) return none;
  const graceMs = evidence.graceMs(only.entry.ref);
  return graceMs > 0 ? { kind: 'settling', againMs: graceMs } : only;
}

/** By what a file may be that of a record, the best proof first. */
const ranks = { itself: 0, edited: 1, number: 2, content: 3, nothing: 4 } as const;

/**
 * How well a file proves to be that of a record. An inode number that was used again shows in its birth time
 * only: where that is unknown, what has changed since it was seen is another file (7.19). What is older than the recorded
 * file is no copy of it.
 */
function rankOf(entry: MissingEntry, stat: FileStat, sha256: string): number {
  const { record } = entry;
  if (record.sha256 !== sha256) return isFileOf(entry, stat, isSameFile) ? ranks.edited : ranks.nothing;
  if (isFileOf(entry, stat)) return ranks.itself;
  const isOlder =
    isBirthKnown(stat, record.stat) &&
    stat.dev === record.stat.dev &&
    stat.birthtimeMs < record.stat.birthtimeMs;
  if (isOlder) return ranks.nothing;
  return sameInode(record.stat, stat) ? ranks.number : ranks.content;
}

/** Whether this is the recorded file, or one that was seen in its place; by its number, or as `isSame` tells. */
function isFileOf(
  { record, seen }: MissingEntry,
  stat: FileStat,
  isSame: typeof isSameFile = sameFile,
): boolean {
  return [...filesOfRecord(record), ...(seen === undefined ? [] : [seen])].some((file) => isSame(file, stat));
}

/** Hard links of one file are equal in all but their paths: the one whose path changed least, then the first by name. */
function byDistance(ref: DocumentRef, a: DocumentRef, b: DocumentRef): number {
  const distance = ({ folder, path }: DocumentRef): number =>
    (nameOf(path) === nameOf(ref.path) ? 0 : 2) +
    (folder === ref.folder && directoryOf(path) === directoryOf(ref.path) ? 0 : 1);
  return distance(a) - distance(b) || (refKey(a) < refKey(b) ? -1 : 1);
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
