import { openCluster } from '../../../src/cluster/open-cluster.ts';
import { fleetTimes } from '../../../src/cluster/fleet-times.ts';
import type { FleetTimes } from '../../../src/cluster/fleet-times.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import type { SentRequest } from '../../../src/model/ports/ledger-port.ts';
import type { Demand, LimiterPort, Permit } from '../../../src/model/ports/service-port.ts';
import { createLimiter } from '../../../src/remote/limiter.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { addressOf } from './redis-server.ts';

/** The fleet's times with a window of so many ms, the others in proportion; the margin stays what clocks need. */
export function scaledTimes(windowMs: number): FleetTimes {
  const scale = (ms: number) => Math.ceil((ms * windowMs) / fleetTimes.windowMs);
  return {
    windowMs,
    lifeMs: scale(fleetTimes.lifeMs),
    beatMs: scale(fleetTimes.beatMs),
    // Other tests may run beside this one: what is too short is over before it is used.
    validMs: Math.max(250, scale(fleetTimes.validMs)),
    marginMs: Math.max(40, scale(fleetTimes.marginMs)),
    lease: {
      lifeMs: scale(fleetTimes.lease.lifeMs),
      beatMs: scale(fleetTimes.lease.beatMs),
      watchMs: scale(fleetTimes.lease.watchMs),
      marginMs: Math.max(40, scale(fleetTimes.lease.marginMs)),
      failoverMs: scale(fleetTimes.lease.failoverMs),
    },
  };
}

/** One host of a fleet in this process: a limiter on Redis, and requests that are recorded as they arrive. */
export interface FleetHost {
  readonly name: string;
  readonly cluster: Awaited<ReturnType<typeof openCluster>>;
  readonly limiter: LimiterPort;
  readonly logged: () => string;
  /** When each request arrived at the service, ms of the process's monotonic clock. */
  readonly arrivals: number[];
  /** Sends as many requests as it may, so many at a time, until it is closed. */
  readonly work: (workers: number, demand?: Demand) => void;
  readonly close: () => Promise<void>;
}

interface HostOptions {
  readonly redisUrl: string;
  readonly name: string;
  readonly stateDir: string;
  readonly limit: number;
  readonly times: FleetTimes;
  readonly account?: string;
  readonly clock?: Clock;
  readonly recent?: readonly SentRequest[];
  /** How long a request takes to arrive, and its answer to come. */
  readonly requestMs?: () => number;
}

export async function fleetHost(options: HostOptions): Promise<FleetHost> {
  const { redisUrl, name, limit, times, clock = systemClock, recent = [], requestMs = () => 2 } = options;
  const redis = addressOf(redisUrl);
  const log = recordedLog();
  const cluster = await openCluster({
    cluster: { redis, account: options.account ?? 'test', host: name, standBy: false },
    service: { ingestUrl: 'https://service.example', requestsPerMinute: limit },
    username: 'someone',
    state: { dir: options.stateDir },
    traces: async () => ({ highestFence: 0, endedFence: 0 }),
    clock,
    log,
    times,
  });
  const { windowMs } = times;
  const source = cluster.permits(recent);
  const limiter = createLimiter({ requestsPerMinute: limit, windowMs, clock, recent, source });
  const arrivals: number[] = [];
  const workers: Promise<void>[] = [];

  async function sendAll(demand: Demand): Promise<void> {
    for (;;) {
      limiter.demand?.(demand);
      const permit = await limiter.take().catch(() => null);
      if (permit === null) return;
      await sendOn(permit);
    }
  }

  async function sendOn(permit: Permit): Promise<void> {
    try {
      await permit.guard?.confirm();
    } catch {
      return permit.giveBack();
    }
    if (permit.guard?.mayBegin() === false) return permit.giveBack();
    await wait(requestMs());
    if (permit.guard?.mayGoOn() !== false) arrivals.push(performance.now());
    await wait(requestMs());
    permit.spent();
  }

  return {
    name,
    cluster,
    limiter,
    logged: () => JSON.stringify(log.lines),
    arrivals,
    work: (count, demand = { level: 1, count: 1000 }) => {
      for (let one = 0; one < count; one += 1) workers.push(sendAll(demand));
    },
    close: async () => {
      limiter.close();
      await Promise.all(workers);
      await cluster.close();
    },
  };
}

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The most arrivals in any window, as the service counts: those at `t` and up to just before `t + windowMs`. */
export function mostInWindow(arrivals: readonly number[], windowMs: number): number {
  const sorted = arrivals.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  sorted.forEach((at, index) => {
    while (at - (sorted[first] ?? at) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

export function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Jain's index: 1 where all have the same, 1/n where one has everything. */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}
