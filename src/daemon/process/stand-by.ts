import { systemClock } from '../../lib/time/clock.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import { emptyStatus, noDocuments } from '../../model/report/status.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import { health } from '../../model/report/health.ts';
import type { Settings } from '../../model/settings.ts';
import { createDeliveryHistory } from '../../status/metrics/delivery-history.ts';
import { createMetrics } from '../../status/metrics/metrics.ts';
import { version } from '../../config/package-files.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import { otherHolder } from './join-cluster.ts';
import type { LeasedPlace } from './join-cluster.ts';

interface StandByOptions {
  readonly place: LeasedPlace;
  readonly settings: Settings;
  readonly startedAt: string;
  /** What this host last counted, where it had the state directory until its lease ran out; null: it had not. */
  readonly counted: Counted | null;
}

/** What a host has counted, and when: monotonic, ms. */
export interface Counted {
  readonly status: Status;
  readonly at: number;
}

/** A host that has opened nothing yet: it reports whom it stands by for, and leaves everything else to that host. */
export function standBy(options: StandByOptions) {
  const { cluster } = options.place;
  const changes = createChangeSignal(systemClock);
  cluster.listen(changes.note);
  changes.listen(cluster.noteChange);
  let pageReason: Reason | null = null;
  const reasons = () => [...reasonsOf(options.place), ...(pageReason === null ? [] : [pageReason])];
  const status = () => statusOf(options, reasons());
  cluster.publish(status);
  const unready = () => reasonsOf(options.place);
  const metrics = createMetrics({ status, unready, version: version() });
  const refuse = (): never => {
    throw new ConfigurationError(refusalOf(options.place));
  };
  const control: ControlPort = {
    status,
    why: async () => refuse(),
    documents: async () => refuse(),
    decisions: refuse,
    rescan: refuse,
    revoke: async () => refuse(),
    healthy: () => true,
    unready,
    recent: () => [],
    onActivity: () => () => {},
    onStatus: (listener) => changes.listen(listener),
  };
  return {
    control,
    metrics,
    deliveries: createDeliveryHistory(systemClock),
    notePage: (reason: Reason | null) => {
      pageReason = reason;
      changes.note();
    },
    close: () => changes.close(),
  };
}

function refusalOf(place: LeasedPlace): string {
  const holder = otherHolder(place);
  if (holder !== null) return `this host stands by; run the command on ${holder.host}`;
  const trouble = place.cluster.trouble();
  return trouble === null
    ? 'this host stands by until its lease of the state directory is confirmed, within 30 seconds; run the command again then'
    : `this host has no lease of the state directory: ${trouble.message}; run the command again then`;
}

function reasonsOf(place: LeasedPlace): readonly Reason[] {
  const reasons = place.cluster.reasons();
  return isKeptByRedis(place) ? reasons : [{ code: 'standby', message: waitWords(place) }, ...reasons];
}

/** Nobody is known to hold the state directory, and Redis keeps this host from it. */
function isKeptByRedis(place: LeasedPlace): boolean {
  return otherHolder(place) === null && place.cluster.trouble() !== null;
}

function waitWords(place: LeasedPlace): string {
  const holder = otherHolder(place);
  if (holder === null)
    return place.lease.holder === null
      ? 'This host stands by until Redis says that no other host holds the state directory'
      : 'This host stands by until its previous lease of the state directory has run out, within 30 seconds';
  const { host, since } = holder;
  return `This host stands by for ${host}, which has held the state directory since ${new Date(since).toISOString()}`;
}

function statusOf(
  { place, settings, startedAt, counted }: StandByOptions,
  reasons: readonly Reason[],
): Status {
  const status: Omit<Status, 'health'> = {
    ...emptyStatus(settings.service.requestsPerMinute),
    version: version(),
    startedAt,
    pid: process.pid,
    state: isKeptByRedis(place) ? 'degraded' : 'standby',
    paused: isFleetPaused(reasons) ? settings.folders.map(({ name }) => name) : [],
    trial: false,
    service: settings.service.ingestUrl,
    account: place.account,
    configuration: settings.file,
    reasons,
    folders: settings.folders.map(({ name, path }) => ({ name, path, state: 'stopped', ...noDocuments })),
    ...(counted === null || otherHolder(place) !== null ? {} : keptOf(counted)),
    fleet: { host: place.cluster.host, hosts: place.cluster.hosts() },
  };
  return { ...status, health: health(status) };
}

/** The counts as they were: what has not been sent becomes older, and nothing is under way. */
function keptOf({ status, at }: Counted): Pick<Status, 'folders' | 'queue'> {
  const passed = Math.floor((systemClock.monotonic() - at) / 1000);
  const { queue, folders } = status;
  return {
    queue: { ...queue, pending: queue.pending + queue.inFlight, inFlight: 0, etaSeconds: null },
    folders: folders.map((folder) => {
      const { pending, waiting, oldestUnsyncedSeconds: oldest } = folder;
      const isLate = pending + waiting > 0 || oldest > 0;
      return { ...folder, state: 'stopped', watches: 0, oldestUnsyncedSeconds: isLate ? oldest + passed : 0 };
    }),
  };
}
