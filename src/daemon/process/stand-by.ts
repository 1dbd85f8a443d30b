import { systemClock } from '../../lib/time/clock.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { ControlPort } from '../../model/ports/control-port.ts';
import { emptyStatus, noDocuments } from '../../model/report/status.ts';
import type { Activity, Reason, Status } from '../../model/report/status.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import { health, isLogged } from '../../model/report/health.ts';
import { createDeliveryHistory } from '../../status/metrics/delivery-history.ts';
import { createMetrics } from '../../status/metrics/metrics.ts';
import { version } from '../../config/package-files.ts';
import { createChangeSignal } from '../../lib/time/change-signal.ts';
import type { LeasedPlace } from './join-cluster.ts';
import type { Reloaded } from './obey-signals.ts';

/** What a host has counted, and when: monotonic, ms. */
export interface Counted {
  readonly status: Status;
  readonly at: number;
}

const ofHost = { at: '', what: 'problem', folder: '', path: '', docId: null, documents: 0 };

export type StandBy = ReturnType<typeof standBy>;

/**
 * A host that has opened nothing yet: it reports whom it stands by for, and leaves everything else to that host.
 * `counted`: what this host counted last, where it had the state directory until its lease ran out; null: it had not.
 */
export function standBy(
  place: LeasedPlace,
  { settings, credentials }: Reloaded,
  startedAt: string,
  counted: Counted | null,
) {
  const changes = createChangeSignal(systemClock);
  place.listen(changes.note);
  let pageReason: Reason | null = null;
  place.publish(status);
  const control: ControlPort = {
    status,
    why: async () => refuse(),
    documents: async () => refuse(),
    decisions: refuse,
    revoke: async () => refuse(),
    healthy: () => true,
    unready,
    onActivity: () => () => {},
    onStatus: changes.listen,
  };
  return {
    control,
    metrics: createMetrics({ status, unready, version: version(), fleet: place.fleet }),
    deliveries: createDeliveryHistory(systemClock),
    readLog: async () => [],
    /** What the log would say is wrong. */
    open: () =>
      status()
        .reasons.filter(isLogged)
        .map((one): Activity => ({ ...one, ...ofHost })),
    notePage: (reason: Reason | null) => {
      pageReason = reason;
      changes.note();
    },
    close: changes.close,
  };

  /** The host that works; null: none is known to. */
  function worker() {
    const { holder } = place.lease;
    return holder?.isOther === true ? holder : null;
  }

  /** Why this host does not work: another one does, or Redis keeps it from its lease, or that has to rest. */
  function unready(): readonly Reason[] {
    const other = worker();
    if (other === null && place.trouble() !== null) return place.reasons();
    const message =
      other === null
        ? 'This host stands by until no other one can hold the state directory, within 20 seconds'
        : `This host stands by for ${other.host}, which has held the state directory since ${other.since}`;
    return [{ code: 'standby', message }, ...place.reasons()];
  }

  function refuse(): never {
    const other = worker();
    const where = other === null ? 'again when it works' : `on ${other.host}`;
    throw new ConfigurationError(`${unready()[0]?.message}; run the command ${where}`);
  }

  function status(): Status {
    const reasons = pageReason === null ? unready() : [...unready(), pageReason];
    const { rate, auth, ...empty } = emptyStatus(settings.service.requestsPerMinute);
    const uncounted = settings.folders.map(({ name, path }) => ({ name, path, ...noDocuments }));
    const known = worker() === null ? counted : null;
    const { queue, folders, ...counts } = known?.status ?? { ...empty, folders: uncounted };
    const passed = Math.floor((systemClock.monotonic() - (known?.at ?? 0)) / 1000);
    const status: Omit<Status, 'health'> = {
      ...counts,
      rate,
      auth,
      transfers: [],
      version: version(),
      startedAt,
      pid: process.pid,
      state: reasons.some(({ code }) => code === 'standby') ? 'standby' : 'degraded',
      paused: isFleetPaused(reasons) ? settings.folders.map(({ name }) => name) : [],
      trial: false,
      service: settings.service.ingestUrl,
      account: credentials?.username ?? null,
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
}
