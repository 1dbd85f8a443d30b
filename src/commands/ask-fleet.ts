import { redisNodes } from '../lib/server/redis-address.ts';
import { findForeignFolders } from '../cluster/lease/lease-script.ts';
import { locateFolders } from '../cluster/lease/directory-location.ts';
import { readHost } from '../cluster/open-cluster.ts';
import { forgetHost, haltFleet, isFleetHalted, readFleet } from '../cluster/fleet/whole-fleet.ts';
import { fleetTimes } from '../cluster/fleet-times.ts';
import { fleetPrefix, openSession } from '../cluster/redis/connection.ts';
import type { RedisSession } from '../cluster/redis/connection.ts';
import type { FolderPlaces } from '../daemon/process/one-ledger-per-folder.ts';
import { ConfigurationError, errorMessage, ServiceUnavailableError } from '../model/errors.ts';
import type { FleetStatus } from '../model/report/fleet.ts';
import type { ClusterSettings, Settings } from '../model/settings.ts';

/** Where the fleet of an account is to be asked. */
export interface FleetAddress {
  readonly cluster: ClusterSettings;
  readonly service: Settings['service'];
  /** Who signs in: names the account where the configuration does not. */
  readonly username: string;
}

/** All hosts of the account. Throws ServiceUnavailableError where Redis cannot be reached. */
export function fleetStatus(address: FleetAddress): Promise<FleetStatus> {
  return withSession(address, readFleet);
}

/** Stops all hosts, or lets them send again. False: it was so before. Throws as `fleetStatus` does. */
export function setFleetPaused(address: FleetAddress, isHalted: boolean): Promise<boolean> {
  return withSession(address, (session) => haltFleet(session, isHalted));
}

/**
 * A person's word that a host of the fleet is gone for good: what was kept for it is the others' again. Gives how many
 * requests a minute, and how many folders. Throws ConfigurationError where that host is alive, unless it has left the
 * folders of a former state directory, or unknown; and as `fleetStatus` does.
 */
export function forgetFleetHost(
  address: FleetAddress,
  host: string,
): Promise<{ readonly share: number; readonly folders: number }> {
  return withSession(address, async (session) => {
    const found = await forgetHost(session, { host, times: fleetTimes });
    if (found.kind === 'forgotten') return { share: found.share, folders: found.folders };
    if (found.kind === 'alive') {
      throw new ConfigurationError(
        `${host} is still connected to Redis; stop ingestd there first, or wait ${fleetTimes.unreachableMs / 1000} s if it has just stopped`,
      );
    }
    const [only, ...more] = found.hosts;
    const names = more.length === 0 ? `the only host is ${only}` : `the hosts are ${found.hosts.join(', ')}`;
    const known = only === undefined ? 'there are none' : names;
    throw new ConfigurationError(`the fleet has no host named ${host}; ${known}`);
  });
}

/** What the fleet has to do with what this host would send. */
export interface FleetView extends FolderPlaces {
  /** A person has paused all hosts. */
  readonly isPaused: boolean;
}

/** Asks for that without a word to anybody. Throws as `fleetStatus` does. */
export async function viewFleet(
  address: FleetAddress,
  { state, folders }: Pick<Settings, 'state' | 'folders'>,
): Promise<FleetView> {
  const { locations, places } = await locateFolders(folders);
  const { id, remembered } = await readHost(state.dir, address.cluster);
  const lifeMs = fleetTimes.lifeMs + fleetTimes.marginMs;
  return withSession(address, async (session) => {
    const name = id ?? 'new';
    const found = await findForeignFolders(session, { name, folders: places, lifeMs }, remembered);
    return {
      lease: { folderHolder: ({ key }) => found.get(key) ?? null, listen: () => {} },
      locations,
      noteMoved: () => {},
      isPaused: await isFleetHalted(session),
    };
  });
}

async function withSession<T>(
  { cluster, service, username }: FleetAddress,
  call: (session: RedisSession) => Promise<T>,
): Promise<T> {
  const unreachable = (error: unknown): ServiceUnavailableError =>
    new ServiceUnavailableError(`Redis (${redisNodes(cluster.redis)}): ${errorMessage(error)}`);
  const session = await openSession({
    address: cluster.redis,
    prefix: fleetPrefix(cluster.account, { ingestUrl: service.ingestUrl, username }),
    channels: [],
    onMessage: () => {},
    onEnd: () => {},
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  try {
    return await call(session);
  } catch (error) {
    throw error instanceof ConfigurationError ? error : unreachable(error);
  } finally {
    session.close();
  }
}
