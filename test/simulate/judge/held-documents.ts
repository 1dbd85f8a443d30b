import type { FormFile } from '../service/read-form.ts';
import type { Ending, ServiceRequest } from '../service/service.ts';
import { nameOf, Reading } from './reading.ts';
import type { RoledFile } from './reading.ts';
import { isWider, mayWiden } from './statement.ts';
import type { Holding, ShareMode, Statement } from './statement.ts';

/** A document at the service, and the files that it may be of. */
export interface HeldDocument {
  readonly docId: string;
  text: string;
  attachments: readonly FormFile[];
  /** It has had some since: where a process died, a change with these may have been under way. */
  hasListed: boolean;
  /** As it was last accepted. */
  holding: Holding;
  isDeleted: boolean;
  /** It was deleted, and ingestd has not been told so. */
  isDeletionUntold: boolean;
  /** Until when a change of it may be unanswered, monotonic ms: its record goes nowhere meanwhile. */
  busyUntil: number;
  /** Whether ingestd was told of it. */
  answer: 'none' | 'usable' | 'unusable';
  /** The service has answered, and a process died before it is certain that this is written down. */
  mayBeRecorded: boolean;
  /** What was accepted for it, and what was before that: the mode goes with the file (contract 7.27). */
  accepted: object | null;
  /** What stood in it when the last content was sent whose answer has come. */
  recordedText: string;
  before: { readonly identity: object; readonly holding: Holding } | null;
  /** As what it may count too: by a request whose answer was lost, by what stood for a moment, by another document of its file. */
  perhaps: readonly Holding[];
  /** Null: its file was not seen. */
  device: object | null;
  /** Where its record may be: more than one while nobody can tell what ingestd has seen of what happened. */
  may: readonly Whereabouts[];
  /** Where it may have been until content of it was answered at that moment, which may not be written down; null: none was. */
  unwritten: { readonly may: readonly Whereabouts[]; readonly at: number } | null;
  /** As widely as a person has let it be shared (contract 7.27); null: as it is stated and held. */
  shared: ShareMode | null;
  /** Its file is ignored, an attachment, or else nothing to be sent; until when it was, monotonic ms. */
  isKept: boolean;
  keptUntil: number;
  /** Since when none of its files stands where it can be seen, monotonic ms. */
  lostAt: number | null;
  /** Directories that a mount covered while a file of it was seen: it has not gone into these. */
  covered: ReadonlySet<object>;
}

/** The file that a record has, and the place at which it has that (contract 7.1, 7.19, 7.25). */
interface Whereabouts {
  readonly identity: object | null;
  readonly path: string;
  /** The directory of the place, which takes that along. */
  readonly directory: object | null;
  /** Which content that was accepted it is of: until that is answered, the record may be that of the one before. */
  readonly sent: number;
  /** Since when a look at the disk says otherwise, monotonic ms; null: none does. */
  readonly strayedAt: number | null;
}

/** For so long an answer is waited for. */
const responseMs = 120_000;

const nobody: Statement = { mode: 'DEFAULT', by: 'nobody', place: '', file: null };

/** What the service holds, with its files. */
export class HeldDocuments {
  readonly all = new Map<string, HeldDocument>();
  /** A document that has moved is seen to have moved after so long, ms. */
  readonly #seenMs: number;
  /** It may have been seen after so long, ms. */
  readonly #settleMs: number;
  /** Files may not be told by their numbers. */
  readonly #isIdentityUnsure: boolean;
  /** The disk as it was until now. */
  #before = new Reading([], []);

  constructor(seenMs: number, settleMs: number, isIdentityUnsure: boolean) {
    this.#seenMs = seenMs;
    this.#settleMs = settleMs;
    this.#isIdentityUnsure = isIdentityUnsure;
  }

  alive(): readonly HeldDocument[] {
    return [...this.all.values()].filter(({ isDeleted }) => !isDeleted);
  }

