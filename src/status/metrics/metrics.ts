import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { printable } from '../../lib/text/printable.ts';
import type { MetricsPort } from '../../model/ports/metrics-port.ts';
import { sortFailures } from '../../model/report/failures.ts';
import type { CountedFolder } from '../../model/report/failures.ts';
import { presences } from '../../model/report/fleet.ts';
import type { FleetHost, FleetStatus } from '../../model/report/fleet.ts';
import { blockedForMs, statusSchema } from '../../model/report/status.ts';
import type { FolderStatus, noDocuments, Reason, Status } from '../../model/report/status.ts';

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
  const help = 'Bytes of files sent to the ingestion service.';
  const bytesSent = new Counter({ name: 'ingestd_bytes_sent_total', help, registers });
  const lagSeconds = watchLoop();

  return {
    request: ({ operation, outcome, seconds }) => {
      requests.inc({ operation, outcome });
      requestSeconds.observe({ operation }, seconds);
    },
    rateWait: (seconds) => rateWaitSeconds.observe(seconds),
    bytes: (count) => bytesSent.inc(count),
    text: async () => {
      const now = status();
      const known = await fleet?.();
      const texts = await Promise.all([
        registry.metrics(),
        textOf(statusFigures, {
          ...now,
          counted: sortFailures(now).folders,
          version,
          isReady: unready().length === 0,
          lagSeconds: lagSeconds(),
        }),
        known ? textOf(fleetFigures, { ...known, limit: now.rate.limit }) : '',
      ]);
      return texts.join('');
    },
    contentType: registry.contentType,
  };
}

/** Sampled this seldom because each sample wakes an idle process. */
const delaySampleMs = 100;

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

/** One value, or one for each set of labels. */
type Values = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** Figures by their names; `_total` at the end is a counter. */
type Figures<S> = Readonly<Record<string, readonly [help: string, read: (now: S) => Values]>>;

/** Figures as they are now, in Prometheus's text format. */
function textOf<S>(figures: Figures<S>, now: S): Promise<string> {
  const registry = new Registry();
  for (const [name, [help, read]] of Object.entries(figures)) {
    const values = read(now);
    const samples = typeof values === 'number' ? [[{}, values] as const] : values;
    const labelNames = Object.keys(samples[0]?.[0] ?? {});
    const options = { name, help, labelNames, registers: [registry] };
    const metric = name.endsWith('_total') ? new Counter(options) : new Gauge(options);
    for (const [labels, value] of samples) metric.inc(labels, value);
  }
  return registry.metrics();
}

/** 1 for the one of all that holds, 0 for the others. */
function oneOf(all: readonly string[], current: string, label: string, labels = {}): Exclude<Values, number> {
  return all.map((one) => [{ ...labels, [label]: one }, one === current ? 1 : 0]);
}

type Scrape = Status & {
  /** As status and page tell people. */
  readonly counted: readonly CountedFolder[];
  readonly version: string;
  readonly isReady: boolean;
  readonly lagSeconds: number;
};

const { state, health, folders } = statusSchema.shape;
const healths = health.options;
const folderStates = folders.element.shape.state.options;

/** They add up to the files on disk. */
const documentStates = ['synced', 'pending', 'waiting', 'failed', 'inDoubt', 'skipped'] as const;

const labelOf = (key: string) => key.replace(/[A-Z]/, (capital) => `_${capital.toLowerCase()}`);

/** A figure of each folder: its label, and what is read of it. */
function ofFolders(read: (folder: CountedFolder, now: Scrape) => number) {
  return (now: Scrape): Values => now.counted.map((one) => [folderLabel(one), read(one, now)]);
}

/** One of the counts of each folder. */
function countOf(count: keyof typeof noDocuments | 'refused') {
  return ofFolders((folder) => folder[count]);
}

function folderLabel({ name }: FolderStatus) {
  return { folder: printable(name) };
}

/** Reasons for which no host of a fleet sends until Redis is well. */
const redisCodes: ReadonlySet<string> = new Set(['redis-unavailable', 'redis-refuses']);

/**
 * Figures of the status; and of the process itself, under the names that Prometheus's own clients use. prom-client's
 * collection is not taken: some of its names break promtool's rules, and its event loop sampling costs an idle daemon
 * more than the rest.
 */
