import { groupBy } from '../lib/group-by.ts';
import { sumOf } from '../lib/sum-of.ts';
import { printable } from '../lib/text/printable.ts';
import { inNaturalOrder } from '../lib/text/natural-order.ts';
import { toTheSecond } from '../lib/time/clock.ts';
import type { Clock } from '../lib/time/clock.ts';
import { countWords } from '../lib/text/amounts.ts';
import { version } from '../config/package-files.ts';
import type { FolderPort } from '../model/ports/folder-port.ts';
import type { PausedFolders } from '../model/ports/control-port.ts';
import type { LedgerPort, Doubt } from '../model/ports/ledger-port.ts';
import type { LimiterPort } from '../model/ports/service-port.ts';
import type { Settings } from '../model/settings.ts';
import { heldSidecarCode, refKey } from '../model/document.ts';
import type { DocumentRef } from '../model/document.ts';
import { isOfUnreadPlace } from '../model/errors.ts';
import { openDoubts, sentAgainNow } from '../model/doubts.ts';
import { widerNow } from '../model/metadata/held-mode.ts';
import { isFleetPaused } from '../model/report/fleet-pause.ts';
import { pauseReason } from '../model/report/pause-words.ts';
import { health, isLastingObstacle } from '../model/report/health.ts';
import { blockedForMs, mostNames, longestList } from '../model/report/status.ts';
import type {
  DaemonState,
  DuplicateStatus,
  FailureStatus,
  FolderStatus,
  HeldStatus,
  Reason,
  Status,
} from '../model/report/status.ts';
import { noWaits, waitKinds } from '../model/report/wait-kinds.ts';
import type { TokenSource } from '../remote/auth/token-source.ts';
import { withDocument } from '../sync/decide/document-of-sidecar.ts';
import type { Engine } from '../sync/engine.ts';
import { counterOf } from '../sync/tasks/task-store.ts';
import { dueOf, isAttached, isDismissed, isNotTaken, reasonOf, waitOf } from '../sync/tasks/task.ts';
import type { Task } from '../sync/tasks/task.ts';

/** What status is made of. */
export interface StatusSources {
  readonly startedAt: string;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly ledger: LedgerPort;
  readonly folders: readonly FolderPort[];
  readonly limiter: LimiterPort;
  readonly auth: Pick<TokenSource, 'status'>;
  /** Undefined: this host is alone. */
  readonly fleet?: Status['fleet'];
  readonly phase: 'starting' | 'running' | 'stopping';
  /** No list is longer; left out: `longestList`. */
  readonly most?: number;
  /** Address of the ingestion endpoints, and who signs in there. */
  readonly service: { readonly address: string; readonly account: string };
  /** Over all starts. */
  readonly totals: Status['totals'];
  /** Of the daemon itself, and what other hosts keep it from. */
  readonly ownReasons: readonly Reason[];
  /** What a person paused; left out: the folders that the engine has paused. */
  readonly pauses?: PausedFolders;
}

