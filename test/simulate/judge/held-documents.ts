import type { FormFile } from '../service/read-form.ts';
import type { Ending, ServiceRequest } from '../service/service.ts';
import { nameOf } from './reading.ts';
import type { Reading, RoledFile } from './reading.ts';
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
  /** From when until when a change of it may be unanswered, monotonic ms: its record goes nowhere meanwhile. */
  busyFrom: number;
  busyUntil: number;
  /** Whether ingestd was told of it. */
  answer: 'none' | 'usable' | 'unusable';
  /** What was accepted for it, and what was before that: the mode goes with the file (contract 7.27). */
  accepted: object | null;
  /** The file that its record has, and what stood in it: those of the last content whose answer has come. */
  recorded: object | null;
  recordedText: string;
  before: { readonly identity: object; readonly holding: Holding } | null;
  /** Other files that had its name and content when it was sent: nobody can tell of which of these it is. */
  alike: ReadonlySet<object>;
  /** As what it may count too: by a request whose answer was lost, by what stood for a moment, by another document of its file. */
  perhaps: readonly Holding[];
  /** Null: its file was not seen. */
  device: object | null;
  /**
   * The directory in which it was last accepted, which may be moved as a whole (contract 7.25): of links with one name, each
   * may be it.
   */
  directories: ReadonlySet<object>;
  /** Its file, and what has come to its file's place since: a save, a rotation. */
  files: Set<object>;
  /** From when until when, monotonic ms: files that are not its own in its places, and its files at other places. */
  stood: Map<object | string, Span>;
  /** Where these stand or stood; since when no more, monotonic ms; null: they do. */
  places: Map<string, number | null>;
  /**
   * Those at which its file stood as it was accepted, from when until when, monotonic ms: without its number it can be
   * told there, if for long enough.
   */
  told: Map<string, Span>;
  /** What has stood in them, from when until when, monotonic ms. */
  guests: Map<object, Span>;
  /** The names that these are, by their directories, which take them along (contract 7.25). */
  slots: Map<string, string>;
  /** As widely as a person has let it be shared (contract 7.27); null: as it is stated and held. */
  shared: ShareMode | null;
  /** Its file is ignored, an attachment, or else nothing to be sent; until when it was, monotonic ms. */
  isKept: boolean;
  keptUntil: number;
  /** Places where its record may not be any more, as it may have followed its file: what came there is not its own. */
  left: Set<string>;
  /** Places of other documents to which its file has come since it was accepted. */
  taken: Set<string>;
  /** What was saved there, wherever it is by now. */
  saved: Set<object>;
  /** Where copies of it have stood: of a move to another file system nothing else is left. */
  copies: Set<string>;
  /** Those that were all that was left of it, from when until when. */
  heirs: Map<string, Span>;
  /** Where any of its files stood, from when until when: what stood in its place for a moment only may have been seen there. */
  readonly been: Map<string, Span>;
  /** Since when none of its files stands where it can be seen, monotonic ms. */
  lostAt: number | null;
  /** Directories that a mount covered while a file of it was seen: it has not gone into these. */
  covered: ReadonlySet<object>;
}

interface Span {
  readonly from: number;
  readonly until: number;
  /** When it was seen to stand there last: until the disk is seen again, it has been there. */
  readonly seenAt: number;
}

/** For so long an answer is waited for. */
const responseMs = 120_000;

/** As it was sent, its file was told. */
const always: Span = { from: -Infinity, until: 0, seenAt: 0 };

const nobody: Statement = { mode: 'DEFAULT', by: 'nobody', place: '', file: null };

/** What the service holds, with its files. */
export class HeldDocuments {
  readonly all = new Map<string, HeldDocument>();
  /** A document that has moved is seen to have moved after so long, ms. */
  readonly #seenMs: number;
  /** It may have been seen to have moved after so long, ms. */
  readonly #settleMs: number;
  /** Files may not be told by their numbers. */
  readonly #isIdentityUnsure: boolean;
  #followedAt = -Infinity;
  #followed: Reading | null = null;

