// Two hundred hosts in one process: the real limiter of each, its own connection to Redis, and requests to the embedded
// service. Twenty die with permits in hand, and Redis comes back empty.
import { setTimeout as delay } from 'node:timers/promises';
import { createSharedMinute } from '../../../build/cluster/permits/shared-minute.js';
import { openLink } from '../../../build/cluster/redis/connection.js';
import { systemClock } from '../../../build/lib/time/clock.js';
import { parseRedisAddress } from '../../../build/lib/server/redis-address.js';
import { createLimiter } from '../../../build/remote/limiter.js';
import { quantiles, sentTo, startService, tokenOf } from '../world.mjs';
import { atLeast, atMost, jain, lessThan, mostInWindow, row, usedOf } from './measures.mjs';
import { startRedis } from './redis.mjs';
import { times, windowMs } from './scaled-times.mjs';

const limit = 50;
const hostCount = 200;
const live = 2;
const backlog = 0;
const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export async function measureSimulated(home) {
  const redis = await startRedis();
  const service = await startService(home, { requestsPerMinute: limit, windowMs });
  const token = await tokenOf(service);
  const empty = redis.memory();
  const say = (words) => process.stderr.write(`  ${hostCount} simulated hosts: ${words}\n`);
  const arrivals = (since = 0, until = Infinity) =>
    sentTo(service).flatMap(({ atMs }) => (atMs >= since && atMs < until ? [atMs] : []));
  const opened = async (since) => {
    while (arrivals(since).length === 0) await delay(50);
  };
  const measure = async (windows) => {
    const from = performance.now();
    const calls = redis.calls();
    await delay(windows * windowMs);
    const all = arrivals(from);
    return { used: usedOf(all, { limit, windowMs }), calls: (redis.calls() - calls) / all.length };
  };

  const lone = await permitCost(redis, { service, token });
  say('start');
  const hosts = Array.from({ length: hostCount }, (_, index) =>
    openHost(`host-${index}`, { port: redis.port, service, token }),
  );
  const observer = openHost('observer', { port: redis.port, service, token, works: false });
  try {
    await delay(2_000);
    const memory = (redis.memory() - empty) / hostCount;
    await opened(performance.now() - 1_000);
    await delay(windowMs);
    redis.command('CONFIG', 'RESETSTAT');
    const calm = await measure(2);
    const callMs = redis.callMs();
    const waits = [];
    for (let count = 0; count < 20; count += 1) waits.push(await observer.change());

    say('twenty die with their permits');
    for (const host of hosts.slice(0, 20)) host.kill();
    const survivors = hosts.slice(20);
    await delay(windowMs + times.lifeMs);
    const healed = await measure(2);

    say('Redis comes back empty');
    await redis.kill();
    await delay(500);
    await redis.start();
    await opened(performance.now() + windowMs / 2);
    await delay(windowMs);
    const again = await measure(2);

    const all = arrivals();
    const refused = service.requestLog().filter(({ status }) => status === 429).length;
    // Over the whole run: with fewer requests than a few for each host, whole numbers alone make it uneven.
    const fairness = jain(survivors.map(({ sent }) => sent()));
    const [waited, longest] = quantiles(waits, 0.5, 1);
    const what = (words) => `${hostCount} simulated hosts: ${words}`;
    return [
      row(what('most requests in a window'), mostInWindow(all, windowMs), 'requests', {
        ...atMost(limit, mostInWindow(all, windowMs)),
      }),
      row(what('requests answered with 429'), refused, 'requests', atMost(0, refused)),
      row(what('share of the window that is used'), calm.used, '%', atLeast(97, calm.used)),
      row(what('the same, 20 having died with their permits'), healed.used, '%', atLeast(97, healed.used)),
      row(what('the same, Redis having come back empty'), again.used, '%', atLeast(97, again.used)),
      row(what("Jain's index of those that lived"), fairness, '', atLeast(0.95, fairness)),
      row(what('a live change while the others fill the window, median'), waited, 'ms'),
      row(what('the same, longest of twenty'), longest, 'ms'),
      row(what('calls of Redis for a request, signs of life and waiting included'), calm.calls, 'calls'),
      row(what('time of Redis for one of them'), callMs, 'ms'),
      row(what('memory of Redis for a host'), memory, 'bytes'),
      {
        ...row('one host: a permit in Redis, median', lone.medianMs, 'ms', lessThan(3, lone.medianMs)),
        against: lone.localMs,
        ratio: lone.medianMs / lone.localMs,
      },
      row('one host: ways to Redis and back for a permit', lone.calls, 'calls', atMost(2, lone.calls)),
    ];
  } finally {
    await Promise.all([...hosts, observer].map((host) => host.close()));
    await service.close();
    await redis.kill();
  }
}