/** The status as it is at this moment. */
export function makeStatus(sources: StatusSources): Status {
  const { engine, ledger, limiter, clock, most = longestList } = sources;
  // What a person has sent again is decided, as long as something comes of that.
  const isDecided = ({ ref, again }: Doubt) =>
    again === true &&
    engine.folders.names.includes(ref.folder) &&
    (engine.folders.isWaitedFor(ref.folder) ||
      engine.tasks.get(ref)?.present === true ||
      engine.tasks.backlog.has(ref));
  const doubts = openDoubts(ledger).filter((one) => !isDecided(one));
  const folders = sources.folders.map((port) => folderStatus(sources, port, doubts));
  const rate = limiter.status();
  const held = sources.folders.flatMap(({ name }) => heldOf(sources, name));
  const reasons = allReasons(sources, held);
  const blockedMs = blockedForMs(reasons, clock.now());
  const sum = (pick: (folder: FolderStatus) => number) => sumOf(folders, pick);
  const countsOf = (name: string) => engine.tasks.counts(name);
  const counts = sources.folders.map(({ name }) => countsOf(name));
  const sending = [...engine.tasks.in('sending')];
  const counted = sending.filter((task) => !isNotTaken(task)).length;
  const pending = Math.max(0, sum((one) => one.pending) + sumOf(counts, (one) => one.removing) - counted);
  const paused = pausedOf(sources);
  // What is paused takes no permits.
  const pausedCount = sumOf(paused.map(countsOf), (one) => one.pending + one.removing);
  const canSend = paused.length < sources.folders.length && !reasons.some(isLastingObstacle);
  // What shares a call takes one permit together.
  const requests = Math.max(0, pending - pausedCount - engine.saved());
  const etaSeconds = requests > 0 ? Math.ceil(Math.max(blockedMs, limiter.waitMs(requests)) / 1000) : 0;
  const failed = [...engine.tasks.in('failed')].filter((task) => !isDismissed(task));
  const retried = [...engine.tasks.in('retry')];
  const kept = firstOf(engine.tasks.in('dormant'), mostNames).filter((one) => one.hasRecord);
  const waiting = [...engine.tasks.in('waiting'), ...engine.tasks.in('settling')].filter(
    (task) => (task.present || task.hasRecord) && reasonOf(task) !== null,
  );
  const waitingFor = noWaits();
  for (const one of counts) for (const kind of waitKinds) waitingFor[kind] += one.waitingFor[kind];
  const status: Omit<Status, 'health'> = {
    version: version(),
    startedAt: sources.startedAt,
    pid: process.pid,
    state: stateOf(sources, reasons),
    paused,
    trial: sources.settings.service.mode === 'embedded',
    service: sources.service.address,
    account: sources.service.account,
    configuration: sources.settings.file,
    reasons,
    folders,
    ...unconfigured(ledger, sources.settings),
    queue: {
      pending,
      inFlight: sending.length,
      waiting: sum((one) => one.waiting) + sumOf(counts, (one) => one.removingLater),
      deletionsToRetry: retried.filter((task) => !task.present && !isNotTaken(task)).length,
      etaSeconds: canSend ? etaSeconds : null,
    },
    rate: {
      limit: rate.limit,
      used: rate.used,
      windowSeconds: rate.windowMs / 1000,
      pausedUntil: rate.pausedUntil === null ? null : isoOf(rate.pausedUntil),
      nextFreeSeconds: rate.nextFreeMs / 1000,
    },
    auth: sources.auth.status(),
    ...(sources.fleet === undefined ? {} : { fleet: sources.fleet }),
    totals: sources.totals,
    // The newest, before what is retried.
    failures: [...failed.slice(-most), ...retried].slice(0, most).map(failureStatus),
    failuresTotal: failed.length + retried.length,
    skipped: firstOf(engine.skips(), most),
    skippedTotal: sum((one) => one.skipped),
    waiting: waiting.slice(0, most).map(wordsOf),
    waitingTotal: waiting.length,
    waitingFor,
    held,
    ...listDoubts(doubts, most, (ref) => engine.tasks.get(ref)?.state.kind === 'sending'),
    narrower: sources.folders.flatMap(({ name }) => listNarrower(sources, name)),
    kept: kept.toSorted((a, b) => inNaturalOrder(a.key, b.key)).map(wordsOf),
    // A request that was sent again counts its bytes again.
    transfers: engine.transfers
      .list()
      .map((one) => ({ ...one, bytesSent: Math.min(one.bytesSent, one.bytesTotal) })),
    possibleDuplicates: ledger.possibleDuplicates() + sumOf(doubts, (one) => one.count),
    duplicates: listDuplicates({ duplicated: ledger.duplicated, doubts: () => doubts }, most),
    recordedDuplicates: ledger.possibleDuplicates(),
  };
  return { ...status, health: health(status) };

  function failureStatus(task: Task): FailureStatus {
    const dueMs = dueOf(task);
    return {
      ...wordsOf(task),
      attempts: Math.max(task.attempts, task.unreadable),
      retryAt: dueMs === null ? null : isoOf(clock.now() + dueMs - clock.monotonic()),
    };
  }
}

