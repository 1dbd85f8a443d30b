import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fleetHost, scaledTimes } from './fleet-host.ts';
import type { FleetHost } from './fleet-host.ts';
import { settle, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';

/** A minute of two seconds, and how many requests it takes. */
export const windowMs = 2_000;
export const times = scaledTimes(windowMs);
export const limit = 20;

/** Hosts of one account in this process, on a Redis of their own that has known their fleet for a while. */
export interface SmallFleet {
  readonly redis: RedisServer;
  readonly hosts: readonly FleetHost[];
  /** Another host; what is given stands in the place of what they have in common. */
  readonly host: (name: string, own?: Partial<Parameters<typeof fleetHost>[0]>) => Promise<FleetHost>;
  /** Of the requests of all. */
  readonly arrivals: () => number[];
  readonly close: () => Promise<void>;
}

/** `more`: more words for redis-server; `environment`: more of its environment. */
export async function startSmallFleet(
  more: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<SmallFleet> {
  const redis = await startRedis({ more, environment: () => environment });
  settle(redis, 'test');
  const folder = await temporaryFolder();
  const hosts: FleetHost[] = [];
  return {
    redis,
    hosts,
    host: async (name, own = {}) => {
      const common = { redisUrl: redis.url, stateDir: folder.path, limit, times };
      const made = await fleetHost({ ...common, name, ...own });
      hosts.push(made);
      return made;
    },
    arrivals: () => hosts.flatMap(({ arrivals }) => arrivals),
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
      await redis.remove();
      await folder.remove();
    },
  };
}
