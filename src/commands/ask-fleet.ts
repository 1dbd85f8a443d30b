import { hostname } from 'node:os';

import { systemClock } from '../lib/time/clock.ts';
import { lookForOwners } from '../cluster/folders/folder-owners.ts';
import { readStateId } from '../cluster/open-cluster.ts';
import { haltFleet, readFleet, readPause } from '../cluster/fleet/whole-fleet.ts';
import { openLink } from '../cluster/redis/connection.ts';
import type { FleetAddress, Redis } from '../cluster/redis/connection.ts';
import { errorMessage, ServiceUnavailableError } from '../model/errors.ts';
import { silentLog } from '../model/ports/log-port.ts';
import type { ClusterSettings, Settings } from '../model/settings.ts';

/** What the fleet has to do with what this host would send. */
export type FleetView = Awaited<ReturnType<ReturnType<typeof askFleet>['view']>>;

/** The fleet of an account, for one command. Each call rejects with ServiceUnavailableError where Redis cannot be reached. */
export function askFleet(address: FleetAddress & { readonly cluster: Pick<ClusterSettings, 'host'> }) {
  return {
    /** All hosts of the account. */
    status: () => withRedis(readFleet),
    /** Stops all hosts, or lets them send again. False: it was so before. */
    setPaused: (isHalted: boolean) =>
      withRedis((redis) => haltFleet(redis, { isHalted, host: address.cluster.host ?? hostname() })),
    /** Whose the folders are and why all hosts are paused (null: they are not), without a word to anybody. */
    view: ({ state, folders }: Pick<Settings, 'state' | 'folders'>) =>
      withRedis(async (redis) => ({
        owners: await lookForOwners(redis, folders, await readStateId(state.dir)),
        pause: await readPause(redis),
      })),
  };

  async function withRedis<T>(call: (redis: Redis) => Promise<T>): Promise<T> {
    const link = openLink({ ...address, clock: systemClock, log: silentLog });
    try {
      await link.tried;
      return await call(link);
    } catch (error) {
      throw new ServiceUnavailableError(link.trouble()?.message ?? errorMessage(error));
    } finally {
      link.close();
    }
  }
}
