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

/** What a host has counted, and when: monotonic, ms. */
export interface Counted {
  readonly status: Status;
  readonly at: number;
}

interface StandByOptions {
  readonly place: LeasedPlace;
  readonly settings: Settings;
  readonly startedAt: string;
  readonly account: string | null;
  /** What this host last counted, where it had the state directory until its lease ran out; null: it had not. */
  readonly counted: Counted | null;
}

/** A host that has opened nothing yet: it reports whom it stands by for, and leaves everything else to that host. */
export function standBy(options: StandByOptions) {
  const { place } = options;
  const changes = createChangeSignal(systemClock);
  place.listen(changes.note);
  let pageReason: Reason | null = null;
  const unready = () => reasonsOf(place);
  const status = () => statusOf(options, [...unready(), ...(pageReason === null ? [] : [pageReason])]);
  place.publish(status);
  const refuse = (): never => {
    const holder = otherHolder(place);
    const [first] = unready();
    throw new ConfigurationError(
      holder === null
        ? `${first?.message}; run the command again when it works`
        : `this host stands by; run the command on ${holder.host}`,
    );
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
    onStatus: changes.listen,
  };
  return {
    control,
    metrics: createMetrics({ status, unready, version: version() }),
    deliveries: createDeliveryHistory(systemClock),
    readLog: async () => ({ entries: [], next: null }),
    notePage: (reason: Reason | null) => {
      pageReason = reason;
      changes.note();
    },
    close: changes.close,
  };
}

/** Why this host does not work: another one does, or Redis keeps it from its lease, or that has to rest. */
function reasonsOf(place: LeasedPlace): readonly Reason[] {
  const holder = otherHolder(place);
  if (holder === null && place.trouble() !== null) return place.reasons();
  const since = holder === null ? '' : new Date(holder.since).toISOString();
  const message =
    holder !== null
      ? `This host stands by for ${holder.host}, which has held the state directory since ${since}`
      : place.lease.holder === null
        ? 'This host stands by until Redis says that no other host holds the state directory'
        : 'This host stands by until its previous lease of the state directory has run out, within 20 seconds';
  return [{ code: 'standby', message }, ...place.reasons()];
}

function statusOf(
  { place, settings, startedAt, account, counted }: StandByOptions,
  reasons: readonly Reason[],
): Status {
  const empty = emptyStatus(settings.service.requestsPerMinute);
  const uncounted = settings.folders.map(({ name, path }) => ({ name, path, ...noDocuments }));
  const known = otherHolder(place) === null ? counted : null;
  const { queue, folders } = known?.status ?? { ...empty, folders: uncounted };
  const passed = Math.floor((systemClock.monotonic() - (known?.at ?? 0)) / 1000);
  const status: Omit<Status, 'health'> = {
    ...empty,
    version: version(),
    startedAt,
    pid: process.pid,
    state: reasons.some(({ code }) => code === 'standby') ? 'standby' : 'degraded',
    paused: isFleetPaused(reasons) ? settings.folders.map(({ name }) => name) : [],
    trial: false,
    service: settings.service.ingestUrl,
    account,
    configuration: settings.file,
    reasons,
    // What has not been sent becomes older, and nothing is under way.
    queue: { ...queue, pending: queue.pending + queue.inFlight, inFlight: 0, etaSeconds: null },
    folders: folders.map((folder) => {
      const { pending, waiting, oldestUnsyncedSeconds: oldest } = folder;
      const oldestUnsyncedSeconds = pending + waiting + oldest > 0 ? oldest + passed : 0;
      return { ...folder, state: 'stopped', watches: 0, oldestUnsyncedSeconds };
    }),
    fleet: { host: place.host, hosts: place.hosts() },
  };
  return { ...status, health: health(status) };
}