function wordsOf(task: Task): DocumentRef & Pick<Reason, 'code' | 'message'> {
  const reason = reasonOf(task);
  return { ...task.ref, code: reason?.code ?? 'unknown', message: reason?.message ?? '' };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function folderStatus(
  { engine, ledger, clock }: StatusSources,
  port: FolderPort,
  doubts: readonly Doubt[],
): FolderStatus {
  const { name, path } = port;
  const folder = port.health();
  const counts = engine.tasks.counts(name);
  const held = engine.holds.count(name, counts.held);
  // Where the folder cannot be listed, only the ledger knows of what is held.
  const synced = Math.max(0, ledger.count(name) - counts.withRecord - (held - counts.held));
  const skipped = engine.folders.viewOf(name).skipCount + counts.dismissed;
  const { pending, waiting, inDoubt } = counts;
  const failed = counts.failed + inDoubt;
  return {
    name,
    path,
    state: folder.state,
    watches: folder.watches,
    onDisk: synced + pending + waiting + failed + skipped,
    synced,
    pending,
    waiting,
    failed,
    skipped,
    inDoubt,
    ...doubtsInLine(engine.tasks, name, doubts),
    held,
    kept: counts.kept,
    attached: folder.attached + counts.attached,
    narrower: countNarrower({ engine, ledger }, name),
    oldestUnsyncedSeconds: oldestSeconds(engine, name, clock.monotonic()),
    missedByWatcher: engine.folders.viewOf(name).missedByWatcher,
  };
}

/** Documents whose uploads are in doubt and that are sent again by themselves, where they are counted. */
function doubtsInLine(tasks: Engine['tasks'], folder: string, doubts: readonly Doubt[]) {
  const refs = doubts.flatMap(({ ref }) => (ref.folder === folder ? [ref] : []));
  const places = [...new Map(refs.map((ref) => [refKey(ref), ref])).values()].map((ref) => {
    const task = tasks.get(ref);
    if (task === undefined) return tasks.backlog.has(ref) ? 'pending' : null;
    const place = counterOf(task);
    return place === 'waiting' && waitOf(task) === 'retry' ? 'retry' : place;
  });
  const count = (place: 'pending' | 'retry') => places.filter((one) => one === place).length;
  return { pendingInDoubt: count('pending'), retriedInDoubt: count('retry') };
}

function oldestSeconds(engine: Engine, folder: string, now: number): number {
  // Those that differ longest come first.
  let since = engine.tasks.backlog.oldest(folder) ?? now;
  for (const task of engine.tasks.all()) {
    if (task.ref.folder !== folder || task.state.kind === 'dormant' || isAttached(task)) continue;
    since = Math.min(since, task.since);
    break;
  }
  return Math.floor((now - since) / 1000);
}

/** There may be very many: no more are put together than are wanted. */
function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length >= most) break;
    first.push(item);
  }
  return first;
}

/** Also of a folder that cannot be listed: as many as were held when it could be. */
function heldOf(
  { engine, ledger, clock }: Pick<StatusSources, 'engine' | 'ledger' | 'clock'>,
  folder: string,
): readonly HeldStatus[] {
  const held = engine.holds.tasks(folder);
  const count = engine.holds.count(folder, held.length);
  if (count === 0) return [];
  // The hold may still be on its way into the ledger.
  const hold = ledger.hold(folder) ?? {
    since: clock.now(),
    reason: held.flatMap((task) => reasonOf(task)?.message ?? []).at(-1) ?? '',
  };
  const paths = held
    .slice(0, mostNames)
    .map(({ ref }) => ref.path)
    .toSorted(inNaturalOrder);
  return [{ folder, count, since: isoOf(hold.since), reason: hold.reason, paths }];
}

function allReasons(sources: StatusSources, held: readonly HeldStatus[]): readonly Reason[] {
  const pause = pauseReason(pausedHere(sources), sources.folders.length);
  return [
    ...gathered(generalReasons(sources)),
    ...(pause === null ? [] : [pause]),
    ...held.map(({ folder, count }) => {
      const wait = countWords(count, 'deletion waits', 'deletions wait');
      return { code: 'held', message: `${folder}: ${wait} for approval` };
    }),
  ];
}

