import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Status } from '../../../../src/model/report/status.ts';
import { startHoldingService } from '../../../support/services/holding-service.ts';
import type { HoldingService } from '../../../support/services/holding-service.ts';
import { installation } from '../../../support/processes/daemon-process.ts';
import type { Installation, LaunchedDaemon } from '../../../support/processes/daemon-process.ts';
import type { Missing } from '../../../support/needs.ts';
import type { ReceivedRequest } from '../../../support/services/read-request.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { missingRedis, settle, startRedis } from '../../support/redis-server.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { fastClock, missingClock, removeLeftClocks } from './fast-clock.ts';
import type { FastClock } from './fast-clock.ts';
import { createNetwork, missingNetwork } from './network.ts';
import type { NetworkHost } from './network.ts';

/** What is missing for a fleet of network namespaces; null: nothing. For `describeWhere`. */
export function missingFleet(): Missing | null {
  const openssl = spawnSync('openssl', ['version']).status === 0 ? null : 'openssl';
  return missingRedis ?? missingClock ?? openssl ?? missingNetwork();
}

const account = 'network';

/** A host with the real program. */
export interface Member extends NetworkHost, Pick<Installation, 'home' | 'inbox'> {
  /** Starts the daemon; resolves when it answers. */
  readonly start: () => Promise<void>;
  /** Starts it with other settings in `service`. */
  readonly startWith: (service: object) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends it SIGTERM, or SIGKILL, and waits for its end. */
  readonly end: (signal?: NodeJS.Signals) => Promise<void>;
  readonly status: () => Promise<Status>;
  /** Waits until it has nothing left to do, and `ready` holds. */
  readonly idle: (ready?: (status: Status) => boolean) => Promise<Status>;
  /** What it has logged, over all its starts. */
  readonly log: () => string;
  /** What the service has got from it. */
  readonly requests: () => readonly ReceivedRequest[];
  /** Writes so many documents of a few bytes into its folder. */
  readonly fill: (count: number) => Promise<void>;
}

interface MemberOptions {
  /** Merged into `service` of its configuration. */
  readonly service?: object;
  /** Another host may have its state directory. */
  readonly standBy?: boolean;
  readonly skewSeconds?: number;
  /** Has the folder and the state directory of this one. */
  readonly sharing?: Member;
}

/** Hosts, Redis and the service, each reached over a network of their own. */
export interface NetworkFleet {
  readonly service: HoldingService;
  readonly redis: RedisServer;
  readonly redisHost: NetworkHost;
  readonly redisClock: FastClock;
  readonly add: (name: string, options?: MemberOptions) => Promise<Member>;
  readonly host: (name: string) => NetworkHost;
  readonly clockOf: (name: string) => FastClock;
  readonly remove: () => Promise<void>;
}

interface FleetOptions {
  readonly requestsPerMinute: number;
  /** Instead of `redis` of the fleet. */
  readonly redisUrl?: (fleet: Pick<NetworkFleet, 'redis'>) => string;
  readonly redisMore?: readonly string[];
}

export async function networkFleet({
  requestsPerMinute,
  redisUrl = ({ redis }) => redis.url,
  redisMore = [],
}: FleetOptions): Promise<NetworkFleet> {
  removeLeftClocks();
  const folder = await temporaryFolder();
  const network = createNetwork();
  const removing: (() => Promise<unknown>)[] = [folder.remove, async () => network.remove()];
  const remove = async () => {
    for (const one of removing.toReversed()) await one();
  };
  const clockOf = (name: string, skewSeconds = 0) => fastClock(folder, name, skewSeconds);

  try {
    const service = await startHoldingService({
      address: network.address,
      tls: certificateFor(network.address, folder.path),
    });
    removing.push(service.close);
    const redisHost = network.host('redis');
    const redisClock = clockOf('redis');
    const { address, through } = redisHost;
    const more = ['--protected-mode', 'no', ...redisMore];
    const redis = await startRedis({ address, through, more, environment: redisClock.environment });
    removing.push(redis.remove);
    settle(redis, account);

    const add = async (name: string, options: MemberOptions = {}): Promise<Member> => {
      const host = network.host(name);
      const clock = clockOf(name, options.skewSeconds);
      const { service: own = {}, sharing, standBy = sharing !== undefined } = options;
      const settings = {
        service: { requestsPerMinute, ...own },
        cluster: { redisUrl: redisUrl({ redis }), account, host: name, standBy },
        ...(sharing === undefined
          ? {}
          : {
              state: { dir: sharing.home.join('state') },
              folders: [{ name: 'inbox', path: sharing.inbox }],
            }),
      };
      const place = await installation({
        ...service,
        through: host.through,
        isElsewhere: true,
        environment: { ...clock.environment(), NODE_EXTRA_CA_CERTS: join(folder.path, 'service.pem') },
        more: settings,
      });
      removing.push(place.remove);
      const started: LaunchedDaemon[] = [];
      const start = async () => {
        clock.environment();
        const launched = place.launch();
        started.push(launched);
        await launched.answers();
      };
      const member: Member = {
        ...host,
        home: place.home,
        inbox: sharing?.inbox ?? place.inbox,
        start,
        startWith: async (more) => {
          await place.configure({ ...settings, service: { ...settings.service, ...more } });
          await start();
        },
        signal: (signal) => started.at(-1)?.signal(signal),
        end: async (signal = 'SIGTERM') => {
          started.at(-1)?.signal(signal);
          await started.at(-1)?.finished;
        },
        status: async () => (await place.launched()).status(),
        idle: async (ready) => (await place.launched()).idle(ready),
        log: () => started.map(({ log }) => log()).join('\n'),
        requests: () => service.requests.filter(({ from }) => from === host.sendsFrom),
        fill: async (count) => {
          for (let index = 0; index < count; index += 1)
            await writeFile(join(place.inbox, `${name}-${index}.txt`), `${name} ${index}`);
        },
      };
      return member;
    };
    return { service, redis, redisHost, redisClock, add, host: network.host, clockOf, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Valid since the day before yesterday: the clocks of the hosts may be wrong. */
function certificateFor(address: string, directory: string): { readonly key: string; readonly cert: string } {
  const words =
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=service -days 10 ` +
    `-addext subjectAltName=IP:${address} -keyout service.key -out service.pem`;
  const made = spawnSync('faketime', ['-f', '-2d', 'openssl', ...words.split(' ')], {
    cwd: directory,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  return { key: read('service.key'), cert: read('service.pem') };
}

/** How often each document came as a whole, by its content. */
export function deliveries(requests: readonly ReceivedRequest[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const request of requests) {
    if (!request.complete()) continue;
    const file = request.parts().find(({ name }) => name === 'file');
    if (file === undefined) continue;
    const content = file.body.subarray(0, 40).toString();
    counts.set(content, (counts.get(content) ?? 0) + 1);
  }
  return counts;
}
