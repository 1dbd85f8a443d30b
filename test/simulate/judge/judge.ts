import type { Ending, ServiceRequest } from '../service/service.ts';
import { Arrivals } from './arrivals.ts';
import { changedFiles, judgeContent, uploadedFiles } from './content-rules.ts';
import { ContentSpans } from './content-spans.ts';
import { judgeDeletion } from './delete-rules.ts';
import { HeldDocuments, holdingOf, modeOf } from './held-documents.ts';
import type { HeldDocument } from './held-documents.ts';
import type { Add, LiveIntent, Moment } from './moment.ts';
import { promiseOf } from './promises.ts';
import type { Kind } from './promises.ts';
import { nameOf, Reading } from './reading.ts';
import type { JudgedFolder, RoledFile, SeenFile } from './reading.ts';
import type { ShareMode } from './statement.ts';
import { Taints } from './taints.ts';
import type { Taint } from './taints.ts';
import { judgeTimes } from './time-rules.ts';

/** Something that must not be. */
export interface Violation {
  readonly kind: Kind;
  readonly message: string;
}

/** What a kind of violation is: looked for; a known one, of which all that follows may come; or one that is passed over. */
export type Verdict = (kind: string) => 'wanted' | 'known' | 'passed';

export interface JudgeOptions {
  readonly folders: readonly JudgedFolder[];
  readonly settleMs: number;
  readonly maxDeleteCount: number;
  readonly inDoubt: 'retry' | 'hold';
  /** Symbolic links that stay inside of a folder are followed. */
  readonly followsLinks: boolean;
  readonly verdictOf: Verdict;
  /** What was done on another machine is seen so much later, ms. */
  readonly lateMs: number;
  /** A change that was complete so long before a byte is honoured by it, ms (contract 7.30). */
  readonly honouredMs: number;
  /** So long after it was done ingestd has noticed a change by itself, ms: its events are late, lost, or polls. */
  readonly noticeMs: number;
  /** Numbers of files are used again without birth times, or rounded to the same. */
  readonly isIdentityUnsure: boolean;
  /** The disk is full for so long at most, ms. */
  readonly fullMs: number;
}

/** Files, and places, of which an upload may be that is in doubt: as it began, and by now. */
interface OpenDoubt {
  readonly identities: Set<object>;
  readonly paths: Set<string>;
}

interface Doubt extends OpenDoubt {
  /** Its file then. */
  readonly file: RoledFile;
  /** When its last byte went; null: nobody waits for its answer. */
  readonly waitsSince: number | null;
}

/** From a permit to the first byte the token, the ledger and the connection may each take some seconds. */
const longestGapMs = 10_000;
/** A request that was not taken is sent again with the next permit. */
const longestTriesMs = 90_000;
const minuteMs = 60_000;
/** After so long an answer is written down, however slow the disk is. */
const writtenMs = 5_000;
const tenMinutesMs = 600_000;
/** An answer is waited for at least so long: `responseSeconds`, and what it takes to be told. */
const responseMs = 110_000;
/** A removal waits so long for its other half. */
const graceMs = 5_000;
/** A pause lets requests in flight finish. */
const onlyAtFirst: ReadonlySet<Kind> = new Set(['sent-while-paused']);

/**
 * Judges what goes over the wire by what is on the disk and what the contract says, and by nothing that ingestd thinks.
 * A request is wrong where it is wrong at every moment that it may go by.
 */