  /** Files that a document may be of. */
  filesOf(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    return unique(this.#placesOf(one).flatMap((at) => this.#next(one, at, reading)));
  }

  /** The same, and what may be it by its content, where its own file is gone (7.1). */
  mayFilesOf(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    return unique([
      ...this.filesOf(one, reading),
      ...this.#placesOf(one).flatMap((at) => this.#copiesFor(one, at, reading)),
    ]);
  }

  /** What a look at the disk finds of each of the places where its record may be, without the files of other documents. */
  standingsOf(one: HeldDocument, reading: Reading): readonly (readonly RoledFile[])[] {
    const isFree = (file: RoledFile) => !this.#isOfAnother(one, file, reading, false);
    return this.#placesOf(one).map((at) => this.#next(one, at, reading).filter(isFree));
  }

  /** Whether ingestd knows that a file is a document's, however little it has seen. */
  isKnownFile(one: HeldDocument, file: RoledFile, reading: Reading): boolean {
    return this.#placesOf(one).every((at) => this.#next(one, at, reading).some((other) => isAt(other, file)));
  }

  /** Where its record may be, and no other one is for certain. */
  #placesOf(one: HeldDocument): readonly Whereabouts[] {
    const others = this.alive().filter((other) => other !== one && other.answer !== 'none');
    const places = one.may.filter((at) => !others.some((other) => isKnownAt(other, at)));
    return places.length > 0 ? places : one.may;
  }

  /** What a look at the disk makes of a record: the files that it may have then. None: its file is gone. */
  #next(one: HeldDocument, at: Whereabouts, reading: Reading): readonly RoledFile[] {
    const { identity, path, directory } = at;
    const all = reading.all();
    const standing = all.filter((file) => file.path === path);
    const own = standing.filter((file) => file.identity === identity);
    // Of a link that cannot be looked at another name may be it.
    if (own.some(({ isHidden }) => !isHidden)) return own;
    const isMoved = (file: RoledFile) =>
      file.identity === identity &&
      (standing.length === 0 || isOfType(file)) &&
      file.role.kind !== 'elsewhere' &&
      file.role.kind !== 'unowned' &&
      !reading.isOutOfList(file.path);
    const isAlong = (file: RoledFile) => file.directory === directory && nameOf(file.path) === nameOf(path);
    // Where numbers do not tell, a record stays with its place (7.19).
    // Nor does it leave what was last accepted for it, where it was accepted (7.25).
    const isFree = (file: RoledFile) =>
      (this.#isIdentityUnsure && file.path === path) ||
      isAt({ identity: one.accepted, path: one.holding.path }, file) ||
      !this.#isOfAnother(one, file, reading);
    return unique([...standing, ...all.filter((file) => isMoved(file) || isAlong(file))]).filter(isFree);
  }

  /** Copies by which a record may go on, where its own file is gone, or numbers do not tell. */
  #copiesFor(one: HeldDocument, at: Whereabouts, reading: Reading): readonly RoledFile[] {
    const next = this.#next(one, at, reading);
    if (next.some(({ isHidden, role }) => !isHidden && role.kind !== 'elsewhere') && !this.#isIdentityUnsure)
      return [];
    return reading
      .all()
      .filter(
        (file) =>
          file.text === one.text &&
          file.identity !== at.identity &&
          !file.isHidden &&
          !this.#isOfAnother(one, file, reading),
      );
  }

