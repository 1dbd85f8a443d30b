import type { Ending, ServiceRequest } from '../service/service.ts';
import { ContentSpans } from './content-spans.ts';
import { HeldDocuments } from './held-documents.ts';
import { directoryOf, Reading } from './reading.ts';
import type { JudgedFolder, RoledFile, SeenFile } from './reading.ts';
import { fileOf, problemsOf } from './request-rules.ts';
import type { Evidence, LiveIntent } from './request-rules.ts';
import type { ShareMode } from './statement.ts';

/** Something that must not be. */
export interface Violation {
  readonly kind: string;
  readonly message: string;
}

/** What a person would say about some texts. */
export interface StatedIntent {
  readonly texts: readonly string[];
  readonly mode?: ShareMode;
  readonly isAttachment?: true;
}

export interface JudgeOptions {
  readonly folders: readonly JudgedFolder[];
  readonly settleMs: number;
  /** Whether a kind of violation is looked for. */
  readonly isWanted: (kind: string) => boolean;
  /** What was done on another machine is seen so much later. */
  readonly lateMs: number;
  /** Numbers of files are used again without birth times, or rounded to the same. */
  readonly isIdentityUnsure: boolean;
  /** The clock of the files and this host's do not agree. */
  readonly isClockApart: boolean;
}

/** A change that was complete so long before a byte is honoured by it (contract 7.30). */
const honouredMs = 100;
/** These hold for the last byte of a body too. */
const untilTheEnd: ReadonlySet<string> = new Set([
  'wider',
  'wider-than-meant',
  'unfit-sent',
  'attachment-alone',
]);
/** These rest on which file is which. */
const byIdentity: ReadonlySet<string> = new Set([
  'doubled',
  'deleted-standing',
  'left-over',
  'missing',
  'old-at-end',
  'waits-at-end',
  'wrong-file',
]);
const minuteMs = 60_000;

/**
 * Judges what goes over the wire by what is on the disk and what the contract says, and by nothing that ingestd thinks.
 * A request is wrong where it is wrong at every moment that it may go by.
 */