export class Judge {
  readonly violations: Violation[] = [];
  /** Of kinds that are not looked for. */
  readonly passed: Violation[] = [];
  /** Whether what was found is enough: a violation that is looked for, or a known one. */
  isOver = false;
  readonly held: HeldDocuments;
  readonly #options: JudgeOptions;
  readonly #spans = new ContentSpans();
  readonly #arrivals: Arrivals;
  readonly #taints: Taints;
  #moments: Moment[] = [];
  #intents: readonly LiveIntent[] = [];
  #folders: readonly JudgedFolder[];
  #isPaused = false;
  /** A pause or a resume was refused: until the next one that is not, ingestd may go either way. */
  #mayBePaused = false;
  /** So many pauses and resumes ingestd has neither done nor refused. */
  #pausing = 0;
  /** A process has died, and the last one has. */
  #isKilled = false;
  #hasJustDied = false;
  /** Files where they were no document's own, shortly before a process died: it may have been about to upload them. */
  readonly #lostWith = new Set<object | string>();
  /** What stands for so long has been seen, ms. */
  readonly #seenMs: number;
  /** Every file that was ever seen, by its identity: its number and its file system stay as they are. */
  readonly #everSeen = new Map<object, SeenFile>();
  /** So often a person had all sent again. */
  #resumes = 0;
  #startedAt = 0;
  #isDelivered = false;
  readonly #blamed = new Set<string>();
  readonly #approved = new Map<string, number | null>();
  /**
   * Documents that a person keeps while their files are out of sight, those of which that is certain, and since when one
   * is back that may not have been seen yet.
   */
  readonly #kept = new Map<string, { readonly isSure: boolean; readonly backAt?: number }>();
  /** Doubts that a person has forgotten: what stood there then. */
  readonly #dismissed: {
    readonly path: string;
    readonly files: ReadonlyMap<object, string>;
  }[] = [];
  /** Documents that nobody asks for any more. */
  readonly #forgotten = new Set<string>();
  /** No person has had all that failed sent again since. */
  #isDismissedNow = false;
  /** What has gone out, taken or not. */
  readonly #tried = new Set<string>();
  /** Modes that were sent last and refused, by docId: a process that is killed does not know that. */
  readonly #refused = new Map<
    string,
    { readonly request: ServiceRequest; readonly file: RoledFile | null }
  >();
  /** Requests that were sent in vain, and when first. */
  readonly #attempts = new Map<string, number>();
  readonly #created = new Map<number, string | null>();
  /** Uploads in a row that were answered without a docId, and when the last of them was. */
  #unusable = 0;
  #unusableAt = 0;
  /** When uploads that were answered had been sent, by docId. */
  readonly #answeredAt = new Map<string, number>();
  #sentAt: number[] = [];
  /** Deletions that nobody approved: when their files were lost. */
  #deleted: { readonly folder: string; readonly docId: string; readonly lostAt: number }[] = [];
  /** Uploads whose answers have not come, by number, and those whose answers never will. */
  readonly #unanswered = new Map<number, Doubt>();
  #inDoubt: Doubt[] = [];
  /** Those of which the judge cannot tell whether they are in doubt: somebody else seems to have answered. */
  #openDoubts: OpenDoubt[] = [];

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#folders = options.folders;
    this.#seenMs = options.settleMs + options.noticeMs + graceMs;
    this.held = new HeldDocuments(this.#seenMs, options.settleMs, options.isIdentityUnsure);
    this.#taints = new Taints(this.held, this.#seenMs, options.settleMs);
    this.#arrivals = new Arrivals(options.settleMs, options.noticeMs + options.honouredMs);
  }

  report(rule: Kind, message: string): void {
    const { verdictOf, isIdentityUnsure } = this.#options;
    // Where files cannot be told by their numbers, a copy may be the file that has left its place (contract 7.1, 7.19).
    if (this.isOver || (isIdentityUnsure && /\/(?:by-identity|copy)/.test(rule))) return;
    const kind: Kind = isIdentityUnsure ? `${rule}/identities` : rule;
    const verdict = verdictOf(kind);
    this.isOver = verdict !== 'passed';
    (verdict === 'wanted' ? this.violations : this.passed).push({ kind, message });
  }

  /** The disk as it is from now on. */
  saw(image: readonly SeenFile[], now: number): void {
    const reading = new Reading(image, this.#folders);
    for (const file of image) this.#everSeen.set(file.identity, file);
    this.held.follow(reading, now, this.#startedAt);
    this.#spans.see(reading, now);
    this.#taints.see(reading, now);
    const sent = new Set(this.held.alive().map(({ accepted }) => accepted));
    this.#arrivals.see(reading, now, ({ identity }) => sent.has(identity));
    for (const { identities, paths } of this.#doubts()) {
      for (const identity of identities) for (const path of reading.pathsOf(identity)) paths.add(path);
      for (const { path, identity } of reading.files.values()) if (paths.has(path)) identities.add(identity);
    }
    // An approval lets go what is missing, not what is back for long enough to be seen.
    for (const [docId, backAt] of this.#approved)
      if (now - (backAt ?? now) > this.#seenMs) this.#approved.delete(docId);
      else this.#approved.set(docId, this.#isOutOfSight(docId, reading) ? null : (backAt ?? now));
    for (const [docId, { backAt }] of this.#kept) {
      const one = this.held.all.get(docId);
      if (one === undefined) continue;
      const isOut = this.#isOutOfSight(docId, reading);
      // What came to where its file was for a moment may be another one.
      const isBack =
        !isOut && this.#inSight(one, reading).some((file) => this.held.isKnownFile(one, file, reading));
      if (now - (backAt ?? now) > this.#seenMs) this.#kept.delete(docId);
      else if (isBack) this.#kept.set(docId, { isSure: false, backAt: backAt ?? now });
      else if (!isOut || backAt !== undefined) this.#kept.set(docId, { isSure: false });
    }
    this.#keep(reading, now);
  }

  /** The author is about to write these texts, and means them so until all is said. */
  intends(intent: LiveIntent, now: number): void {
    this.#intents = [...this.#intents, intent];
    this.#keep(this.reading(), now);
  }

  saidAll(now: number): void {
    this.#intents = [];
    this.#keep(this.reading(), now);
  }

  /** A person has let go what is out of sight. */
  approves(now: number): void {
    for (const { docId } of this.held.alive())
      if (this.#isOutOfSight(docId, this.reading())) this.#approved.set(docId, null);
    this.#keep(this.reading(), now);
  }

  /**
   * A person keeps what is out of sight and held. Call what it gives with how many documents ingestd says it keeps: where
   * these are all that are out of sight, it is certain which.
   */
  keeps(): (kept: number, now: number) => void {
    const hidden = () => this.held.alive().filter(({ docId }) => this.#isOutOfSight(docId, this.reading()));
    const gone = hidden().filter(({ docId }) => !this.#kept.has(docId));
    const before = new Set(this.#kept.keys());
    for (const { docId } of gone) this.#kept.set(docId, { isSure: false });
    return (kept, now) => {
      // What was back when the person said it, and is gone when it is done, is kept too.
      const all = new Set([...gone, ...hidden().filter(({ docId }) => !before.has(docId))]);
      for (const { docId, isDeleted } of all)
        if (kept === 0 || isDeleted) this.#kept.delete(docId);
        else if (this.#isOutOfSight(docId, this.reading()))
          this.#kept.set(docId, { isSure: kept === all.size });
      this.#keep(this.reading(), now);
    };
  }

  get isIdentityUnsure(): boolean {
    return this.#options.isIdentityUnsure;
  }

  get followsLinks(): boolean {
    return this.#options.followsLinks;
  }

  isKept(docId: string): boolean {
    const kept = this.#kept.get(docId);
    return kept !== undefined && kept.backAt === undefined;
  }

  /** A person has some documents shared as it is stated for them, by the paths where ingestd knows them. */
  shares(documents: readonly { readonly path: string; readonly sharing: ShareMode }[]): void {
    for (const { path, sharing } of documents) {
      const place = path.normalize('NFC');
      for (const one of this.held.alive()) {
        const isThere = this.held.filesOf(one, this.reading()).some((file) => file.path === place);
        if (isThere || mayBeAt(one, place)) one.shared = sharing;
      }
    }
  }

  /**
   * A person forgets the doubt about a path: nothing is sent for it. Call what it gives when ingestd has done so, or refused
   * it: should the process die before, either may be.
   */
  dismisses(path: string, now: number): (isDone: boolean, now: number) => void {
    const place = path.normalize('NFC');
    const file = this.reading().files.get(place);
    const doubts = this.#doubts().filter((one) => one.paths.has(place));
    const identities = [
      ...(file === undefined ? [] : [file.identity]),
      ...doubts.flatMap((one) => [...one.identities]),
    ];
    const dismissed = {
      path: place,
      files: new Map(identities.map((one) => [one, file?.text ?? ''])),
    };
    const isMeant = (one: HeldDocument) =>
      one.answer !== 'usable' &&
      one.may.some((at) => at.path === place || identities.some((other) => other === at.identity));
    // What a person has forgotten before stays so, should this be refused.
    const forgotten = this.held.alive().filter((one) => isMeant(one) && !this.isForgotten(one.docId));
    const answers = forgotten.map(({ answer }) => answer);
    // Who ends one of those that stop uploads has seen them.
    const ended = answers.includes('unusable') ? this.#unusable : 0;
    this.#unusable -= ended;
    this.#dismissed.push(dismissed);
    for (const one of forgotten) this.#forget(one);
    this.#keep(this.reading(), now);
    return (isDone, then) => {
      this.#isDismissedNow ||= isDone;
      if (!isDone) {
        this.#unusable += ended;
        this.#dismissed.splice(this.#dismissed.indexOf(dismissed), 1);
        for (const [index, one] of forgotten.entries()) {
          one.answer = answers[index] ?? 'none';
          this.#forgotten.delete(one.docId);
        }
      }
      this.#keep(this.reading(), then);
    };
  }

  /** Its file may be sent anew when it changes. */
  #forget(one: HeldDocument): void {
    one.answer = 'none';
    this.#forgotten.add(one.docId);
  }

  /** Whether a person has forgotten what became of a file, which may not be sent for that. */
  isDismissed({ path, identity, text }: SeenFile): boolean {
    return this.#dismissed.some(
      ({ path: place, files }) =>
        files.get(identity) === text || (path === place && [...files.values()].includes(text)),
    );
  }

  isForgotten(docId: string): boolean {
    return this.#forgotten.has(docId);
  }

  /** A document at the service of which ingestd does not know, and that may be of a path; null: there is none. */
  unknownAt(path: string): string | null {
    const isThere = (one: HeldDocument) => one.answer !== 'usable' && mayBeAt(one, path.normalize('NFC'));
    return this.held.alive().find(isThere)?.docId ?? null;
  }

  /** A person has said which document it is that is in doubt. */
  adopts(docId: string, path: string): void {
    const one = this.held.all.get(docId);
    if (one?.answer === 'unusable') this.#unusable = 0;
    if (one !== undefined) one.answer = 'usable';
    const isOther = (doubt: Doubt) => !doubt.paths.has(path.normalize('NFC'));
    this.#openDoubts.push(...this.#inDoubt.filter((doubt) => !isOther(doubt)));
    this.#inDoubt = this.#inDoubt.filter(isOther);
  }

  /** A person stops all sending; to be called when ingestd has said that it is so, which a resume meanwhile takes back. */
  pauses(): (now: number) => void {
    const resumes = this.#resumes;
    this.#pausing += 1;
    return (now) => {
      this.#pausing -= 1;
      this.#isPaused ||= resumes === this.#resumes;
      this.#keep(this.reading(), now);
    };
  }

  /** A person lets all be sent again; from then on it may be. Call what it gives when ingestd has said so. */
  resumes(now: number): () => void {
    this.#resumes += 1;
    this.#pausing += 1;
    this.#isPaused = false;
    this.#mayBePaused = false;
    this.#keep(this.reading(), now);
    return () => (this.#pausing -= 1);
  }

  /** Whether a person has stopped all sending, for certain. */
  get isPaused(): boolean {
    return this.#isPaused && !this.#mayBePaused;
  }

  /** ingestd could not save a pause, which lasts until the next start, or a resume, which it did not do then. */
  pauseUnsaved(): void {
    this.#pausing -= 1;
    this.#mayBePaused = true;
  }

  /** The process dies, or what it has written down may be lost with it. */
  died(now: number): void {
    this.#isKilled = this.#hasJustDied = true;
    const held = this.held.alive();
    for (const { identity, path } of this.#window(now, longestGapMs).flatMap(({ reading }) => reading.all()))
      if (!held.some(({ accepted, holding }) => accepted === identity && holding.path === path))
        this.#lostWith.add(identity).add(path);
  }

  /** A person has had what failed tried again. */
  retries(): void {
    this.#isDismissedNow = false;
    this.#unusable = 0;
  }

  /**
   * A person has what is in doubt sent again: all of it, or that of a path. Call what it gives when ingestd has done so, or
   * refused it: should the process die before, either may be.
   */
  sendsAgain(path: string | null): (isDone: boolean) => void {
    this.retries();
    const place = path?.normalize('NFC');
    const isMeant = ({ paths }: { readonly paths: { readonly has: (one: string) => boolean } }) =>
      place === undefined || paths.has(place);
    const before = this.#inDoubt.filter(isMeant);
    this.#inDoubt = this.#inDoubt.filter((doubt) => !isMeant(doubt));
    // Nobody knows yet that the answers to these are lost.
    for (const [number, doubt] of this.#unanswered) {
      if (!isMeant(doubt)) continue;
      this.#openDoubts.push(doubt);
      this.#unanswered.delete(number);
    }
    const unusable = this.held.alive().filter((one) => one.answer === 'unusable' && isMeant(placesOf(one)));
    for (const one of unusable) one.answer = 'none';
    const open = [...before, ...unusable.map(placesOf)];
    this.#openDoubts.push(...open);
    return (isDone) => {
      if (isDone) this.#openDoubts = this.#openDoubts.filter((doubt) => !open.includes(doubt));
      else for (const one of unusable) one.answer = 'unusable';
    };
  }

  /** Whether a process that died may have sent attachments of a document. */
  maySend({ hasListed }: HeldDocument): boolean {
    return hasListed && this.#isKilled;
  }

  /** Whether another file that was seen had the same number. */
  isNumberUsedAgain(file: SeenFile): boolean {
    return this.#sameNumbers(file).length > 0;
  }

  #sameNumbers({ identity, number, device }: SeenFile): readonly object[] {
    return [...this.#everSeen.values()]
      .filter((other) => other.identity !== identity && other.number === number && other.device === device)
      .map((other) => other.identity);
  }

  /** Another process: what the one before had seen, and not sent, is forgotten. */
  started(folders: readonly JudgedFolder[], now: number): void {
    this.#folders = folders;
    this.#startedAt = now;
    for (const one of this.held.all.values()) one.busyUntil = -Infinity;
    // What the process before did not say may be written down.
    this.#mayBePaused ||= this.#pausing > 0;
    this.#pausing = 0;
    // An answer that came just before the process was killed may not be written down: after a full disk that is tried
    // again when as long again has passed.
    const unwrittenSince = now - writtenMs - 2 * this.#options.fullMs;
    for (const [docId, at] of this.#answeredAt)
      if (this.#hasJustDied && at > unwrittenSince) this.held.forget(docId);
    this.#unusable = 0;
    this.#inDoubt.push(...this.#unanswered.values());
    this.#unanswered.clear();
    if (this.#hasJustDied) {
      this.held.lostSince(unwrittenSince);
      for (const { request, file } of this.#refused.values()) this.held.attempted(request, file);
      for (const { reading } of this.#window(now, longestGapMs)) this.held.diedWith(reading);
    }
    this.#hasJustDied = false;
    this.#taints.started(this.reading(), now, (file) => this.isInDoubt(file));
    this.#arrivals.started(now);
    this.#keep(this.reading(), now);
  }

  /** Another configuration in the same process: what that knows of what was not sent stays. */
  reloaded(folders: readonly JudgedFolder[], now: number): void {
    this.#folders = folders;
    this.#startedAt = now;
    this.#unusable = 0;
    this.#arrivals.started(now);
  }

  crashed(error: unknown): void {
    this.report('crash', String((error as Error).stack ?? error));
  }

  /** Never more than the limit in any minute. */
  began(limit: number, now: number): void {
    this.#sentAt = [...this.#sentAt.filter((at) => at > now - minuteMs), now];
    if (this.#sentAt.length > limit)
      this.report('too-many', `${this.#sentAt.length} requests within a minute`);
  }

  /** From now on all is delivered, but for what has been found wrong: the next start sends nothing. */
  expectsNothing(): void {
    this.#isDelivered = true;
  }

  /** A file that is not delivered as it should be: what comes of that is known. */
  blames(path: string): void {
    this.#blamed.add(path);
  }

  requested(request: ServiceRequest, ending: Ending, created: string | null): void {
    const { firstByteAt, lastByteAt } = request;
    const { honouredMs } = this.#options;
    this.#created.set(request.number, created);
    if (request.file !== null) this.#tried.add(request.file.text);
    const first = this.#window(firstByteAt, honouredMs);
    const files = first.map((moment) => this.#fileOf(request, moment)).filter((file) => file !== null);
    const file = files.at(-1) ?? null;
    for (const [kind, words] of this.#common(request, first))
      this.#reportAt(firstByteAt, request, kind, words);
    const times = {
      ...this.#options,
      spans: this.#spans,
      arrivals: this.#arrivals,
      window: first,
      settling: this.#window(firstByteAt, this.#options.settleMs),
      underWay: this.#window(firstByteAt, this.#underWayMs(request, firstByteAt)),
    };
    const document = request.kind === 'modify' ? this.held.all.get(request.docIds[0] ?? '') : undefined;
    judgeTimes(request, document ?? null, times, (kind, words) => this.report(kind, words));
    if (request.kind === 'upload' && this.#unusable >= 3 && firstByteAt > this.#unusableAt + honouredMs)
      this.report('unstopped-uploads', `${file?.path} is sent after three answers without a docId`);
    if (mayBeDone(ending)) this.#judgeGuard(request);
    this.held.sent(request, ending);
    if (this.#isDelivered && !this.#blamed.has(file?.path ?? '') && request.kind !== 'token')
      this.report(
        'start-sends',
        `${request.kind} ${file?.path ?? request.docIds.join()} is sent by the next start`,
      );
    this.#judgeDoubt(request, first, ending);
    const last = lastByteAt > firstByteAt && !request.isOnePiece ? this.#window(lastByteAt, honouredMs) : [];
    for (const [kind, words] of this.#common(request, last))
      if (!onlyAtFirst.has(kind)) this.#reportAt(lastByteAt, request, kind, `at the last byte: ${words}`);
    const name = nameOfRequest(request);
    if (ending.taken) this.#attempts.delete(name);
    else if (!this.#attempts.has(name)) this.#attempts.set(name, firstByteAt);
    // Of a 503 nobody knows whether a proxy says so after the service has taken it; with a new token it is sent again.
    const mayBeTaken = !ending.taken && (mayBeDone(ending) || ending.kind === 'busy');
    if (mayBeTaken || ending.kind === 'expired') this.held.attempted(request, file);
    if (mayBeTaken) {
      if (request.kind === 'upload' && file !== null && mayBeDone(ending))
        this.#taints.inDoubt(file.identity, holdingOf(request, file, []));
      const sent = request.attachments?.map(({ text }) => text) ?? [];
      for (const docId of request.docIds) this.#taints.perhapsSent(docId, sent, this.reading());
    }
    for (const docId of request.docIds) {
      if (ending.taken) this.#refused.delete(docId);
      else this.#refused.set(docId, { request: { ...request, docIds: [docId] }, file });
    }
    if (!ending.taken) return;
    const ids = created === null ? request.docIds : [created];
    for (const docId of ids) this.#taken({ ...request, docIds: [docId] }, created, first);
    this.held.follow(this.reading(), lastByteAt, this.#startedAt);
    if (request.kind === 'delete') this.#taints.see(this.reading(), lastByteAt);
    this.#keep(this.reading(), lastByteAt);
  }

  /** One document of a request was accepted. */
  #taken(request: ServiceRequest, created: string | null, first: readonly Moment[]): void {
    const [docId = ''] = request.docIds;
    // A deletion whose answer was lost has not deleted it.
    if (request.kind !== 'delete') this.#deleted = this.#deleted.filter((other) => other.docId !== docId);
    // Where its file was gone by then, as it was before.
    const fileAt = (moments: readonly Moment[]) =>
      moments.reduceRight<RoledFile | null>((file, one) => file ?? this.#fileOf(request, one), null);
    const found = fileAt(first) ?? fileAt(this.#moments);
    const taint = found === null ? undefined : this.#moments.at(-1)?.taintOf(found.identity);
    const identity = found?.identity ?? {};
    // Without birth times it may count as the one that had its number before (contract 7.19).
    const former = found !== null && this.#options.isIdentityUnsure ? this.#sameNumbers(found) : [];
    const glimpsedOf = this.#taints.all(request.lastByteAt, 0);
    const glimpsed = [
      ...[identity, ...former].flatMap((one) => [
        ...glimpsedOf(one).holdings,
        ...this.#taints.inheritedOf(one),
      ]),
      ...former.flatMap((one) => this.held.formerHoldings(one)),
    ];
    const document = this.held.all.get(docId);
    const isContent = request.file !== null && request.kind !== 'delete';
    // Of links and copies with one name nobody can tell at which place it is.
    const alike = !isContent
      ? []
      : first.flatMap((moment) =>
          created !== null || document === undefined
            ? uploadedFiles(request, moment)
            : changedFiles(request, document, moment),
        );
    this.held.taken(request, created, found, { counted: taint?.holdings ?? [], glimpsed, alike });
    const isMode = request.kind === 'modify' && request.file === null && request.attachments === null;
    if (found === null || request.kind === 'delete' || isMode) return;
    const attachments = (request.attachments ?? []).map(({ text }) => text);
    const at = { reading: this.reading(), now: request.lastByteAt };
    this.#taints.taken(docId, found, attachments, at);
  }

  answered(request: ServiceRequest, ending: Ending, now: number): void {
    const { number, kind, lastByteAt } = request;
    if (kind === 'upload' && ending.taken) {
      this.#unusable = ending.kind === 'no-doc-id' ? this.#unusable + 1 : 0;
      this.#unusableAt = now;
    }
    const doubt = this.#unanswered.get(number);
    if (doubt !== undefined && ending.kind === 'html') this.#openDoubts.push(doubt);
    if (ending.kind !== 'lost' && ending.kind !== 'reset') this.#unanswered.delete(number);
    const created = this.#created.get(number) ?? null;
    this.held.answered(request, created, ending);
    if (created === null) return;
    this.#answeredAt.set(created, lastByteAt);
    this.#keep(this.reading(), now);
  }

  reading(): Reading {
    return this.#moments.at(-1)?.reading ?? new Reading([], []);
  }

  /** Whether the service has not said of a file's upload what became of it, so that a person has to. */
  isInDoubt(file: SeenFile): boolean {
    const { identity, path } = file;
    // Without birth times it may count as the one that had its number before (contract 7.19).
    const former = this.#options.isIdentityUnsure ? this.#sameNumbers(file) : [];
    const isOneOf = (files: { readonly has: (one: object) => boolean }) =>
      [identity, ...former].some((one) => files.has(one));
    const unknown = this.held
      .alive()
      .filter(({ answer }) => answer !== 'usable')
      .map(placesOf);
    return (
      isOneOf(this.#lostWith) ||
      this.#lostWith.has(path) ||
      [...this.#doubts(), ...unknown].some((one) => isOneOf(one.identities) || one.paths.has(path))
    );
  }

  #doubts(): readonly OpenDoubt[] {
    return [...this.#unanswered.values(), ...this.#inDoubt, ...this.#openDoubts];
  }

  /** Whether what stands in a file has been sent, or nothing there is older than a moment, or nothing may be sent. */
  wasTried({ path, text }: SeenFile, since: number): boolean {
    const isOld = this.#spans.of(text).some(({ from }) => from <= since);
    const mayBeSent = !this.#isPaused && !this.#mayBePaused;
    return !isOld || this.#arrivals.lastChange(path) > since || !mayBeSent || this.#tried.has(text);
  }

  /** Whether what stands in a file has stood there since then under its name, where a person lets all be sent. */
  hasStood({ path, text, identity }: SeenFile, at: number): boolean {
    // What attributes that are kept for a while do not say yet nobody can know.
    const since = at - this.#options.lateMs;
    const isOld = this.#spans
      .of(text)
      .some((span) => span.identity === identity && span.from <= since && span.to === null);
    const isSame = this.#arrivals.lastChange(path) <= since && !this.#arrivals.wasAway(path, since);
    return isOld && isSame && !this.#isPaused && !this.#mayBePaused;
  }

  /** How long what stands in a file has stood there under the eyes of one process, ms. */
  standsFor({ text, identity }: SeenFile): number {
    const now = this.#moments.at(-1)?.from ?? 0;
    const span = this.#spans.of(text).find((one) => one.identity === identity && one.to === null);
    return now - Math.max(span?.from ?? now, this.#startedAt);
  }

  /** Whether a file may still be an attachment, beside what stands beside it: a list that stood for a moment counts. */
  isAttached({ identity }: SeenFile): boolean {
    return this.taintNow(identity).owner !== null || this.#taints.isPerhapsAttached(identity, this.reading());
  }

  /** Whether nobody can tell a file from an attachment that has left its place before it was sent. */
  isLikeUnsent(file: RoledFile): boolean {
    return this.isIdentityUnsure && this.#taints.isLikeUnsent(file, this.reading());
  }

  /** As of the last moment, whatever stood there for however short. */
  taintNow(identity: object): Taint {
    return this.#taints.all(this.#moments.at(-1)?.from ?? 0, 0)(identity);
  }

  /** The rules for one request and one moment. */
  #problems(request: ServiceRequest, moment: Moment): Map<Kind, string> {
    const problems = new Map<Kind, string>();
    const add: Add = (kind, words) => problems.set(kind, words);
    if (moment.isPaused)
      add('sent-while-paused', `${request.kind} ${request.file?.name ?? request.docIds.join()} is sent`);
    if (request.kind === 'delete') for (const docId of request.docIds) judgeDeletion(docId, moment, add);
    if (request.kind === 'upload') judgeContent(request, null, moment, add);
    if (request.kind === 'modify')
      for (const docId of request.docIds) {
        const document = this.held.all.get(docId);
        if (document !== undefined) judgeContent(request, document, moment, add);
      }
    return problems;
  }

  /** What is wrong at all of some moments. */
  #common(request: ServiceRequest, moments: readonly Moment[]): ReadonlyMap<Kind, string> {
    if (!['upload', 'modify', 'delete'].includes(request.kind)) return new Map();
    const [first, ...others] = moments.toReversed().map((moment) => this.#problems(request, moment));
    return new Map([...(first ?? [])].filter(([kind]) => others.every((problems) => problems.has(kind))));
  }

  /** What was right a while ago became wrong while ingestd was on its way to the first byte. */
  #reportAt(at: number, request: ServiceRequest, kind: Kind, words: string): void {
    const { honouredMs, noticeMs } = this.#options;
    const before = this.#window(at, honouredMs + this.#underWayMs(request, at) + noticeMs);
    // Before its file was there, or was what it is, it was not right.
    const isWrong = (one: Kind) => one === kind || promiseOf(one) === 'not-there';
    const wasRight = before.some((moment) => ![...this.#problems(request, moment).keys()].some(isWrong));
    const isUnnoticed = kind.endsWith('/listed-elsewhere') && noticeMs > 0;
    this.report(wasRight ? `${kind}/${isUnnoticed ? 'unnoticed' : 'in-a-gap'}` : kind, words);
  }

  /** For how long a request may have been decided when its first byte goes out: longer where it was sent before in vain. */
  #underWayMs(request: ServiceRequest, at: number): number {
    const first = this.#attempts.get(nameOfRequest(request)) ?? at;
    return at - Math.max(first, at - longestTriesMs) + longestGapMs;
  }

  /** More than so many deletions of a folder within ten minutes wait for a person (contract 3 and 7.15). */
  #judgeGuard({ kind, docIds }: ServiceRequest): void {
    if (kind !== 'delete') return;
    for (const docId of docIds) {
      const one = this.held.all.get(docId);
      const isKnown = this.#deleted.some((other) => other.docId === docId);
      if (one === undefined || isKnown || this.#approved.has(docId)) continue;
      const [folder = '', ...others] = new Set(
        [...one.may.map(({ path }) => path), one.holding.path].map((path) => path.split('/')[0] ?? ''),
      );
      // What stands is wrong by another rule; of a file that moved to another folder, either may be its folder.
      if (one.lostAt === null || others.length > 0) continue;
      const { lostAt } = one;
      this.#deleted.push({ folder, docId, lostAt });
      const within = this.#deleted.filter(
        (other) => other.folder === folder && other.lostAt > lostAt - tenMinutesMs && other.lostAt <= lostAt,
      );
      if (within.length > this.#options.maxDeleteCount)
        this.report(
          'deleted-unguarded',
          `${within.map((other) => other.docId).join()} are deleted, and nobody approved it`,
        );
    }
  }

  /** What is in doubt is sent again by a person's word only (`safety.inDoubt: hold`). */
  #judgeDoubt(request: ServiceRequest, window: readonly Moment[], ending: Ending): void {
    const moment = window.at(-1);
    if (request.kind !== 'upload' || moment === undefined) return;
    const files = uploadedFiles(request, moment);
    const isInDoubt = (file: RoledFile) =>
      [...this.#unanswered.values(), ...this.#inDoubt].some(
        (one) => one.file.identity === file.identity && one.file.path === file.path,
      );
    const [file] = files;
    const isUnderWay = (one: RoledFile) =>
      [...this.#unanswered.values()].some(
        ({ file: other, waitsSince }) =>
          waitsSince !== null &&
          request.firstByteAt < waitsSince + responseMs &&
          other.identity === one.identity &&
          other.path === one.path &&
          other.text === one.text,
      );
    if (file !== undefined && files.every(isUnderWay))
      this.report('doubled/at-once', `${file.path} is sent while it is on its way`);
    // Once it was forgotten it goes out when it changes.
    const holds = (one: RoledFile) => isInDoubt(one) && !this.isDismissed(one);
    if (this.#options.inDoubt === 'hold' && file !== undefined && files.every(holds))
      this.report('doubled/in-doubt', `${file.path} is sent again while its first upload is in doubt`);
    // A further name of what still stands in its place is a document of its own.
    const isFurther = (place: string, { identity, path }: RoledFile) =>
      path !== place && window.some(({ reading }) => reading.files.get(place)?.identity === identity);
    const isForgotten = (one: RoledFile) =>
      this.#dismissed.some(
        ({ path, files: dismissed }) => dismissed.get(one.identity) === one.text && !isFurther(path, one),
      );
    if (this.#isDismissedNow && file !== undefined && files.every(isForgotten))
      this.report('doubled/dismissed', `${file.path} is sent again, and a person has forgotten its doubt`);
    const sent = files.find((one) => !isInDoubt(one)) ?? file;
    // Of copies with one name nobody can tell which of these it was.
    if (sent !== undefined)
      this.#unanswered.set(request.number, {
        file: sent,
        waitsSince: mayBeDone(ending) && ending.kind !== 'reset' ? request.lastByteAt : null,
        identities: new Set(files.map(({ identity }) => identity)),
        paths: new Set(files.map(({ path }) => path)),
      });
  }

  /** Whether no process can see a file that a document is of. */
  #isOutOfSight(docId: string, reading: Reading): boolean {
    const one = this.held.all.get(docId);
    return one !== undefined && this.#inSight(one, reading).length === 0;
  }

  /** Another document's own file does not count. */
  #inSight(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    return this.held
      .standingsOf(one, reading)
      .flat()
      .filter((file) => !reading.isUnseen(file) && file.role.kind !== 'elsewhere');
  }

  /** The file that a request is of; of several with its text, one that the service does not hold yet. */
  #fileOf(request: ServiceRequest, moment: Moment | undefined): RoledFile | null {
    const one = this.held.all.get(request.docIds[0] ?? '');
    if (moment === undefined) return null;
    if (request.kind !== 'upload') return one === undefined ? null : changedFile(request, one, moment);
    const held = this.held.alive();
    const sent = request.attachments?.length ?? 0;
    const rankOf = ({ identity, path, role }: RoledFile) =>
      (held.some(({ may }) => may.some((at) => at.identity === identity)) ? 8 : 0) +
      (held.some((one) => mayBeAt(one, path)) ? 4 : 0) +
      (role.kind === 'document' && role.obstacle === null ? 0 : 2) +
      // Of copies with one name each goes out with its own attachments, and as it is stated.
      (role.kind === 'document' && role.attachments.length === sent ? 0 : 1) +
      (role.kind === 'document' && role.statement.mode === modeOf(request) ? 0 : 0.5);
    const [best] = uploadedFiles(request, moment).toSorted((a, b) => rankOf(a) - rankOf(b));
    return best ?? null;
  }

  #keep(reading: Reading, now: number): void {
    const { lateMs, noticeMs, settleMs } = this.#options;
    const moment: Moment = {
      from: now,
      reading,
      held: this.held,
      intents: this.#intents,
      taintOf: this.#taints.all(now),
      glimpseOf: this.#taints.all(now, 0),
      approved: new Set(this.#approved.keys()),
      kept: new Set([...this.#kept].filter(([, { isSure }]) => isSure).map(([docId]) => docId)),
      isPaused: this.#isPaused,
    };
    const oldest = now - minuteMs - lateMs - noticeMs - settleMs;
    const kept = Math.max(
      0,
      this.#moments.findLastIndex(({ from }) => from <= oldest),
    );
    this.#moments = [...this.#moments.slice(kept), moment];
  }

  /** What a byte at this moment may go by: what is so, and what was so at most so long before. */
  #window(at: number, ms: number): readonly Moment[] {
    const first = this.#moments.findLastIndex(({ from }) => from <= at - ms - this.#options.lateMs);
    return this.#moments.slice(Math.max(0, first)).filter(({ from }) => from <= at);
  }
}

/** The file that a change is of; of a mode alone the one for which it is stated, whose content may go out next. */
function changedFile(request: ServiceRequest, one: HeldDocument, moment: Moment): RoledFile | null {
  const files = changedFiles(request, one, moment);
  const { held, reading } = moment;
  // It may have gone on with a copy, for which the mode is stated.
  const placed = request.file === null ? held.mayFilesOf(one, reading) : [];
  const mode = modeOf(request);
  const isStated = ({ role }: RoledFile) => 'statement' in role && role.statement?.mode === mode;
  // Of the names of one file, that under which it goes out, or that of its own place.
  const name = request.file?.name.normalize('NFC');
  const isPlace = (path: string) => mayBeAt(one, path);
  // And of several files, that which has as many attachments.
  const sent = request.attachments?.length;
  const hasAsMany = ({ role }: RoledFile) =>
    sent === undefined || (role.kind === 'document' && role.attachments.length === sent);
  const rankOf = (file: RoledFile) =>
    (nameOf(file.path) === name ? 0 : 2) + (isPlace(file.path) ? 0 : 1) + (hasAsMany(file) ? 0 : 0.5);
  const ranked = files.toSorted((a, b) => rankOf(a) - rankOf(b));
  return [...ranked, ...placed].find(isStated) ?? ranked[0] ?? null;
}

function mayBeAt({ may }: HeldDocument, path: string): boolean {
  return may.some((at) => at.path === path);
}

/** The files and places of a document that is in doubt. */
function placesOf({ may }: HeldDocument): OpenDoubt {
  const identities = may.flatMap(({ identity }) => (identity === null ? [] : [identity]));
  return { identities: new Set(identities), paths: new Set(may.map(({ path }) => path)) };
}

/** Whether the service did it, or has not said so that ingestd knows. */
function mayBeDone({ kind, taken }: Ending): boolean {
  return taken || kind === 'lost' || kind === 'reset' || kind === 'html';
}

/** The same for each attempt. */
function nameOfRequest({ kind, docIds, file, metadata }: ServiceRequest): string {
  return JSON.stringify([kind, docIds, file, metadata?.shareInfo]);
}
