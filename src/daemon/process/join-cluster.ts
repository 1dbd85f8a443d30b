import { systemClock } from '../../lib/time/clock.ts';
import { StateLockedError } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import type { Reason } from '../../model/report/status.ts';
import { elsewhereWords } from './one-ledger-per-folder.ts';
import { blockedBy, createStopwatch } from './patience.ts';

/** This host among the others of its account: it has the lease of its state directory, or waits for it. */
export type Place = NonNullable<Awaited<ReturnType<typeof joinCluster>>>;

interface JoinOptions {
  readonly settings: Settings;
  /** Who signs in; null in embedded mode. */
  readonly username: string | null;
  readonly log: LogPort;
  /** False for who sends nothing: the folders are left to those who do. */
  readonly sends?: boolean;
}

/** Joins the other hosts of the account; null: there are none, and nothing of it is loaded. */
export async function joinCluster({ settings, username, log, sends = true }: JoinOptions) {
  if (settings.cluster === null || username === null) return null;
  const { dir } = settings.state;
  const { openCluster } = await import('../../cluster/open-cluster.ts');
  const { locateFolders } = await import('../../cluster/lease/directory-location.ts');
  const { prepareDirectory, readLeaseTraces } = await import('../../ledger/lock-state-directory.ts');
  await prepareDirectory(dir);
  const cluster = await openCluster({
    settings: settings.cluster,
    requestsPerMinute: settings.service.requestsPerMinute,
    stateDir: dir,
    service: { ingestUrl: settings.service.ingestUrl, username },
    clock: systemClock,
    log,
  });
  const { names, locations, places } = await locateFolders(sends ? settings.folders : []);
  const lease = await cluster.enter({
    traces: () => readLeaseTraces(dir),
    folders: places,
    configured: sends ? Object.fromEntries(names.map((name) => [name, 1])) : null,
  });
  let noteMoved = () => {};
  const moved = new Promise<void>((resolve) => (noteMoved = resolve));
  return {
    cluster,
    lease,
    account: username,
    /** The folders in the order of the settings, and those of them that are there. */
    locations,
    places,
    /** Resolves when a folder lies elsewhere than it did: this host has to join again to have it. */
    moved,
    noteMoved,
  };
}

/** Whether Redis keeps this host from its lease: it cannot be reached, or refuses a command; null: neither. */
export function redisTrouble({ cluster }: Place): 'away' | 'refuses' | null {
  const codes = new Set(cluster.reasons().map(({ code }) => code));
  if (codes.has('redis-unavailable')) return 'away';
  return codes.has('redis-refuses') ? 'refuses' : null;
}

/** The other host that holds the state directory; null: none is known. */
export function otherHolder({ cluster, lease }: Place) {
  const { holder } = lease;
  return holder?.host === cluster.host ? null : holder;
}

/** Two hosts of one name would take each other's permits for their own. */
export function nameTaken({ cluster }: Place, { state }: Pick<Settings, 'state'>): StateLockedError {
  return new StateLockedError(
    `Another ingestd with the name ${cluster.host} uses the state directory ${state.dir}. Stop it first, or give this host another cluster.host: it then stands by.`,
  );
}

const askMs = 100;

interface WaitOptions extends JoinOptions {
  /** So long it waits for a Redis that is away. */
  readonly patienceMs: number;
  /** What to do where another host has it. */
  readonly advice: string;
}

/** Joins the other hosts for one command. Where it cannot have the lease, `away` says why it was given up. */
export async function withLease<T>(
  options: WaitOptions,
  act: (place: Place | null, away: Reason | null) => Promise<T>,
): Promise<T> {
  const place = await joinCluster(options);
  try {
    const away = place === null ? null : await waitForLease(place, options);
    return await act(place, away);
  } finally {
    await place?.cluster.close();
  }
}

/**
 * Waits for the lease of the state directory as long as nobody is seen to hold it. Throws StateLockedError where
 * another host does: a command does not stand by. Gives why it was given up; null: this host has it.
 */
async function waitForLease(
  place: Place,
  { settings, patienceMs, advice }: WaitOptions,
): Promise<Reason | null> {
  const { lease, cluster } = place;
  const lasting = createStopwatch();
  while (!lease.holds() || place.places.some((folder) => lease.folderHolder(folder)?.host === '')) {
    const { holder } = lease;
    const blocked = blockedBy(cluster.reasons());
    const ms = lasting(blocked === null ? 'working' : 'blocked');
    if (blocked !== null && ms >= patienceMs) return blocked;
    if (lease.isNameTaken) throw nameTaken(place, settings);
    if (holder !== null && (holder.isThere || (holder.isAlone && holder.host !== cluster.host)))
      throw new StateLockedError(
        `${holder.host} holds the state directory ${settings.state.dir} since ${new Date(holder.since).toISOString()} and keeps the service in sync. ${advice}`,
      );
    await new Promise((resolve) => setTimeout(resolve, askMs));
  }
  for (const [index, { name }] of settings.folders.entries()) {
    const location = place.locations[index];
    const other = location?.kind === 'there' ? lease.folderHolder(location.place) : null;
    if (other !== null) throw new StateLockedError(elsewhereWords(other, ` "${name}"`));
  }
  return null;
}
