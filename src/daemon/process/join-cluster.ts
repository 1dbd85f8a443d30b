import type { Lease } from '../../cluster/lease/lease.ts';
import type { DirectoryLocation } from '../../cluster/lease/directory-location.ts';
import type { Cluster } from '../../cluster/open-cluster.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { StateLockedError } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';

/** This host among the others of its account: it has the lease of its state directory, or waits for it. */
export interface Place {
  readonly cluster: Cluster;
  readonly lease: Lease;
  /** Who signs in. */
  readonly account: string;
  /** Where the folders lie, in the order of the settings; null: it cannot be told. */
  readonly locations: readonly (DirectoryLocation | null)[];
}

interface JoinOptions {
  readonly settings: Settings;
  /** Who signs in; null in embedded mode. */
  readonly username: string | null;
  readonly clock: Clock;
  readonly log: LogPort;
  /** False for who sends nothing: the folders are left to those who do. */
  readonly sends?: boolean;
}

/** Joins the other hosts of the account; null: there are none, and nothing of it is loaded. */
export async function joinCluster({
  settings,
  username,
  clock,
  log,
  sends = true,
}: JoinOptions): Promise<Place | null> {
  if (settings.cluster === null || username === null) return null;
  const { dir } = settings.state;
  const { openCluster } = await import('../../cluster/open-cluster.ts');
  const { directoryLocation } = await import('../../cluster/lease/directory-location.ts');
  const { prepareDirectory, readLeaseTraces } = await import('../../ledger/lock-state-directory.ts');
  await prepareDirectory(dir);
  const cluster = await openCluster({
    settings: settings.cluster,
    requestsPerMinute: settings.service.requestsPerMinute,
    stateDir: dir,
    service: { ingestUrl: settings.service.ingestUrl, username },
    clock,
    log,
  });
  const folders = sends ? settings.folders : [];
  const locations = await Promise.all(folders.map(({ path }) => directoryLocation(path)));
  const lease = await cluster.enter({
    traces: () => readLeaseTraces(dir),
    folders: locations.filter((location) => location !== null),
  });
  return { cluster, lease, account: username, locations };
}

/** Two hosts of one name would take each other's permits for their own. */
export function nameTaken({ cluster }: Place, { state }: Pick<Settings, 'state'>): StateLockedError {
  return new StateLockedError(
    `Another ingestd with the name ${cluster.host} uses the state directory ${state.dir}. Stop it first, or give this host another cluster.host: it then stands by.`,
  );
}
