import { redisNodes } from '../lib/server/redis-address.ts';
import { forgetHost, haltFleet, readFleet } from '../cluster/fleet/whole-fleet.ts';
import { fleetTimes } from '../cluster/fleet-times.ts';
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

/**
 * A person's word that a host of the fleet is gone for good: the requests that were kept for it are the others' again.
 * Gives how many a minute. Throws ConfigurationError where that host is alive or unknown, and as `fleetStatus` does.
 */
export function forgetFleetHost(address: FleetAddress, host: string): Promise<{ readonly share: number }> {
  return withSession(address, async (session) => {
    const { unreachableMs } = fleetTimes;
    const found = await forgetHost(session, { host, unreachableMs });
    if (found.kind === 'forgotten') return { share: found.share };
    if (found.kind === 'alive') {
      throw new ConfigurationError(
        `${host} is still connected to Redis; stop ingestd there first, or wait ${unreachableMs / 1000} s if it has just stopped`,
      );
    }
    const [only, ...more] = found.hosts;
    const names = more.length === 0 ? `the only host is ${only}` : `the hosts are ${found.hosts.join(', ')}`;
    const known = only === undefined ? 'there are none' : names;
    throw new ConfigurationError(`the fleet has no host named ${host}; ${known}`);
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
