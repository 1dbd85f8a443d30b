import type { HeldDocument, HeldDocuments } from './held-documents.ts';
import { directoryOf, nameOf, Reading } from './reading.ts';
import type { RoledFile, SeenFile } from './reading.ts';
import { isWider } from './statement.ts';
import type { Holding, Said, ShareMode } from './statement.ts';

/** A file that a list names or named. */
interface Attached {
  readonly owner: string;
  readonly ownerIdentity: object | undefined;
  /** The directory in which its owner was, which takes its place along (contract 7.25). */
  readonly ownerDirectory: object | undefined;
  /** Its sidecar, where that lists it. */
  readonly sidecar: SeenFile | undefined;
  readonly path: string;
  /** What stands in it, since when, and what may have been seen of it before. */
  readonly text: string;
  readonly textAt: number;
  readonly textBefore: string | undefined;
  readonly since: number;
  /** When its list ceased to reach it; Infinity: it does. */
  readonly until: number;
  /** No list reaches it, and no sidecar stands beside its owner's file. */
  readonly isLeft: boolean;
  /** Its owner, which has come back since it was deleted at the service, lists it anew. */
  readonly isAnew: boolean;
  /**
   * Its owner's sidecar has named no more than its like elsewhere, or not even that while it was away; or another file came
   * to where its record may have followed it; or it was sent with an upload that nobody was told of, of which there is no
   * record, and its owner and that one's sidecar are gone.
   */
  readonly isDropped: boolean;
  /** What lists it could not be looked at before. */
  readonly isLate: boolean;
  /** Since when it has no name in a folder; null: it has one. */
  readonly goneAt: number | null;
  /** The document that was sent with it; null: none. */
  readonly docId: string | null;
  /** All that were sent with it, or with what stood in its place: two lists may have named it. */
  readonly sentWith: readonly string[];
}

/** An attachment that is none any more: since when. */
interface Former extends Attached {
  readonly overAt: number;
  /** What said so did not stand for long enough to be seen for certain. */
  readonly isGlimpse: boolean;
  /** The document that was sent without it, which said so: where that is in doubt, nobody knows. */
  readonly sentWithout?: string;
}

/** What a file means beyond what stands beside it now. */
export interface Taint {
  /** The document whose attachment it still is, whatever became of the list; null: of none. */
  readonly owner: string | null;
  /** It may as well be none any more. */
  readonly isOpen: boolean;
  /** What lists it could not be looked at before: it is seen with the next rescan (contract 7.37). */
  readonly isLate: boolean;
  /** Documents that were sent with it. */
  readonly sentWith: readonly string[];
  /** That document's own file. */
  readonly ownerIdentity: object | undefined;
  /** As what it counts as held, though nothing of it is (contract 7.27). */
  readonly holdings: readonly Holding[];
}

interface Stated {
  readonly mode: ShareMode;
  readonly path: string;
  text: string;
  readonly from: number;
  to: number | null;
  /** Its file was sent, and not as this says: whether it counts all the same the contract leaves open. */
  isOpen: boolean;
  /** It, or what says so, could not be looked at before: it is seen with the next rescan (contract 7.37). */
  readonly isLate: boolean;
}

const rescanMs = 15 * 60_000;

const none: Taint = {
  owner: null,
  isOpen: false,
  isLate: false,
  sentWith: [],
  ownerIdentity: undefined,
  holdings: [],
};

/** The memory of section 4 and 7.27 of the contract: what files were, as far as ingestd has to know. */
export class Taints {
  readonly #held: HeldDocuments;
  /** What stands for so long has been seen, ms. */
  readonly #seenMs: number;
  /** It may have been seen after so long, ms. */
  readonly #settleMs: number;
  #attached = new Map<object, Attached>();
  /** What this process has seen attached last at each path, and its owner. */
  readonly #listed = new Map<string, { readonly file: RoledFile; readonly owner: RoledFile | undefined }>();
  /** Attachments that are none any more. */
  readonly #former = new Map<object, Former>();
  /**
   * Files that came to the places of attachments, as a save of one does, those of documents that may be recorded, and those
   * that several documents attached: each list of them holds (contract 4).
   */
  readonly #perhaps = new WeakSet<object>();
  /** What came to the places of attachments, which their records may mean: the documents that were sent with those. */
  readonly #placed = new Map<object, readonly string[]>();
  #reading = new Reading([], []);
  /** Paths of what could not be looked at when the disk was seen last. */
  #barred: ReadonlySet<string> = new Set();
  /** Until when what cannot be looked at, or could not, was so. */
  readonly #barredUntil = new Map<string, number>();
  /** What own sidecars have said of files that were not sent. */
  readonly #unsent = new Map<object, Stated[]>();
  /** What stood last at each path, and since when it does no more; null: it does. */
  readonly #last = new Map<string, { readonly identity: object; readonly goneAt: number | null }>();
  /** As what files may count that came to the place of others, since a save looks so, or whose upload is in doubt. */
  readonly #inherited = new Map<object, readonly Holding[]>();