export class Judge {
  readonly violations: Violation[] = [];
  /** Of kinds that were not asked for. */
  readonly passed: Violation[] = [];
  readonly held = new HeldDocuments();
  readonly #options: JudgeOptions;
  readonly #spans = new ContentSpans();
  #moments: { readonly from: number; readonly evidence: Evidence }[] = [];
  #intents: readonly LiveIntent[] = [];
  #attached = new Map<
    object,
    { readonly owner: string; readonly path: string; readonly since: number; readonly until: number }
  >();
  readonly #approved = new Set<string>();
  readonly #created = new Map<number, string | null>();
  #sentAt: number[] = [];
  /** Requests to ingestion operations. */
  requests = 0;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  report(rule: string, message: string): void {
    const kind = this.#options.isIdentityUnsure && byIdentity.has(rule) ? `${rule}/identities` : rule;
    (this.#options.isWanted(kind) ? this.violations : this.passed).push({ kind, message });
  }

  /** The disk as it is from now on. */
  saw(image: readonly SeenFile[], now: number): void {
    const reading = new Reading(image, this.#options.folders);
    this.held.follow(reading);
    this.#spans.see(reading, now);
    this.#followAttachments(reading, now);
    this.#keep(reading, now);
  }

  /** The author is about to write these texts, and means them so until all is said. */
  intends({ texts, mode, isAttachment }: StatedIntent, now: number): void {
    const intent = { texts: new Set(texts), mode: mode ?? null, isAttachment: isAttachment ?? false };
    this.#intents = [...this.#intents, intent];
    this.#keep(this.reading(), now);
  }

  saidAll(now: number): void {
    this.#intents = [];
    this.#keep(this.reading(), now);
  }

  /** A person has let go what is out of sight. */
  approves(): void {
    for (const one of this.held.alive()) this.#approved.add(one.docId);
  }

  /** Another process: what the one before had seen, and not sent, is forgotten. */
  started(): void {
    const sent = new Set(this.held.alive().flatMap(({ attachments }) => attachments));
    for (const [identity] of this.#attached) {
      const file = [...this.reading().files.values()].find((one) => one.identity === identity);
      if (file === undefined || !sent.has(file.content.toString())) this.#attached.delete(identity);
    }
  }

  crashed(error: unknown): void {
    this.report('crash', String((error as Error).stack ?? error));
  }

  /** Never more than the limit in any minute. */
  began(limit: number, now: number): void {
    this.requests += 1;
    this.#sentAt = [...this.#sentAt.filter((at) => at > now - minuteMs), now];
    if (this.#sentAt.length > limit)
      this.report('too-many', `${this.#sentAt.length} requests within a minute`);
  }

  requested(request: ServiceRequest, ending: Ending, created: string | null): void {
    this.#created.set(request.number, created);
    const first = this.#window(request.firstByteAt);
    for (const [kind, words] of common(request, first))
      this.#reportAt(request.firstByteAt, request, kind, words);
    this.#judgeContent(request);
    const last = request.lastByteAt > request.firstByteAt ? this.#window(request.lastByteAt) : [];
    for (const [kind, words] of common(request, last))
      if (untilTheEnd.has(kind))
        this.#reportAt(request.lastByteAt, request, kind, `at the last byte: ${words}`);
    if (!ending.taken) return;
    // Newest first; where its file was gone by then, as it was before.
    const readings = [...first.toReversed(), ...this.#moments.toReversed().map(({ evidence }) => evidence)];
    const files = readings.map(({ reading }) => this.#fileOf(request, reading));
    this.held.taken(request, created, files.find((file) => file !== null) ?? null);
  }

  answered({ number }: ServiceRequest, ending: Ending): void {
    this.held.answered(this.#created.get(number) ?? null, ending);
  }

  reading(): Reading {
    return this.#moments.at(-1)?.evidence.reading ?? new Reading([], []);
  }

  /** What was right a while ago became wrong while ingestd was on its way to the first byte. */
  #reportAt(at: number, request: ServiceRequest, kind: string, words: string): void {
    const oldest = at - honouredMs - this.#options.lateMs - minuteMs;
    const before = this.#moments.filter(({ from }) => from >= oldest && from <= at);
    const wasRight = before.some(({ evidence }) => !problemsOf(request, evidence).has(kind));
    if (this.isShownTwice(this.#fileOf(request, this.reading()))) this.report('two-folders', words);
    else this.report(wasRight ? `${kind}/in-a-gap` : kind, words);
  }

  /** Whether one directory is shown in two folders, with this file in it. */
  isShownTwice(file: RoledFile | null): boolean {
    return [...this.reading().files.values()].some(
      ({ path, directory }) => directory === file?.directory && directoryOf(path) !== directoryOf(file.path),
    );
  }

  /** What was sent with a document, or is listed for one, whatever became of the list. */
  isAttached({ identity, content }: SeenFile): boolean {
    const text = content.toString();
    return (
      this.#attached.has(identity) || this.held.alive().some(({ attachments }) => attachments.includes(text))
    );
  }

  #fileOf(request: ServiceRequest, reading: Reading): RoledFile | null {
    if (request.kind === 'upload') return fileOf(request, reading, this.held);
    const one = this.held.all.get(request.docIds[0] ?? '');
    return one === undefined ? null : this.held.changedFile(one, request.file?.text, reading);
  }

  #keep(reading: Reading, now: number): void {
    const { settleMs, lateMs } = this.#options;
    const attached = new Map(
      [...this.#attached]
        .filter(([, { since, until }]) => Math.min(now, until) - since >= 2 * settleMs)
        .map(([identity, { owner }]) => [identity, owner]),
    );
    const evidence = { reading, held: this.held, intents: this.#intents, attached, approved: this.#approved };
    const oldest = this.#moments.findLastIndex(({ from }) => from <= now - honouredMs - lateMs - minuteMs);
    this.#moments = [...this.#moments.slice(Math.max(0, oldest)), { from: now, evidence }];
  }

  /** What a byte at this moment may go by. */
  #window(at: number): readonly Evidence[] {
    const since = at - honouredMs - this.#options.lateMs;
    const first = this.#moments.findLastIndex(({ from }) => from <= since);
    return this.#moments
      .slice(Math.max(0, first))
      .filter(({ from }) => from <= at)
      .map(({ evidence }) => evidence);
  }

  /** What is sent has stood unchanged for as long as it takes to settle (contract 7.31). */
  #judgeContent({ file, firstByteAt }: ServiceRequest): void {
    if (file === null) return;
    const { settleMs, lateMs } = this.#options;
    const spans = this.#spans.of(file.text);
    if (spans.length === 0)
      return this.report(
        this.#options.isClockApart ? 'torn/clocks-apart' : 'torn',
        `${file.name}: never stood like this: ${file.text}`,
      );
    const stood = Math.max(...spans.map(({ from, to }) => Math.min(firstByteAt, to ?? Infinity) - from));
    if (stood < settleMs - lateMs - 1)
      this.report(
        this.#options.isClockApart ? 'unsettled/clocks-apart' : 'unsettled',
        `${file.name} goes out when it has stood for ${Math.round(stood)} ms`,
      );
  }

  /** An attachment stays one while its list names the place where it was seen (contract 4). */
  #followAttachments(reading: Reading, now: number): void {
    for (const { path, identity, role } of reading.files.values()) {
      if (role.kind !== 'attachment') continue;
      const since = this.#attached.get(identity)?.since ?? now;
      this.#attached.set(identity, { owner: role.owner, path, since, until: Infinity });
    }
    for (const [identity, { owner, path, since, until }] of this.#attached) {
      const isAttached =
        reading.files.get(path)?.identity === identity && reading.files.get(path)?.role.kind === 'attachment';
      if (!isAttached && until === Infinity) this.#attached.set(identity, { owner, path, since, until: now });
      const sidecar = reading.sidecarOf(owner);
      const said = sidecar === null ? null : reading.said(sidecar.path);
      const listed = path.slice(directoryOf(owner).length + 1);
      const isDropped = said !== null && !said.attachments.includes(listed);
      const isInItsDirectory = directoryOf(path) === `${owner}.attachments`;
      const other = reading.files.get(path);
      const isReplaced = other !== undefined && other.identity !== identity;
      const isDeleted = [...this.held.all.values()].some((one) => one.isDeleted && one.path === owner);
      const isOver = !reading.files.has(owner) && (sidecar === null || isDeleted);
      if (isDropped || isReplaced || isOver || isInItsDirectory) this.#attached.delete(identity);
    }
  }
}

/** What is wrong at all of some moments. */
function common(request: ServiceRequest, moments: readonly Evidence[]): ReadonlyMap<string, string> {
  const [first, ...others] = moments.toReversed();
  if (first === undefined) return new Map();
  let problems = problemsOf(request, first);
  for (const moment of others) {
    const more = problemsOf(request, moment);
    problems = new Map([...problems].filter(([kind]) => more.has(kind)));
  }
  return problems;
}
