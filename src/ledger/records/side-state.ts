import { passedMs } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { isAlike, ownFileKey, refKey } from '../../model/document.ts';
import type { FileStat } from '../../model/document.ts';
import type { LedgerPort, Removal, SentRequest } from '../../model/ports/ledger-port.ts';
import type { SideChange } from './stored-change.ts';

const SENT_KEPT_MS = 600_000;
/** An hour; the deletion guard looks back ten minutes only. */
const REMOVALS_KEPT_MS = 3_600_000;
/** Kept however old they seem: where the system does not say how long it has run, the wall clock may have jumped. */
const NEWEST_SENT = 200;
const NEWEST_REMOVALS = 50;
/** So many more than were kept last time, and the old ones are looked for. */
const PRUNE_AFTER = 1_000;
/** Of one approval line in a snapshot, so that no line grows without bound. */
const PATHS_A_LINE = 1_000;

/** Files of deleted documents: most of them never come back, and nothing says so. About 300 bytes each. */
const MOST_FORMER = 10_000;

/** What a person decided about the document of a removed file. */
type Answer = 'delete' | 'keep';

/** The change of one kind, as it was committed: where the next one replaces it, it is the state. */
type Of<Kind extends SideChange['kind']> = Extract<SideChange, { readonly kind: Kind }>;

/** All that the ledger knows beside its records. */
export class SideState {
  readonly #intents = new Map<string, Of<'intent'>>();
  readonly #doubts = new Map<string, Of<'doubt'>>();
  readonly #failures = new Map<string, Of<'fail'>>();
  readonly #holds = new Map<string, Of<'hold'>>();
  readonly #approvals = new Map<string, Map<string, Answer>>();
  readonly #removals = new Map<string, readonly Removal[]>();
  readonly #roots = new Map<string, Of<'root'>>();
  readonly #mounts = new Map<string, Of<'mounts'>>();
  /** By `ownFileKey`, the oldest first. */
  readonly #former = new Map<string, Of<'former'>>();
  #service: Of<'service'> | null = null;
  #sent = new Map<string, SentRequest>();
  #appliedSince = 0;