  /** Whether a file is another document's, or may be. */
  #isOfAnother(one: HeldDocument, file: RoledFile, reading: Reading, isCertain = true): boolean {
    // Of a link each document has its own name.
    const isLink = isCertain && one.may.some(({ identity }) => identity === file.identity);
    return this.alive().some((other) => {
      // Of an upload in doubt no docId is known that its file could keep (7.1, 7.32).
      if (other === one || (isCertain && other.answer !== 'usable')) return false;
      if (isLink) return isKnownAt(other, file);
      const found = other.may.filter((at) => isOf(at, file, reading)).length;
      return isCertain ? found === other.may.length : found > 0;
    });
  }

  /** The documents that some files may be of. */
  documentsOf(files: readonly RoledFile[], reading: Reading): readonly HeldDocument[] {
    const wanted = new Set(files.map(keyOf));
    return this.alive().filter((one) => this.filesOf(one, reading).some((file) => wanted.has(keyOf(file))));
  }

  /** What a file that is new counts as held by: the documents whose file it is or was (contract 7.27). */
  holdingsOf(identity: object, except: HeldDocument | null): readonly Holding[] {
    return this.alive()
      .filter((one) => one !== except && one.answer === 'usable')
      .flatMap(({ accepted, before, holding, text }) => {
        if (before?.identity === identity) return [before.holding];
        return accepted === identity ? [{ ...holding, text }] : [];
      });
  }

  /** Files have moved, gone or come. */
  follow(reading: Reading, now: number, startedAt: number): void {
    // A change may still be on its way to one that was deleted, where its answer was lost.
    // Of the names of one file any may be that which its document has: the others are free then, whichever is judged first.
    for (let round = 0; round < 2; round += 1)
      for (const one of this.all.values()) this.#move(one, reading, now, startedAt);
    for (const one of this.all.values()) {
      const standing = this.filesOf(one, reading).filter(({ role }) => role.kind !== 'elsewhere');
      one.hasListed ||= standing.some(({ role }) => role.kind === 'document' && role.attachments.length > 0);
      for (const file of standing) this.#noteRestated(one, file);
      if (standing.some(({ isUnlisted }) => !isUnlisted)) one.covered = reading.covered();
      if (standing.length > 0) {
        if (one.isKept) one.keptUntil = now;
        one.isKept = standing.every(({ role }) => role.kind !== 'document');
      }
      one.lostAt = standing.length > 0 ? null : (one.lostAt ?? now);
    }
    this.#before = reading;
  }

  /** A record goes where a look at the disk says: it may have gone there already, and after so long it has. */
  #move(one: HeldDocument, reading: Reading, now: number, startedAt: number): void {
    const isSeen = ({ strayedAt }: Whereabouts) =>
      strayedAt !== null && one.busyUntil <= now && now - Math.max(strayedAt, startedAt) > this.#seenMs;
    const places = this.#placesOf(one);
    const left = places.filter((at) => !isSeen(at));
    // It may have gone on with what has been all that was left of it.
    const isLost = this.#isIdentityUnsure || now - (one.lostAt ?? now) >= this.#settleMs;
    const moved: Whereabouts[] = [];
    const come: Whereabouts[] = [];
    for (const at of left.length > 0 ? left : places) {
      const next = this.#next(one, at, reading).filter(
        ({ isHidden, role }) => !isHidden && role.kind !== 'elsewhere',
      );
      const isTaken = (isCertain: boolean) =>
        reading
          .all()
          .some(
            (file) =>
              file.path === at.path && !isAt(at, file) && this.#isOfAnother(one, file, reading, isCertain),
          );
      // What was edited as it moved only its number tells (7.1).
      const isUntold =
        this.#isIdentityUnsure && !next.some(({ path, text }) => path !== at.path && text === one.text);
      // Nor does it go where another document's own file may stand (7.25).
      const isPerhapsGone = next.every((file) => this.#isOfAnother(one, file, reading, false));
      const isThere =
        isUntold || reading.all().some((file) => isAt(at, file)) || (isPerhapsGone && !isTaken(true));
      // What lies below an ignore file that is not valid is not looked at, nor what cannot be; nor does a record go anywhere
      // meanwhile.
      const isShut =
        one.busyUntil > now ||
        reading.all().some((file) => file.path === at.path && file.isHidden) ||
        [at, ...next].some(({ path }) => reading.shutDirectory(path) !== null);
      const strayedAt = isThere || isShut ? null : (at.strayedAt ?? now);
      moved.push({ ...at, strayedAt });
      // In whose place another document's file stands, it has none any more (7.1).
      if (isTaken(false)) come.push({ ...at, path: '', directory: null, strayedAt: null });
      const copies = isLost ? this.#copiesFor(one, at, this.#before) : [];
      for (const file of [...next, ...copies])
        come.push({ ...placeOf(file), sent: at.sent, strayedAt: null });
    }
    one.may = distinctPlaces([...moved, ...come]);
  }

  /** Where the mode that is held is stated once more, it is stated from then on, though that takes no request (7.27). */
  #noteRestated(one: HeldDocument, { path, role }: RoledFile): void {
    if (role.kind !== 'document' || role.statement.mode !== one.holding.mode) return;
    const { mode, by, place } = role.statement;
    const { statement } = one.holding;
    const isSaid = ({ statement: known }: Holding) =>
      known.mode === mode && known.by === by && known.place === place;
    const restates = mayWiden(one.holding, role.statement) ? statement : undefined;
    const isKnown = (known: Holding) => known.restates === restates && isSaid(known);
    if (!isSaid(one.holding) && !one.perhaps.some(isKnown))
      one.perhaps = [...one.perhaps, { mode, statement: role.statement, path, restates }];
  }

  /** Whether a document was kept when its file was lost, or so shortly before that it may not have been noticed. */
  wasKept({ isKept, keptUntil, lostAt }: HeldDocument): boolean {
    return isKept || (lostAt !== null && lostAt - keptUntil <= this.#seenMs);
  }

  /**
   * A request was accepted, of this file. `counted`: as what that counted as held; `glimpsed`: the same, with what stood
   * for a moment only; `alike`: all files of which it may have been.
   */
  taken(
    request: ServiceRequest,
    created: string | null,
    file: RoledFile | null,
    {
      counted,
      glimpsed,
      alike,
    }: {
      readonly counted: readonly Holding[];
      readonly glimpsed: readonly Holding[];
      readonly alike: readonly RoledFile[];
    },
  ): void {
    const { kind, docIds } = request;
    const before = docIds.map((docId) => this.all.get(docId)?.holding);
    // A mode that is not what is stated went out alone, for a file that counts as held so.
    const ahead = before.find((holding) => holding?.mode !== holding?.statement.mode)?.mode;
    const mode = modeOf(request) ?? ahead;
    // Where it goes out as what stood for a moment only, that was seen.
    const seen = glimpsed.filter((holding) => holding.mode === mode);
    const carried = file === null ? [] : [...this.holdingsOf(file.identity, null), ...counted, ...seen];
    // Whatever it counts as, it is here that it was last accepted (contract 7.27).
    const perhaps =
      file === null
        ? []
        : [...glimpsed, ...this.formerHoldings(file.identity)].map((one) => ({ ...one, path: file.path }));
    if (created !== null) this.all.set(created, newDocument(request, created, file, carried));
    for (const docId of docIds) {
      const one = this.all.get(docId);
      if (one === undefined) continue;
      if (kind === 'delete') one.isDeleted = one.isDeletionUntold = true;
      if (kind === 'modify') this.#change(one, request, file, carried);
      if (request.file !== null && file !== null) {
        const sent = Math.max(0, ...one.may.map((at) => at.sent)) + 1;
        const places = unique([file, ...alike]).map(placeOf);
        const before = kind === 'modify' ? one.may : [];
        one.may = [...before, ...places.map((at) => ({ ...at, sent, strayedAt: null }))];
      }
      one.perhaps = distinct([...one.perhaps, ...perhaps]);
    }
  }

  /** A change goes out: an answer that is lost is waited for. */
  sent({ docIds, lastByteAt }: ServiceRequest, { kind }: Ending): void {
    for (const docId of docIds) {
      const one = this.all.get(docId);
      if (one === undefined || kind === 'reset') continue;
      one.busyUntil = kind === 'lost' ? lastByteAt + responseMs : Infinity;
    }
  }

  /** A change was sent, and nobody has said whether it was accepted, or it is sent again. */
  attempted(request: ServiceRequest, file: RoledFile | null): void {
    if (request.kind !== 'modify' || modeOf(request) === null) return;
    for (const docId of request.docIds) {
      const one = this.all.get(docId);
      if (one !== undefined) one.perhaps = [...one.perhaps, holdingOf(request, file, [])];
    }
  }

  /** A process died, which may not have written down what was answered since: a record may be where it was before that. */
  lostSince(since: number): void {
    for (const one of this.alive())
      if (one.unwritten !== null && one.unwritten.at > since)
        one.may = distinctPlaces([...one.may, ...one.unwritten.may]);
  }

  /** A process died: a narrower mode that was stated may have been on its way, and nobody knows whether it was taken. */
  diedWith(reading: Reading): void {
    for (const one of this.alive())
      for (const { path, role } of this.filesOf(one, reading)) {
        const statement = 'statement' in role ? role.statement : null;
        if (statement !== null && isWider(one.holding.mode, statement.mode))
          one.perhaps = [...one.perhaps, { mode: statement.mode, statement, path }];
      }
  }

  /** As what documents are held, or were, that have or had a file: deleted or not, and whether ingestd knows of them or not. */
  formerHoldings(identity: object): readonly Holding[] {
    return [...this.all.values()].flatMap(({ accepted, before, holding, perhaps }) => [
      ...(accepted === identity ? [holding, ...perhaps] : []),
      // As the record is, or was before it got another file (contract 7.27).
      ...(before?.identity === identity ? [before.holding, holding] : []),
    ]);
  }

  #change(
    one: HeldDocument,
    request: ServiceRequest,
    file: RoledFile | null,
    carried: readonly Holding[],
  ): void {
    const { holding, accepted, text } = one;
    if (request.attachments !== null) {
      one.attachments = request.attachments;
      one.hasListed = false;
    }
    const { shared } = one;
    if (request.metadata?.shareInfo !== undefined) {
      one.holding = holdingOf(request, file, carried);
      // What a person lets go once has gone out.
      one.shared = null;
    }
    if (request.file === null) {
      if (file !== null) {
        // Whatever of it is accepted, it is where it was last accepted (contract 7.27).
        one.perhaps = [...one.perhaps, { ...one.holding, path: file.path }];
        // A mode that goes out for another file is not that of the one before.
        if (accepted !== null && accepted !== file.identity)
          one.before ??= { identity: accepted, holding: { ...holding, text } };
        // For which of its files a change without a mode goes out nobody can tell.
        else if (modeOf(request) !== null && one.before?.identity === accepted) one.before = null;
      }
      return;
    }
    // What comes with a file that was private stays so.
    const own = carried.find(
      ({ mode, statement }) => statement.by === 'sidecar' && !isWider(mode, one.holding.mode),
    );
    // As a person shares it, it is held as it is stated then.
    if (own !== undefined && shared !== one.holding.mode)
      one.holding = { ...one.holding, statement: own.statement };
    one.text = request.file.text;
    if (file === null) return;
    one.holding = { ...one.holding, path: file.path };
    // It is held as before another file came, whose mode may have gone out first.
    if (accepted !== null && accepted !== file.identity && one.before?.identity !== accepted)
      one.before = { identity: accepted, holding: { ...holding, text } };
    one.accepted = file.identity;
    one.device = file.device;
  }

  answered(request: ServiceRequest, created: string | null, { kind }: Ending): void {
    for (const docId of request.docIds) {
      const changed = this.all.get(docId);
      if (changed === undefined) continue;
      changed.busyUntil = -Infinity;
      if (request.file !== null && kind === 'ok') {
        changed.recordedText = changed.text;
        const sent = Math.max(...changed.may.map((at) => at.sent));
        changed.unwritten = { may: changed.may, at: request.lastByteAt };
        changed.may = changed.may.filter((at) => at.sent === sent);
      }
      if (request.kind === 'delete' && ['ok', 'missing', 'no-doc-id'].includes(kind))
        changed.isDeletionUntold = false;
    }
    const one = created === null ? undefined : this.all.get(created);
    if (one === undefined) return;
    if (kind === 'ok') one.answer = 'usable';
    if (kind === 'no-doc-id') one.answer = 'unusable';
    if (kind !== 'ok' || one.accepted === null) return;
    for (const other of this.all.values()) if (other.before?.identity === one.accepted) other.before = null;
  }

  /** Nobody knows any more that the service has answered. */
  forget(docId: string): void {
    const one = this.all.get(docId);
    if (one === undefined) return;
    one.mayBeRecorded ||= one.answer === 'usable';
    one.answer = 'none';
  }
}

