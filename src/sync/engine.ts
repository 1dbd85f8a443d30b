import { groupBy } from '../lib/group-by.ts';
import { createGathered } from '../lib/queue/gathered.ts';
import { createTurns } from '../lib/queue/turns.ts';
import { WorkQueue } from '../lib/queue/work-queue.ts';
import { isWithin } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { createDueTimes } from '../lib/time/due-times.ts';
import type { DueTimes } from '../lib/time/due-times.ts';
import { readAgainMs } from '../model/back-off.ts';
import { chooseRetries } from '../model/choose-retries.ts';
import type { Retries } from '../model/choose-retries.ts';
import {
  directoryOf,
  isAbsent,
  isAtOrBelow,
  isPerhapsSame,
  isSameFile,
  joinPath,
  nameOf,
  refKey,
  sameStat,
  sameFile,
} from '../model/document.ts';
import type {
  DirectoryScan,
  DocumentRef,
  FileStat,
  FoundDocument,
  HeldMode,
  Inspection,
  NoDocument,
  ScanCause,
  Skip,
} from '../model/document.ts';
import { doubtsAbout, inDoubtCode, interruptedUploads, lastWithoutDocId } from '../model/doubts.ts';
import {
  dismissedCode,
  errorCode,
  errorMessage,
  ignoreFileCode,
  notTheServiceCode,
  tooLongCode,
  unreadableCode,
  unreadableNowCode,
} from '../model/errors.ts';
import { heldByFile, isWider, modeOfRecord, rememberFiles } from '../model/metadata/held-mode.ts';
import { modeOf } from '../model/metadata/metadata.ts';
import type { SendKind } from '../model/operation.ts';
import { isAttachmentDirectory, sidecarPlaces } from '../model/names-and-types.ts';
import type { FolderListener, FolderPort, UnreadableDirectory } from '../model/ports/folder-port.ts';
import { filesOfRecord, isOfDeletion, standingAs, tellsOf } from '../model/ports/ledger-port.ts';
import type {
  Attempt,
  Change,
  DirectoryRef,
  Failure,
  Intent,
  LedgerPort,
  LedgerRecord,
  RootIdentity,
} from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { MetricsPort } from '../model/ports/metrics-port.ts';
import { answerHoldsMs, honouredMs, mostQuestions } from '../model/ports/service-port.ts';
import type { LimiterPort, Outcome, Permit, RequestWatch, ServicePort } from '../model/ports/service-port.ts';
import { sharingChange } from '../model/report/sharing-change.ts';
import { noTotals } from '../model/report/status.ts';
import type { Activity, Reason } from '../model/report/status.ts';
import { createActivityReports } from './activity-reports.ts';
import type { ActivityReports } from './activity-reports.ts';
import { assessWithoutDocument, refusedAsItStands } from './decide/assess.ts';
import type { Assessment, Sendable } from './decide/assess.ts';
import { hasAttached, recordedOwners, remainsMark } from './decide/attachments.ts';
import { DocumentComparison, moveMayShowMs } from './decide/compare-document.ts';
import type { Adoption } from './decide/compare-document.ts';
import { DeletionHolds } from './decide/deletion-holds.ts';
import { sentDocuments, uncompared } from './decide/deletions.ts';
import type { DirectoryEvidence } from './decide/find-directory-move.ts';
import {
  changesOf,
  compareAfterRequest,
  compareAgain,
  isStillTrue,
  moveUnsent,
} from './decide/find-moves.ts';
import type { Move, MoveDecision, MoveEvidence } from './decide/find-moves.ts';
import { withDocument } from './decide/document-of-sidecar.ts';
import { inspectDocument } from './decide/inspect-document.ts';
import type { FileKnowledge } from './decide/inspect-document.ts';
import { UnsentAttachments } from './decide/unsent-attachments.ts';
import type { UnsentAttachment } from './decide/unsent-attachments.ts';
import type { UnsentModes } from './decide/unsent-modes.ts';
import { mayHaveGone, reconcile } from './decide/reconcile.ts';
import type { Differences } from './decide/reconcile.ts';
import { findInFolders, keptElsewhereCode, whereaboutsOf } from './decide/whereabouts.ts';
import type { Whereabouts } from './decide/whereabouts.ts';
import { FolderRoots } from './folders/folder-roots.ts';
import { createKnownDirectories } from './folders/known-directories.ts';
import type { KnownDirectories } from './folders/known-directories.ts';
import { mayHide } from './folders/mounts.ts';
import { hasStoodSo, markRoot } from './folders/root-trust.ts';
import { WatchedFolders } from './folders/watched-folders.ts';
import type { WatchedFolder } from './folders/watched-folders.ts';
import { createCircuitBreaker } from './send/circuit-breaker.ts';
import type { CircuitBreaker } from './send/circuit-breaker.ts';
import { consequenceOf, docIdConflict, changedUnderWayMs } from './send/consequence.ts';
import type { Consequence } from './send/consequence.ts';
import { aboutDelete, deletedChanges, isPerhapsGone } from './send/delete.ts';
import type { Deletable } from './send/delete.ts';
import { doubtAbout, doubtAgain } from './send/doubt-about.ts';
import { createLedgerCommits } from './send/ledger-commits.ts';
import type { LedgerCommits } from './send/ledger-commits.ts';
import { bulkModify, aboutModify, isModifiable, modifiedChanges, modifyRequest } from './send/modify.ts';
import type { BulkMember, Modifiable } from './send/modify.ts';
import type { OpenFile } from './send/outgoing-files.ts';
import { levels } from './send/send-line.ts';
import { SendQueue } from './send/send-queue.ts';
import { isSameSending, keepsChanging, mostWithdrawals, recordsAsBefore } from './send/planned.ts';
import type { Planned } from './send/planned.ts';
import { createTrackedRequest, Transfers } from './send/tracked-request.ts';
import type { RequestResult, TrackedRequest, Totals } from './send/tracked-request.ts';
import { aboutUpload, uploadRequest, uploadedChanges } from './send/upload.ts';
import {
  acceptedCode,
  acceptedMessage,
  acceptedOperations,
  Attempts,
  mostAttempts,
} from './tasks/attempts.ts';
import type { BacklogFile } from './tasks/backlog.ts';
import { PathLocks } from './tasks/path-locks.ts';
import type { EngineParts } from './parts.ts';
import { TaskStore } from './tasks/task-store.ts';
import { attachedBeforeCode, bareReason, dueOf, isDismissed, isReady, reasonOf } from './tasks/task.ts';
import type { ReadyTask, Seen, StateKind, Task, TaskEvent, TaskFacts } from './tasks/task.ts';

/** What an engine works with. */
export interface EngineOptions {
  readonly clock: Clock;
  readonly log: LogPort;
  readonly ledger: LedgerPort;
  readonly folders: readonly WatchedFolder[];
  readonly limiter: LimiterPort;
  readonly service: ServicePort;
  readonly metrics: MetricsPort;
  readonly settings: EngineParts['settings'];
  /** How long the token endpoint is left alone, ms. */
  readonly authRestMs: () => number;
  /** `sync` gives up after this many attempts; null: never. */
  readonly maxAttempts: number | null;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly onActivity: (activity: Activity) => void;
  /**
   * Asked of what keeps a file here that the first scan found: the same was reported before this start, and nothing else
   * of the path since.
   */
  readonly isTold?: ((ref: DocumentRef, message: string) => boolean) | undefined;
  /** Names of folders that a person paused before the start. */
  readonly paused?: Iterable<string>;
  /** What this process knows of files that were not sent, with the configuration of before too. */
  readonly unsent?: UnsentAttachments | undefined;
  /** Gets what a person decides, before `ledger` does: where that is a copy. */
  readonly onDecision?: LedgerPort['commit'] | undefined;
  /** Something that status shows has changed. */
  readonly onChange: () => void;
}

/** Inspections at once: those that come together share a message to the scanning thread and an fsync. */
const inspectConcurrency = 128;
/** At most this many new documents are inspected before they can be sent; further ones wait unread in the backlog. */
const inspectedAhead = 1_000;
/** So many of those that would be held are looked for at one go. */
const locatedAtOnce = 1_000;
/** When a file went is not known. */
const longAgo = 0;
/** After an inspection or a delivery that failed with an unexpected error. */
const unforeseenMs = 5_000;
/** Time to store the outcomes of requests that were ended; only a disk that cannot be written needs longer. */
const abortedMs = 2_000;

/** In one pass, probes of documents chosen at random that were all not taken: at most 4 s apart, they take minutes. */
const mostUntakenInPass = 50;
const busyStates: readonly StateKind[] = ['inspect', 'inspecting', 'sending', 'settling', 'grace', 'retry'];
/** On its way to a request, or in it. */
const untriedStates: readonly StateKind[] = [
  'ready',
  'sending',
  'retry',
  'inspect',
  'inspecting',
  'settling',
  'grace',
];
/** What stands at a path waits there, for a person or for long. */
const restingStates: ReadonlySet<StateKind> = new Set(['failed', 'waiting', 'dormant', 'retry']);

/** What this user may not read, or does not find: permissions, and a mount on top, change without an event. */
const unseenCodes = [
  unreadableCode,
  tooLongCode,
  ignoreFileCode,
  'sidecar-unreadable',
  'defaults-unreadable',
  'attachment-missing',
];

const uploadedAgain = 'the service no longer has the document; it is uploaded again';

/**
 * Brings the service in line with the folders, every step durable. It is one loop: scans, timers and people mark paths
 * (`#advance` to `inspect`), paths are inspected and compared with the ledger, what differs waits for a permit (`ready`),
 * is planned once more and sent, and what came of it is committed. Decisions are in `decide/` and `send/`; only this
 * class advances tasks.
 */
export class Engine {
  readonly tasks: TaskStore;
  readonly folders: WatchedFolders;
  readonly holds: DeletionHolds;
  readonly totals: Totals = { ...noTotals };
  readonly transfers = new Transfers();
  readonly attempts = new Attempts();
  /** What is known of files beside what stands on disk. */
  readonly known: FileKnowledge;

  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #log: LogPort;
  readonly #reports: ActivityReports;
  readonly #ledger: LedgerPort;
  readonly #directories: KnownDirectories;
  readonly #writer: LedgerCommits;
  readonly #roots: FolderRoots;
  readonly #breaker: CircuitBreaker;
  readonly #request: TrackedRequest;
  #isDraining = false;
  readonly #timers: DueTimes<string>;
  readonly #inspections: WorkQueue;
  readonly #sends: SendQueue;
  readonly #unsentModes: UnsentModes;
  readonly #unsentAttachments: UnsentAttachments;
  readonly #comparison: DocumentComparison;
  /** What is asked while looking for where a record belongs. */
  readonly #moveEvidence: MoveEvidence & DirectoryEvidence;
  /** Names of folders of which nothing is sent, because a person said so. */
  #paused: ReadonlySet<string>;
  readonly #locks: PathLocks;
  /** By folder: of many documents each is asked about alone, and what was found first would grow old. */
  readonly #bulkTurns: ReadonlyMap<string, ReturnType<typeof createTurns>>;
  #isJudging = false;
  #deliveries = 0;
  /** Nothing is inspected any more. */
  #isStopped = false;

