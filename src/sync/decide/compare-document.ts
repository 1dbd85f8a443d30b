import { printable } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import {
  directoryOf,
  hasGone,
  isAlike,
  isAtOrBelow,
  isSameFile,
  nameOf,
  pathAfterMove,
  refKey,
  sameFile,
} from '../../model/document.ts';
import type { DocumentRef, FileStat, FoundDocument } from '../../model/document.ts';
import { dismissedFailure, doubtsAbout, inDoubtCode } from '../../model/doubts.ts';
import { dismissedCode, unreadableNowCode } from '../../model/errors.ts';
import type { ComparedDocument, Unclearable } from '../../model/operation.ts';
import { planNarrowing } from '../../model/metadata/narrowing.ts';
import { planDocument, unread } from '../../model/plan.ts';
import type { AttachmentAnswer } from '../../model/ports/folder-port.ts';
import type {
  Change,
  Doubt,
  LedgerEntry,
  LedgerPort,
  LedgerRecord,
  SentRequest,
} from '../../model/ports/ledger-port.ts';
import type { Reason } from '../../model/report/status.ts';
import { incompleteCode, likelySidecarCode } from '../../model/report/wait-kinds.ts';
import { arrivesWithinMs, underWayReason } from '../send/late-arrivals.ts';
import type { CoveredMountPoint } from '../folders/mounts.ts';
import type { EngineParts } from '../parts.ts';
import { hashAsPlanned } from '../send/planned.ts';
import type { PathLocks } from '../tasks/path-locks.ts';
import { attachedBeforeCode } from '../tasks/task.ts';
import type { Task } from '../tasks/task.ts';
import { adoptionOf, compareWithRecord, doubtsOfFile, refusedAsItStands } from './assess.ts';
import type { Assessment } from './assess.ts';
import {
  recordedOwners,
  sentWith,
  withAttachmentAt,
  withAttachmentDropped,
  withAttachmentSaved,
} from './attachments.ts';
import type { FormerOwner } from './attachments.ts';
import { findMovedDirectories, planDirectoryMove } from './find-directory-move.ts';
import type { DirectoryEvidence } from './find-directory-move.ts';
import { compareAfterRequest, compareAgain, findMove } from './find-moves.ts';
import type { Move, MoveDecision, MoveEvidence } from './find-moves.ts';
import type { UnsentAttachments } from './unsent-attachments.ts';
import type { findInFolders } from './whereabouts.ts';

/** The document is as the service holds it, and its record is to learn what was found, without a request. */
export interface Adoption {
  readonly kind: 'adopt';
  readonly docId: string;
  /** Null: the record says it already. */
  readonly change: Change | null;
  readonly unclearable: readonly Unclearable[];
}

/** What is gone may have moved to a place that is still to be listed: it is judged again after this. */
export const moveMayShowMs = 250;

/** What a document that attached a file says of it. */
type OwnerAnswer = AttachmentAnswer | 'not configured' | 'sent without';

const isOver = (answer: OwnerAnswer): boolean => answer === 'gone' || answer === 'sent without';

interface Options extends EngineParts {
  readonly locks: PathLocks;
  readonly evidence: MoveEvidence & DirectoryEvidence;
  readonly unsent: Pick<UnsentAttachments, 'ownersOf' | 'modes'>;
  /** What a document is sent with has changed by what its record says: it is inspected again. */
  readonly inspectAgain: (ref: DocumentRef) => void;
  /** Looks for files in all folders. */
  readonly search: (lost: readonly FileStat[]) => ReturnType<typeof findInFolders>;
  /** Mount points on or below which files may lie that nobody sees. */
  readonly covered: () => readonly CoveredMountPoint[];
  /** What a file lacks by its own format. */
  readonly formatOf: (task: Task, stat: FileStat) => Promise<NonNullable<Task['format']>>;
}

/**
 * Compares a document that was found with what the ledger knows: whose attachment it is, whether its record is another
 * path's, and what has to be sent. Of the ledger it changes only where the doubts about a file stand.
 */
