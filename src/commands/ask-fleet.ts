import { systemClock } from '../lib/time/clock.ts';
import { lookForOwners } from '../cluster/folders/folder-owners.ts';
import { readStateId } from '../cluster/open-cluster.ts';
import { haltFleet, isFleetHalted, readFleet } from '../cluster/fleet/whole-fleet.ts';
import { fleetPrefix, openLink } from '../cluster/redis/connection.ts';
import type { Redis } from '../cluster/redis/connection.ts';
import { errorMessage, ServiceUnavailableError } from '../model/errors.ts';
import { silentLog } from '../model/ports/log-port.ts';
import type { FleetStatus } from '../model/report/fleet.ts';
import type { ClusterSettings, Settings } from '../model/settings.ts';

/** Where the fleet of an account is to be asked; `username` names the account where the configuration does not. */
export interface FleetAddress extends Pick<Settings, 'service'> {
  readonly cluster: ClusterSettings;
  readonly username: string;
}

/** All hosts of the account. Throws ServiceUnavailableError where Redis cannot be reached. */
export function fleetStatus(address: FleetAddress): Promise<FleetStatus> {
  return withRedis(address, readFleet);
}

/** Stops all hosts, or lets them send again. False: it was so before. Throws as `fleetStatus` does. */
export function setFleetPaused(address: FleetAddress, isHalted: boolean): Promise<boolean> {
  return withRedis(address, (redis) => haltFleet(redis, { isHalted }));
}

/** What the fleet has to do with what this host would send. */
export type FleetView = Awaited<ReturnType<typeof viewFleet>>;

/** Asks whose the folders are and whether all hosts are paused, without a word to anybody. Throws as `fleetStatus` does. */
export function viewFleet(address: FleetAddress, { state, folders }: Pick<Settings, 'state' | 'folders'>) {
  return withRedis(address, async (redis) => ({
    owners: await lookForOwners(redis, folders, await readStateId(state.dir)),
    isPaused: await isFleetHalted(redis),
  }));
}

async function withRedis<T>(
  { cluster, service, username }: FleetAddress,
  call: (redis: Redis) => Promise<T>,
): Promise<T> {
  const prefix = fleetPrefix(cluster.account, { ingestUrl: service.ingestUrl, username });
  const link = openLink({ address: cluster.redis, prefix, clock: systemClock, log: silentLog });
  try {
    await link.tried;
    return await call(link);
  } catch (error) {
    throw new ServiceUnavailableError(link.trouble()?.message ?? errorMessage(error));
  } finally {
    link.close();
  }
}