/** Whether a file is that of a record: under its name, or where it has gone from there. */
function isOf({ identity, path }: Whereabouts, file: RoledFile, reading: Reading): boolean {
  return (
    identity === file.identity &&
    (path === file.path || !reading.all().some((one) => one.path === path && one.identity === identity))
  );
}

type Place = Pick<Whereabouts, 'identity' | 'path'>;

/** Whether nobody but this document can have a file under this name, as it was accepted so. */
function isKnownAt({ may, holding }: HeldDocument, file: Place): boolean {
  return holding.path === file.path && may.every((at) => isAt(at, file));
}

function isAt({ identity, path }: Place, file: Place): boolean {
  return identity === file.identity && path === file.path;
}

function placeOf({ identity, path, directory }: RoledFile): Omit<Whereabouts, 'sent' | 'strayedAt'> {
  return { identity, path, directory };
}

function unique(files: readonly RoledFile[]): readonly RoledFile[] {
  return files.filter((file, index) => files.findIndex((one) => isAt(file, one)) === index);
}

/** Each of them once, as it was known first. */
function distinctPlaces(all: readonly Whereabouts[]): readonly Whereabouts[] {
  const isSame = (one: Whereabouts, other: Whereabouts) =>
    one.identity === other.identity && one.path === other.path && one.sent === other.sent;
  return all.filter((at, index) => all.findIndex((other) => isSame(at, other)) === index);
}