const statusFigures: Figures<Scrape> = {
  ingestd_build_info: [
    'Always 1; the labels say what runs.',
    ({ version }) => [[{ version, node_version: process.version }, 1]],
  ],
  ingestd_health: ['0: ok, 1: attention, 2: error.', (now) => healths.indexOf(now.health)],
  ingestd_state: ['1 for the state of the daemon.', (now) => oneOf(state.options, now.state, 'state')],
  ingestd_reason: [
    '1 for each reason in the status.',
    ({ reasons }) => [...new Set(reasons.map(({ code }) => code))].map((code) => [{ code }, 1]),
  ],
  ingestd_blocked_seconds: [
    'Time until the next request may be tried, in seconds.',
    ({ reasons }) => blockedForMs(reasons, Date.now()) / 1000,
  ],
  ingestd_ready: ['1 while folders are watched and credentials accepted.', (now) => Number(now.isReady)],
  ingestd_folder_state: [
    '1 for the state of the folder.',
    (now) => now.folders.flatMap((one) => oneOf(folderStates, one.state, 'state', folderLabel(one))),
  ],
  ingestd_documents: [
    'Files on disk, by state.',
    (now) =>
      now.counted.flatMap((one) =>
        documentStates.map((of) => [{ ...folderLabel(one), state: labelOf(of) }, one[of]] as const),
      ),
  ],
  ingestd_folder_paused: [
    '1 while a person has paused it.',
    ofFolders(({ name }, { paused }) => Number(paused.includes(name))),
  ],
  ingestd_held: ['Deletions held for approval.', countOf('held')],
  ingestd_deletions_refused: ['Deletions that the service refused.', countOf('refused')],
  ingestd_kept: ['Documents whose file is ignored, gone or out of reach.', countOf('kept')],
  ingestd_narrower: ['Documents shared less widely than stated.', countOf('narrower')],
  ingestd_attached: ['Files that are attachments.', countOf('attached')],
  ingestd_oldest_unsynced_seconds: ['Age of the oldest change not sent.', countOf('oldestUnsyncedSeconds')],
  ingestd_watches: ['Watches of the operating system in use.', countOf('watches')],
  ingestd_watcher_missed_total: ['Changes that only a rescan found.', countOf('missedByWatcher')],
  ingestd_queue: [
    'Operations that are queued, in flight or waiting.',
    ({ queue: { pending, inFlight, waiting } }) =>
      Object.entries({ pending, in_flight: inFlight, waiting }).map(([of, count]) => [{ state: of }, count]),
  ],
  ingestd_queue_eta_seconds: [
    'Time until the queue is sent, in seconds; absent while nothing can be sent.',
    ({ queue: { etaSeconds } }) => etaSeconds ?? [],
  ],
  ingestd_waiting: [
    'Documents that wait, by what for.',
    (now) => Object.entries(now.waitingFor).map(([kind, count]) => [{ for: kind }, count]),
  ],
  ingestd_in_doubt: ['Uploads whose outcome is unknown.', (now) => now.inDoubtTotal],
  ingestd_possible_duplicates: [
    'Documents at the service that no record knows, at most: possible duplicates and uploads in doubt.',
    (now) => now.possibleDuplicates,
  ],
  ingestd_rate_limit_requests: ['Requests that one window allows.', ({ rate }) => rate.limit],
  ingestd_rate_used_requests: ['Requests used in the current window.', ({ rate }) => rate.used],
  ingestd_fleet_hosts: [
    'Hosts of the account connected to Redis; 0: not known.',
    ({ fleet }) => fleet?.hosts ?? 0,
  ],
  ingestd_fleet_redis_available: [
    '1 while Redis answers and takes writes; only in a fleet.',
    ({ fleet, reasons }) => (fleet ? Number(reasons.every(({ code }) => !redisCodes.has(code))) : []),
  ],
  process_start_time_seconds: [
    'Start of the process since the epoch, in seconds.',
    () => Math.round(performance.timeOrigin / 1000),
  ],
  process_resident_memory_bytes: ['Resident memory in bytes.', () => process.memoryUsage.rss()],
  process_cpu_seconds_total: [
    'User and system CPU time in seconds.',
    () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
  ],
  nodejs_heap_size_used_bytes: ['Heap in use in bytes.', () => process.memoryUsage().heapUsed],
  nodejs_eventloop_lag_max_seconds: ['Longest delay since the last scrape.', (now) => now.lagSeconds],
};

type Fleet = FleetStatus & { readonly limit: number };

function ofHosts(read: (host: FleetHost) => number) {
  return ({ hosts }: Fleet): Values => hosts.map((one) => [hostLabel(one), read(one)]);
}

function hostLabel({ host }: FleetHost) {
  return { host: printable(host) };
}

/** What the hosts of the account say of themselves. */
const fleetFigures: Figures<Fleet> = {
  ingestd_fleet_rate_limit_requests: ['Requests that one window allows all hosts.', ({ limit }) => limit],
  ingestd_fleet_rate_used_requests: ['Requests of all hosts in the window.', ({ rate }) => rate.used],
  ingestd_fleet_paused: ['1 while a person has paused the whole fleet.', ({ paused }) => Number(paused)],
  ingestd_fleet_host_used_requests: ['Its requests in the window.', ofHosts(({ used }) => used)],
  ingestd_fleet_host_health: [
    '0: ok, 1: attention, 2: error; as it last said.',
    ofHosts((one) => healths.indexOf(one.health)),
  ],
  ingestd_fleet_host_presence: [
    '1 for what is known of it.',
    ({ hosts }) => hosts.flatMap((one) => oneOf(presences, one.presence, 'presence', hostLabel(one))),
  ],
  ingestd_fleet_host_failed: ['Its documents that failed.', ofHosts((one) => one.failuresTotal)],
  ingestd_fleet_host_queue: [
    'Its operations that are queued, in flight or waiting.',
    ofHosts(({ queue }) => queue.pending + queue.inFlight + queue.waiting),
  ],
};
