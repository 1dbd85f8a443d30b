import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { printable } from '../../lib/text/printable.ts';
import { orNull } from '../../lib/or-null.ts';
import type { MetricsPort } from '../../model/ports/metrics-port.ts';
import { waitKinds } from '../../model/report/wait-kinds.ts';
import type { FleetStatus, Presence } from '../../model/report/fleet.ts';
import { blockedForMs } from '../../model/report/status.ts';
import type { Reason, Status, DaemonState, Health, FolderStatus } from '../../model/report/status.ts';

export interface MetricsOptions {
  /** Asked at each scrape, and never before the first. */
  readonly status: () => Status;
  readonly unready: () => readonly Reason[];
  readonly version: string;
  /** All hosts of the account, null while Redis is away; left out or null: this host is alone. */
  readonly fleet?: (() => Promise<FleetStatus | null>) | null;
}

/** What the engine counts and what `/metrics` answers with. */
export interface Metrics extends MetricsPort {
  /** Prometheus's text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** Answers come within tens of milliseconds or take as long as a large file does. */
const requestBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** A place in the minute is free at once or comes within the minute, and later only behind a Retry-After. */
const waitBuckets = [0.01, 0.1, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300];

/** Counts in a registry of its own, so that two daemons in one process do not share it. */
export function createMetrics({ status, unready, version, fleet = null }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'ingestd_requests_total',
    help: 'HTTP requests to the ingestion service, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'ingestd_request_seconds',
    help: 'Time from sending a request to the last byte of its answer, in seconds.',
    labelNames: ['operation'],
    buckets: requestBuckets,
    registers,
  });
  const rateWaitSeconds = new Histogram({
    name: 'ingestd_rate_wait_seconds',
    help: 'Time that a request waited for the rate limit, in seconds.',
    buckets: waitBuckets,
    registers,
  });
  const bytesSent = new Counter({
    name: 'ingestd_bytes_sent_total',
    help: 'Bytes of files sent to the ingestion service.',
    registers,
  });
  const build = new Gauge({
    name: 'ingestd_build_info',
    help: 'Always 1; the labels say what is running.',
    labelNames: ['version', 'node_version'],
    registers,
  });
  build.set({ version, node_version: process.version }, 1);
  addProcessMetrics(registry);
  const setStatus = createStatusMetrics(registry);
  const setFleet = fleet === null ? null : createFleetMetrics(registry);

  return {
    request: ({ operation, outcome, seconds }) => {
      requests.inc({ operation, outcome });
      requestSeconds.observe({ operation }, seconds);
    },
    rateWait: (seconds) => rateWaitSeconds.observe(seconds),
    bytes: (count) => bytesSent.inc(count),
    text: async () => {
      const now = status();
      setStatus(now, unready());
      if (fleet !== null) setFleet?.(await fleet(), now.rate.limit);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** Sampled this seldom because each sample wakes an idle process. */
const delaySampleMs = 100;

/**
 * Figures of the process itself under the names that Prometheus's own clients use. prom-client's collection is not
 * taken: some of its names break promtool's rules, and its event loop sampling costs an idle daemon more than the rest.
 */
function addProcessMetrics(registry: Registry): void {
  const startedSeconds = Math.round(performance.timeOrigin / 1000);
  const loopDelay = watchLoop();
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge(
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
    () => startedSeconds,
  );
  gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  // Only Linux tells.
  const openFiles = () => orNull(() => readdirSync('/proc/self/fd'))?.length ?? 0;
  gauge('process_open_fds', 'Number of open file descriptors.', openFiles);
  gauge('nodejs_heap_size_used_bytes', 'Heap in use in bytes.', () => process.memoryUsage().heapUsed);
  gauge(
    'nodejs_eventloop_lag_max_seconds',
    'Longest delay of the event loop since the last scrape in seconds.',
    loopDelay,
  );
  const cpuSeconds = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers: [registry],
    collect: () => {
      const { user, system } = process.cpuUsage();
      cpuSeconds.reset();
      cpuSeconds.inc((user + system) / 1e6);
    },
  });
}