/** A name of no type that is sent, as a backup has, is none of a document. */
function isOfType({ role }: RoledFile): boolean {
  return role.kind !== 'unfit' || role.statement !== null;
}

function newDocument(
  request: ServiceRequest,
  docId: string,
  file: RoledFile | null,
  carried: readonly Holding[],
): HeldDocument {
  const path = file?.path ?? `?/${request.file?.name}`;
  return {
    docId,
    text: request.file?.text ?? '',
    attachments: request.attachments ?? [],
    hasListed: false,
    holding: { ...holdingOf(request, file, carried), path },
    isDeleted: false,
    isDeletionUntold: false,
    busyUntil: -Infinity,
    answer: 'none',
    mayBeRecorded: false,
    accepted: file?.identity ?? null,
    recordedText: request.file?.text ?? '',
    device: file?.device ?? null,
    before: null,
    perhaps: [],
    may: [{ identity: null, path, directory: null, sent: 0, strayedAt: null }],
    unwritten: null,
    shared: null,
    isKept: false,
    keptUntil: -Infinity,
    lostAt: null,
    covered: new Set(),
  };
}

export function holdingOf(
  request: ServiceRequest,
  file: RoledFile | null,
  carried: readonly Holding[],
): Holding {
  const mode = modeOf(request) ?? 'DEFAULT';
  return { mode, statement: statementOf(mode, file, carried), path: file?.path ?? '' };
}