  constructor(options: EngineOptions) {
    const { clock, log, ledger, metrics, folders } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#ledger = ledger;
    this.#bulkTurns = new Map(folders.map(({ settings: { name } }) => [name, createTurns()]));
    this.known = {
      findHolders: ledger.findHolders,
      unsentModes: (file) => this.#modesOfNew(file),
      linkedModes: (file) => this.#modesOfLinks(file),
    };
    this.#reports = createActivityReports(options);
    this.folders = new WatchedFolders(folders, {
      clock,
      log,
      ledger,
      removeGraceMs: options.maxAttempts === null ? options.settings.timing.removeGraceMs : 0,
      settleMs: options.settings.timing.settleMs,
    });
    this.#paused = new Set(options.paused);
    this.tasks = new TaskStore(ledger, clock.monotonic);
    this.#locks = new PathLocks(this.tasks);
    this.#directories = createKnownDirectories(ledger, this.folders);
    this.#moveEvidence = {
      ledger,
      tasks: this.tasks,
      isRootChanged: (folder) => this.folders.view(folder)?.otherRoot !== undefined,
      isUnavailable: (folder) => this.folders.isUnavailable(folder),
      isAsked: (ref) => this.#isAsked(ref),
      graceMs: (ref) => this.#graceMs(ref),
      inspect: (ref) => this.#inspectIfWatched(ref),
      hash: (ref, stat) => this.#hash(ref, stat),
      // Without a number it is told by size and time, as the one that is asked about.
      isFound: async (stat) => stat.ino !== 0 && (await this.#search([stat]))([stat]).files.length > 0,
      mayStand: async ({ ref, record: { stat } }) => {
        // Its content alone tells where it has gone.
        if (stat.ino === 0) return false;
        const isFound = await this.#moveEvidence.isFound(stat);
        if (isFound && stat.birthtimeMs !== 0) return true;
        const since = this.tasks.get(ref)?.since ?? this.#clock.monotonic();
        const seenAt = this.folders.viewOf(ref.folder).lastScanBefore(since);
        const isHidden = this.#roots.covered().some((one) => mayHide(one, stat.dev, seenAt));
        return isHidden && !this.#ledger.isApproved(ref);
      },
      standing: this.#directories.at,
      seenElsewhere: this.#directories.seenElsewhere,
      isArrivalCovered: (place) => this.folders.isArrivalCovered(place),
      seen: (ref) => this.tasks.get(ref)?.seen?.stat ?? null,
    };
    this.#writer = createLedgerCommits({
      commit: (changes) => ledger.commit(this.#withPlaces(changes)),
      decided: (changes) => options.onDecision?.(this.#withPlaces(changes)) ?? Promise.resolve(),
      clock,
      log,
      changed: () => {
        options.onChange();
        this.#sends.wake();
      },
    });
    this.#unsentAttachments = options.unsent ?? new UnsentAttachments();
    this.#unsentModes = this.#unsentAttachments.modes;
    const { tasks } = this;
    const parts = {
      clock,
      log,
      ledger,
      settings: options.settings,
      folders: this.folders,
      directories: this.#directories,
      tasks,
      writer: this.#writer,
    };
    this.#comparison = new DocumentComparison({
      ...parts,
      locks: this.#locks,
      evidence: this.#moveEvidence,
      unsent: this.#unsentAttachments,
      inspectAgain: (ref) => this.#inspectPath(ref, { present: true, priority: 'live', at: clock.now() }),
      search: (lost) => this.#search(lost),
      covered: () => this.#roots.covered(),
      formatOf: (task, stat) => this.#formatOf(task, stat),
    });
    this.#roots = new FolderRoots(parts);
    this.holds = new DeletionHolds(parts, this.#roots, this.#reports.addReturned);
    this.#breaker = createCircuitBreaker({
      clock,
      random: options.random,
      restMs: options.authRestMs,
      isPass: options.maxAttempts !== null,
      changed: options.onChange,
    });
    this.#request = createTrackedRequest({
      clock,
      writer: this.#writer,
      breaker: this.#breaker,
      transfers: this.transfers,
      metrics,
      totals: this.totals,
      isStopped: ({ folder, operation }) =>
        this.#isDraining || this.#paused.has(folder) || (operation === 'upload' && !this.#mayUpload(folder)),
    });
    this.#timers = createDueTimes(clock, () => this.#onDue());
    this.#inspections = new WorkQueue({
      concurrency: inspectConcurrency,
      run: (key) => this.#inspect(key),
      afterEach: () => {
        this.#drawFromBacklog();
        if (this.#isQuiet()) this.#sends.release();
      },
    });
    this.#sends = new SendQueue({
      clock,
      tasks,
      limiter: options.limiter,
      breaker: this.#breaker,
      writer: this.#writer,
      metrics,
      concurrency: options.settings.service.concurrency,
      conditions: () => ({
        paused: this.#paused,
        mayUpload: this.#mayUpload,
        isQuiet: this.#isQuiet(),
        inGrace: tasks.in('grace').size,
        isProbing: this.#breaker.isProbing(),
      }),
      random: options.random,
      deliver: (work, permit) => this.#deliver(work, permit),
    });
  }

  /**
   * Every record and failure says under which root it was seen, and every record which files it had before; with the
   * first record of a directory goes which directory that is.
   */
  #withPlaces(changes: readonly Change[]): readonly Change[] {
    return [
      ...changes.map((change) => markRoot(rememberFiles(change, this.#ledger), this.#ledger, this.folders)),
      ...this.#directories.firstIdentities(changes),
    ];
  }

  // ── In: what a crash left open, scans, timers, people ───────────────────────────────────────────────────────────

  /**
   * Uploads that were under way when the process died are in doubt, and its other requests may still arrive. Call it
   * before the folders start.
   */
  async recover(): Promise<void> {
    this.#comparison.noteEarlierRequests(this.#ledger.sentRequests());
    for (const { message } of lastWithoutDocId(this.#ledger)) this.#breaker.noteWithoutDocId(message);
    const changes = interruptedUploads(this.#ledger.intents(), this.#options.settings.safety.inDoubt);
    if (changes.length === 0) return;
    await this.#writer.commit(changes);
    for (const change of changes) {
      // What is held is reported when it is inspected.
      if (change.kind !== 'doubt' || change.doubt.holds) continue;
      const { ref, message } = change.doubt;
      this.#reports.add({ ...ref, what: 'in doubt', docId: null, message });
    }
  }

  /** What a folder has to call. */
  listener(folder: string): FolderListener {
    return {
      directory: (scan) => this.#onDirectory(scan),
      scanned: (root, unreadable) => this.#onScanned(folder, root, unreadable),
      changed: () => {
        this.#options.onChange();
        // What is mounted on a directory that is not listed may have gone: what comes into that is hidden when it is back.
        if (this.folders.hasUnreadable(folder)) this.#roots.inBackground(this.#roots.rememberMounts(folder));
      },
    };
  }

  /** One directory was listed: what differs from ledger and tasks is to be inspected. */
  #onDirectory(scan: DirectoryScan): void {
    const { folder, directory } = scan;
    if (scan.isShut === true) {
      if (directory === '') this.#roots.directoryListed(scan);
      const records = this.#ledger.recordsIn(folder, directory);
      const tasks = this.tasks.inDirectory(folder, directory);
      const entries = new Map(scan.entries.map(({ name, ...seen }) => [name, seen]));
      for (const name of new Set([...records.keys(), ...tasks.keys(), ...entries.keys()])) {
        const ref = { folder, path: joinPath(directory, name) };
        const seen = entries.get(name);
        if (seen !== undefined) this.#unsentModes.note(ref, seen);
        const match = seen && records.match(name, seen);
        // What is to be sent or deleted of it waits, and is counted.
        if ((match === 'same' || match === 'stat') && !tasks.has(name)) continue;
        const now = { present: seen !== undefined, priority: 'live', at: this.#clock.now() } as const;
        this.#advance(this.tasks.open(ref, now), { kind: 'touched', present: now.present });
      }
      return this.#noteAttached(scan);
    }
    const view = this.folders.viewOf(folder);
    this.#roots.directoryListed(scan);
    this.#roots.inBackground(this.holds.endAnsweredIn(scan));
    const differences = reconcile(scan, { ledger: this.#ledger, tasks: this.tasks });
    if (differences.proof !== null) this.#roots.rootProved(scan, differences.proof);
    this.#noteLeft(scan);
    this.#noteAttached(scan);
    this.tasks.backlog.replace(folder, directory, differences.backlog, this.#clock.monotonic());
    this.#takeUp(scan, differences);
    if (this.#paused.has(folder)) this.#roots.inBackground(this.#judgePaused());
    view.setSkips(directory, scan.skips);
    const gone = view.vanished(directory, scan.subdirectories);
    const wereListed = [...gone.values()].includes(true);
    for (const one of gone.keys()) this.#loseAll(scan, one, wereListed);
    // Of what lies in these nothing is a document, and a document whose file has gone there is kept.
    for (const name of scan.subdirectories.filter(isAttachmentDirectory))
      this.#loseAll(scan, joinPath(directory, name), true);
    this.#inspectHidden(scan);
    this.#options.onChange();
  }

  /** Opens and advances tasks for what differs. */
  #takeUp({ folder, directory, cause }: DirectoryScan, differences: Differences): void {
    const liveAt = cause === 'start' ? null : this.#clock.now();
    for (const { path, failure } of differences.refused) {
      const { stat, fingerprint, code, message, attempts } = failure;
      const seen = { stat, fingerprint };
      const ref = { folder, path };
      const task = this.tasks.open(ref, { present: true, priority: 'backlog', at: stat.mtimeMs, seen });
      this.#advance(task, { kind: 'refused', reason: { code, message }, attempts });
    }
    for (const { name, ...seen } of differences.found) {
      const { ctimeMs, mtimeMs } = seen.stat;
      this.#roots.changeFound(folder, cause, ctimeMs);
      const ref = { folder, path: joinPath(directory, name) };
      this.#unsentAttachments.follow(ref, seen.stat);
      this.#inspectPath(ref, { present: true, seen, ...urgencyOf(liveAt, mtimeMs) });
    }
    for (const { task, entry } of differences.changed) {
      const { name: _, ...seen } = entry;
      const before = task.seen;
      this.#advance(task, { kind: 'seen', seen, liveAt });
      // Of what is under way what goes out stays seen: what is stated for it meanwhile counts all the same.
      if (task.seen !== seen) this.#unsentModes.note(task.ref, seen);
      this.#noteReplaced(task, before);
    }
    for (const { task, present } of differences.touched) this.#advance(task, { kind: 'touched', present });
    for (const path of differences.gone) this.#lose({ folder, path }, cause);
  }

  /** Another file has come to a path: the one that was seen there may have gone to another. Or it lost its sidecar. */
  #noteReplaced(task: Task, before: Seen | null): void {
    const { ref, seen } = task;
    if (before === null || seen === null) return;
    this.#noteUnsent(ref, before, seen.stat);
    if (isSameFile(before.stat, seen.stat)) return;
    const record = this.#ledger.get(ref);
    if (record !== undefined) this.#unsentModes.keep(before.stat, modeOfRecord({ ref, record }));
    else this.#roots.inBackground(this.#comparison.noteSaved(ref, seen.stat, before.stat));
  }

  /** What waited in a directory and is not there any more may come to another path. */
  #noteLeft(scan: Pick<DirectoryScan, 'folder' | 'directory' | 'entries'>): void {
    for (const { ref, seen, by } of this.tasks.backlog.leftIn(scan)) this.#noteUnsent(ref, seen, by);
  }

  /** `by`: what stands in the place of a file, which may be its save; it is shared no more widely than that was to be. */
  #noteUnsent(ref: DocumentRef, before: Seen, by: FileStat | null): void {
    this.#unsentModes.note(ref, before);
    if (by !== null && !isSameFile(before.stat, by)) this.#inherit({ ref, stat: before.stat }, by);
  }

  /** What a file counts as held with, what is saved in its place does: over a restart, where the ledger knows it. */
  #inherit(before: Pick<FoundDocument, 'ref' | 'stat'>, by: FileStat): void {
    const records = this.#ledger.findHolders(before.stat);
    const heldWith = (unsent: readonly HeldMode[]) =>
      heldByFile(before, this.#ledger.get(before.ref), { records, unsent });
    const held = heldWith(this.#unsentModesOf(before));
    if (held !== null) this.#unsentModes.keep(by, held);
    const told = heldWith(this.#ledger.formerModes(before.stat));
    if (told === null) return;
    const former = { kind: 'former', held: { ...told, file: by } } as const;
    this.#roots.inBackground(this.#writer.commit([former]));
  }

  /** What documents attach that were not sent with it: another file may have been saved in the place of an attachment. */
  #noteAttached({ folder, directory, attachments = [] }: DirectoryScan): void {
    for (const file of attachments) {
      const owner = { folder, path: joinPath(directory, file.owner) };
      const place = { folder, path: file.path };
      this.#noteChangedAttached(place, file.stat);
      if (file.ownerStat === null) this.#noteLeftBehind({ ...file, owner });
      if (this.#isSentWith(owner, place, file.stat)) continue;
      if (file.ownerStat !== null) this.#unsentAttachments.note({ ...file, owner });
      this.#roots.inBackground(this.#comparison.noteSaved(place, file.stat));
    }
  }

  /** What was an attachment, in a directory whose document is not there any more, stays one when it is saved. */
  #noteLeftBehind(file: UnsentAttachment): void {
    const { owner, path, stat } = file;
    const ref = { folder: owner.folder, path };
    const holders = { records: this.#ledger.findHolders(stat), unsent: [] };
    const wasAttached = heldByFile({ ref, stat }, undefined, holders)?.isAttachment === true;
    const before = this.#unsentAttachments.at(owner, path);
    if (before === null && !wasAttached) return;
    this.#unsentAttachments.note(file);
    if (before !== null && !isSameFile(before.stat, stat)) this.#inherit({ ref, stat: before.stat }, stat);
  }

  /** Of a document's file that changed while it is attached, what its record says is true no more. */
  #noteChangedAttached(place: DocumentRef, stat: FileStat): void {
    const record = this.#ledger.get(place);
    if (record === undefined || !tellsOf(record, stat)) return;
    const { size, mtimeMs } = record.stat;
    if (size !== stat.size || mtimeMs !== stat.mtimeMs)
      this.#roots.inBackground(this.#putStanding(place, record, stat));
  }

  /** A recorded path whose file is not listed. */
  #lose(ref: DocumentRef, cause: ScanCause): void {
    this.#roots.changeFound(ref.folder, cause, longAgo);
    const liveAt = cause === 'start' ? null : this.#clock.now();
    this.#inspectPath(ref, { present: false, ...urgencyOf(liveAt, this.#clock.now()) });
  }

  /** A directory with records is gone, ignored by now, or a link. */
  #loseAll({ folder, cause, deep }: DirectoryScan, directory: string, wereListed: boolean): void {
    this.#noteLeft({ folder, directory, entries: [] });
    this.tasks.backlog.replace(folder, directory, [], this.#clock.monotonic());
    const tasks = this.tasks.inDirectory(folder, directory);
    const names = [...this.#ledger.recordsIn(folder, directory).keys()].filter((name) => !tasks.has(name));
    for (const name of names) this.#lose({ folder, path: `${directory}/${name}` }, cause);
    for (const task of Array.from(tasks.values())) {
      // What is below an ignored directory is inspected again only where its rules may have changed.
      if (task.state.kind === 'dormant' && !wereListed && deep === undefined) continue;
      if (mayHaveGone(task)) this.#advance(task, { kind: 'touched', present: false });
    }
  }

  /** Every directory of a folder was listed. */
  #onScanned(folder: string, root: RootIdentity, unreadable: readonly UnreadableDirectory[]): void {
    this.#roots.folderScanned(folder, root, unreadable);
    this.#inspectUnlisted(folder);
    for (const code of unseenCodes) this.#inspectFailed(code, (ref) => ref.folder === folder);
    // What is held may stand by now where nothing is sent of it.
    this.#roots.inBackground(this.#keepOfHeld(Array.from(this.tasks.in('held'))));
    this.#roots.inBackground(this.holds.endIfEmpty(folder).then(() => this.holds.recount(folder)));
    this.#drawWhenSettled(folder);
    this.#sends.release();
    this.#options.onChange();
  }

  /** What the first scan found is looked at once more, when it may have settled. */
  #drawWhenSettled(folder: string): void {
    const inMs = this.folders.settlesInMs(folder);
    if (inMs > 0) this.#clock.after(inMs, () => this.#drawWhenSettled(folder));
    else this.#drawFromBacklog();
  }

  /** Inspects, once everything was listed, paths that no scan lists. */
  #inspectUnlisted(folder: string): void {
    // A failure of before a restart whose file has gone, or is no document any more.
    for (const [ref] of Array.from(this.#ledger.failures())) {
      if (ref.folder !== folder || this.tasks.get(ref) !== undefined) continue;
      this.#inspectPath(ref, { present: false, priority: 'backlog', at: 0 });
    }
    // Before everything was listed, nothing could be said of a file that is not there.
    for (const task of Array.from(this.tasks.in('waiting'))) {
      if (task.ref.folder === folder && !task.present) this.#advance(task, { kind: 'due' });
    }
  }

  /** Timers, retries included. */
  #onDue(): void {
    for (const key of this.#timers.take()) {
      const task = this.tasks.byKey(key);
      if (task !== undefined) this.#advance(task, { kind: 'due' });
    }
  }

  /** A person fixed something outside: try everything that waits at once. */
  retryWaiting(): void {
    this.#breaker.close();
    for (const task of Array.from(this.tasks.in('retry'))) this.#advance(task, { kind: 'due' });
    this.#sends.wake();
  }

  /**
   * Failed documents back in line; null: all but those in doubt, or dismissed as such. One of these that is named is
   * sent again, as is a delivered one, when its folder is scanned. `retried`: which these are, `delivered` among them;
   * `unknown`: those of `refs` of which there is nothing to send; where there are any, nothing is done. `barred`: keys of
   * those that are not meant.
   */
  async retry(
    refs: readonly DocumentRef[] | null,
    barred: Pick<ReadonlySet<string>, 'has'> = new Set(),
  ): Promise<Pick<Retries, 'delivered' | 'retried' | 'unknown'>> {
    const failed = [...this.tasks.in('failed')].filter(({ key }) => !barred.has(key));
    const waiting = [...failed, ...this.tasks.in('retry')];
    const { doubts, failure, failures } = this.#ledger;
    const get = (ref: DocumentRef) => (this.isAway(ref) ? undefined : this.#ledger.get(ref));
    const known = { doubts, failure, failures, get };
    const { delivered, changes, retried, unknown } = chooseRetries(refs, waiting, known);
    if (unknown.length > 0) return { delivered: [], retried: [], unknown };
    if (changes.length > 0) await this.#writer.commitDecision(changes);
    // What came due while that was written is under way by now, and stays so; what a scan found meanwhile is meant, too.
    for (const ref of retried) {
      const task = this.tasks.get(ref);
      if (task !== undefined) this.#advance(task, { kind: 'retryRequested', at: this.#clock.now() });
    }
    this.#inspectFailed(inDoubtCode);
    this.#breaker.allowUploads();
    this.#breaker.close();
    this.#sends.wake();
    return { delivered, retried, unknown };
  }

  /**
   * Writes down what a person decided about one path and inspects it again. False: a request about it is under way, and
   * nothing was written. Rejects, as all decisions, with LedgerUnwritableError: whoever decides does not wait for the disk.
   */
  async decide(ref: DocumentRef, changes: readonly Change[]): Promise<boolean> {
    const unlock = this.#locks.take(undefined, [ref]);
    if (unlock === null) return false;
    const stopping = lastWithoutDocId(this.#ledger).length;
    await this.#writer.commitDecision(changes).finally(unlock);
    // Only what is said of one of these says that uploads may go on.
    if (lastWithoutDocId(this.#ledger).length < stopping) this.#breaker.allowUploads();
    const at = this.#clock.now();
    const hasRecord = this.#ledger.get(ref) !== undefined;
    // A record that came to a file which is no document has no task yet.
    const isNew = hasRecord && this.folders.get(ref.folder) !== undefined;
    const first = { present: true, priority: 'retry', at } as const;
    const task = this.#taskAt(ref) ?? (isNew ? this.tasks.open(ref, first) : undefined);
    if (task !== undefined) this.#advance(task, { kind: 'decided', at, hasRecord });
    this.#inspectFailed(inDoubtCode);
    this.#sends.wake();
    return true;
  }

  /**
   * From now on nothing is sent of these folders, and of the others again. Requests under way end; no other starts.
   * What is found and what goes is noted meanwhile, and judged when it is to be sent.
   */
  setPaused(folders: Iterable<string>): void {
    this.#paused = new Set(folders);
    this.#sends.pausesChanged();
    this.#drawFromBacklog();
    this.#options.onChange();
  }

  /** Releases deletions of one folder, those of `meant` that still wait for a person. Gives them, when that is written. */
  async approve(
    folder: string,
    meant = this.holds.tasks(folder),
    { keeps = false }: { readonly keeps?: boolean } = {},
  ): Promise<readonly Task[]> {
    const answered = await this.holds.answer(folder, meant, keeps);
    // The hold has ended: what has come to it meanwhile is judged again. What is not held finds its approval by itself.
    if (answered.length > 0)
      for (const task of new Set([...answered, ...this.holds.unanswered(folder)]))
        this.#advance(task, { kind: 'touched' });
    return answered;
  }

  /** Its file is gone, or not sent any more: of a delivered document there is nothing to send again. */
  isAway(ref: DocumentRef): boolean {
    return this.tasks.get(ref)?.present === false;
  }

  // ── Tasks advanced: the only place ──────────────────────────────────────────────────────────────────────────────

  #advance(task: Task, event: TaskEvent): void {
    if (!this.tasks.has(task)) return;
    const before = task.state;
    this.tasks.apply(task, event);
    const { state } = task;
    if (state !== before) {
      if (before.kind === 'ready') this.#sends.leave(task, before.bulkKey);
      if (before.kind === 'held' && task.present) this.#reports.addReturned(task.ref, 'held');
      const dueAt = dueOf(task);
      if (dueAt === null) this.#timers.delete(task.key);
      else this.#timers.set(task.key, dueAt);
      if (state.kind === 'inspect') {
        const place = { level: levels[task.priority], source: task.ref.folder, atMs: task.at };
        this.#inspections.put(task.key, place);
      }
      if (isReady(task)) this.#sends.enter(task);
    }
    this.#options.onChange();
  }

  /** Has a path inspected, whether it has a task or not. */
  #inspectPath(...opened: Parameters<TaskStore['open']>): void {
    const task = this.tasks.open(...opened);
    this.#advance(task, { kind: 'touched' });
  }

  /** The task of a path; a file that waits unread gets one. */
  #taskAt(ref: DocumentRef): Task | undefined {
    const unread = this.tasks.backlog.take(ref);
    if (unread !== null) this.#openUnread([unread]);
    return this.tasks.get(ref);
  }

  #openUnread(files: readonly BacklogFile[]): void {
    for (const { ref, seen } of files)
      this.#inspectPath(ref, { present: true, seen, ...urgencyOf(null, seen.stat.mtimeMs) });
  }

  #close(task: Task): void {
    if (!this.tasks.has(task)) return;
    if (task.state.kind === 'ready') this.#sends.leave(task, task.state.bulkKey);
    this.#timers.delete(task.key);
    this.tasks.close(task);
    this.#options.onChange();
  }

  #settleSoon(task: Task, ms: number | null, reason?: Reason): void {
    this.#advance(task, { kind: 'settling', dueAt: ms === null ? null : this.#inMs(ms), reason });
  }

  #inMs(ms: number): number {
    return this.#clock.monotonic() + Math.max(1, ms);
  }

  /**
   * Files become tasks as there is room for them, of folders whose files are all known: first those with a record, most
   * of which need no request, whatever waits for a permit; then new ones, the newest first.
   */
  #drawFromBacklog(): void {
    const { backlog } = this.tasks;
    const waiting = this.#inspections.size;
    this.#roots.inBackground(this.#judgePaused());
    if (backlog.size === 0 || this.#isStopped || waiting > inspectedAhead / 2) return;
    const isKnown = (folder: string) =>
      !this.folders.isWaitedFor(folder) && this.folders.settlesInMs(folder) <= 0;
    if (waiting < inspectConcurrency) this.#openUnread(backlog.takeRecorded(inspectConcurrency, isKnown));
    const ahead = this.tasks.in('ready').size - this.#sends.pausedCount + this.#inspections.size;
    if (ahead > inspectedAhead / 2) return;
    const isWanted = (folder: string) => !this.#paused.has(folder) && isKnown(folder);
    this.#openUnread(backlog.takeNewest(inspectedAhead - ahead, isWanted));
  }

  /**
   * Looks at what a pause keeps in the backlog: what cannot be sent as it stands gets a task, and is failed or waits as
   * without a pause. All else stays: a task for each would take too much room.
   */
  async #judgePaused(): Promise<void> {
    if (this.#isJudging || this.#isStopped || !this.tasks.backlog.hasUnjudged(this.#mayBeJudged)) return;
    this.#isJudging = true;
    try {
      for (;;) {
        const next = this.tasks.backlog.takeUnjudged(this.#mayBeJudged);
        const port = next === null ? undefined : this.folders.get(next.folder)?.port;
        if (next === null || port === undefined) return;
        const { folder, directory, names } = next;
        const unfit = new Set<string>();
        for (let from = 0; from < names.length && !this.#isStopped; from += inspectConcurrency) {
          const some = names.slice(from, from + inspectConcurrency);
          const judged = await Promise.all(
            some.map((name) => this.#isSendable({ folder, path: joinPath(directory, name) }, port)),
          );
          for (const [index, name] of some.entries()) if (judged[index] === false) unfit.add(name);
        }
        if (this.#isStopped) return;
        this.#openUnread(this.tasks.backlog.takeNamed(folder, directory, unfit));
      }
    } finally {
      this.#isJudging = false;
      this.#options.onChange();
    }
  }

  /** A new document that could be sent, as far as its own files tell. */
  async #isSendable(ref: DocumentRef, port: FolderPort): Promise<boolean> {
    const found = await this.#inspectAt(ref, port);
    if (found.kind !== 'document') return false;
    const isNew = this.#ledger.get(ref) === undefined;
    if (isNew && found.document.likelySidecar !== undefined) return false;
    const { incompleteMinutes } = this.#options.settings.timing;
    if (incompleteMinutes > 0 && (await port.missingPart(ref.path, found.document.stat)) !== null)
      return false;
    const isAttachment = this.#comparison.ownersOf(found.document).length > 0;
    return !isAttachment && !doubtsAbout(ref, this.#ledger).some(({ holds }) => holds);
  }

  readonly #mayUpload = (folder: string): boolean =>
    !this.#breaker.areUploadsStopped() && this.folders.mayUpload(folder);

  /** New files of this folder stay in the backlog: it is paused. All of it is known. */
  readonly #isKeptBack = (folder: string): boolean =>
    this.#paused.has(folder) && this.folders.viewOf(folder).isScanned && !this.folders.isUnavailable(folder);

  readonly #mayBeJudged = (folder: string): boolean =>
    this.#isKeptBack(folder) && this.folders.settlesInMs(folder) <= 0;

  // ── Paths inspected and compared with the ledger ────────────────────────────────────────────────────────────────

  async #inspect(key: string): Promise<void> {
    const task = this.tasks.byKey(key);
    if (task?.state.kind !== 'inspect' || this.#isStopped) return;
    this.#advance(task, { kind: 'inspectionStarted', at: this.#clock.monotonic() });
    try {
      const found = await this.#assess(task);
      if (this.#isStopped || !this.tasks.has(task)) return;
      await this.#conclude(task, found);
      if (this.#rests(task) && task.seen !== null) await this.#noteStanding(task, task.seen.stat);
    } catch (error) {
      if (this.#isStopped) return;
      const about = { ...task.ref, error: errorMessage(error) };
      this.#log.error(about, 'inspection failed');
      this.#settleSoon(task, unforeseenMs);
    }
  }

  /** What stands at its path is not sent for some time. */
  #rests(task: Task): boolean {
    if (this.#isStopped || !this.tasks.has(task)) return false;
    const { state, ref, present } = task;
    if (!present) return state.kind === 'dormant' && this.#isSaveUnknown(task);
    const mustWait = () => this.#paused.has(ref.folder) || this.#options.limiter.status().nextFreeMs > 0;
    return restingStates.has(state.kind) || (state.kind === 'ready' && mustWait());
  }

  /** Ignored by now, or gone: no scan tells of it any more. Whether the record lacks the save that was seen last. */
  #isSaveUnknown({ ref, seen }: Task): boolean {
    const record = this.#ledger.get(ref);
    if (record === undefined || seen === null) return false;
    return record.standing === undefined && !sameFile(record.stat, seen.stat);
  }

  /** Nothing waits to be inspected but what has to wait for room. */
  #isQuiet(): boolean {
    return this.#inspections.size + this.#inspections.running === 0;
  }

  /** Inspects a task's path, has its record follow a moved file, and works out what has to be sent. */
  async #assess(task: Task): Promise<Assessment> {
    try {
      return await this.#assessFile(task);
    } catch (error) {
      // Nothing is concluded of a document while a file that has to be compared with it cannot be read.
      if (errorCode(error) !== unreadableNowCode) throw error;
      return { kind: 'unknown', reason: { code: unreadableNowCode, message: errorMessage(error) } };
    }
  }

  async #assessFile(task: Task): Promise<Assessment> {
    const folder = this.folders.get(task.ref.folder);
    if (folder === undefined) return { kind: 'nothing', device: null };
    const found = await this.#inspectAt(task.ref, folder.port);
    if (found.kind !== 'document') {
      if ((found.kind === 'ignored' || found.kind === 'skipped') && found.stat !== undefined)
        await this.#noteStanding(task, found.stat);
      const stated = await this.#assessStated(task, found);
      if (stated !== null) return stated;
      return assessWithoutDocument(found, {
        record: this.#ledger.get(task.ref),
        isKept: this.#ledger.answer(task.ref) === 'keep',
        onRemove: folder.settings.onRemove,
      });
    }
    const { document } = found;
    this.#log.debug({ ...task.ref }, 'settled');
    const before = task.seen;
    this.#advance(task, { kind: 'found', seen: seenOf(document) });
    this.#noteReplaced(task, before);
    const attached = await this.#comparison.awaitOwners(task, document);
    if (attached !== null) {
      const stated = await this.#comparison.compareStated(task, document, this.#ledger.get(task.ref));
      return stated?.kind === 'send' ? stated : attached;
    }
    this.#unsentAttachments.release(document);
    const move = await this.#comparison.findMove(task, document);
    if (move.kind === 'settling') return move;
    if (move.kind === 'move') {
      const hindered = await this.#follow(task, move);
      if (hindered !== null) return hindered;
      // Its record has left with its directory: what stands here now is inspected as another document. Where none has
      // come, one that came beside it may have it as an attachment.
      if (!this.tasks.has(task) || this.#ledger.get(task.ref) === undefined) return compareAgain;
      // What was found so far takes its own record for another's, and the file may have another in its directory.
      return this.#assess(task);
    }
    const compared = await this.#comparison.compare(task, document, this.#ledger.get(task.ref));
    return compared.kind === 'adopt' ? this.#adopt(task, compared) : compared;
  }

  /** What goes out of a document though its content cannot; null: nothing. */
  async #assessStated(task: Task, { kind, stated }: NoDocument): Promise<Assessment | null> {
    const record = this.#ledger.get(task.ref);
    if (stated === undefined) return null;
    if (record === undefined) {
      // It follows its file, which has to stand still for that.
      if (kind === 'settling' || this.#comparison.ownersOf(stated).length > 0) return null;
      const move = await this.#comparison.findMove(task, stated);
      return move.kind === 'none' ? null : this.#assessMoved(task, move);
    }
    const found = await this.#comparison.compareStated(task, stated, record);
    if (found?.kind === 'move') return kind === 'settling' ? compareAgain : this.#assessMoved(task, found);
    if (found?.kind !== 'send') return found;
    // What changes all the time is tried no more often for that.
    const triedAt = this.attempts.of(task.key).at(-1)?.at ?? -Infinity;
    const isLate = this.#clock.now() >= triedAt + readAgainMs(task.attempts);
    if (kind === 'settling' && task.attempts > 0 && !isLate) return null;
    const before = task.seen;
    this.#advance(task, { kind: 'found', seen: seenOf(stated) });
    this.#noteReplaced(task, before);
    return found;
  }

  /** What is to be sent of a path once its record is that of the file that stands there. */
  async #assessMoved(task: Task, move: Exclude<MoveDecision, { kind: 'none' }>): Promise<Assessment> {
    return move.kind === 'settling' ? move : ((await this.#follow(task, move)) ?? this.#assess(task));
  }

  readonly #isSentWith = (ref: DocumentRef, place: DocumentRef, file: FileStat): boolean => {
    const record = this.#ledger.get(ref);
    return record !== undefined && hasAttached({ ref, record }, place, file);
  };

  /** What a file without a record counts as held with. */
  #unsentModesOf(file: Pick<FoundDocument, 'stat'>): readonly HeldMode[] {
    const { stat } = file;
    // Of a document that was deleted since it had, or attached, this file.
    const former = this.#ledger.formerModes(stat);
    // Without a number, a record that looks so may be another file's.
    const records = stat.ino === 0 ? [] : this.#ledger.findByFile(stat);
    if (records.some(({ record }) => tellsOf(record, stat))) return former;
    // What a scan saw last may be gone since.
    for (const { ref, seen } of this.tasks.presentLike(stat)) {
      if (seen === null || !isPerhapsSame(seen.stat, stat)) continue;
      this.#unsentModes.note(ref, seen);
      // Nor is what was saved in the place of an attachment sent for certain, unless it was a document before.
      if (this.#ledger.get(ref) !== undefined) continue;
      for (const { owners, sha256 } of recordedOwners({ ref, stat }, this.#ledger))
        if (sha256 === undefined) this.#unsentModes.noteAttachment(owners[0] ?? ref, stat);
    }
    const known = this.#unsentAttachments.modeOf(stat) ?? this.#unsentModes.of(file);
    return known === null ? former : [known, ...former];
  }

  /** The same of a document, whose upload may be in doubt: the service may hold it with the mode that went out. */
  #modesOfNew({ ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>): readonly HeldMode[] {
    const doubts = this.#ledger
      .doubts()
      .filter((doubt) => refKey(doubt.ref) === refKey(ref) || (doubt.stat && sameFile(doubt.stat, stat)));
    return [...this.#unsentModesOf({ stat }), ...doubts.flatMap(({ carried }) => carried?.held ?? [])];
  }

  /** What own sidecars state for other names of a file: these were not sent with it yet, or would have no tasks. */
  #modesOfLinks({ ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>): readonly HeldMode[] {
    return [...this.tasks.presentLike(stat)].flatMap(({ key, ref: other, seen }) => {
      if (key === refKey(ref) || seen?.ownMode === undefined || !isSameFile(seen.stat, stat)) return [];
      return [{ ...other, mode: seen.ownMode, by: sidecarPlaces(other.path).byName }];
    });
  }

  #inspectAt(ref: DocumentRef, port: FolderPort, record = this.#ledger.get(ref)): Promise<Inspection> {
    return inspectDocument(port, ref, record, this.known);
  }

  /** Undefined: its folder is not in the configuration. */
  readonly #inspectIfWatched = async (ref: DocumentRef): Promise<Inspection | undefined> => {
    const port = this.folders.get(ref.folder)?.port;
    return port === undefined ? undefined : this.#inspectAt(ref, port);
  };

  /** Inspects what failed or waits for one reason, which may have ended; what is inspected right now may still find it. */
  #inspectFailed(code: string, isMeant: (ref: DocumentRef) => boolean = () => true): void {
    const waiting = [...this.tasks.in('failed'), ...this.tasks.in('waiting')];
    const found = waiting.filter((task) => reasonOf(task)?.code === code);
    for (const task of [...found, ...this.tasks.in('inspecting')])
      if (isMeant(task.ref)) this.#advance(task, { kind: 'touched' });
  }

  /** A document's hash; not read again while its task's stat is the same. Null: it is another file by now. */
  async #hash(ref: DocumentRef, stat: FileStat): Promise<string | null> {
    const task = this.tasks.get(ref);
    const known = task?.hashed ?? null;
    if (known !== null && sameStat(known.stat, stat)) return known.sha256;
    const sha256 = (await this.folders.get(ref.folder)?.port.hash(ref.path, stat)) ?? null;
    if (sha256 !== null && task !== undefined) this.#advance(task, { kind: 'hashed', stat, sha256 });
    return sha256;
  }

  /** What a task's file lacks by its own format, and since when; not read again while its stat is the same. */
  async #formatOf(task: Task, stat: FileStat): Promise<NonNullable<TaskFacts['format']>> {
    if (task.format !== null && sameStat(task.format.stat, stat)) return task.format;
    const since = this.#clock.monotonic();
    const { folder, path } = task.ref;
    const missing = (await this.folders.get(folder)?.port.missingPart(path, stat)) ?? null;
    const format = { stat, missing, since };
    this.#advance(task, { kind: 'formatRead', format });
    return format;
  }

  /** The record learns what was found, without a request. */
  async #adopt(task: Task, { docId, change, unclearable }: Adoption): Promise<Assessment> {
    const unlock = this.#locks.take(task, [task.ref]);
    if (unlock === null) return compareAgain;
    try {
      const record = this.#ledger.get(task.ref);
      if (record?.docId !== docId) return compareAgain;
      if (change !== null) {
        this.#reports.addUnclearable(task.ref, unclearable);
        await this.#writer.commit([change]);
        this.#inspectAttached(record);
      }
      return { kind: 'clean' };
    } finally {
      unlock();
    }
  }

  /** Lets records follow their files: docIds kept, no request. Null: they do. Else something of it is under way. */
  async #follow(mover: Task, move: Move): Promise<Assessment | null> {
    const { steps, left } = move;
    const involved = [...steps.flatMap(({ entry, to }) => [entry.ref, to]), ...left.map(({ ref }) => ref)];
    if (!isStillTrue(this.#ledger, move)) return compareAgain;
    const unlock = this.#locks.take(mover, involved);
    if (unlock === null) {
      const others = involved.filter((ref) => refKey(ref) !== mover.key);
      const isSent = others.some((ref) => this.tasks.get(ref)?.state.kind === 'sending');
      return isSent ? compareAfterRequest : compareAgain;
    }
    for (const ref of involved) this.#taskAt(ref);
    // Before the commit: from here on nothing may be deleted for a path that was left.
    const came = new Map(left.map((path) => [path, this.#leavePath(path.ref)]));
    await this.#writer.commit(changesOf(this.#ledger, move)).finally(unlock);
    for (const { entry, to, isEdited } of steps) {
      const arrived = this.tasks.get(to);
      if (arrived === undefined) {
        // No document as it stands: nobody else looks there.
        this.#inspectPath(to, { present: false, priority: 'live', at: this.#clock.now() });
      } else this.#advance(arrived, { kind: 'recordCame', dirty: arrived !== mover });
      this.totals.moved += 1;
      const message = isEdited ? 'edited' : null;
      const { docId } = entry.record;
      this.#reports.add({ ...to, what: 'moved', docId, message, from: refKey(entry.ref) });
    }
    const live = { priority: 'live', at: this.#clock.now() } as const;
    for (const path of left) {
      const there = this.tasks.get(path.ref);
      if (path.takenBy !== null) {
        const { ref, record } = path.takenBy;
        const from = refKey(ref);
        this.#reports.add({ ...path.ref, what: 'replaced', docId: record.docId, message: null, from });
        // It went when the other file came.
        this.#inspectPath(path.ref, { present: false, ...live }, this.tasks.get(ref)?.since);
      } else if (there !== undefined) this.#advance(there, { kind: 'recordLeft' });
      else {
        const file = came.get(path) ?? null;
        if (file !== null) this.#inspectPath(path.ref, { present: true, ...file, ...live });
      }
    }
    return null;
  }

  /**
   * Closes the task of a path whose record moves away. Gives what is known of another file that came to the path, or
   * may have, and has to be inspected there; null: none did.
   */
  #leavePath(ref: DocumentRef): Pick<TaskFacts, 'seen'> | null {
    const gone = this.tasks.get(ref);
    if (gone === undefined) return null;
    this.#close(gone);
    const { present, state, seen } = gone;
    const recorded = this.#ledger.get(ref)?.stat;
    const isAnother = seen !== null && (recorded === undefined || !sameFile(seen.stat, recorded));
    if (present) return { seen: isAnother ? seen : null };
    return state.kind === 'inspect' || state.kind === 'inspecting' ? { seen: null } : null;
  }

  /** Moves a task by what its inspection found. */
  async #conclude(task: Task, found: Assessment): Promise<void> {
    switch (found.kind) {
      case 'send': {
        await this.holds.endApproval(task);
        const refused = refusedAsItStands(this.#ledger, found.compared.document);
        if (refused !== undefined) return this.#stayRefused(task, refused);
        const { operation } = found;
        const bulk = operation.kind === 'modify' && !task.alone ? operation.bulk : null;
        const bulkKey = bulk === null ? null : bulkKeyOf(task, 'modify', bulk.key);
        const since = this.#clock.monotonic();
        const narrows = operation.kind === 'modify' && operation.narrows === true;
        this.#advance(task, { kind: 'ready', operation: operation.kind, bulkKey, narrows, since });
        return;
      }
      case 'clean':
        await this.#clearFailure(task);
        // Before it is closed: nothing is idle while a hold is still to end.
        await this.holds.endApproval(task);
        this.#end(task);
        return;
      case 'nothing':
        await this.#clearFailure(task, found.device);
        this.#end(task);
        // What it would have attached is a document of its own, if its sidecar is gone too.
        if (!this.tasks.has(task) && this.#unsentAttachments.attachesAny(task.ref, task.seen?.stat))
          this.#inspectFailed(attachedBeforeCode);
        return;
      case 'unknown':
        return found.isGone === true
          ? this.#concludeGoneBelow(task, found.reason)
          : this.#concludeUnknown(task, found.reason, found.stat);
      case 'settling':
        await this.holds.endApproval(task);
        return this.#settleSoon(task, found.againMs, found.reason);
      case 'later': {
        await this.holds.endApproval(task);
        const { againMs, reason } = found;
        const { attempts, untaken } = task;
        this.#advance(task, { kind: 'retryLater', dueAt: this.#inMs(againMs), reason, attempts, untaken });
        return;
      }
      case 'waiting': {
        await this.holds.endApproval(task);
        const dueAt = found.againMs === null ? null : this.#inMs(found.againMs);
        this.#advance(task, { kind: 'waiting', dueAt, reason: found.reason });
        return;
      }
      case 'unfit':
        return this.#concludeUnfit(task, found.reason);
      case 'dormant':
        await this.#clearFailure(task, found.device);
        if (found.device !== null && this.#mayBeHalfOfAMove(task, found.reason, found.device)) return;
        // Whoever decided it knows, and the decision is in the log.
        if (this.#ledger.answer(task.ref) !== 'keep') await this.#reportRemains(task, found.reason);
        this.#advance(task, { kind: 'dormant', reason: found.reason });
        // Only now: a dormant task no longer counts as missing, so a hold that is empty by this can end.
        await this.holds.endApproval(task);
        return;
      case 'gone':
        await this.#concludeGone(task, found.device);
    }
  }

  /** A file that is kept, and of which that was not said yet, waits its grace as one does that is deleted. */
  #mayBeHalfOfAMove(task: Task, { code }: Reason, device: number): boolean {
    const isSaid = this.#ledger.get(task.ref)?.said?.includes(remainsMark + code) === true;
    if (isSaid || this.#ledger.answer(task.ref) === 'keep') return false;
    this.#advance(task, { kind: 'missing', at: this.#clock.monotonic(), device });
    const graceMs = this.#graceMs(task.ref);
    if (graceMs > 0) this.#advance(task, { kind: 'grace', dueAt: this.#inMs(graceMs) });
    return graceMs > 0;
  }

  /** Its file stands elsewhere, and not as a document that can be sent: the record goes there with it, where it can. */
  async #keep(task: Task, { reason, at }: Extract<Whereabouts, { kind: 'kept' }>): Promise<void> {
    const record = this.#ledger.get(task.ref);
    const entry = record === undefined ? null : { ref: task.ref, record };
    const onRemove = (folder: string) => this.folders.get(folder)?.settings.onRemove;
    const removeAlike = (one: string, other: string) => onRemove(one) === onRemove(other);
    const move = at === null || entry === null ? null : moveUnsent(entry, at, this.#ledger, removeAlike);
    if (move === null) {
      this.#advance(task, { kind: 'dormant', reason });
      return this.holds.endApproval(task);
    }
    if ((await this.#follow(task, move)) === null) return this.holds.endIfEmpty(task.ref.folder);
    this.#advance(task, { kind: 'grace', dueAt: this.#inMs(moveMayShowMs) });
  }

  /**
   * Its document is this file's from now on, which may not be sent yet: over a restart, too. Not that of another one which
   * has come there.
   */
  async #noteStanding(task: Task, stat: FileStat): Promise<void> {
    const { ref } = task;
    const record = this.#ledger.get(ref);
    if (record === undefined || stat.ino === 0) return;
    const others = this.#ledger.findByFile(stat).filter((one) => refKey(one.ref) !== task.key);
    if (others.some(({ record: one }) => filesOfRecord(one).some((file) => sameFile(file, stat)))) return;
    const standing = standingAs(record, stat);
    const known = record.standing;
    if (standing === known || (standing && known && isSameFile(standing, known))) return;
    await this.#putStanding(ref, record, standing);
  }

  async #putStanding(ref: DocumentRef, record: LedgerRecord, file: LedgerRecord['standing']): Promise<void> {
    const unlock = this.#locks.take(undefined, [ref]);
    if (unlock === null) return;
    await this.#writer.commit([{ kind: 'put', ref, record: { ...record, standing: file } }]).finally(unlock);
  }

  /** Its place cannot be read: it is inspected again later. */
  #concludeUnknown(task: Task, reason: Reason, stat?: FileStat): void {
    // A scan says when a whole folder can be read again. `not-scanned`: the one that says so is under way.
    if (this.folders.isUnavailable(task.ref.folder) && reason.code !== 'not-scanned') return this.#end(task);
    // And when rules can be. Until then what stands as it was delivered, or is gone, waits for nothing, unless a person
    // wants it sent.
    const record = reason.code === ignoreFileCode ? this.#ledger.get(task.ref) : undefined;
    const isEdited = record !== undefined && stat !== undefined && !sameStat(record.stat, stat);
    const isRestated = task.seen !== null && task.seen.fingerprint !== record?.fingerprint;
    const isAsDelivered = record !== undefined && !isEdited && !isRestated;
    if (isAsDelivered && task.priority !== 'retry') return this.#end(task);
    const isPassing = reason.code === unreadableNowCode;
    const longestMs = isPassing ? Infinity : this.#options.settings.timing.pollSeconds * 1_000;
    const ms = Math.min(readAgainMs(task.unreadable + 1), longestMs);
    if (isPassing && task.unreadable === 0)
      this.#log.warn({ ...task.ref, reason: reason.message }, 'file cannot be read at the moment; retrying');
    this.#advance(task, { kind: 'unreadable', dueAt: this.#inMs(ms), reason, isPassing });
  }

  /** Gone below an ignore file that is not valid: its deletion waits for that, or for the person who is asked already. */
  async #concludeGoneBelow(task: Task, { code, message }: Reason): Promise<void> {
    const { ref } = task;
    const { folder } = ref;
    const record = this.#ledger.get(ref);
    if (record === undefined) return this.#end(task);
    this.#advance(task, { kind: 'missing', at: this.#clock.monotonic(), device: record.stat.dev });
    const refused = this.#ledger.failure(ref);
    if (refused !== undefined && isOfDeletion(refused)) return this.#stayRefused(task, refused, true);
    const hold = this.#ledger.hold(folder);
    if (hold !== undefined && this.#ledger.answer(ref) === undefined)
      return this.#hold([task], { folder, reason: hold.reason, where: hold.hiddenIn ?? null });
    const dueAt = this.#inMs(this.#options.settings.timing.pollSeconds * 1_000);
    const reason = { code, message: `its file is gone; ${message}` };
    this.#advance(task, { kind: 'unreadable', dueAt, reason, isPassing: false });
  }

  /** It cannot be sent as it stands: reported once, until a person changes something about it. */
  async #concludeUnfit(task: Task, reason: Reason): Promise<void> {
    await this.holds.endApproval(task);
    // What the service said of other bytes is no longer what is wrong with it.
    if (this.#ledger.failure(task.ref)?.code !== reason.code) await this.#clearFailure(task);
    const { reported } = task;
    const isNew = reported?.code !== reason.code || reported.message !== reason.message;
    // What was seen later is another file, or one that has changed.
    const mayBeOld = task.priority === 'backlog';
    if (isNew && !(mayBeOld && this.#options.isTold?.(task.ref, reason.message) === true))
      this.#reports.addFailure(task.ref, reason);
    const recorded = this.#ledger.failure(task.ref) !== undefined;
    this.#advance(task, { kind: 'failed', reason, recorded, attempts: Math.max(1, task.attempts) });
  }

  /** Nothing has changed about a refusal of before, which the log may not have. */
  #stayRefused(task: Task, { code, message, attempts }: Failure, isGone = false): void {
    if (code !== dismissedCode && this.#options.isTold?.(task.ref, message) === false)
      this.#reports.addFailure(task.ref, { code, message });
    this.#advance(task, { kind: 'failed', reason: { code, message }, recorded: true, attempts, isGone });
  }

  /** Nothing has to be done for it, unless something happened meanwhile. Its file may still go elsewhere. */
  #end(task: Task): void {
    const { ref, seen } = task;
    if (seen !== null && this.#ledger.get(ref) === undefined) this.#unsentModes.note(ref, seen);
    if (task.state.kind === 'inspecting' && task.state.dirty) this.#advance(task, { kind: 'replan' });
    else this.#close(task);
  }

  /**
   * Nothing is wrong with it any more, and no status of a later time says so. `goneFrom`: its file is gone, from that
   * device; one that is only away comes back as it was, and need not be refused again.
   */
  async #clearFailure({ ref }: Task, goneFrom: number | null = null): Promise<void> {
    const failure = this.#ledger.failure(ref);
    if (failure === undefined) return;
    // What a person dismissed is not sent until its file changes, whatever becomes of that meanwhile.
    if (failure.code === dismissedCode && this.#ledger.get(ref) === undefined) return;
    if (goneFrom !== null) {
      const view = this.folders.viewOf(ref.folder);
      if (view.isOtherDevice(failure.stat.dev, goneFrom)) return;
      if (await this.#roots.isChanged(ref.folder)) return;
    }
    await this.#writer.commit([{ kind: 'clear', ref }]);
  }

  // ── Deletions: waited for, judged together, held for a person ───────────────────────────────────────────────────

  async #concludeGone(task: Task, device: number): Promise<void> {
    const now = this.#clock.monotonic();
    this.#advance(task, { kind: 'missing', at: now, device });
    // What was kept because its file stands elsewhere waits for nothing while that does.
    const kept = task.reported?.code === keptElsewhereCode ? await this.#locate(task) : null;
    if (kept?.kind === 'kept') return this.#keep(task, kept);
    const since = task.gone?.since ?? now;
    const { removeGraceMs } = this.#options.settings.timing;
    // Where a person is asked anyhow, what was held before a restart is shown as held at once.
    const isHeldBefore = task.priority === 'backlog' && this.holds.isHeld(task.ref.folder);
    const graceMs = isHeldBefore ? Math.min(moveMayShowMs, removeGraceMs) : removeGraceMs;
    if (now < since + graceMs) return this.#advance(task, { kind: 'grace', dueAt: since + graceMs });
    if (this.#mayComeBack(task))
      return this.#advance(task, { kind: 'grace', dueAt: this.#inMs(moveMayShowMs) });
    const place = await this.#locate(task);
    if (!this.tasks.has(task)) return;
    if (place.kind === 'unclear') {
      if (place.ref !== null)
        this.#inspectPath(place.ref, { present: true, priority: 'live', at: this.#clock.now() });
      return this.#advance(task, { kind: 'grace', dueAt: this.#inMs(moveMayShowMs) });
    }
    if (place.kind === 'kept') return this.#keep(task, place);
    const { ref } = task;
    const refused = this.#ledger.failure(ref);
    if (refused !== undefined && isOfDeletion(refused)) return this.#stayRefused(task, refused, true);
    if (place.kind === 'hidden') return this.#hold([task], { folder: ref.folder, ...place });
    if (this.#ledger.isApproved(ref) || (await this.#judge(task)).includes(task)) {
      // The hold may have ended meanwhile, before its own grace was over.
      const dueAt = since + removeGraceMs;
      if (this.#clock.monotonic() < dueAt) return this.#advance(task, { kind: 'grace', dueAt });
      const bulkKey = task.alone ? null : bulkKeyOf(task, 'delete', '');
      this.#advance(task, { kind: 'ready', operation: 'delete', bulkKey, since: this.#clock.monotonic() });
    } else this.#advance(task, { kind: 'grace', dueAt: this.#inMs(moveMayShowMs) });
  }

  /**
   * Scans under way, or a new file that may be this one and was not compared with it yet: nothing is deleted. Such files
   * are inspected for it.
   */
  #mayComeBack(task: Task): boolean {
    // Its record is about to leave: it is no longer the document of this path.
    if (this.#locks.has(task.ref)) return true;
    if (!this.folders.areAllScanned()) return true;
    // It may have been moved to a directory, of any folder, that is not listed yet; only changes of before it went count.
    if (!this.folders.isListedSince(task.gone?.since ?? task.since)) return true;
    const stat = this.#ledger.get(task.ref)?.stat;
    if (stat === undefined) return false;
    const likes = task.seen === null ? [stat] : [stat, task.seen.stat];
    for (const like of likes) this.#openUnread(this.tasks.backlog.takeLike(like));
    const others = likes.flatMap((like) => uncompared(this.tasks, task, like));
    for (const other of others) if (other.state.kind === 'ready') this.#advance(other, { kind: 'touched' });
    return others.length > 0;
  }

  /** Of what went just now nobody is asked yet, whatever is held. What the first scan misses may have been held before. */
  #isAsked(ref: DocumentRef): boolean {
    if (this.#ledger.answer(ref) !== undefined) return true;
    if (this.#ledger.hold(ref.folder) === undefined) return false;
    const task = this.tasks.get(ref);
    return task !== undefined && (task.priority === 'backlog' || this.#graceMs(ref) <= 0);
  }

  /** How long what has gone from a path may still come back, ms. */
  #graceMs(ref: DocumentRef): number {
    const task = this.tasks.get(ref);
    if (task === undefined) return 0;
    const now = this.#clock.monotonic();
    // Where nothing is listed, or nothing can be told of it, nobody sees anything come back.
    const isUnseen = task.state.kind === 'dormant' || task.unreadable > 0;
    const since = task.gone?.since ?? (isUnseen ? -Infinity : now);
    return since + this.#options.settings.timing.removeGraceMs - now;
  }

  /** One search is for all that are looked for at the same time. */
  readonly #search = createGathered(async (lost: Parameters<typeof findInFolders>[0]) => {
    const found = await this.#find(lost);
    // What was not found may be below what is mounted by then.
    for (const folder of this.folders.names) await this.#roots.rememberMounts(folder);
    return found;
  });

  #find(lost: Parameters<typeof findInFolders>[0]): ReturnType<typeof findInFolders> {
    const ports = this.#options.folders.map(({ port }) => port);
    return findInFolders(lost, ports, (folder) => this.#ledger.root(folder)?.dev);
  }

  /** Where the file of a document is that is gone from its path. Hidden, it may go where a person has approved that. */
  async #locate({ ref, since, seen }: Task): Promise<Whereabouts> {
    const record = this.#ledger.get(ref);
    if (record === undefined) return { kind: 'nowhere', look: null };
    const lost = [...filesOfRecord(record), ...(seen === null ? [] : [seen.stat])];
    const search = (await this.#search(lost))(lost);
    const view = this.folders.viewOf(ref.folder);
    const seenAt = view.lastScanBefore(since);
    const place = await whereaboutsOf(
      { ref, record },
      {
        ...this.#moveEvidence,
        search,
        // Of its own folder's root, and of a volume that it lay on, the guard says more.
        covered: this.#roots
          .covered()
          .filter(
            ({ folder, path, isAway }) =>
              folder !== ref.folder || (path !== '' && !(isAway && isAtOrBelow(ref.path, path))),
          ),
        hasStood: ({ folder, ...directory }) => hasStoodSo(this.#ledger.root(folder), directory, seenAt),
        wasHidden: this.holds.hiddenIn(ref.folder) !== undefined,
        seenAt,
      },
    );
    return place.kind === 'hidden' && this.#ledger.isApproved(ref) ? { kind: 'nowhere', look: null } : place;
  }

  /** Judges deletions together: gives those that may go out. Those that may not are held, or judged again later. */
  readonly #judge = createGathered(async (judged: readonly Task[]) => {
    const allowed: Task[] = [];
    for (const [folder, tasks] of groupBy(judged, ({ ref }) => ref.folder)) {
      const verdict = await this.holds.judge(folder, tasks);
      if (verdict.kind === 'allow') allowed.push(...tasks);
      if (verdict.kind !== 'hold') continue;
      const kept = await this.#keepOfHeld(verdict.tasks.filter((task) => !tasks.includes(task)));
      const held = verdict.tasks.filter((task) => !kept.has(task));
      const where = this.holds.hiddenIn(folder) ?? null;
      const { reason } = verdict;
      const isSame = reason === this.#ledger.hold(folder)?.reason;
      await this.#hold(held, { folder, reason, where: isSame ? where : null });
    }
    return allowed;
  });

  /** Of those that are held, or would be with others, some may have their files elsewhere: nobody deletes these. */
  async #keepOfHeld(tasks: readonly Task[]): Promise<ReadonlySet<Task>> {
    const kept = new Set<Task>();
    const keep = async (task: Task) => {
      if ((await this.#locate(task)).kind !== 'kept') return;
      kept.add(task);
      this.#advance(task, { kind: 'touched' });
    };
    for (let from = 0; from < tasks.length; from += locatedAtOnce)
      await Promise.all(tasks.slice(from, from + locatedAtOnce).map(keep));
    return kept;
  }

  /** Held from now on, each told once. `where`: the directory that has to be read for it to end. */
  async #hold(
    tasks: readonly Task[],
    { folder, reason, where = null }: { folder: string; reason: string; where?: DirectoryRef | null },
  ): Promise<void> {
    const hiddenIn = where ?? undefined;
    const held: TaskEvent = { kind: 'held', reason: { code: 'held', message: reason }, hiddenIn };
    const isTold = ({ ref, reported }: Task) =>
      reported?.message === reason || this.#options.isTold?.(ref, reason) === true;
    const fresh = tasks.filter((task) => !isTold(task)).map(({ ref }) => ref);
    for (const task of tasks) this.#advance(task, held);
    this.#reports.addHeld(folder, fresh, reason);
    const isHidden = where !== null && this.holds.hiddenIn(folder) !== undefined;
    if (this.holds.isHeld(folder) || isHidden) await this.holds.recount(folder);
    else await this.holds.begin(folder, { reason, documents: tasks.length, hiddenIn });
  }

  /** A directory could be read: what may have been in it, or below it, is looked for again. */
  #inspectHidden({ folder, directory }: DirectoryScan): void {
    if (!this.folders.names.some((name) => this.holds.hiddenIn(name) !== undefined)) return;
    for (const task of Array.from(this.tasks.in('held'))) {
      const { hiddenIn } = task.state.kind === 'held' ? task.state : {};
      if (hiddenIn?.folder === folder && isAtOrBelow(hiddenIn.path, directory))
        this.#advance(task, { kind: 'touched' });
    }
  }

  // ── Out: a permit, then the plan, then the request ──────────────────────────────────────────────────────────────

  /** Sends these together: what is sent is decided now that the permit is there. */
  async #deliver(ready: readonly [ReadyTask, ...ReadyTask[]], permit: Permit): Promise<void> {
    const [first] = ready;
    // As they go out they are ready no more.
    const work: readonly Task[] = ready;
    const delivery = (this.#deliveries += 1);
    const { operation, bulkKey } = first.state;
    for (const task of work) this.#advance(task, { kind: 'deliveryStarted', delivery });
    let isUnforeseen = false;
    try {
      if (operation === 'delete') await this.#delete(work, permit);
      else if (bulkKey !== null && work.length > 1) await this.#bulkModify(work, bulkKey, permit);
      else await this.#sendOne(first, permit);
    } catch (error) {
      if (errorCode(error) === 'stopped') return;
      permit.giveBack();
      isUnforeseen = true;
      this.#log.error({ error: errorMessage(error) }, 'delivery failed');
    }
    for (const task of work) {
      const { state } = task;
      if (state.kind !== 'sending' || state.delivery !== delivery) continue;
      if (isUnforeseen) this.#settleSoon(task, unforeseenMs);
      else this.#advance(task, { kind: 'replan' });
    }
    // What waits for the end of a request; what is inspected right now may still find that it has to.
    for (const task of [...this.tasks.in('settling'), ...this.tasks.in('inspecting')])
      if (dueOf(task) === null) this.#advance(task, { kind: 'touched' });
    // What was refused is not inspected again, and leaves its place to another.
    this.#drawFromBacklog();
  }

  /** One document: what to send is decided now that the permit is there. */
  async #sendOne(task: Task, permit: Permit): Promise<void> {
    // A document that lies on a mount is never older in the ledger than the mount.
    await this.#roots.mountsNoted(task.ref.folder);
    const found = await this.#assess(task);
    const open = this.folders.get(task.ref.folder)?.port.open;
    if (found.kind !== 'send' || open === undefined) {
      permit.giveBack();
      // Two that wait for each other's end do not go round and round.
      if (found.kind === 'settling') this.#settleSoon(task, found.againMs ?? changedUnderWayMs, found.reason);
    } else if (isModifiable(found)) await this.#modify(task, found, open, permit);
    else await this.#upload(task, found, open, permit);
  }

  /**
   * Sends what was planned for these as one request, and asks at its standing connection for which of them it still
   * follows. Those for which it does not leave, and the rest goes out. Null: nothing did.
   */
  async #send<Member extends Planned>(
    planned: readonly Member[],
    permit: Permit,
    send: (
      members: readonly [Member, ...Member[]],
      permit: Permit,
      ask: RequestWatch['stillFollows'],
    ) => Promise<RequestResult>,
    follows: (members: readonly Member[]) => Promise<readonly Member[]>,
  ): Promise<{ readonly members: readonly [Member, ...Member[]]; readonly result: RequestResult } | null> {
    let members = planned;
    for (let turn = permit; ; turn = await this.#options.limiter.take({ ahead: true })) {
      const [first, ...rest] = members;
      if (first === undefined) {
        turn.giveBack();
        return null;
      }
      const sent = [first, ...rest] as const;
      let confirmed = members;
      let late: readonly Member[] = [];
      let slow = 0;
      const inTurn = rest.length === 0 ? undefined : this.#bulkTurns.get(first.task.ref.folder);
      const ask = async () => {
        const began = this.#clock.monotonic();
        const still = await follows(sent).catch(() => []);
        slow = this.#clock.monotonic() - began > honouredMs ? slow + 1 : 0;
        // So many cannot be asked about at once: what was found first is too old whenever it is asked.
        late = slow >= mostQuestions ? still.slice(Math.ceil(still.length / 2)) : [];
        confirmed = still.slice(0, still.length - late.length);
        return confirmed.length === sent.length;
      };
      const result = await send(sent, turn, () => inTurn?.(ask) ?? ask());
      if (result.outcome.kind !== 'withdrawn') return { members: sent, result };
      const undone = [...resolvedBy(result), ...recordsAsBefore(sent, result.outcome, this.#ledger)];
      if (undone.length > 0) await this.#writer.commit(undone);
      for (const { task } of late) this.#advance(task, { kind: 'replan' });
      for (const member of members) if (!confirmed.includes(member)) this.#withdraw(member.task);
      // Paused meanwhile: all of it is planned again.
      if (confirmed.length === members.length) return null;
      members = confirmed;
    }
  }

  /** It no longer follows: it is decided again, and what keeps changing waits. */
  #withdraw(task: Task): void {
    const over = task.withdrawals + 1 - mostWithdrawals;
    const wait = over < 0 ? null : { dueAt: this.#inMs(readAgainMs(over + 1)), reason: keepsChanging };
    this.#advance(task, { kind: 'withdrawn', wait });
  }

  /** The documents of which what was planned still follows from the disk. Changes nothing. */
  async #stillToSend<Member extends Planned & { readonly found: Sendable }>(
    members: readonly Member[],
  ): Promise<readonly Member[]> {
    const answers = await Promise.all(members.map(({ task, found }) => this.#plansAgain(task, found)));
    return members.filter((_, index) => answers[index]);
  }

  async #plansAgain(task: Task, planned: Sendable): Promise<boolean> {
    const { ref } = task;
    const port = this.folders.get(ref.folder)?.port;
    // Without what was written down about this request.
    const record = planned.record ?? this.#ledger.get(ref);
    if (port === undefined || this.#ledger.get(ref)?.docId !== record?.docId) return false;
    const found = await this.#inspectAt(ref, port, record);
    const began = this.#clock.monotonic();
    const isDocument = found.kind === 'document';
    if (!isDocument || (await this.#comparison.awaitOwners(task, found.document)) !== null) {
      const about = isDocument ? found.document : found.stated;
      const stated = await this.#comparison.compareStated(task, about, record);
      return stated?.kind === 'send' && isSameSending(stated, planned);
    }
    const { document } = found;
    if ((await this.#comparison.findMove(task, document)).kind !== 'none') return false;
    // To look everywhere may take long: what stands at its own path is looked at last.
    const isOld = this.#clock.monotonic() - began > answerHoldsMs;
    const last = isOld ? await this.#inspectAt(ref, port, record) : found;
    if (last.kind !== 'document' || !isPerhapsSame(last.document.stat, document.stat)) return false;
    const again = await this.#comparison.compare(task, last.document, record, planned.compared);
    return again.kind === 'send' && isSameSending(again, planned);
  }

  /**
   * The documents that are still gone: their paths are empty, and their files are nowhere. To look everywhere may take
   * long: what was found before holds while all directories look as they did. `looks`: how, of those found by one request.
   */
  async #stillGone<Member extends Deletable>(
    members: readonly Member[],
    looks: Map<Task, string>,
  ): Promise<readonly Member[]> {
    const before = new Map(looks);
    const answers = await Promise.all(members.map((member) => this.#isStillGone(member, looks)));
    const gone = members.filter((_, index) => answers[index]);
    const [first] = gone;
    if (first === undefined) return gone;
    const tasks = gone.map(({ task }) => task);
    if ((await this.holds.judge(first.task.ref.folder, tasks)).kind !== 'allow') return [];
    if (before.size === 0) return gone;
    const { look } = (await this.#find([]))([]);
    if (tasks.every((task) => (before.get(task) ?? look) === look)) return gone;
    looks.clear();
    return this.#stillGone(members, looks);
  }

  async #isStillGone({ task, record }: Deletable, looks: Map<Task, string>): Promise<boolean> {
    if (this.#ledger.get(task.ref)?.docId !== record.docId || this.#mayComeBack(task)) return false;
    if (looks.has(task)) return true;
    const place = await this.#locate(task);
    // Whether its own path is empty is looked at last.
    if (place.kind !== 'nowhere' || !isAbsent(await this.#inspectIfWatched(task.ref))) return false;
    if (place.look !== null) looks.set(task, place.look);
    return true;
  }

  async #upload(task: Task, found: Sendable, open: OpenFile, permit: Permit): Promise<void> {
    const { operation, compared, record } = found;
    const { document } = compared;
    if (operation.kind !== 'upload') return permit.giveBack();
    const request = uploadRequest(document, operation, open);
    // It may have moved when the answer comes.
    const directory = this.#directories.holding(task.ref);
    const about = { ...aboutUpload(document, operation), untaken: task.untaken };
    const sending = await this.#send(
      [{ task, record, found }],
      permit,
      (_, turn, ask) =>
        this.#request(about, ask, (watch) => this.#options.service.upload(request, turn, watch)),
      (members) => this.#stillToSend(members),
    );
    if (sending === null) return;
    const { result } = sending;
    const { outcome, sent } = result;
    if (outcome.kind !== 'accepted' || outcome.docId === null)
      return this.#concludeUnaccepted(task, 'upload', result);
    const { docId } = outcome;
    const resolved = resolvedBy(result);
    const conflict = docIdConflict(task.ref, docId, this.#ledger);
    const answered = { resolved, sent: document.stat };
    if (conflict !== null) return this.#apply(task, 'upload', conflict, answered);
    const uploaded = { docId, sent, now: this.#clock.now() };
    const sharing = sharingChange(operation, document, this.#ledger.get(task.ref));
    try {
      const changes = uploadedChanges(document, operation, uploaded, this.#ledger);
      const first = this.#directories.firstIdentity(task.ref, directory);
      await this.#writer.commit([...changes, ...first, ...resolved]);
    } catch (error) {
      // Another answer with the same docId was written down in the same moment.
      const late = docIdConflict(task.ref, docId, this.#ledger);
      if (late === null) throw error;
      return this.#apply(task, 'upload', late, answered);
    }
    const copies = this.#ledger.get(task.ref)?.possibleDuplicates ?? 0;
    const message = outcome.warning ?? incompleteWords(task) ?? (copies > 0 ? sentAgainWords : null);
    this.#done(task, 'uploaded', { docId, message, sharing });
  }

  async #modify(task: Task, found: Modifiable, open: OpenFile, permit: Permit): Promise<void> {
    const request = modifyRequest(found, open);
    const about = { ...aboutModify(found), untaken: task.untaken };
    const sending = await this.#send(
      [{ task, record: found.record, found }],
      permit,
      (_, turn, ask) =>
        this.#request(about, ask, (watch) => this.#options.service.modify(request, turn, watch)),
      (members) => this.#stillToSend(members),
    );
    if (sending === null) return;
    const { members, result } = sending;
    const { outcome, sent } = result;
    await this.#takeBack(members, outcome);
    if (outcome.kind !== 'accepted') return this.#concludeUnaccepted(task, 'modify', result);
    this.#reports.addUnclearable(task.ref, found.operation.unclearable);
    await this.#writer.commit(modifiedChanges(found, sent, this.#clock.now()));
    this.#doneModify(task, found, outcome.warning);
  }

  async #bulkModify(tasks: readonly Task[], bulkKey: string, permit: Permit): Promise<void> {
    const planned: BulkMember[] = [];
    const all = await Promise.all(tasks.map(async (task) => ({ task, found: await this.#assess(task) })));
    for (const { task, found } of all) {
      const isMember = found.kind === 'send' && isModifiable(found);
      const bulk = isMember ? found.operation.bulk : null;
      if (!isMember || bulk === null || bulkKeyOf(task, 'modify', bulk.key) !== bulkKey)
        this.#advance(task, { kind: 'replan' });
      else planned.push({ task, found, record: found.record });
    }
    const sending = await this.#send(
      planned,
      permit,
      (some, turn, ask) => {
        const { about, request } = bulkModify(some);
        return this.#request(about, ask, (watch) => this.#options.service.bulkModify(request, turn, watch));
      },
      (some) => this.#stillToSend(some),
    );
    if (sending === null) return;
    const { members, result } = sending;
    const { outcome } = result;
    if (outcome.kind === 'accepted') {
      for (const { task, found } of members)
        this.#reports.addUnclearable(task.ref, found.operation.unclearable);
      const now = this.#clock.now();
      await this.#writer.commit(members.flatMap(({ found }) => modifiedChanges(found, [], now)));
      for (const { task, found } of members) this.#doneModify(task, found, outcome.warning);
      return;
    }
    for (const { task } of members) await this.#concludeUnaccepted(task, 'modify', result, true);
  }

  /** Deletes documents whose files are gone, of one folder, in one request; what does not fit goes back in line. */
  async #delete(tasks: readonly Task[], permit: Permit): Promise<void> {
    const recorded = tasks.flatMap((task): readonly Deletable[] => {
      const record = this.#ledger.get(task.ref);
      return record === undefined ? [] : [{ task, record }];
    });
    const gone = await this.#stillGone(recorded, new Map());
    const documentOwner = gone[0]?.record.metadata.documentOwner;
    const planned = gone.filter(({ record }) => record.metadata.documentOwner === documentOwner);
    const leaving = new Set(planned.map(({ task }) => task));
    for (const task of tasks) if (!leaving.has(task)) this.#advance(task, { kind: 'replan' });
    const { service } = this.#options;
    const looks = new Map<Task, string>();
    const sending = await this.#send(
      planned,
      permit,
      (some, turn, ask) =>
        this.#request(aboutDelete(some), ask, (watch) => {
          const [docId, ...others] = some.map(({ record }) => record.docId) as [string, ...string[]];
          return others.length === 0
            ? service.remove({ docId, documentOwner }, turn, watch)
            : service.bulkRemove({ docIds: [docId, ...others], documentOwner }, turn, watch);
        }),
      (some) => this.#stillGone(some, looks),
    );
    if (sending === null) return;
    const { members: batch, result } = sending;
    const [{ task, record }, ...rest] = batch;
    const { outcome } = result;
    const isAlone = rest.length === 0;
    const isUnknownThere = isAlone && outcome.kind === 'missing';
    const isElsewhere = isAlone && outcome.kind === 'unavailable' && outcome.code === notTheServiceCode;
    const isUnexpected = isElsewhere || (isUnknownThere && !isPerhapsGone(record));
    const isStray = isUnexpected && this.#breaker.manyMissing() && !this.#ledger.isApproved(task.ref);
    await this.#takeBack(batch, outcome);
    if (isStray) {
      const reason = 'the service knew none of the last documents; its address may be wrong';
      await this.#hold([task], { folder: task.ref.folder, reason });
    } else if (outcome.kind === 'accepted') await this.#forget(batch, outcome.warning);
    else if (isUnknownThere) await this.#forget(batch, null);
    else for (const member of batch) await this.#concludeUnaccepted(member.task, 'delete', result, !isAlone);
  }

  /** The service no longer holds them: one record of the ledger for all. */
  async #forget(batch: readonly [Deletable, ...Deletable[]], warning: string | null): Promise<void> {
    const { folder } = batch[0].task.ref;
    const documents = sentDocuments(folder, { ledger: this.#ledger, tasks: this.tasks });
    await this.#writer.commit(deletedChanges(batch, this.#ledger, this.#clock, documents));
    for (const { task, record } of batch) {
      this.#unsentAttachments.deleted(task.ref, record.stat);
      this.#done(task, 'deleted', { docId: record.docId, message: warning });
    }
    // What it had attached is a document of its own from now on.
    this.#inspectFailed(attachedBeforeCode);
    this.#inspectAttached({ attachments: batch.flatMap(({ record }) => record.attachments) });
    await this.holds.endIfEmpty(folder);
  }

  #doneModify(
    task: Task,
    { operation, record, compared: { document } }: Modifiable,
    message: string | null,
  ): void {
    const sharing = sharingChange(operation, document, record);
    const more = operation.content ? incompleteWords(task) : null;
    const event = operation.narrows === true ? ({ kind: 'replan' } as const) : undefined;
    this.#done(task, 'modified', { docId: record.docId, message: message ?? more, sharing }, event);
    this.#inspectAttached(record);
    // What was attached elsewhere is this document's file: what stands in that place is no longer this one's.
    for (const { ref } of this.#ledger.findOwners(task.ref, document.stat))
      this.#inspectPath(ref, { present: true, priority: 'live', at: this.#clock.now() });
  }

  /** What a document had attached may be a document of its own by now. */
  #inspectAttached({ attachments }: Pick<LedgerRecord, 'attachments'>): void {
    if (attachments.length > 0) this.#inspectFailed(attachedBeforeCode);
    // What cannot be sent for another reason may have to be shared with fewer people now.
    for (const { stat } of attachments)
      for (const task of Array.from(this.tasks.presentLike(stat))) this.#advance(task, { kind: 'touched' });
  }

  /** The service has taken it, and the ledger knows. `event`: what that is for its task. */
  #done(
    task: Task,
    what: keyof typeof acceptedOperations,
    { sharing, ...taken }: Pick<Activity, 'docId' | 'message' | 'sharing'>,
    event: TaskEvent = { kind: what === 'deleted' ? 'deleted' : 'delivered' },
  ): void {
    const activity = { ...task.ref, what, ...taken, ...(sharing === undefined ? {} : { sharing }) };
    this.totals[what] += 1;
    const record = what === 'deleted' ? undefined : this.#ledger.get(task.ref);
    if (record !== undefined) {
      const held = modeOfRecord({ ref: task.ref, record });
      if (event.kind === 'delivered') this.#unsentModes.sent(record.stat, held);
      // Other names of its file get the narrowest mode of theirs.
      for (const other of this.#ledger.findByFile(record.stat))
        if (isSameFile(other.record.stat, record.stat) && isWider(modeOfRecord(other).mode, held.mode))
          this.#inspectPath(other.ref, { present: true, priority: 'live', at: this.#clock.now() });
      // Of what it was sent without, its sidecar says whether that is still its attachment.
      if (this.#unsentAttachments.sent(task.ref, record.stat, this.#isSentWith))
        this.#inspectFailed(attachedBeforeCode);
    }
    this.#tried(task, acceptedOperations[what], { code: acceptedCode, message: acceptedMessage(activity) });
    this.#reports.add(activity);
    this.#advance(task, event);
  }

  // ── Outcomes back ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Of what cannot have been taken the records say no more than before it went out. */
  async #takeBack(members: readonly Planned[], outcome: Outcome): Promise<void> {
    const changes = recordsAsBefore(members, outcome, this.#ledger);
    if (changes.length > 0) await this.#writer.commit(changes);
  }

  /** A request that was not accepted. What the service refuses together, in a bulk call, is tried one by one. */
  async #concludeUnaccepted(
    task: Task,
    operation: SendKind,
    result: RequestResult,
    isBulk = false,
  ): Promise<void> {
    const { outcome, untaken } = result;
    const { kind } = outcome;
    const isRefused = kind === 'rejected' || kind === 'missing';
    if (isBulk && (isRefused || (kind === 'unavailable' && this.#breaker.isOwnFault(untaken)))) {
      const message = `refused together with others: ${outcome.message}`;
      this.#tried(task, operation, { code: kind === 'missing' ? 'http-404' : outcome.code, message });
      return this.#advance(task, { kind: 'replan', alone: true });
    }
    const resolved = resolvedBy(result);
    // What stands at its path by now may be another file.
    const sent = this.#ledger.intents().find(({ id }) => result.intentIds.includes(id))?.stat;
    const { maxAttempts, random, settings } = this.#options;
    const consequence = consequenceOf(outcome, {
      operation,
      attempts: task.attempts,
      untaken: result.untaken,
      record: this.#ledger.get(task.ref),
      breaker: this.#breaker,
      maxAttempts,
      onMissing: settings.service.onMissing,
      inDoubt: settings.safety.inDoubt,
      random,
    });
    // A doubt takes the place of the intent, in one commit.
    if (consequence.kind !== 'doubt' && resolved.length > 0) await this.#writer.commit(resolved);
    await this.#apply(task, operation, consequence, { resolved, sent });
  }

  async #apply(
    task: Task,
    operation: SendKind,
    consequence: Consequence,
    { resolved, sent }: { readonly resolved: readonly Change[]; readonly sent: FileStat | undefined },
  ): Promise<void> {
    switch (consequence.kind) {
      case 'fail':
        return this.#fail(task, operation, consequence.reason);
      case 'giveUp': {
        const { reason, attempts } = consequence;
        this.#tried(task, operation, reason);
        this.#advance(task, { kind: 'failed', reason, recorded: false, attempts });
        this.#reports.addFailure(task.ref, reason, operation);
        return;
      }
      case 'retry': {
        const { reason, attempts, delayMs, untaken } = consequence;
        this.#tried(task, operation, reason);
        const isNew = untaken?.isOwn === true && task.untaken?.isOwn !== true;
        if (isNew && this.#options.isTold?.(task.ref, reason.message) !== true)
          this.#reports.addFailure(task.ref, reason, operation);
        const dueAt = this.#inMs(delayMs);
        this.#advance(task, { kind: 'retryLater', dueAt, reason, attempts, untaken });
        return;
      }
      case 'unreadable': {
        const { reason } = consequence;
        this.#tried(task, operation, reason);
        return reason.code === unreadableNowCode
          ? this.#concludeUnknown(task, reason)
          : this.#concludeUnfit(task, reason);
      }
      case 'settle':
        return this.#settleSoon(task, changedUnderWayMs);
      case 'withdraw':
        return this.#withdraw(task);
      case 'uploadAgain':
        this.#tried(task, operation, { code: 'missing-at-service', message: uploadedAgain });
        this.#log.warn({ ...task.ref, docId: consequence.record.docId }, uploadedAgain);
        // It says what the lost answer to its deletion would have said.
        if (isPerhapsGone(consequence.record))
          return this.#forget([{ task, record: consequence.record }], null);
        // The record stays until the new one stands: an address that is wrong must not cost a docId.
        return this.#advance(task, { kind: 'replan', unknownDocId: consequence.record.docId });
      case 'doubtAgain': {
        const { record, reason } = consequence;
        await this.#writer.commit(doubtAgain(task.ref, record));
        this.#advance(task, { kind: 'recordLeft' });
        return this.#fail(task, operation, reason);
      }
      case 'doubt': {
        const { reason, holds, next } = consequence;
        const { message } = reason;
        const isEnded = ({ id }: Intent) => resolved.some((one) => one.kind === 'resolve' && one.id === id);
        const intent = this.#ledger.intents().find(isEnded);
        const doubt = doubtAbout(task.ref, {
          message,
          since: intent?.at ?? this.#clock.now(),
          stat: sent ?? task.seen?.stat,
          carried: intent?.carried,
          holds,
        });
        await this.#writer.commit([{ kind: 'doubt', doubt }, ...resolved]);
        // What is held is reported by what comes next.
        const attempt = next.kind === 'retry' ? { operation, code: reason.code } : {};
        if (!holds) this.#reports.add({ ...task.ref, what: 'in doubt', docId: null, message, ...attempt });
        await this.#apply(task, operation, next, { resolved: [], sent });
      }
    }
  }

  /** Refused: durable before anything else is done with it. */
  async #fail(task: Task, operation: SendKind, reason: Reason): Promise<void> {
    const { ref } = task;
    // A deletion of a file that was gone at the start has not seen it: its record has.
    const seen = task.seen ?? this.#ledger.get(ref) ?? null;
    const attempts = task.attempts + 1;
    const before = this.#ledger.failure(ref)?.history ?? [];
    const history = [...before, this.#tried(task, operation, reason)].slice(-mostAttempts);
    if (seen !== null) {
      const { stat, fingerprint } = seen;
      const failure = { ...reason, attempts, history, stat, fingerprint };
      await this.#writer.commit([{ kind: 'fail', ref, failure }]);
    }
    this.#advance(task, { kind: 'failed', reason, recorded: seen !== null, attempts });
    this.#reports.addFailure(ref, reason, operation);
  }

  /** A request about it was answered, or came to nothing. */
  #tried({ key }: Task, operation: SendKind, reason: Reason): Attempt {
    const attempt = { at: this.#clock.now(), operation, ...bareReason(reason) };
    this.attempts.note(key, attempt);
    return attempt;
  }

  /** Once, over restarts too, that the service holds what is no longer sent. */
  async #reportRemains(task: Task, { code, message }: Reason): Promise<void> {
    const { ref } = task;
    const record = this.#ledger.get(ref);
    const said = record?.said ?? [];
    if (record === undefined || said.includes(remainsMark + code)) return;
    const unlock = this.#locks.take(task, [ref]);
    if (unlock === null) return;
    this.#reports.add({
      ...ref,
      what: 'remains',
      docId: record.docId,
      message: `${message}; the document stays at the service as it was last sent`,
    });
    const noted = { ...record, said: [...said, remainsMark + code] };
    await this.#writer.commit([{ kind: 'put', ref, record: noted }]).finally(unlock);
  }

  // ── How it stands, and the end ──────────────────────────────────────────────────────────────────────────────────

  /**
   * Everything was listed once, and nothing that was found settles, waits for a retry, is queued or under way, but for
   * what a pause keeps back.
   */
  isAtRest(): boolean {
    if (this.backlogged() > 0 || this.inFlight() > 0) return false;
    if (this.tasks.in('ready').size > this.#sends.pausedCount) return false;
    return this.folders.areAllScanned() && busyStates.every((kind) => this.tasks.in(kind).size === 0);
  }

  /** Nothing moves, nothing is kept back, and no change waits to be listed. */
  isIdle(): boolean {
    if (this.tasks.backlog.size > 0 || this.tasks.in('ready').size > 0) return false;
    return this.isAtRest() && !this.folders.areSomeReadAgain() && this.folders.isCoveredUntil(Infinity);
  }

  /** Names of folders of which nothing is sent. */
  paused(): ReadonlySet<string> {
    return this.#paused;
  }

  /** Files that wait unread, without the new ones that a pause keeps back and that were looked at. */
  backlogged(): number {
    const { backlog } = this.tasks;
    let count = backlog.size;
    if (this.#isJudging || backlog.hasUnjudged(this.#isKeptBack)) return count;
    for (const folder of this.#paused) count -= backlog.count(folder) - backlog.countRecorded(folder);
    return count;
  }

  /**
   * For `sync`: going on is of no use. The address is wrong, as far as the last answer tells, or `maxAttempts` requests
   * in a row, of whatever documents, met no service, were forbidden, or were not taken and no document is left that was
   * never tried, or so many were tried that others would hardly fare better; or each that is left was tried as often.
   */
  isHopeless(): boolean {
    const { maxAttempts } = this.#options;
    const breaker = this.#breaker;
    if (breaker.isMisaddressed() || breaker.areUploadsStopped()) return true;
    if (maxAttempts === null) return false;
    if (Math.max(breaker.unmetInARow(), breaker.forbiddenInARow()) >= maxAttempts) return true;
    const isGivenUp = ({ state, attempts }: Task) => state.kind === 'retry' && attempts >= maxAttempts;
    if (this.tasks.in('retry').size > 0 && !this.#isAnyLeft(isGivenUp)) return true;
    const isTried = ({ attempts, untaken }: Task) => attempts > 0 && untaken?.isShared !== true;
    const unanswered = breaker.unansweredInARow();
    return unanswered >= mostUntakenInPass || (unanswered >= maxAttempts && !this.#isAnyLeft(isTried));
  }

  /** Whether anything is on its way to the service, and not kept back by a pause, beside those. */
  #isAnyLeft(among: (task: Task) => boolean): boolean {
    if (this.backlogged() > 0) return true;
    for (const kind of untriedStates)
      for (const task of this.tasks.in(kind))
        if (!among(task) && !this.#paused.has(task.ref.folder)) return true;
    return false;
  }

  reasons(): readonly Reason[] {
    const trouble = this.#writer.trouble();
    return [...this.#breaker.reasons(() => this.isIdle()), ...(trouble === null ? [] : [trouble])];
  }

  /** The code of what was wrong with the service and no answer has shown to be over; null: nothing. Idle, no reason says it. */
  readonly unresolved = (): string | null => this.#breaker.unresolved();

  /** Requests under way. */
  inFlight(): number {
    return this.#sends.running;
  }

  /** Requests that wait for a permit, as far as they are known. */
  inLine(): number {
    return this.#sends.size;
  }

  /** How many requests fewer than documents that are queued, because some share a call. */
  saved(): number {
    return this.#sends.savedCount;
  }

  *skips(): Iterable<Skip & { readonly folder: string }> {
    for (const folder of this.folders.names)
      for (const skip of this.folders.viewOf(folder).skips())
        yield { ...withDocument({ folder, path: skip.path }, skip, this.#ledger, this.tasks), folder };
    for (const task of this.tasks.in('failed'))
      if (isDismissed(task))
        yield { ...task.ref, code: dismissedCode, message: reasonOf(task)?.message ?? '' };
  }

  /** Sends nothing any more, of what has not begun either; resolves when the requests under way have ended. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#sends.drain();
  }

  /**
   * Lets requests under way end, at most `ms`; then `abort` ends them, and what came of them is written down: what was
   * not sent to its last byte is in nobody's doubt. Commits no more after that.
   */
  async stop(ms: number, abort?: () => void): Promise<void> {
    this.#isStopped = true;
    // The configuration that follows knows no tasks.
    for (const { ref, seen } of this.tasks.all()) if (seen !== null) this.#unsentModes.note(ref, seen);
    this.#timers.clear();
    const ended = Promise.all([this.drain(), this.#inspections.stop()]);
    if (!(await isWithin(this.#clock, ms, ended)) && abort !== undefined) {
      abort();
      await isWithin(this.#clock, abortedMs, ended);
    }
    this.#writer.close();
    // Nobody inspects any more what has just been delivered.
    for (const task of Array.from(this.tasks.in('inspect'))) if (this.#isAsRecorded(task)) this.#close(task);
  }

  #isAsRecorded({ ref: { folder, path }, seen, present }: Task): boolean {
    if (seen === null || !present) return false;
    return this.#ledger.recordsIn(folder, directoryOf(path)).match(nameOf(path), seen) === 'same';
  }
}

function seenOf({ stat, fingerprint, sidecar, sources, metadata }: FoundDocument): Seen {
  const isByOwnSidecar = (sidecar ?? null) !== null && sources?.['shareInfo'] === sidecar;
  const mode = modeOf(metadata);
  return { stat, fingerprint, ...(isByOwnSidecar && mode !== 'EVERYONE' ? { ownMode: mode } : null) };
}

/** Live, or of the first scan: then the newest file first. */
function urgencyOf(liveAt: number | null, mtimeMs: number): Pick<TaskFacts, 'priority' | 'at'> {
  return liveAt === null ? { priority: 'backlog', at: mtimeMs } : { priority: 'live', at: liveAt };
}

/** What the service did not take shares no call with what it was not asked for as often. */
function bulkKeyOf({ ref, untaken }: Task, operation: 'modify' | 'delete', key: string): string {
  return `${ref.folder}/${operation}/${untaken?.count ?? 0}/${key}`;
}

function resolvedBy({ intentIds }: RequestResult): readonly Change[] {
  return intentIds.map((id): Change => ({ kind: 'resolve', id }));
}

const sentAgainWords = 'a possible duplicate, as an earlier upload of it was not answered';

/** What is said of a document that was not whole, and did not change for as long as it had to wait. */
function incompleteWords({ format }: Task): string | null {
  const missing = format?.missing ?? null;
  return missing === null ? null : `sent as it stood: ${missing}, unchanged for timing.incompleteMinutes`;
}