/** What keeps back more than single documents, but for what a person decided or is to decide: each place by itself. */
export function generalReasons(
  sources: Pick<StatusSources, 'ownReasons' | 'engine' | 'ledger' | 'limiter' | 'folders'>,
): readonly Reason[] {
  const { ownReasons, engine, ledger, limiter, folders } = sources;
  const ofFolders = folders.flatMap((port) =>
    port.health().reasons.map((reason) => ({ ...reason, folder: port.name })),
  );
  return [
    ...withoutRepeats([
      ...withMet(ownReasons, engine.reasons()),
      ...askedToWait(limiter.status()),
      ...ofFolders.filter(({ path }) => path === undefined),
    ]),
    ...ofFolders.filter(({ path }) => path !== undefined),
    ...folders.flatMap(({ name: folder }) => {
      const { unfitSidecars, orphanAttachments } = engine.folders.viewOf(folder);
      const unfit = [...unfitSidecars, ...orphanAttachments].map(({ path, code, message }) =>
        withDocument({ folder, path }, { folder, path, code, message }, ledger, engine.tasks),
      );
      // Nothing is wrong with it while the deletion of its document is held or under way.
      return unfit.filter(({ code }) => code !== heldSidecarCode);
    }),
  ];
}

/** So many places are named with the first of its kind. */
const mostOthers = 3;
/** So many directories that cannot be read are told one by one. */
const mostAlone = 10;

/** Of many places of one folder with one fault the first, with which others there are. */
function gathered(reasons: readonly Reason[]): readonly Reason[] {
  const groups = groupBy(reasons, (one) => (one.path === undefined ? one : `${one.folder}/${one.code}`));
  return [...groups.values()].flatMap((group) => {
    const alone = group.slice(0, group.some(isOfUnreadPlace) ? mostAlone : 1);
    const others = group.slice(alone.length);
    const last = alone.pop();
    if (last === undefined || others.length === 0) return group;
    const names = others.slice(0, mostOthers).map(({ path = '' }) => printable(path));
    const rest = names.length < others.length ? ', …' : '';
    const message = `${last.message} (and ${others.length} more: ${names.join(', ')}${rest})`;
    return [...alone, { ...last, message }];
  });
}

/** The service asked to wait, and nothing goes out until then. */
function askedToWait({ pausedUntil, pausedBy }: ReturnType<LimiterPort['status']>): readonly Reason[] {
  if (pausedUntil === null) return [];
  return [
    {
      code: 'rate-limited',
      message: pausedBy?.message ?? 'the service asked another host of the account to wait',
      ...(pausedBy === undefined ? {} : { since: pausedBy.since }),
      until: toTheSecond(pausedUntil),
    },
  ];
}

/** More requests are in line than a minute takes. Only the timeline says so: the status says how long it takes. */
export function limitReached({
  engine,
  limiter,
}: Pick<StatusSources, 'engine' | 'limiter'>): readonly Reason[] {
  const { limit, windowMs } = limiter.status();
  const isReached = limiter.waitMs(engine.inLine()) > windowMs;
  const message = `more is to be sent than the ${countWords(limit, 'request')} of a minute`;
  return isReached ? [{ code: 'request-limit', message }] : [];
}

/** What the engine met in requests says more than what signing in told the daemon; who knew it first says since when. */
export function withMet(own: readonly Reason[], met: readonly Reason[]): readonly Reason[] {
  const isEarlier = ({ code, since }: Reason, other: Reason) =>
    code === other.code && since !== undefined && (other.since === undefined || since < other.since);
  return [
    ...own.filter(({ code }) => met.every((one) => one.code !== code)),
    ...met.map((one) => ({ ...one, since: (own.find((other) => isEarlier(other, one)) ?? one).since })),
  ];
}

/** Folders on one mount, and the limiter beside the engine, may have learned the same. */
export function withoutRepeats(reasons: readonly Reason[]): readonly Reason[] {
  return reasons.filter(
    (one, index) => reasons.findIndex(({ message }) => message === one.message) === index,
  );
}

function stateOf(sources: StatusSources, reasons: readonly Reason[]): DaemonState {
  const { phase } = sources;
  if (phase === 'starting' || phase === 'stopping') return phase;
  if (pausedOf(sources).length === sources.folders.length) return 'paused';
  if (reasons.some(({ code }) => code === 'ledger-unwritable')) return 'paused';
  if (sources.folders.some((port) => port.health().state === 'unavailable')) return 'degraded';
  if (reasons.some(isLastingObstacle)) return 'degraded';
  const { engine } = sources;
  if (engine.isIdle()) return 'idle';
  if (reasons.some(({ code }) => code === 'rate-limited')) return 'paused';
  // All that is left is kept back by a pause.
  return engine.isAtRest() && engine.folders.isCoveredUntil(Infinity) ? 'paused' : 'working';
}