/** Where a mode was stated that goes out: beside the file, or, where it is narrower, by what the file counted as. */
function statementOf(mode: ShareMode, file: RoledFile | null, carried: readonly Holding[]): Statement {
  const stated = file?.role.kind === 'document' ? file.role.statement : nobody;
  if (stated.mode === mode) return stated;
  return carried.find((holding) => holding.mode === mode)?.statement ?? stated;
}

const directories = new WeakMap<object, number>();

/** One name in one directory: of a directory that is shown twice, the same at both places. */
export function keyOf({ directory, path }: RoledFile): string {
  const number = directories.get(directory) ?? nextDirectory();
  directories.set(directory, number);
  return `${number}/${nameOf(path)}`;
}

let lastDirectory = 0;
function nextDirectory(): number {
  lastDirectory += 1;
  return lastDirectory;
}

/** The mode that a request sets; null: it sets none. */
export function modeOf({ kind, metadata }: ServiceRequest): ShareMode | null {
  const stated = metadata?.shareInfo;
  if (stated === undefined) return kind === 'upload' ? 'DEFAULT' : null;
  return (stated.mode ?? 'DEFAULT') as ShareMode;
}

/** Each of them once: what files count as goes round among those that have had one number. */
function distinct(holdings: readonly Holding[]): readonly Holding[] {
  return [...new Map(holdings.map((one) => [JSON.stringify(one), one])).values()];
}