export class DocumentComparison {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #ledger: LedgerPort;
  readonly #locks: PathLocks;
  readonly #began: number;
  /** One task works out how directories were moved; the others wait for what it finds. */
  #isPlanningMove = false;
  /** Requests of an earlier process may still reach the service. */
  #mayArriveLate = false;

  constructor(options: Options) {
    this.#options = options;
    this.#clock = options.clock;
    this.#ledger = options.ledger;
    this.#locks = options.locks;
    this.#began = options.clock.monotonic();
  }

  /** Requests that earlier processes made, answered or not. */
  noteEarlierRequests(sent: readonly SentRequest[]): void {
    this.#mayArriveLate = sent.some(({ answeredAt }) => answeredAt === null);
  }

  /** Documents whose attachment a found file is, or was. */
  ownersOf(document: FoundDocument): readonly FormerOwner[] {
    const { evidence, unsent } = this.#options;
    const standing = (file: FileStat) =>
      [...evidence.tasks.presentLike(file)].flatMap(({ ref, seen }) =>
        seen !== null && isSameFile(seen.stat, file) ? [ref] : [],
      );
    const placesOf = (owner: FileStat) => {
      // What is in doubt may be held with it.
      if (this.#ledger.doubts().some(({ stat }) => stat !== undefined && isSameFile(stat, owner))) return [];
      const sent = this.#ledger.findByFile(owner).filter(({ record }) => isSameFile(record.stat, owner));
      return [...standing(owner), ...sent.map(({ ref }) => ref)];
    };
    // The list of a document counts where its file stands, though its record cannot follow it to there yet.
    const recorded = recordedOwners(document, this.#ledger).map((one) => {
      const isAway = one.owners.every((ref) => evidence.tasks.get(ref)?.present === false);
      if (!isAway || one.record === null) return one;
      const { stat } = one.record;
      // What has gone out for another document since is that one's file.
      const taken = new Set(this.#ledger.findByFile(stat).map(({ ref }) => refKey(ref)));
      const elsewhere = standing(stat).filter((ref) => !taken.has(refKey(ref)));
      return { ...one, owners: [...one.owners, ...elsewhere] };
    });
    // Without a number, what looks like the file that its own record had is that.
    const own = document.stat.ino === 0 ? this.#ledger.get(document.ref) : undefined;
    const isOwn = own !== undefined && isAlike(own.stat, document.stat);
    const unsentOwners = unsent
      .ownersOf(document, placesOf)
      .filter((one) => !isOwn || one.sha256 === undefined);
    return [...recorded, ...unsentOwners];
  }

  /**
   * A file that went out with another document, or was to go out with one, stays its attachment until a valid sidecar of
   * that no longer lists it. Null: it is none.
   */
  async awaitOwners(task: Task, document: FoundDocument): Promise<Assessment | null> {
    let isNews = false;
    let awaited: Assessment | null = null;
    for (const owner of this.ownersOf(document)) {
      const { owners, place, record, sha256 } = owner;
      if (sha256 !== undefined && !(await this.#hasLeft(place, document, sha256))) continue;
      const [ref = document.ref] = owners;
      // It may have been saved in the place of the file that was attached: that one's mode goes with it.
      const hasRecord = this.#ledger.get(document.ref) !== undefined;
      if (!hasRecord && this.#options.unsent.modes.noteAttachment(ref, document.stat)) isNews = true;
      const answers = await this.#answersOf(owner, document);
      const waitedMs = this.#clock.monotonic() - task.since;
      const { pollSeconds, removeGraceMs } = this.#options.settings.timing;
      // Another file may come to its place at once, as where one is saved by rename: its document waits twice as long.
      const isEarly = !answers.includes('dropped') && waitedMs < removeGraceMs / 2;
      const isNoted =
        isEarly ||
        record === null ||
        (await this.#followAttachment(task, { ref, record }, document, answers));
      if (answers.includes('dropped')) {
        // Its list may be gone before the record says so.
        if (!isNoted) awaited ??= compareAgain;
        continue;
      }
      // The list of a document that was not sent with it holds until that is gone, or was sent without a list.
      if (record === null && answers.every(isOver)) continue;
      const shown = ref.folder === document.ref.folder ? ref.path : refKey(ref);
      const message = answers.includes('not configured')
        ? `it is an attachment of ${printable(refKey(ref))}, whose folder is not configured; put that folder back into the configuration, or send a copy of the file under another name`
        : `it is an attachment of ${printable(shown)} until a valid sidecar of that document does not list it`;
      const reason = { code: attachedBeforeCode, message };
      const againMs = Math.min(Math.max(moveMayShowMs, waitedMs / 2), pollSeconds * 1_000);
      awaited ??= answers.includes('settling')
        ? { kind: 'settling', againMs: moveMayShowMs, reason }
        : { kind: 'waiting', againMs, reason };
    }
    return awaited ?? (isNews ? compareAgain : null);
  }

  /** Whether a file may be what has left the place of an attachment, by its content. */
  async #hasLeft(place: DocumentRef, { ref, stat }: FoundDocument, sha256: string | null): Promise<boolean> {
    const { hash, inspect } = this.#options.evidence;
    const there = await inspect(place);
    // What cannot be seen may be gone.
    const mayBeGone = there === undefined || there.kind === 'unknown' || hasGone(there);
    return mayBeGone && (sha256 === null || (await hash(ref, stat).catch(() => null)) === sha256);
  }

  /**
   * What is said of a file where the list of its document is in force: wherever that stands. Where it stands nowhere, a
   * sidecar of it counts that was left where it was, or went along with the directory of both.
   */
  async #answersOf(
    { owners, ownerStat, seenAt, place, name, record }: FormerOwner,
    document: FoundDocument,
  ): Promise<readonly OwnerAnswer[]> {
    const ask = (refs: readonly DocumentRef[]) =>
      Promise.all(refs.map((ref) => this.#attaches(ref, { place, name }, document)));
    const answers = await ask(owners);
    const { dev = 0 } = ownerStat ?? record?.stat ?? {};
    const hides = ({ folder, path, mayHold }: CoveredMountPoint) =>
      mayHold(dev) && owners.some((one) => one.folder === folder && isAtOrBelow(one.path, path));
    // A sidecar on a mount that hides the document is none of its own.
    if (answers.includes('dropped') && this.#options.covered().some(hides)) {
      const found = await Promise.all(owners.map((one) => this.#options.evidence.inspect(one)));
      if (found.every(hasGone)) return ['unclear'];
    }
    if (ownerStat === undefined || !answers.every(isOver)) return answers;
    // It is gone only where no directory has it, as they are now, and no mount of now hides it.
    const { files, isUnlisted } = (await this.#options.search([ownerStat]))([ownerStat]);
    if (this.#options.covered().some(hides)) return ['unclear'];
    // Without a number it may look like the one that is asked about.
    const isOwner = (one: (typeof files)[number]) =>
      ownerStat.ino === 0 ? refKey(one) !== refKey(document.ref) : isSameFile(one.stat, ownerStat);
    const places = files.filter(isOwner);
    if (places.length === 0 && isUnlisted) return ['settling'];
    // Its list may have stayed, and be that of what has come to its place.
    const isTaken = seenAt !== undefined && !hasGone(await this.#options.evidence.inspect(seenAt));
    const stayed = isTaken ? [seenAt] : [];
    const beside = besideAttachment(owners.concat(seenAt ?? []), place, document.ref);
    const answered = await ask(places.length > 0 ? stayed : beside);
    // Another document may stand there.
    return [...(await ask(places)), ...answered.filter((answer) => answer !== 'unlisted')];
  }

  async #attaches(
    owner: DocumentRef,
    { place, name = nameOf(place.path) }: Pick<FormerOwner, 'place' | 'name'>,
    { ref, stat }: FoundDocument,
  ): Promise<OwnerAnswer> {
    const port = this.#options.folders.get(owner.folder)?.port;
    if (port === undefined) return 'not configured';
    const path = place.folder === owner.folder ? place.path : null;
    const elsewhere = refKey(place) === refKey(ref) ? null : stat;
    const names = [nameOf(place.path), name];
    // What stands in its place in another folder that one says.
    const there =
      path === null && elsewhere !== null ? await this.#options.evidence.inspect(place) : undefined;
    if (there?.kind === 'document' && !isSameFile(there.document.stat, stat)) return 'dropped';
    const answer = await port.attaches({ owner: owner.path, path, names, elsewhere });
    const sent = this.#ledger.get(owner)?.stat;
    const seen = this.#options.evidence.seen(owner) ?? sent;
    // What has come to the place of another document was not sent yet.
    const isSent = sent !== undefined && seen !== undefined && (seen.ino === 0 || sameFile(sent, seen));
    return answer === 'unlisted' && isSent ? 'sent without' : answer;
  }

  /** Has the record of an owner say what is so; false: that has to wait, as something of it is under way. */
  async #followAttachment(
    task: Task,
    owner: LedgerEntry,
    document: FoundDocument,
    answers: readonly OwnerAnswer[],
  ): Promise<boolean> {
    const { folders, writer, evidence } = this.#options;
    const listed = answers.includes('sent without') ? sentWith(owner.ref, owner.record) : [];
    const found = await Promise.all(listed.map((path) => evidence.inspect({ ...owner.ref, path })));
    const left = listed.filter((_, index) => hasGone(found[index]));
    // While the folder of both is taken out of the configuration, nobody knows what the document has.
    const isLeft = ({ folder, path }: DocumentRef) =>
      folder === owner.ref.folder ? left.includes(path) : folders.get(folder) === undefined;
    // It may have been sent, or deleted, meanwhile.
    const record = this.#ledger.get(owner.ref);
    if (record === undefined) return true;
    // Of what has left its place the list says nothing for good: another file may have been saved there.
    const moved = answers.includes('dropped')
      ? withAttachmentDropped({ ref: owner.ref, record }, document.ref)
      : withAttachmentAt({ ref: owner.ref, record }, document, isLeft);
    if (moved === null) return true;
    const unlock = this.#locks.take(task, [owner.ref]);
    if (unlock === null) return false;
    await writer.commit([{ kind: 'put', ...moved }]).finally(unlock);
    this.#options.inspectAgain(owner.ref);
    return true;
  }

  /** What was saved in the place of an attachment, wherever that is by now, is that attachment. */
  async noteSaved(place: DocumentRef, by: FileStat, before?: FileStat): Promise<void> {
    const owners = this.#ledger.findOwners(place, before ?? by);
    // Another document's own file is no save.
    const isAnothers = this.#ledger.findByFile(by).some(({ record }) => isSameFile(record.stat, by));
    if (owners.length === 0 || isAnothers) return;
    // It may have been renamed to where no scan has seen it yet.
    const isMoved = before !== undefined && !sameFile(before, by);
    if (isMoved && (await this.#options.evidence.isFound(before))) return;
    for (const { ref } of owners) {
      const record = this.#ledger.get(ref);
      const saved = record === undefined ? null : withAttachmentSaved({ ref, record }, place, by, before);
      const unlock = saved === null ? null : this.#locks.take(undefined, [ref]);
      if (saved === null || unlock === null) continue;
      await this.#options.writer.commit([{ kind: 'put', ...saved }]).finally(unlock);
    }
  }

  /** Whether its record, or that of its file, is another path's: first by the directories, then by the file itself. */
  async findMove(task: Task, document: FoundDocument): Promise<MoveDecision> {
    const { evidence } = this.#options;
    const moved = findMovedDirectories(document.ref, evidence);
    if (moved.kind === 'unclear') return compareAgain;
    if (moved.kind === 'moved') {
      const origins = new Set(moved.directories.map(({ from }) => refKey(from)));
      const isFromThere = ({ key, ref: { folder, path }, hasRecord }: Task) =>
        key !== task.key && hasRecord && origins.has(refKey({ folder, path: directoryOf(path) }));
      if ([...evidence.tasks.in('sending')].some(isFromThere)) return compareAfterRequest;
      // One task moves them for all that lie in them.
      if (this.#isPlanningMove || this.#locks.has(task.ref)) return compareAgain;
      this.#isPlanningMove = true;
      try {
        const move = await planDirectoryMove(moved.directories, document.ref, evidence);
        if (move !== null) return move;
      } finally {
        this.#isPlanningMove = false;
      }
    }
    const found = await findMove(task, document, evidence);
    if (found.kind === 'none') {
      const isUnderWay =
        moved.kind === 'stale' || this.#locks.has(task.ref) || this.#isRecordMoving(document);
      return isUnderWay ? compareAgain : found;
    }
    // The file that stood here was pushed out. Its new place may not be listed yet, or other records are moving.
    const isPushedOut = found.kind === 'move' && found.left.some(({ takenBy }) => takenBy !== null);
    return isPushedOut && (moved.kind === 'stale' || this.#locks.size > 0) ? compareAgain : found;
  }

  /** The record of this very file is another path's, and changes its path just now. */
  #isRecordMoving({ ref, stat }: FoundDocument): boolean {
    if (this.#locks.size === 0) return false;
    const others = this.#ledger.findByFile(stat).filter((one) => refKey(one.ref) !== refKey(ref));
    return others.some((one) => this.#locks.has(one.ref) && sameFile(one.record.stat, stat));
  }

  /**
   * What has to be sent of a document that stands where its record is, `known`, or has none. `planned`: as it was compared
   * before.
   */
  async compare(
    task: Task,
    document: FoundDocument,
    known: LedgerRecord | undefined,
    planned?: ComparedDocument,
  ): Promise<Assessment | Adoption> {
    const isLost = known !== undefined && known.docId === task.unknownDocId;
    const record = known === undefined || isLost ? null : known;
    const lateMs = record === null ? 0 : this.#arrivalMs(record);
    if (lateMs > 0) return { kind: 'later', againMs: lateMs, reason: underWayReason };
    const narrowing = record === null ? null : planNarrowing(document, record);
    if (narrowing !== null) return { kind: 'send', operation: narrowing, compared: unread(document), record };
    // An upload that waits for a person's word, after a restart too: `safety.inDoubt` is hold.
    const doubt = record === null ? await this.#holdingDoubt(document) : undefined;
    if (doubt !== undefined) return { kind: 'unfit', reason: doubt };
    const { evidence } = this.#options;
    const compared = await compareWithRecord(document, record, async (path, stat) => {
      const before = planned === undefined ? null : hashAsPlanned(path, stat, planned);
      return before ?? evidence.hash({ folder: document.ref.folder, path }, stat);
    });
    if (compared === null) return compareAgain;
    if ('code' in compared)
      return { kind: compared.code === unreadableNowCode ? 'unknown' : 'unfit', reason: compared };
    const operation = planDocument(compared, record);
    const { arrival, likelySidecar } = document;
    if (operation.kind === 'upload' && likelySidecar !== undefined) {
      const message = `${printable(likelySidecar)} is read for no document and may be meant for it; rename or remove it`;
      return { kind: 'waiting', againMs: null, reason: { code: likelySidecarCode, message } };
    }
    if (operation.kind === 'upload' && arrival !== undefined) {
      const { message = 'files still come to its directory, and its sidecar may be one of them' } = arrival;
      const reason = { code: 'sidecar-expected', message };
      return { kind: 'settling', againMs: arrival.ms, ...(arrival.isExpected ? { reason } : null) };
    }
    const sendsContent = operation.kind === 'upload' || (operation.kind === 'modify' && operation.content);
    // What is refused as it stands does not go out either way.
    const mayWait = sendsContent && refusedAsItStands(this.#ledger, document) === undefined;
    const incomplete = mayWait ? await this.#awaitWhole(task, document) : null;
    if (incomplete !== null) return incomplete;
    if (operation.kind !== 'none') return { kind: 'send', operation, compared, record };
    if (record === null) return { kind: 'clean' };
    const change = adoptionOf(compared, record, operation);
    return { kind: 'adopt', docId: record.docId, change, unclearable: operation.unclearable };
  }

  /**
   * What goes out of a document whose content, or attachments, cannot be sent just now: at most a narrower mode, once it is
   * certain that it is for the file which stands there, or first the move by which that came. Null: nothing.
   */
  async compareStated(
    task: Task,
    document: FoundDocument | undefined,
    record: LedgerRecord | undefined,
  ): Promise<Assessment | Move | null> {
    if (document === undefined || record === undefined || record.docId === task.unknownDocId) return null;
    if (planNarrowing(document, record) === null) return null;
    const isAttached = (await this.awaitOwners(task, document)) !== null;
    const { folders } = this.#options;
    const isKnown = sameFile(record.stat, document.stat) || folders.isListedSince(task.since);
    const move = isKnown ? await this.findMove(task, document) : compareAgain;
    // What is attached takes no record along.
    if (move.kind !== 'none') return isAttached ? null : move;
    const found = await this.compare(task, document, record);
    return found.kind === 'adopt' ? null : found;
  }

  /** A document that is not whole by its own format waits until it is, or has not changed for long: contract 7.36. */
  async #awaitWhole(task: Task, { stat }: FoundDocument): Promise<Assessment | null> {
    const { settings, formatOf } = this.#options;
    const mostMs = settings.timing.incompleteMinutes * 60_000;
    if (mostMs === 0) return null;
    const { missing, since } = await formatOf(task, stat);
    const againMs = since + mostMs - this.#clock.monotonic();
    if (missing === null || againMs <= 0) return null;
    return {
      kind: 'waiting',
      againMs,
      reason: { code: incompleteCode, message: `still being written: ${missing}` },
    };
  }

  /** How long it takes until nothing of an earlier process can arrive any more for this document, ms. */
  #arrivalMs(record: LedgerRecord): number {
    if (!this.#mayArriveLate) return 0;
    return (
      this.#began +
      arrivesWithinMs(record, this.#options.settings.service.responseSeconds * 1_000) -
      this.#clock.monotonic()
    );
  }

  /** Has doubts follow their file to where it stands now. Gives what holds it back; undefined: nothing. */
  async #holdingDoubt(document: FoundDocument): Promise<Reason | undefined> {
    const known = this.#ledger.doubts();
    if (known.length === 0) return undefined;
    const { evidence, writer } = this.#options;
    const found = await doubtsOfFile(document, known, evidence);
    // Of two that look alike the other one may have got it meanwhile.
    const isStill = ({ id, ref }: Doubt) =>
      this.#ledger.doubts().some((one) => one.id === id && refKey(one.ref) === refKey(ref));
    if (!found.following.every(isStill)) return this.#holdingDoubt(document);
    const { ref, stat } = document;
    const following = found.following.flatMap(({ id, ref: from, ...doubt }): readonly Change[] => {
      if (doubt.dismissed !== true || doubt.stat === undefined) return [{ kind: 'follow', id, ref, stat }];
      const failure = this.#ledger.failure(from);
      const dismissed = failure?.code === dismissedCode ? failure : undefined;
      return [
        { kind: 'follow', id, ref, stat: doubt.stat },
        ...(dismissed === undefined ? [] : [{ kind: 'clear', ref: from } as const]),
        { kind: 'fail', ref, failure: dismissedFailure(doubt.stat, dismissed) },
      ];
    });
    if (following.length > 0) await writer.commit(following);
    const doubt = doubtsAbout(ref, this.#ledger).find(({ holds }) => holds);
    if (doubt !== undefined) return { code: inDoubtCode, message: doubt.message };
    const other = found.elsewhere.find(({ holds }) => holds);
    if (other === undefined) return undefined;
    return { code: inDoubtCode, message: `its file is that of ${refKey(other.ref)}: ${other.message}` };
  }
}

/** Where documents stood, if what lies in their directory, in it or below, has moved along with it. */
function besideAttachment(
  owners: readonly DocumentRef[],
  place: DocumentRef,
  { folder, path }: DocumentRef,
): readonly DocumentRef[] {
  return owners.flatMap((owner) => {
    const inside = pathAfterMove(place.path, directoryOf(owner.path), '');
    if (inside === null || !`/${path}`.endsWith(`/${inside}`)) return [];
    return [{ folder, path: path.slice(0, -inside.length) + nameOf(owner.path) }];
  });
}
