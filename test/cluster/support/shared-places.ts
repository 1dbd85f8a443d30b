import { startHoldingService } from '../../support/services/holding-service.ts';
import type { HoldingService } from '../../support/services/holding-service.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { settle, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';

interface Service {
  readonly authUrl: string;
  readonly ingestUrl: string;
}

/** Hosts with one folder and one state directory, those of the first; or each with a state directory of its own. */
export interface SharedPlaces {
  readonly add: (name: string, more?: object) => Promise<Installation>;
  readonly remove: () => Promise<void>;
}

/** The same with a Redis, on which their fleet has been for a while, and a service. */
export interface SharedPlacesWithServers extends SharedPlaces {
  readonly redis: RedisServer;
  readonly service: HoldingService;
}

interface Options {
  readonly ownState?: boolean;
}

/** Starts the servers, which end with the hosts. */
export async function startSharedPlaces(options: Options = {}): Promise<SharedPlacesWithServers> {
  const redis = await startRedis();
  settle(redis, 'shared');
  const service = await startHoldingService();
  const places = sharedPlaces(redis.url, service, options);
  return {
    ...places,
    redis,
    service,
    remove: async () => {
      await places.remove();
      await service.close();
      await redis.remove();
    },
  };
}

export function sharedPlaces(
  redisUrl: string,
  { authUrl, ingestUrl }: Service,
  { ownState = false }: Options = {},
): SharedPlaces {
  const places: Installation[] = [];
  return {
    add: async (name, more = {}) => {
      const first = places[0];
      const place = await installation({
        authUrl,
        ingestUrl,
        more: {
          service: more,
          cluster: { redisUrl, account: 'shared', host: name, standBy: !ownState },
          ...(first === undefined
            ? {}
            : {
                ...(ownState ? {} : { state: { dir: first.home.join('state') } }),
                folders: [{ name: 'inbox', path: first.inbox }],
              }),
        },
      });
      places.push(place);
      return place;
    },
    remove: async () => {
      for (const place of places.toReversed()) await place.remove();
    },
  };
}