/** Makes gauges whose names begin with `prefix`; `reset` makes all of them forget what they say. */
function gaugesOf(registry: Registry, prefix: string) {
  const made: { readonly reset: () => void }[] = [];
  return {
    gauge: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
      const gauge = new Gauge<L>({ name: `${prefix}_${name}`, help, labelNames, registers: [registry] });
      made.push(gauge);
      return gauge;
    },
    reset: () => {
      for (const gauge of made) gauge.reset();
    },
  };
}

/** Measures how late the event loop's timers come; what is read is forgotten. */
function watchLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution: delaySampleMs });
  delay.enable();
  return () => {
    // The monitor counts from one sample to the next, the wanted pause between them included.
    const lateSeconds = delay.count === 0 ? 0 : delay.max / 1e9 - delaySampleMs / 1000;
    delay.reset();
    return Math.max(0, lateSeconds);
  };
}

const presences: readonly Presence[] = ['here', 'gone', 'stopped'];

/** What the hosts of the account say of themselves; nothing while Redis is away. */
function createFleetMetrics(registry: Registry): (fleet: FleetStatus | null, limit: number) => void {
  const { gauge, reset } = gaugesOf(registry, 'ingestd_fleet');
  const limits = gauge('rate_limit_requests', 'Requests that one window allows all hosts together.');
  const used = gauge(
    'rate_used_requests',
    'Requests of the current window that all hosts together have used.',
  );
  const paused = gauge('paused', '1 while a person has paused the whole fleet.');
  const share = gauge('host_used_requests', 'Requests of the current window that the host has used.', [
    'host',
  ]);
  const health = gauge('host_health', '0: ok, 1: attention, 2: error; as the host last said.', ['host']);
  const presence = gauge('host_presence', '1 for what is known of the host, 0 for the others.', [
    'host',
    'presence',
  ]);
  const failed = gauge('host_failed', 'Documents of the host that failed.', ['host']);
  const queue = gauge('host_queue', 'Operations of the host that are queued, in flight or waiting.', [
    'host',
  ]);

  return (fleet, limit) => {
    reset();
    if (fleet === null) {
      // A figure without labels is 0 after a reset; nothing is known.
      for (const metric of [limits, used, paused]) metric.remove();
      return;
    }
    limits.set(limit);
    used.set(fleet.rate.used);
    paused.set(fleet.paused ? 1 : 0);
    for (const one of fleet.hosts) {
      const host = printable(one.host);
      share.set({ host }, one.used);
      health.set({ host }, healths.indexOf(one.health));
      for (const of of presences) presence.set({ host, presence: of }, of === one.presence ? 1 : 0);
      failed.set({ host }, one.failuresTotal);
      queue.set({ host }, one.queue.pending + one.queue.inFlight + one.queue.waiting);
    }
  };
}

const daemonStates: readonly DaemonState[] = [
  'starting',
  'working',
  'idle',
  'paused',
  'degraded',
  'stopping',
  'standby',
];
const healths: readonly Health[] = ['ok', 'attention', 'error'];
const folderStates: readonly FolderStatus['state'][] = ['scanning', 'watching', 'polling', 'unavailable'];

/** They add up to the files on disk. */
const documentStates = ['synced', 'pending', 'waiting', 'failed', 'skipped'] as const;

/**
 * The figures that the status knows; they have no values before the first call of what it returns, which replaces every
 * figure: folders that are gone take their series along.
 */
