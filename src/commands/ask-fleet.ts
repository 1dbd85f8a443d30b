import { redisNodes } from '../lib/server/redis-address.ts';
import { lookForOwners } from '../cluster/folders/folder-owners.ts';
import type { FolderOwnersView } from '../cluster/folders/folder-owners.ts';
import { readStateId } from '../cluster/open-cluster.ts';
import { haltFleet, isFleetHalted, readFleet } from '../cluster/fleet/whole-fleet.ts';
import { fleetPrefix, openSession } from '../cluster/redis/connection.ts';
import type { RedisSession } from '../cluster/redis/connection.ts';
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

/** What the fleet has to do with what this host would send. */
export interface FleetView {
  readonly owners: FolderOwnersView;
  /** A person has paused all hosts. */
  readonly isPaused: boolean;
}

/** Asks for that without a word to anybody. Throws as `fleetStatus` does. */
export async function viewFleet(
  address: FleetAddress,
  { state, folders }: Pick<Settings, 'state' | 'folders'>,
): Promise<FleetView> {
  const ledger = await readStateId(state.dir);
  return withSession(address, async (session) => ({
    owners: await lookForOwners(session, folders, ledger),
    isPaused: await isFleetHalted(session),
  }));
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