/** Names of the folders that a person paused, on this host or on all, in the order of the configuration. */
function pausedOf(sources: StatusSources): readonly string[] {
  return isFleetPaused(sources.ownReasons)
    ? sources.folders.map(({ name }) => name)
    : pausedHere(sources).paused;
}

function pausedHere({ engine, folders, pauses }: StatusSources): PausedFolders {
  if (pauses !== undefined) return pauses;
  return { paused: folders.map(({ name }) => name).filter((name) => engine.paused().has(name)), pauses: {} };
}

/** Uploads in doubt as a status lists them, the newest: all of one path are one, because one decision ends them. */
export function listDoubts(
  doubts: readonly Doubt[],
  most = longestList,
  isSending: (ref: DocumentRef) => boolean = () => false,
): Pick<Status, 'inDoubt' | 'inDoubtTotal'> {
  const paths = new Map<string, Pick<Doubt, 'ref' | 'since' | 'count' | 'message' | 'holds'>>();
  for (const { ref, since, count, message, holds } of doubts) {
    const key = refKey(ref);
    const before = paths.get(key) ?? { since, count: 0, holds };
    paths.set(key, {
      ref,
      since: Math.min(before.since, since),
      count: before.count + count,
      message,
      holds: before.holds || holds,
    });
  }
  const inDoubt = [...paths.values()].slice(-most).map(({ ref, since, ...rest }) => ({
    ...ref,
    since: new Date(since).toISOString(),
    ...rest,
    ...(isSending(ref) && { isSending: true as const, message: `${rest.message}; ${sentAgainNow}` }),
  }));
  return { inDoubt, inDoubtTotal: paths.size };
}

/** Documents of a folder that are held more narrowly than is stated for them: of what is gone or kept nothing is stated. */
function countNarrower({ engine, ledger }: Pick<StatusSources, 'engine' | 'ledger'>, folder: string): number {
  let count = ledger.narrower(folder);
  if (count === 0) return 0;
  for (const tasks of [engine.tasks.missing(folder), engine.tasks.in('dormant')])
    for (const { ref } of tasks) {
      const record = ref.folder === folder ? ledger.get(ref) : undefined;
      if (record !== undefined && widerNow({ ref, record }, ledger) !== null) count -= 1;
    }
  return count;
}

/** The first of them. */
function listNarrower(
  { engine, ledger }: Pick<StatusSources, 'engine' | 'ledger'>,
  folder: string,
): Status['narrower'] {
  const first: Status['narrower'][number][] = [];
  for (const entry of ledger.narrowerIn(folder)) {
    if (first.length >= mostNames) break;
    const wider = engine.isAway(entry.ref) ? null : widerNow(entry, ledger);
    if (wider !== null) first.push({ ...entry.ref, ...wider });
  }
  return first;
}

/** Documents that the service may hold more than once: those of records first, then those of uploads in doubt. */
export function listDuplicates(
  ledger: Pick<LedgerPort, 'duplicated' | 'doubts'>,
  most = longestList,
): readonly DuplicateStatus[] {
  const paths = new Map<string, DuplicateStatus>();
  const found = [
    ...ledger.duplicated().map(({ ref, record }) => ({ ref, copies: record.possibleDuplicates })),
    ...openDoubts(ledger).map(({ ref, count }) => ({ ref, copies: count })),
  ];
  for (const { ref, copies } of found.filter((one) => one.copies > 0)) {
    const key = refKey(ref);
    paths.set(key, { ...ref, copies: copies + (paths.get(key)?.copies ?? 0) });
  }
  return [...paths.values()].slice(0, most);
}

/** Folders with documents that the configuration does not name any more: nobody watches them, and they stay. */
export function unconfigured(
  ledger: Pick<LedgerPort, 'folders' | 'count'>,
  { folders }: Pick<Settings, 'folders'>,
): Pick<Status, 'unconfigured'> {
  const others = ledger.folders().filter((name) => folders.every((folder) => folder.name !== name));
  if (others.length === 0) return {};
  return { unconfigured: others.map((name) => ({ name, documents: ledger.count(name) })) };
}