  constructor(seenMs: number, settleMs: number, isIdentityUnsure: boolean) {
    this.#seenMs = seenMs;
    this.#settleMs = settleMs;
    this.#isIdentityUnsure = isIdentityUnsure;
  }

  alive(): readonly HeldDocument[] {
    return [...this.all.values()].filter(({ isDeleted }) => !isDeleted);
  }

  /** Files that a document may be of: its own wherever they are, and what stands in their places and is no other's. */
  filesOf(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    const own = [...one.files].flatMap((identity) => reading.pathsOf(identity));
    return [...new Set([...own, ...one.places.keys()])]
      .map((path) => reading.files.get(path))
      .filter((file) => file !== undefined)
      .filter(({ identity }) => one.files.has(identity) || !this.#isOfAnother(identity, one, reading));
  }

  /** What was not sent, where its file has stood in the place of another document: a save of it with a backup (7.27). */
  savesOf(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    return [...one.taken]
      .filter((path) => this.#mayHaveStood(one, path))
      .map((path) => reading.files.get(path))
      .filter((file) => file !== undefined)
      .filter(({ identity }) => !this.alive().some(({ accepted }) => accepted === identity));
  }

  /**
   * The other documents that have gone to the place of one with their file, which has left it by now: what was saved there
   * may be their own, with a backup or without (7.1).
   */
  saversOf(files: readonly RoledFile[], except: HeldDocument): readonly HeldDocument[] {
    const mayBeSave = (one: HeldDocument, { path, identity }: RoledFile) =>
      one.taken.has(path) && one.saved.has(identity) && this.#mayHaveStood(one, path);
    return this.alive().filter((one) => one !== except && files.some((file) => mayBeSave(one, file)));
  }

  /**
   * Copies that no other document is of, where its own file is gone, or another document's alone, whose link it is: by its
   * content it is one of these by now (7.1, 7.25).
   */
  copiesOf(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    const isAnothers = (path: string) =>
      this.alive().some(
        (other) => other !== one && other.accepted === one.accepted && other.holding.path === path,
      );
    const isThere = (path: string) => reading.files.get(path)?.role.kind !== 'elsewhere' && !isAnothers(path);
    if (one.accepted === null || reading.pathsOf(one.accepted).some(isThere)) return [];
    return [...new Set([...one.copies, ...one.places.keys()])]
      .map((path) => reading.files.get(path))
      .filter((file) => file !== undefined)
      .filter(
        ({ text, identity }) =>
          text === one.text && identity !== one.accepted && !this.#isOfAnother(identity, one, reading),
      );
  }

  /** Copies that were all that was left of it: it may have gone on with one, though its own file is back (7.1). */
  heirsOf({ heirs, text }: HeldDocument, reading: Reading): readonly RoledFile[] {
    // A further name of another document's file is none of that.
    const isFree = ({ identity, path }: RoledFile) =>
      !this.alive().some(
        ({ accepted, holding }) =>
          accepted === identity && (holding.path === path || reading.pathsOf(identity).length === 1),
      );
    return reading.all().filter((file) => heirs.has(file.path) && file.text === text && isFree(file));
  }

  /**
   * What stood in its place for long enough to be seen there, and is no other document's own by now: one that was, and has
   * gone on with what was saved in its own place, has left it (7.1).
   */
  guestsOf({ guests }: HeldDocument, reading: Reading): readonly RoledFile[] {
    const isFree = (identity: object) => !this.alive().some(({ accepted }) => accepted === identity);
    return reading.all().filter(({ identity }) => this.#isSettled(guests.get(identity)) && isFree(identity));
  }

  /** Whether it may have gone on with a copy, which is gone by now. */
  mayHaveGoneWithCopy(one: HeldDocument, reading: Reading): boolean {
    return (
      [...one.heirs.values()].some((span) => this.#isSettled(span)) && this.heirsOf(one, reading).length === 0
    );
  }

  /**
   * Files of a document, and after a swap what stands in their places; of two names that are one, either (contract 7.3).
   * What lies in a directory that was moved keeps its document, so what was saved there under its name is its file (7.25).
   */
  placedFiles(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    const placed = [...one.places.keys()].flatMap((path) => [
      reading.files.get(path),
      reading.twins.get(path),
    ]);
    const name = nameOf(one.holding.path);
    const saved = reading
      .all()
      .filter((file) => one.directories.has(file.directory) && nameOf(file.path) === name);
    const twins = [...reading.twins.values()].filter(({ identity }) => one.files.has(identity));
    const found = [...placed.filter((file) => file !== undefined), ...saved, ...twins];
    return [...new Set([...this.filesOf(one, reading), ...found])];
  }

  /** The other documents that some files may be of. */
  othersOf(
    files: readonly RoledFile[],
    reading: Reading,
    except: HeldDocument | null,
  ): readonly HeldDocument[] {
    const wanted = new Set(files.map(keyOf));
    return this.alive().filter(
      (one) => one !== except && this.filesOf(one, reading).some((file) => wanted.has(keyOf(file))),
    );
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
    const alive = this.alive();
    const files = [...reading.files.values()];
    const slotted = files.map((file) => [keyOf(file), file.path] as const);
    // A change may still be on its way to one that was deleted, where its answer was lost.
    for (const one of this.all.values()) {
      // What was there when the disk was seen last has been there until now.
      for (const spans of [one.stood, one.told, one.been, one.heirs, one.guests] as readonly Map<
        object | string,
        Span
      >[])
        for (const [what, span] of spans)
          if (span.seenAt === this.#followedAt) spans.set(what, { ...span, until: now, seenAt: -Infinity });
      // What has become known meanwhile came to where it stood until now.
      if (this.#followed !== null)
        for (const path of this.#namesOf(one, this.#followed))
          if (!alive.some((other) => other !== one && other.holding.path === path) && !one.places.has(path))
            one.places.set(path, null);
      const paths = [...one.files].flatMap((identity) => reading.pathsOf(identity));
      // A name of no type that is sent, as a backup has, is none of a document.
      for (const path of paths) if (isOfType(reading.files.get(path))) noteStood(one.been, path, now);
      for (const path of this.#namesOf(one, reading)) {
        // What stands below an ignore file that is not valid is not looked at (contract 7.35), nor what is in a directory
        // that is ignored as a whole (7.25).
        if (reading.shutDirectory(path) === null && !reading.isOutOfList(path))
          this.#noteSeen(one.stood, path, now, startedAt);
        if (!alive.some((other) => other !== one && other.holding.path === path)) one.places.set(path, null);
        else one.taken.add(path);
      }
      // By its content it is one of these from now on, whatever is saved there.
      for (const { path } of this.copiesOf(one, reading)) noteStood(one.heirs, path, now);
      for (const path of [...one.taken, ...one.heirs.keys()]) {
        const file = reading.files.get(path);
        if (file !== undefined && !alive.some(({ accepted }) => accepted === file.identity))
          one.saved.add(file.identity);
      }
      const isBusy = one.busyUntil > now;
      // It may have gone there before the change went out.
      const freeUntil = isBusy ? one.busyFrom : now;
      const elsewhere = [...one.stood, ...one.heirs].filter(
        ([, { from, until }]) => until === now && freeUntil - from >= this.#settleMs,
      );
      for (const [path, since] of one.places)
        if (since !== null && elsewhere.some(([what]) => typeof what === 'string' && what !== path))
          one.left.add(path);
      const slots = new Set(one.slots.values());
      for (const [slot, path] of slotted)
        if (slots.has(slot) && !alive.some((other) => other !== one && other.holding.path === path))
          one.places.set(path, null);
      for (const [path, since] of one.places) {
        const file = reading.files.get(path);
        if (file !== undefined) one.slots.set(path, keyOf(file));
        if (file !== undefined) noteStood(one.guests, file.identity, now);
        if (paths.includes(path)) {
          one.places.set(path, null);
          continue;
        }
        // What lies below an ignore file that is not valid is not looked at.
        const isShut = paths.some((other) => reading.shutDirectory(other) !== null);
        const vacatedAt = since === null || isShut || isBusy ? now : since;
        one.places.set(path, vacatedAt);
        const isSeen = now - Math.max(vacatedAt, startedAt) > this.#seenMs;
        // What stands in the place of another document is a link to that one's file.
        const free = paths.filter((other) => !alive.some(({ holding }) => holding.path === other));
        const isDocument = free.some((other) => {
          const file = reading.files.get(other);
          // What was edited as it moved only its number tells (7.1).
          const isTold = !this.#isIdentityUnsure || file?.text === one.text;
          return file?.role.kind === 'document' && !file.isHidden && isTold;
        });
        // In a rotation the document stays with what has come to its place.
        if (isSeen && isDocument && file === undefined) {
          one.places.delete(path);
          one.slots.delete(path);
        }
      }
      const standing = this.filesOf(one, reading).filter(({ role }) => role.kind !== 'elsewhere');
      for (const file of standing) {
        const { identity, path } = file;
        one.files.add(identity);
        // What has come to its place is its own from now on.
        if (one.places.has(path)) one.places.set(path, null);
        const isSeen = one.places.has(path) && reading.shutDirectory(path) === null;
        // To where its file has been for a moment only its record has not followed.
        const hasCome = path === one.holding.path || isAlong(one, file) || this.hasStood(one, path);
        if (isSeen && hasCome && !one.left.has(path)) this.#noteSeen(one.stood, identity, now, startedAt);
      }
      // Where its own place has a link of it, what is edited elsewhere is told by that alone.
      const isAtPlace = paths.some((path) => one.places.has(path));
      for (const { path, identity } of files.filter(({ text }) => text === one.text))
        if (!one.files.has(identity)) one.copies.add(path);
        else if (!isAtPlace || one.places.has(path)) this.#noteSeen(one.told, path, now, startedAt);
      one.hasListed ||= standing.some(({ role }) => role.kind === 'document' && role.attachments.length > 0);
      for (const file of standing) this.#noteRestated(one, file);
      if (standing.some(({ isUnlisted }) => !isUnlisted)) one.covered = reading.covered();
      if (standing.length > 0) {
        if (one.isKept) one.keptUntil = now;
        one.isKept = standing.every(({ role }) => role.kind !== 'document');
      }
      one.lostAt = standing.length > 0 ? null : (one.lostAt ?? now);
    }
    this.#followedAt = now;
    this.#followed = reading;
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

  /**
   * Names of the files of a document that are known. Of a file with several names another one may be another document,
   * unless its own is gone: then each may be it.
   */
  #namesOf(one: HeldDocument, reading: Reading): readonly string[] {
    const paths = [...one.files].flatMap((identity) => reading.pathsOf(identity));
    const hasLeft = !paths.some((path) => one.places.has(path));
    return [...one.files]
      .filter((identity) => this.#isKnown(one, identity))
      .map((identity) => reading.pathsOf(identity))
      .filter(({ length }) => length === 1 || hasLeft)
      .flat();
  }

  /** Whether ingestd can know that a file is a document's: its own, or one that stood in its place for long enough, or does. */
  isKnownFile(one: HeldDocument, file: RoledFile): boolean {
    const { identity, path } = file;
    const isPlace = one.places.has(path) && !one.left.has(path);
    const isItsPlace =
      isPlace && (one.holding.path === path || isAlong(one, file) || this.hasStood(one, path));
    return isItsPlace || this.#isKnown(one, identity);
  }

  /**
   * Whether another file has come to a document's place after one that was not sent, and is gone: its path was not, when
   * that one was renamed, and it may be gone with the last of them (7.1, 7.25). It is gone as well where its own file is,
   * and another document's stood there since, which does not count; or with a copy, with which the document went on.
   */
  mayHaveGone(one: HeldDocument, { identity, path }: RoledFile, reading: Reading): boolean {
    const { accepted, files, heirs, holding, places } = one;
    if (accepted === identity) return [...heirs.values()].some((span) => this.#isSettled(span));
    const isGone = (what: object) => reading.pathsOf(what).length === 0;
    // In a rotation it stays with what has come to its place, and is gone with that, whatever is saved elsewhere.
    const isElsewhere = path !== holding.path && places.has(holding.path);
    const others = [...files].slice(isElsewhere ? 0 : [...files].indexOf(identity) + 1);
    if (others.some((one) => one !== accepted && isGone(one))) return true;
    const hasStood = (other: HeldDocument) => other.taken.has(path) && this.#mayHaveStood(other, path);
    return (
      accepted !== null && isGone(accepted) && this.alive().some((other) => other !== one && hasStood(other))
    );
  }

  #isKnown(one: HeldDocument, identity: object): boolean {
    return one.accepted === identity || this.hasStood(one, identity);
  }

  /** What was not seen for long enough, before it went or the process ended, has to be seen anew. */
  #noteSeen<T>(spans: Map<T, Span>, what: T, now: number, startedAt: number): void {
    const { from, until } = spans.get(what) ?? { from: now, until: now };
    const began = from < startedAt && startedAt - from < this.#seenMs ? startedAt : from;
    const isOver = until < now && until - began < this.#seenMs;
    spans.set(what, { from: isOver ? now : began, until: now, seenAt: now });
  }

  /** Whether a file, or any at a path, has stood where it was listed for so long that it was seen. */
  hasStood({ stood }: HeldDocument, what: object | string): boolean {
    return this.#isLong(stood.get(what));
  }

  /** Whether ingestd may have seen it to stand there. */
  #mayHaveStood({ stood, been }: HeldDocument, path: string): boolean {
    return [stood.get(path), been.get(path)].some((span) => this.#isSettled(span));
  }

  /**
   * Whether a file of it, or what stood in its place for a moment only, may have been seen there, and at no other place
   * since: what is saved there is its own.
   */
  mayHaveBeen({ been }: HeldDocument, path: string): boolean {
    const span = been.get(path);
    const isLater = (one: Span) => one.from >= (span?.until ?? Infinity) && this.#isSettled(one);
    return this.#isSettled(span) && ![...been.values()].some(isLater);
  }

  #isSettled({ from, until }: Pick<Span, 'from' | 'until'> = { from: 0, until: 0 }): boolean {
    return until - from >= this.#settleMs;
  }

  /**
   * Whether a document's file stood at a path as it was accepted, for long enough to be told there by its content, and was
   * told at no other one since.
   */
  wasTold({ told }: HeldDocument, path: string): boolean {
    const span = told.get(path);
    const isLater = ({ from, until }: Span) =>
      from >= (span?.until ?? Infinity) && until - from >= this.#settleMs;
    return this.#isLong(span) && ![...told.values()].some(isLater);
  }

  #isLong({ from, until }: Pick<Span, 'from' | 'until'> = { from: 0, until: 0 }): boolean {
    return until - from >= this.#seenMs;
  }

  /** Whether a document was kept when its file was lost, or so shortly before that it may not have been noticed. */
  wasKept({ isKept, keptUntil, lostAt }: HeldDocument): boolean {
    return isKept || (lostAt !== null && lostAt - keptUntil <= this.#seenMs);
  }

  /**
   * A request was accepted, of this file. `counted`: as what that counted as held; `glimpsed`: the same, with what stood
   * for a moment only; `alike`: the other files of which it may have been.
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
      readonly alike: ReadonlySet<object>;
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
    if (created !== null) this.all.set(created, { ...newDocument(request, created, file, carried), alike });
    for (const docId of docIds) {
      const one = this.all.get(docId);
      if (one === undefined) continue;
      if (kind === 'delete') one.isDeleted = one.isDeletionUntold = true;
      if (kind === 'modify') this.#change(one, request, file, carried);
      one.perhaps = distinct([...one.perhaps, ...perhaps]);
    }
  }

  /** A change goes out: an answer that is lost is waited for. */
  sent({ docIds, firstByteAt, lastByteAt }: ServiceRequest, { kind }: Ending): void {
    for (const docId of docIds) {
      const one = this.all.get(docId);
      if (one === undefined || kind === 'reset') continue;
      one.busyFrom = firstByteAt;
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
        one.files.add(file.identity);
        one.places.set(file.path, null);
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
    one.left = new Set();
    one.taken = new Set();
    one.saved = new Set();
    one.heirs = new Map();
    one.alike = new Set();
    one.guests = new Map();
    one.holding = { ...one.holding, path: file.path };
    one.files = new Set([file.identity]);
    one.places = new Map([[file.path, null]]);
    one.told = new Map([[file.path, always]]);
    one.slots = new Map();
    // It is held as before another file came, whose mode may have gone out first.
    if (accepted !== null && accepted !== file.identity && one.before?.identity !== accepted)
      one.before = { identity: accepted, holding: { ...holding, text } };
    one.accepted = file.identity;
    one.device = file.device;
    one.directories = new Set([file.directory]);
  }

  answered(request: ServiceRequest, created: string | null, { kind }: Ending): void {
    for (const docId of request.docIds) {
      const changed = this.all.get(docId);
      if (changed === undefined) continue;
      changed.busyUntil = -Infinity;
      if (request.file !== null && kind === 'ok') {
        changed.recorded = changed.accepted;
        changed.recordedText = changed.text;
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
    if (one !== undefined) one.answer = 'none';
  }

  /** Of a file with several names another document's may be another one. What stood for a moment only may be anyone's. */
  #isOfAnother(identity: object, one: HeldDocument, reading: Reading): boolean {
    const mayBe = (path: string) =>
      !['elsewhere', 'ignored'].includes(reading.files.get(path)?.role.kind ?? '');
    if (reading.pathsOf(identity).filter(mayBe).length > 1) return false;
    // Of a further copy, whose answer was lost, nobody knows.
    const known = this.alive().filter(({ answer }) => answer !== 'none');
    return known.some(
      (other) => other !== one && other.files.has(identity) && this.#isKnown(other, identity),
    );
  }
}

/** Whether it is where the directory of a document has taken that: what lies in it keeps its document (contract 7.25). */
function isAlong({ directories, holding }: HeldDocument, { directory, path }: RoledFile): boolean {
  return directories.has(directory) && nameOf(path) === nameOf(holding.path);
}

function isOfType(file: RoledFile | undefined): boolean {
  return file?.role.kind !== 'unfit' || file.role.statement !== null;
}

function noteStood<T>(spans: Map<T, Span>, what: T, now: number): void {
  spans.set(what, { from: spans.get(what)?.from ?? now, until: now, seenAt: now });
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
    busyFrom: -Infinity,
    busyUntil: -Infinity,
    answer: 'none',
    accepted: file?.identity ?? null,
    recorded: file?.identity ?? null,
    recordedText: request.file?.text ?? '',
    device: file?.device ?? null,
    directories: new Set(file === null ? [] : [file.directory]),
    before: null,
    alike: new Set(),
    perhaps: [],
    files: new Set(file === null ? [] : [file.identity]),
    stood: new Map(),
    places: new Map([[path, null]]),
    told: new Map([[path, always]]),
    guests: new Map(),
    slots: new Map(),
    shared: null,
    isKept: false,
    keptUntil: -Infinity,
    left: new Set(),
    taken: new Set(),
    saved: new Set(),
    copies: new Set(),
    heirs: new Map(),
    been: new Map(),
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