  constructor(held: HeldDocuments, seenMs: number, settleMs: number) {
    this.#held = held;
    this.#seenMs = seenMs;
    this.#settleMs = settleMs;
  }

  see(reading: Reading, now: number): void {
    this.#reading = reading;
    for (const path of this.#barred) this.#barredUntil.set(path, now);
    this.#followAttached(reading, now);
    this.#followPlaces(reading, now);
    // What was not answered yet has no record.
    const known = this.#held.alive().filter((one) => one.answer === 'usable' || one.mayBeRecorded);
    const sent = new Set(known.map(({ accepted }) => accepted));
    for (const file of reading.files.values()) {
      const { identity, path, text, role } = file;
      const spans = this.#unsent.get(identity) ?? [];
      const last = spans.findLast((one) => one.path === path);
      // An upload that was under way then has been answered since.
      for (const one of spans) one.isOpen ||= sent.has(identity);
      // Of what cannot be looked at nobody knows which file it is; what has a wrong name only is stated for all the same.
      const statement = 'statement' in role && !file.isHidden ? role.statement : null;
      const states = statement?.by === 'sidecar' ? statement.mode : null;
      if (last?.to === null && last.mode === states) {
        last.text = text;
        continue;
      }
      if (last !== undefined) last.to ??= now;
      if (states !== null) {
        const isLate = [path, statement?.file ?? ''].some((one) => this.#barred.has(one));
        const said = { mode: states, path, text, from: now, to: null, isOpen: sent.has(identity), isLate };
        this.#unsent.set(identity, [...spans, said]);
      }
    }
    for (const [identity, spans] of this.#unsent) {
      const paths = reading.pathsOf(identity);
      for (const one of spans) if (!paths.includes(one.path)) one.to ??= now;
    }
    this.#barred = new Set(reading.all().flatMap(({ path, isBarred }) => (isBarred === true ? [path] : [])));
  }

  /** A process forgets what the one before had seen, and not sent. */
  started(reading: Reading, now: number, isInDoubt: (file: SeenFile) => boolean): void {
    this.see(reading, now);
    const taintOf = this.all(now, 0);
    const known = this.#held.alive().filter(({ answer }) => answer === 'usable');
    const sent = new Set(known.map(({ accepted }) => accepted));
    // What the service may have counts as it may be held.
    for (const file of reading.everything()) {
      const { identity, path } = file;
      if (sent.has(identity) || !isInDoubt(file)) continue;
      const role = reading.files.get(path)?.role ?? { kind: 'elsewhere' };
      const statement = 'statement' in role ? role.statement : null;
      const stated = statement === null ? [] : [{ mode: statement.mode, statement, path }];
      this.#inherit(identity, [...taintOf(identity).holdings, ...stated]);
    }
    this.#unsent.clear();
    this.#listed.clear();
    for (const [identity, { docId, ownerIdentity, sentWith }] of this.#attached) {
      if (docId !== null && this.#held.all.get(docId)?.answer === 'usable') continue;
      this.#attached.delete(identity);
      // The answer, or that a change with it was about to go out, may be written down: then it stands in its record
      // (contract 4).
      if (docId !== null || (ownerIdentity !== undefined && sent.has(ownerIdentity)))
        this.#perhaps.add(identity);
      if (sentWith.length > 0)
        this.#placed.set(identity, [...(this.#placed.get(identity) ?? []), ...sentWith]);
    }
    for (const [identity, { docId }] of this.#former)
      if (docId === null || this.#held.all.get(docId)?.answer !== 'usable') this.#former.delete(identity);
    this.see(reading, now);
  }

  /** A document was accepted, of this file and with these texts: from now on its record tells, and no list that is gone. */
  taken(
    docId: string,
    file: RoledFile,
    attachments: readonly string[],
    { reading, now }: { readonly reading: Reading; readonly now: number },
  ): void {
    this.#unsent.delete(file.identity);
    this.#former.delete(file.identity);
    for (const [identity, one] of this.#attached) {
      const text = reading.pathsOf(identity).map((path) => reading.files.get(path)?.text);
      // Of a file with several names another one may be another document.
      const names = reading.pathsOf(file.identity);
      const isOfOther = names.length > 1 && names.includes(one.owner) && one.owner !== file.path;
      const isSent = attachments.some((sent) => text.includes(sent));
      const sentWith = isSent ? [...one.sentWith, docId] : one.sentWith;
      if (one.ownerIdentity !== file.identity || isOfOther) {
        // What several documents list stands in the record of each.
        if (this.#perhaps.has(identity)) this.#attached.set(identity, { ...one, sentWith });
      } else if (isSent) {
        // Without a sidecar the record lists it, and what it was last sent with stands in that (contract 4).
        const [place = one.path] = one.isLeft ? reading.pathsOf(identity) : [];
        this.#attached.set(identity, { ...one, path: place, docId, sentWith });
      }
      // What it was last sent with stands in its record (contract 4): this is not in it any more. What is said of it below
      // an ignore file that is not valid is not looked at (7.35).
      else if (
        one.until !== Infinity &&
        reading.shutDirectory(one.owner) === null &&
        // Of a document that nobody was told of there is no record.
        one.sentWith.every(
          (id) => this.#held.all.get(id)?.answer !== 'usable' || (id === docId && attachments.length > 0),
        )
      ) {
        this.#attached.delete(identity);
        this.#former.set(identity, { ...one, overAt: now, isGlimpse: false, sentWithout: docId });
        // Another name of its owner may be another document, whose list holds for as long as that was not sent; so may what
        // was saved in its place when it was renamed.
        const others = [...reading.pathsOf(file.identity), one.owner].filter((path) => path !== file.path);
        const isListed = others.some((path) => {
          const [sidecar, said] = [reading.sidecarOf(path)?.path ?? '', reading.saidOf(path)];
          // Without a sidecar that says otherwise, a name of it has the list still.
          if (said === null) return reading.pathsOf(file.identity).includes(path);
          return isNamed([one.path, ...reading.pathsOf(identity)], sidecar, said, reading);
        });
        if (isListed) this.#perhaps.add(identity);
      }
    }
  }

  /** An upload of it was not answered yet, and may never be: the service may hold it so. */
  inDoubt(identity: object, holding: Holding): void {
    this.#inherit(identity, [holding]);
  }

  /** A change with these texts was not answered: the record may hold it so (contract 4). */
  perhapsSent(docId: string, attachments: readonly string[], reading: Reading): void {
    for (const { identity, text } of reading.all())
      if (attachments.includes(text))
        this.#placed.set(identity, [...(this.#placed.get(identity) ?? []), docId]);
  }

  /** As of now, for each file that has one. `seenMs`: what stood for so long counts. */
  all(now: number, seenMs = this.#seenMs): (identity: object) => Taint {
    const taints = new Map<object, Taint>();
    const add = (
      identity: object,
      {
        owner = null,
        isOpen = false,
        isLate = false,
        sentWith = [],
        ownerIdentity,
        holdings = [],
      }: Partial<Taint>,
    ) => {
      const known = taints.get(identity) ?? none;
      taints.set(identity, {
        owner: owner ?? known.owner,
        isOpen: isOpen || known.isOpen,
        isLate: isLate || known.isLate,
        sentWith: [...known.sentWith, ...sentWith],
        ownerIdentity: ownerIdentity ?? known.ownerIdentity,
        holdings: [...known.holdings, ...holdings],
      });
    };
    for (const [identity, one] of this.#attached) {
      if (one.isLate && now - one.since < rescanMs + seenMs) add(identity, { isLate: true });
      if (isSeen(one, now, seenMs)) {
        // It may have been deleted since the disk was looked at.
        const isDeleted = this.#isOwnerDeleted(one);
        const { owner, sentWith, ownerIdentity } = isDeleted && !one.isAnew ? none : one;
        const isOpen = isDeleted || one.isDropped || this.#isOwnerSentWithout(one);
        const text = told(one, now, seenMs);
        add(identity, { owner, isOpen, sentWith, ownerIdentity, holdings: [privately({ ...one, text })] });
      }
    }
    for (const [identity, one] of this.#former) {
      if (isSeen(one, now, seenMs)) add(identity, { holdings: [privately(one)] });
      // What said that it is over may not have been seen: then it stands in the record still.
      if (one.isGlimpse) add(identity, { sentWith: one.sentWith, ownerIdentity: one.ownerIdentity });
      // In the record of each document that was sent with it it stands until that one's end (contract 4).
      const isIn = (docId: string) =>
        docId !== one.docId && !this.#isOver({ ...one, docId }, identity, this.#reading);
      add(identity, { sentWith: one.sentWith.filter(isIn) });
    }
    for (const [identity, sentWith] of this.#placed) add(identity, { sentWith });
    for (const [identity, spans] of this.#unsent) {
      const seenAfterMs = (isLate: boolean) => (isLate && seenMs > 0 ? rescanMs + seenMs : seenMs);
      const seen = spans.filter(
        ({ from, to, isOpen, isLate }) => !isOpen && (to ?? now) - from >= seenAfterMs(isLate),
      );
      const [first, ...others] = seen;
      if (first === undefined) continue;
      const narrowest = others.reduce((least, one) => (isWider(least.mode, one.mode) ? one : least), first);
      // Of what stood for a moment only, any may have been seen.
      const counted = seenMs === 0 ? seen : [narrowest];
      add(identity, { holdings: counted.map((one) => privately(one, one.mode)) });
    }
    return (identity) => taints.get(identity) ?? none;
  }

  /** As what a file may count, and need not: by what it may have been saved over, or was stated for it and not sent. */
  inheritedOf(identity: object): readonly Holding[] {
    const open = (this.#unsent.get(identity) ?? []).filter(({ isOpen }) => isOpen);
    return [...(this.#inherited.get(identity) ?? []), ...open.map((one) => privately(one, one.mode))];
  }

  #followPlaces(reading: Reading, now: number): void {
    const taintOf = this.all(now, 0);
    for (const [path, last] of this.#last) {
      const standing = reading.files.get(path)?.identity;
      const goneAt = standing === undefined ? (last.goneAt ?? now) : null;
      this.#last.set(path, { identity: standing ?? last.identity, goneAt });
      const isLong = last.goneAt !== null && now - last.goneAt > this.#seenMs;
      if (standing === undefined || standing === last.identity) continue;
      const before = last.identity;
      const wasAttached = this.#attached.has(before) || this.isPerhapsAttached(before, reading);
      // The list of an owner that was not sent yet holds while its sidecar exists, whatever comes there (contract 4).
      if (wasAttached && (!isLong || reading.isListedBySidecar(path))) this.#perhaps.add(standing);
      if (isLong) continue;
      const holdings = [...taintOf(before).holdings, ...this.#held.formerHoldings(before)];
      this.#inherit(standing, [...this.inheritedOf(before), ...holdings]);
      // So may what was saved where a record has followed its attachment, though another file stands where that was.
      const former = this.#former.get(before);
      const followed = former?.isGlimpse === true ? former.sentWith : undefined;
      const sentWith = this.#placed.get(before) ?? this.#attached.get(before)?.sentWith ?? followed;
      if (sentWith !== undefined && !this.#placed.has(standing)) this.#placed.set(standing, sentWith);
    }
    for (const { path, identity } of reading.files.values())
      if (!this.#last.has(path)) this.#last.set(path, { identity, goneAt: null });
  }

  #inherit(identity: object, holdings: readonly Holding[]): void {
    this.#inherited.set(identity, [...this.inheritedOf(identity), ...holdings]);
  }

  #followAttached(reading: Reading, now: number): void {
    for (const file of reading.files.values()) {
      const { path, text, identity, role, isHidden } = file;
      // Whether what attaches files itself is one the contract leaves open (4).
      const isOwning = role.kind === 'document' && role.attachments.length > 0;
      if (isOwning && reading.isListedByDocument(path)) this.#perhaps.add(identity);
      if (role.kind !== 'attachment') continue;
      // Of what could never be looked at nobody knows which file it is.
      if (isHidden && !this.#attached.has(identity)) continue;
      const ownerIdentity = reading.files.get(role.owner)?.identity;
      this.#listed.set(path, { file, owner: reading.files.get(role.owner) });
      // What a sidecar lists is no document: whether anything is attached to it the contract leaves open (4, 7.9).
      if (reading.isListedByDocument(role.owner)) {
        this.#perhaps.add(identity);
        continue;
      }
      const known = this.#attached.get(identity);
      const isHandedOn = this.#isOfAnother(known, role.owner, reading);
      if (reading.shared.has(path) || isHandedOn) this.#perhaps.add(identity);
      // Where another file has come to its place, it is none any more of the document that was sent with it (4).
      const isAnothers = isHandedOn && known !== undefined && this.#isOver(known, identity, reading);
      const isAnew =
        known?.until === Infinity ? known.isAnew : this.#isOwnerDeleted({ docId: null, ownerIdentity });
      const isEdited = known !== undefined && known.text !== text;
      const sidecar = reading.files.get(reading.sidecarOf(role.owner)?.path ?? '');
      const barredUntil = this.#barredUntil.get(sidecar?.path ?? '') ?? -Infinity;
      this.#attached.set(identity, {
        owner: role.owner,
        ownerIdentity,
        ownerDirectory: reading.files.get(role.owner)?.directory,
        sidecar,
        path,
        text,
        textAt: isEdited ? now : (known?.textAt ?? -Infinity),
        textBefore: isEdited ? told(known, now, this.#seenMs) : known?.textBefore,
        since: known?.since ?? now,
        until: Infinity,
        isLeft: false,
        isAnew,
        isDropped: false,
        isLate: known?.isLate ?? now - barredUntil < rescanMs,
        goneAt: null,
        // What it was sent with before it was deleted says nothing of a document that is not sent yet.
        docId: isAnothers || (isAnew && known?.until !== Infinity) ? null : (known?.docId ?? null),
        sentWith: known?.sentWith ?? [],
      });
    }
    for (const [identity, before] of this.#attached) {
      const one = { ...before, path: placeIn(reading, before) };
      const isReached = reading
        .pathsOf(identity)
        .some((path) => reading.files.get(path)?.role.kind === 'attachment');
      if (isReached) continue;
      const isAway = reading.pathsOf(identity).length === 0;
      const goneAt = isAway ? (one.goneAt ?? now) : null;
      const owners = reading.pathsOf(one.ownerIdentity ?? {});
      const isLeft = owners.every((path) => reading.sidecarOf(path) === null);
      const said = owners.includes(one.owner) ? reading.saidOf(one.owner) : null;
      const names = [one.path, ...reading.pathsOf(identity)];
      const isListed = (text: string) => names.includes(`${directoryOf(one.owner)}/${text}`);
      const isUntold = this.#held.all.get(one.docId ?? '')?.answer === 'none';
      // Without a sidecar the record lists it, which may have followed it to where another file has come since (contract 4).
      const isReplaced = ([path, last]: readonly [string, { readonly identity: object }]) =>
        path !== one.path &&
        last.identity === identity &&
        (reading.files.get(path)?.identity ?? identity) !== identity;
      const isDropped =
        one.isDropped ||
        (isLeft && [...this.#last].some(isReplaced)) ||
        said?.attachments.some(isListed) === false ||
        (isAway && one.docId !== null && this.#isOver(one, identity, reading)) ||
        (isUntold && this.#isOver({ ...one, docId: null }, identity, reading));
      const ended = { ...one, until: Math.min(one.until, now), isLeft, isDropped, goneAt };
      this.#attached.set(identity, ended);
      // What is away for a moment only has been moved; what a document was sent with stands in its record all the same.
      const isGone = goneAt !== null && one.docId === null && now - goneAt > this.#seenMs;
      const isOver = isAway ? isGone : this.#isOver(one, identity, reading);
      if (isOver) this.#attached.delete(identity);
      // What comes back may be what the list still names under its old name (contract 4); so may what was hidden (7.25).
      const places = reading.pathsOf(identity).map((path) => reading.files.get(path)?.role.kind);
      const isHidden = isOver && one.docId === null && places.every((kind) => kind === 'elsewhere');
      if (isGone || isHidden) this.#perhaps.add(identity);
      // Without a sidecar the record lists it: that may have followed it before another file came to its place (contract 4).
      const vacatedAt = this.#last.get(one.path)?.goneAt ?? now;
      const mayBeFollowed = isLeft && now - vacatedAt >= this.#settleMs;
      const isGlimpse = mayBeFollowed || this.#mayGoOn(one, reading);
      if (isOver && !isGone) this.#former.set(identity, { ...ended, overAt: now, isGlimpse });
      // What has come to its place may be what its list names; so may what a mount shows there that covers them both.
      const standing = reading.files.get(one.path)?.identity;
      if (standing !== undefined && reading.isCovered(identity)) this.#perhaps.add(standing);
      if (!(isOver || isAway) || standing === undefined || standing === identity) continue;
      const there = this.#attached.get(standing) ?? {
        ...ended,
        since: now,
        until: now,
        goneAt: null,
        docId: null,
      };
      const sentWith = [...new Set([...there.sentWith, ...one.sentWith])];
      this.#attached.set(standing, { ...there, sentWith });
      if (sentWith.length > 0) this.#placed.set(standing, sentWith);
    }
    for (const [identity, one] of this.#former) {
      const isAway = reading.pathsOf(identity).length === 0;
      const goneAt = isAway ? (one.goneAt ?? now) : null;
      const isBrief = now - one.overAt < this.#seenMs;
      const isOpen = () => !this.#isOver(one, identity, reading) || this.#mayGoOn(one, reading);
      const isGlimpse = one.isGlimpse || (!isAway && isBrief && isOpen());
      if (goneAt === null || now - goneAt <= this.#seenMs)
        this.#former.set(identity, { ...one, goneAt, isGlimpse });
      else {
        this.#former.delete(identity);
        // What comes back was only away.
        this.#inherit(identity, [privately(one)]);
      }
    }
  }

  /** Whether a file may still be an attachment: what ended that stood for a moment only, or it may be the save of one. */
  isPerhapsAttached(identity: object, reading: Reading): boolean {
    const former = this.#former.get(identity);
    const { isGlimpse = false, sentWithout } = former ?? {};
    // The record of what was sent with the one before may mean it, whatever was saved in the place of that document (4).
    const isRecorded = (docId: string) =>
      former !== undefined && !this.#isOver({ ...former, docId }, identity, reading);
    if (this.#placed.get(identity)?.some(isRecorded) === true) return true;
    const isInDoubt = sentWithout !== undefined && this.#held.all.get(sentWithout)?.answer !== 'usable';
    // The record of its owner stands until its deletion is answered.
    const isUntold = this.#held.all.get(former?.docId ?? '')?.isDeletionUntold === true;
    return isGlimpse || isInDoubt || isUntold || this.#perhaps.has(identity);
  }

  /**
   * Whether nobody can tell a file from an attachment that has left its place before it was sent, as numbers do not (7.19):
   * it stays one while nothing stands there, and its owner or the sidecar exists, or what may be the owner (contract 4).
   */
  isLikeUnsent(file: RoledFile, reading: Reading): boolean {
    const sent = new Set(
      [...this.#held.all.values()].flatMap((one) => one.attachments.map(({ text }) => text)),
    );
    return [...this.#listed.values()].some(({ file: attached, owner }) => {
      const mayBeOwner = (other: RoledFile) => other.identity === owner?.identity || isLike(other, owner);
      const hasOwner =
        (owner !== undefined && reading.sidecarOf(owner.path) !== null) ||
        reading.all().some((other) => other.identity !== file.identity && mayBeOwner(other));
      const isLeft = reading.files.get(attached.path)?.isHidden ?? true;
      // Under its name the owner is itself.
      const isOther = file.identity !== owner?.identity || nameOf(file.path) !== nameOf(owner.path);
      return isLeft && isOther && hasOwner && isLike(file, attached) && !sent.has(attached.text);
    });
  }

  /**
   * Whether a list was handed on: the document that is sent with a file is not the one whose list names it now; or that of
   * a document that was not sent yet stands still, and another one's names it too.
   */
  #isOfAnother(known: Attached | undefined, owner: string, reading: Reading): boolean {
    if (known === undefined) return false;
    const file = reading.files.get(owner)?.identity;
    if (known.docId === null)
      return known.owner !== owner && known.ownerIdentity !== file && reading.sidecarOf(known.owner) !== null;
    return this.#held.alive().some(({ docId, accepted }) => accepted === file && docId !== known.docId);
  }

  /**
   * Whether its owner may as well stand where no sidecar is that says so: only its owner's ends it; or the owner was not
   * sent yet, and the sidecar where it stood still says what it has (contract 4).
   */
  #mayGoOn({ docId, owner, ownerIdentity, path }: Attached, reading: Reading): boolean {
    const document = docId === null ? undefined : this.#held.all.get(docId);
    // It had gone on to another place, from where it went out of sight: what says so beside the first is not its own.
    const isGone = document !== undefined && pathsOf(this.#held, document, reading).length === 0;
    if (isGone && document.may.some((at) => at.path !== owner)) return true;
    const isSent = document?.answer === 'usable' && document.accepted === ownerIdentity;
    const listed = reading.saidOf(owner)?.attachments.map((text) => `${directoryOf(owner)}/${text}`) ?? [];
    if (!isSent && listed.includes(path)) return true;
    const owners = document?.isDeleted === false ? pathsOf(this.#held, document, reading) : [];
    const saysSo = (one: string) => {
      const [sidecar, said] = [reading.sidecarOf(one)?.path ?? null, reading.saidOf(one)];
      return sidecar !== null && (said === null || !isNamed([path], sidecar, said, reading));
    };
    return owners.length > 1 && !owners.every(saysSo);
  }

  /**
   * Whether its owner is at the service without it, and nothing beside that file says what it has: only the list of an
   * owner that was not sent yet holds longer (contract 4). Of an upload that nobody was told of there is no record.
   */
  #isOwnerSentWithout({ docId, isLeft, owner, ownerIdentity, text }: Attached): boolean {
    if (!isLeft || ownerIdentity === undefined) return false;
    if (docId !== null && this.#held.all.get(docId)?.answer !== 'none') return false;
    return this.#held
      .alive()
      .some(
        (one) =>
          one.docId !== docId &&
          (one.may.some(({ identity }) => identity === ownerIdentity) ||
            (one.answer === 'usable' && one.holding.path === owner)) &&
          !one.attachments.some((sent) => sent.text === text),
      );
  }

  /** Whether its owner was deleted at the service, with it or without it: from then on no list of it holds (contract 4). */
  #isOwnerDeleted({ docId, ownerIdentity }: Pick<Attached, 'docId' | 'ownerIdentity'>): boolean {
    if (docId !== null) return this.#held.all.get(docId)?.isDeleted === true;
    const own = [...this.#held.all.values()].filter(
      ({ accepted }) => accepted !== null && accepted === ownerIdentity,
    );
    return own.length > 0 && own.every(({ isDeleted }) => isDeleted);
  }

  /** Whether what was an attachment is none any more (contract 4). */
  #isOver(
    { owner, ownerIdentity, sidecar: own, path, docId }: Attached,
    identity: object,
    reading: Reading,
  ): boolean {
    // What cannot be seen is not gone, and says nothing.
    if (reading.isCovered(identity)) return false;
    const isFromItsDirectory = directoryOf(path).endsWith('.attachments');
    // Nor is what is said below an ignore file that is not valid looked at (7.35).
    if (docId === null && !isFromItsDirectory && reading.shutDirectory(owner) !== null) return false;
    const standing = reading.files.get(path);
    // What is in a hidden directory stands nowhere (contract 7.25).
    if (standing !== undefined && standing.role.kind !== 'elsewhere' && standing.identity !== identity)
      return true;
    const document = docId === null ? undefined : this.#held.all.get(docId);
    if (document?.isDeleted === true) return true;
    const unsent = reading
      .pathsOf(ownerIdentity ?? {})
      .filter((one) => reading.files.get(one)?.role.kind !== 'elsewhere');
    const owners = document === undefined ? unsent : pathsOf(this.#held, document, reading);
    // Where its owner has left its sidecar behind, that is none of its own any more; nor is it where another file stands.
    const hasLeft = document?.may.every((at) => at.path !== owner) === true;
    const left = docId !== null && (hasLeft || reading.files.has(owner)) ? [] : [owner];
    // What is said below an ignore file that is not valid may be ignored, and then ends nothing (4, 7.35).
    const places = (owners.length > 0 ? owners : left).filter(
      (one) => docId === null || reading.shutDirectory(one) === null,
    );
    // What an ambiguous one says does not count (contract 4).
    const said = places.flatMap((one) => {
      const sidecar = reading.sidecarOf(one);
      if (sidecar === null) return [];
      return [{ sidecar: sidecar.path, said: sidecar.isAmbiguous ? null : reading.said(sidecar.path) }];
    });
    // Its sidecar may have gone along with the directory of both, and holds the list for as long as it is there.
    const isAlong = (one: string) =>
      nameOf(one) === nameOf(own?.path ?? '') && reading.files.get(one)?.role.kind === 'companion';
    const along = reading
      .pathsOf(owners.length > 0 ? {} : (own?.identity ?? {}))
      .filter((one) => isAlong(one) && said.every(({ sidecar }) => sidecar !== one));
    said.push(...along.map((one) => ({ sidecar: one, said: reading.said(one) })));
    const names = [path, ...reading.pathsOf(identity)];
    if (said.some((one) => one.said !== null && !isNamed(names, one.sidecar, one.said, reading))) return true;
    if (docId !== null) return false;
    const isOwnerHere = owners.length > 0 || reading.files.has(owner);
    return isFromItsDirectory || (!isOwnerHere && said.length === 0);
  }
}

function isLike(a: SeenFile, b: SeenFile | undefined): boolean {
  return a.content.length === b?.content.length && a.changedAt === b.changedAt;
}

/** Whether a sidecar lists a file of these names: where its owner has moved, its list names what lies at its new place. */
function isNamed(names: readonly string[], sidecar: string, said: Said, reading: Reading): boolean {
  return said.attachments.some((text) => {
    const listed = `${directoryOf(sidecar)}/${text}`;
    return (
      names.includes(listed) || (nameOf(listed) === nameOf(names[0] ?? '') && !reading.files.has(listed))
    );
  });
}

/** Texts that a document without a sidecar may be held with besides what lies in its directory (contract 4). */
export function stillSent(
  reading: Reading,
  { path, identity: owner }: RoledFile,
  { docId, taintOf }: { readonly docId: string | undefined; readonly taintOf: (identity: object) => Taint },
): ReadonlySet<string> {
  if (reading.sidecarOf(path) !== null) return new Set();
  const isOf = (taint: Taint) =>
    taint.ownerIdentity === owner || (docId !== undefined && taint.sentWith.includes(docId));
  const still = reading.all().filter(({ identity }) => isOf(taintOf(identity)));
  return new Set(still.map(({ text }) => text));
}

/** What moves into a directory that is hidden is gone, as if it had moved out (contract 7.25). */
function pathsOf(held: HeldDocuments, document: HeldDocument, reading: Reading): readonly string[] {
  const files = held.filesOf(document, reading).filter(({ role }) => role.kind !== 'elsewhere');
  return files.map(({ path }) => path);
}

/** The place of an attachment, which its owner's directory takes along (contract 7.25). */
function placeIn(reading: Reading, { path, owner, ownerDirectory }: Attached): string {
  const directory = directoryOf(owner);
  // What a mount covers has not moved.
  const isShown = (file: RoledFile) => file.directory === ownerDirectory && !reading.isCovered(file.identity);
  const places = reading
    .all()
    .filter(isShown)
    .map((file) => directoryOf(file.path));
  const [place = directory] = places.includes(directory) ? [] : places;
  return path.startsWith(`${directory}/`) ? `${place}${path.slice(directory.length)}` : path;
}

function isSeen({ since, until, docId }: Attached, now: number, seenMs: number): boolean {
  return docId !== null || Math.min(now, until) - since >= seenMs;
}

/** What was seen of an attachment: an edit that stood for a moment only, before it moved, only its number tells (7.19). */
function told(
  { text, textAt, textBefore, until }: Pick<Attached, 'text' | 'textAt' | 'textBefore' | 'until'>,
  now: number,
  seenMs: number,
): string {
  return Math.min(now, until) - textAt >= seenMs ? text : (textBefore ?? text);
}

/** Held as an own sidecar said. */
function privately(
  { path, text }: { readonly path: string; readonly text: string },
  mode: ShareMode = 'NONE',
): Holding {
  return { mode, statement: { mode, by: 'sidecar', place: '', file: null }, path, text };
}