function openHost(host, { port, service, token, works = true, account = 'bench', most = limit }) {
  let minute = null;
  const link = openLink({
    cluster: { redis: parseRedisAddress(`redis://127.0.0.1:${port}`), account },
    service: { ingestUrl: '' },
    username: '',
    clock: systemClock,
    log,
    channels: ['wake', `wake:${host}`],
    onMessage: (text) => minute?.hear(text),
    onChange: () => minute?.call(),
  });
  minute = createSharedMinute({
    redis: link,
    host,
    limit: most,
    times,
    clock: systemClock,
    log,
    waitsToJoin: true,
    mayAsk: () => true,
    onReset: () => {},
    onChange: () => {},
  });
  minute.join([], null);
  const limiter = createLimiter({
    requestsPerMinute: most,
    windowMs,
    clock: systemClock,
    recent: [],
    source: minute,
  });
  let isDead = false;
  let sent = 0;
  /** Sends one request on a permit; false: there was none. */
  const send = async (demand) => {
    for (;;) {
      limiter.demand(demand);
      const permit = await limiter.take().catch(() => null);
      if (permit === null || isDead) return false;
      const isValid = await permit.guard.confirm().then(
        () => permit.guard.mayBegin(),
        () => false,
      );
      if (isValid) {
        const headers = { authorization: `Bearer ${token}`, clientid: service.credentials.clientId };
        // No such document: the service counts it all the same.
        const address = `${service.ingestUrl}/services/i/ingestion-api/v1/delete-document/none`;
        const answer = await fetch(address, { method: 'DELETE', headers });
        await answer.arrayBuffer();
        if (isDead) return false;
        permit.spent();
        sent += 1;
        return true;
      }
      permit.giveBack();
    }
  };
  const work = async () => {
    while (await send({ level: backlog, count: 100 }));
  };
  if (works) void work();
  return {
    sent: () => sent,
    link,
    limiter,
    /** How long a request of the highest priority takes from its event on, ms. */
    change: async () => {
      const begun = performance.now();
      await send({ level: live, count: 1 });
      return performance.now() - begun;
    },
    kill: () => {
      isDead = true;
      link.close();
    },
    close: async () => {
      isDead = true;
      limiter.close();
      await minute.leave();
      link.close();
    },
  };
}

/**
 * What a permit costs a host that nobody competes with, beside that of a limiter without Redis: until it is there, and
 * in calls until it is given back.
 */
async function permitCost(redis, to) {
  const runId = /run_id:(\w+)/.exec(redis.command('INFO', 'server'))[1];
  const state = ['run', runId, 'seq', '0', 'last', '1', 'open', '1', 'sure', '1', 'epoch', '1'];
  redis.command('HSET', 'ingestd:{lone}:state', ...state);
  const host = openHost('lone', { ...to, port: redis.port, works: false, account: 'lone', most: 1_000 });
  await host.link.tried;
  // A process has nothing compiled at first.
  for (let count = 0; count < 20; count += 1) await takeAndSpend(host);
  const rounds = 200;
  const calls = redis.calls();
  const begun = performance.now();
  const costs = [];
  for (let count = 0; count < rounds; count += 1) costs.push(await takeAndSpend(host));
  const signs = (performance.now() - begun) / times.beatMs;
  await delay(100);
  const perPermit = (redis.calls() - calls - Math.ceil(signs)) / rounds;
  await host.close();
  const local = createLimiter({ requestsPerMinute: 1_000, windowMs, clock: systemClock, recent: [] });
  const localCosts = [];
  for (let count = 0; count < rounds; count += 1) localCosts.push(await takeAndSpend({ limiter: local }));
  local.close();
  const [localMs] = quantiles(localCosts, 0.5);
  const medianMs = quantiles(costs, 0.5)[0] - localMs;
  return { medianMs, localMs, calls: Math.round(perPermit * 100) / 100 };
}

async function takeAndSpend({ limiter }) {
  const begun = performance.now();
  const permit = await limiter.take();
  const all = performance.now() - begun;
  await permit.guard?.confirm();
  permit.guard?.mayBegin();
  permit.spent();
  await delay(2);
  return all;
}