  readonly reader = {
    intents: () => Array.from(this.#intents.values(), ({ intent }) => intent),
    doubts: () => Array.from(this.#doubts.values(), ({ doubt }) => doubt),
    failure: (ref) => this.#failures.get(refKey(ref))?.failure,
    failures: () => Array.from(this.#failures.values(), ({ ref, failure }) => [ref, failure] as const),
    hold: (folder) => this.#holds.get(folder)?.hold ?? undefined,
    hasApprovals: (folder) => this.#approvals.has(folder),
    answer: ({ folder, path }) => this.#approvals.get(folder)?.get(path),
    isApproved: ({ folder, path }) => this.#approvals.get(folder)?.get(path) === 'delete',
    removals: (folder) => this.#removals.get(folder) ?? [],
    root: (folder) => this.#roots.get(folder)?.identity,
    mounts: (folder) => this.#mounts.get(folder)?.mounts ?? [],
    mountIdentities: (folder) => this.#mounts.get(folder)?.identities ?? [],
    bareMountPoints: (folder) => this.#mounts.get(folder)?.bare ?? [],
    formerModes: (file) => {
      const held = this.#former.get(ownFileKey(file))?.held;
      return held !== undefined && isAlike(held.file, file) ? [held] : [];
    },
    service: () => this.#service?.service ?? null,
    sentRequests: () => [...this.#sent.values()],
  } satisfies Partial<LedgerPort>;

  apply(change: SideChange): void {
    switch (change.kind) {
      case 'intent':
        this.#intents.set(change.intent.id, change);
        return;
      case 'resolve':
        this.#intents.delete(change.id);
        return;
      case 'doubt':
        this.#doubts.set(change.doubt.id, change);
        return;
      case 'dismiss':
        this.#doubts.delete(change.id);
        return;
      case 'follow': {
        const { id, ref, stat } = change;
        const known = this.#doubts.get(id);
        if (known !== undefined)
          this.#doubts.set(id, { kind: 'doubt', doubt: { ...known.doubt, ref, stat } });
        return;
      }
      case 'fail':
        this.#failures.set(refKey(change.ref), change);
        return;
      case 'clear':
        this.#failures.delete(refKey(change.ref));
        return;
      case 'hold':
        if (change.hold === null) this.#holds.delete(change.folder);
        else this.#holds.set(change.folder, change);
        return;
      case 'approve': {
        const answers = this.#approvals.get(change.folder) ?? new Map<string, Answer>();
        for (const path of change.paths) answers.set(path, change.keeps === true ? 'keep' : 'delete');
        if (answers.size > 0) this.#approvals.set(change.folder, answers);
        return;
      }
      case 'unapprove': {
        const answers = this.#approvals.get(change.folder);
        for (const path of change.paths) answers?.delete(path);
        if (answers?.size === 0) this.#approvals.delete(change.folder);
        return;
      }
      case 'removed':
        this.#appliedSince += 1;
        this.#removals.set(change.folder, [...this.reader.removals(change.folder), change.removal]);
        return;
      case 'root':
        this.#roots.set(change.folder, change);
        return;
      case 'mounts':
        this.#mounts.set(change.folder, change);
        return;
      case 'former': {
        const key = ownFileKey(change.held.file);
        this.#former.delete(key);
        this.#former.set(key, change);
        const [oldest] = this.#former.keys();
        if (this.#former.size > MOST_FORMER && oldest !== undefined) this.#former.delete(oldest);
        return;
      }
      case 'service':
        this.#service = change;
        return;
      case 'sent': {
        this.#appliedSince += 1;
        const { id, at } = change;
        this.#sent.set(id, { answeredAt: null, ...this.#sent.get(id), id, at });
        return;
      }
      case 'answered': {
        const request = this.#sent.get(change.id);
        if (request === undefined) return;
        const { at: answeredAt, sinceBoot } = change;
        const exactly = sinceBoot === undefined ? {} : { answeredSinceBoot: sinceBoot };
        this.#sent.set(change.id, { ...request, answeredAt, ...exactly });
      }
    }
  }

  /** A file has a record of its own, which tells from now on. */
  recorded(file: FileStat): void {
    // Without a number it may be another one's.
    if (this.#former.size === 0 || file.ino === 0) return;
    for (const { file: former } of this.reader.formerModes(file)) this.#former.delete(ownFileKey(former));
  }

  /** Changes that make an empty state into this one. */
  changes(): readonly SideChange[] {
    return [
      ...this.#intents.values(),
      ...this.#doubts.values(),
      ...this.#failures.values(),
      ...this.#holds.values(),
      ...[...this.#approvals].flatMap(([folder, answers]) => [
        ...approvalLines(folder, answers, 'delete'),
        ...approvalLines(folder, answers, 'keep'),
      ]),
      ...[...this.#removals].flatMap(([folder, list]) =>
        list.map((removal) => ({ kind: 'removed' as const, folder, removal })),
      ),
      ...this.#roots.values(),
      ...this.#mounts.values(),
      ...this.#former.values(),
      ...(this.#service === null ? [] : [this.#service]),
      ...[...this.#sent.values()].flatMap(sentLines),
    ];
  }

  /** Forgets requests and removals that nobody asks for any more. */
  prune(clock: Pick<Clock, 'now' | 'sinceBoot'>): void {
    this.#appliedSince = 0;
    const requests = [...this.#sent.values()];
    const kept = requests.filter(
      ({ at, answeredAt, answeredSinceBoot: sinceBoot }, index) =>
        index >= requests.length - NEWEST_SENT ||
        passedMs({ at: Math.max(at, answeredAt ?? 0), sinceBoot }, clock) < SENT_KEPT_MS,
    );
    this.#sent = new Map(kept.map((request) => [request.id, request]));
    for (const [folder, list] of this.#removals) {
      const recent = list.filter(
        (removal, index) =>
          index >= list.length - NEWEST_REMOVALS || passedMs(removal, clock) < REMOVALS_KEPT_MS,
      );
      this.#removals.set(folder, recent);
    }
  }

  /** True when `prune` is worth its while. */
  isGrown(): boolean {
    return this.#appliedSince >= PRUNE_AFTER;
  }
}

function approvalLines(folder: string, answers: ReadonlyMap<string, Answer>, answer: Answer): SideChange[] {
  const paths = [...answers.keys()].filter((path) => answers.get(path) === answer);
  const how = answer === 'keep' ? { keeps: true as const } : {};
  const lines: SideChange[] = [];
  for (let first = 0; first < paths.length; first += PATHS_A_LINE) {
    lines.push({ kind: 'approve', folder, paths: paths.slice(first, first + PATHS_A_LINE), ...how });
  }
  return lines;
}

function sentLines({ id, at, answeredAt, answeredSinceBoot: sinceBoot }: SentRequest): SideChange[] {
  const line: SideChange = { kind: 'sent', id, at };
  return answeredAt === null ? [line] : [line, { kind: 'answered', id, at: answeredAt, sinceBoot }];
}