function createStatusMetrics(registry: Registry): (status: Status, unready: readonly Reason[]) => void {
  const { gauge, reset } = gaugesOf(registry, 'ingestd');
  const health = gauge('health', '0: ok, 1: attention, 2: error.');
  const state = gauge('state', '1 for the state that the daemon is in, 0 for the others.', ['state']);
  const reason = gauge('reason', '1 for each reason in the status, by its code.', ['code']);
  const blocked = gauge(
    'blocked_seconds',
    'Time until the next request is tried, where the service asked to wait or is unavailable, in seconds; else 0.',
  );
  const ready = gauge('ready', '1 while the folders are watched and the credentials accepted.');
  const folderState = gauge('folder_state', '1 for the state that the folder is in, 0 for the others.', [
    'folder',
    'state',
  ]);
  const documents = gauge('documents', 'Files on disk, by state.', ['folder', 'state']);
  const paused = gauge('folder_paused', '1 while a person has paused the folder.', ['folder']);
  const held = gauge('held', 'Deletions held for approval.', ['folder']);
  const kept = gauge(
    'kept',
    'Documents kept at the service although their file is ignored, gone or out of reach.',
    ['folder'],
  );
  const attached = gauge('attached', 'Files that are attachments of documents.', ['folder']);
  const oldest = gauge(
    'oldest_unsynced_seconds',
    'Age of the oldest change that is not at the service yet, in seconds.',
    ['folder'],
  );
  const watches = gauge('watches', 'Watches of the operating system that are in use.', ['folder']);
  const missed = new Counter({
    name: 'ingestd_watcher_missed_total',
    help: 'Changes that the watcher did not report and a rescan found.',
    labelNames: ['folder'],
    registers: [registry],
  });
  const queue = gauge('queue', 'Operations that are queued, in flight or waiting.', ['state']);
  const eta = gauge('queue_eta_seconds', 'Time until everything in the queue has been sent, in seconds.');
  const waiting = gauge('waiting', 'Documents that wait, by what they wait for.', ['for']);
  const inDoubt = gauge('in_doubt', 'Uploads whose outcome is unknown.');
  const duplicates = gauge('possible_duplicates', 'Documents that the service may hold twice.');
  const limit = gauge('rate_limit_requests', 'Requests that one window of the rate limit allows.');
  const used = gauge('rate_used_requests', 'Requests of the current window that are used.');
  const fleetHosts = gauge(
    'fleet_hosts',
    'Hosts of the account that are connected to Redis; 0 without a fleet.',
  );
  const signedIn = gauge('signed_in', '1 while an access token is held, 0 while none is or it was refused.');

  const setFolder = (folder: FolderStatus, isPaused: boolean) => {
    const name = printable(folder.name);
    for (const of of folderStates) folderState.set({ folder: name, state: of }, of === folder.state ? 1 : 0);
    for (const of of documentStates) documents.set({ folder: name, state: of }, folder[of]);
    paused.set({ folder: name }, isPaused ? 1 : 0);
    held.set({ folder: name }, folder.held);
    kept.set({ folder: name }, folder.kept);
    attached.set({ folder: name }, folder.attached);
    oldest.set({ folder: name }, folder.oldestUnsyncedSeconds);
    watches.set({ folder: name }, folder.watches);
    missed.inc({ folder: name }, folder.missedByWatcher);
  };

  return (status, unready) => {
    reset();
    missed.reset();
    for (const { code } of status.reasons) reason.set({ code }, 1);
    blocked.set(blockedForMs(status.reasons, Date.now()) / 1000);
    for (const folder of status.folders) setFolder(folder, status.paused.includes(folder.name));
    for (const of of daemonStates) state.set({ state: of }, of === status.state ? 1 : 0);
    health.set(healths.indexOf(status.health));
    ready.set(unready.length === 0 ? 1 : 0);
    queue.set({ state: 'pending' }, status.queue.pending);
    queue.set({ state: 'in_flight' }, status.queue.inFlight);
    queue.set({ state: 'waiting' }, status.queue.waiting);
    eta.set(status.queue.etaSeconds);
    for (const kind of waitKinds) waiting.set({ for: kind }, status.waitingFor[kind]);
    inDoubt.set(status.inDoubtTotal);
    duplicates.set(status.possibleDuplicates);
    limit.set(status.rate.limit);
    used.set(status.rate.used);
    fleetHosts.set(status.fleet?.hosts ?? 0);
    signedIn.set(status.auth.state === 'ok' ? 1 : 0);
  };
}
