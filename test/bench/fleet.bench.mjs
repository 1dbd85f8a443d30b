// Two hundred simulated hosts with one account on a real Redis, in scaled time: a window of twelve seconds instead of a
// minute, and the other times in proportion. Some die with permits in hand, some are cut off, and Redis is killed and
// comes back empty in the middle. Every request is counted as it arrives.
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fleetTimes } from '../../build/cluster/permits/fleet-times.js';
import { SharedLimiter } from '../../build/cluster/permits/shared-limiter.js';
import { openLink } from '../../build/cluster/redis/link.js';
import { systemClock } from '../../build/daemon/system-clock.js';
import { parseRedisAddress } from '../../build/lib/server/redis-address.js';
import { createLimiter } from '../../build/remote/limiter.js';

const windowMs = 12_000;
const limit = 50;
const hostCount = 200;
const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export async function run() {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    const nothing = { against: null, ratio: null, limit: null, ok: null };
    return [{ what: 'fleet: NOT MEASURED, redis-server is missing', measured: 0, unit: '', ...nothing }];
  }
  const redis = await startRedis();
  const hosts = Array.from({ length: hostCount }, (_, index) => openHost(redis.port, `host-${index}`));
  try {
    await opened(hosts);
    await delay(windowMs);
    const calm = await measure(hosts, redis, 5);

    for (const host of hosts.slice(0, 20)) host.kill();
    const survivors = hosts.slice(20);
    await delay(windowMs + times.lifeMs);
    const healed = await measure(survivors, redis, 3);

    await redis.restart();
    const restarted = performance.now();
    await opened(survivors, restarted);
    await delay(windowMs);
    const again = await measure(survivors, redis, 3);

    const all = hosts.flatMap(({ arrivals }) => arrivals);
    // Over the whole run: with fewer requests than a few for each host, whole numbers alone make it uneven.
    const fairness = jain(survivors.map(({ arrivals }) => arrivals.length));
    const lone = await permitCost(redis.port);
    return [
      row('most requests in a window', mostInWindow(all), 'requests', {
        limit: `at most ${limit}`,
        ok: mostInWindow(all) <= limit,
      }),
      row('share of the window that is used', calm.used, '%', atLeast(97, calm.used)),
      row('the same, 20 hosts having died with their permits', healed.used, '%', atLeast(97, healed.used)),
      row('the same, Redis having come back empty', again.used, '%', atLeast(97, again.used)),
      row("Jain's index of the hosts that lived", fairness, '', {
        limit: 'at least 0.95',
        ok: fairness >= 0.95,
      }),
      row('calls of Redis for a request, signs of life included', calm.calls, 'calls', {
        limit: null,
        ok: null,
      }),
      row('a permit in Redis, one host on loopback, median', lone, 'ms', {
        limit: 'less than 3 ms',
        ok: lone < 3,
      }),
      row('memory of Redis for a host', redis.memory() / hostCount, 'bytes', { limit: null, ok: null }),
    ];
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
    await redis.stop();
  }
}

const scale = (ms) => Math.ceil((ms * windowMs) / fleetTimes.windowMs);
const times = {
  ...fleetTimes,
  windowMs,
  lifeMs: scale(fleetTimes.lifeMs),
  beatMs: scale(fleetTimes.beatMs),
  // Two hundred hosts in one process wait for each other.
  validMs: 2_000,
  unreachableMs: scale(fleetTimes.unreachableMs),
  marginMs: 50,
};

function row(what, measured, unit, { limit: words, ok }) {
  const rounded = Math.round(measured * 1000) / 1000;
  return {
    what: `fleet of ${hostCount}: ${what}`,
    measured: rounded,
    unit,
    against: null,
    ratio: null,
    limit: words,
    ok,
  };
}

function atLeast(percent, measured) {
  return { limit: `at least ${percent} %`, ok: measured >= percent };
}

async function startRedis() {
  const port = await freePort();
  let child;
  const start = async () => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
      stdio: 'ignore',
    });
    while (command('PING') !== 'PONG') await delay(20);
  };
  const command = (...words) =>
    spawnSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' }).stdout.trim();
  await start();
  const empty = Number(/used_memory:(\d+)/.exec(command('INFO', 'memory'))?.[1]);
  return {
    port,
    calls: () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(command('INFO', 'commandstats'))?.[1] ?? 0),
    memory: () => Number(/used_memory:(\d+)/.exec(command('INFO', 'memory'))?.[1]) - empty,
    restart: async () => {
      child.kill('SIGKILL');
      await delay(500);
      await start();
    },
    stop: async () => child.kill('SIGKILL'),
  };
}

function openHost(port, host, account = 'bench') {
  const prefix = `ingestd:{${account}}`;
  let limiter = null;
  const link = openLink({
    address: parseRedisAddress(`redis://127.0.0.1:${port}`),
    clock: systemClock,
    log,
    channels: SharedLimiter.channels(prefix, host),
    onMessage: (_channel, text) => limiter?.hear(text),
    onChange: () => limiter?.connectionChanged(),
  });
  const local = createLimiter({ requestsPerMinute: limit, windowMs, clock: systemClock, recent: [] });
  limiter = new SharedLimiter({
    local,
    session: link.session,
    prefix,
    host,
    limit,
    aloneShare: 0,
    times,
    clock: systemClock,
    log,
    recent: [],
    onChange: () => {},
  });
  const arrivals = [];
  let isDead = false;
  const work = async () => {
    for (;;) {
      limiter.demand({ level: 1, count: 100 });
      const permit = await limiter.take().catch(() => null);
      if (permit === null || isDead) return;
      if (
        !(await permit.guard.confirm().then(
          () => permit.guard.mayBegin(),
          () => false,
        ))
      ) {
        permit.giveBack();
        continue;
      }
      await delay(2);
      if (isDead) return;
      arrivals.push(performance.now());
      await delay(8);
      permit.spent();
    }
  };
  void work();
  return {
    arrivals,
    limiter,
    kill: () => {
      isDead = true;
      link.close();
    },
    close: async () => {
      isDead = true;
      limiter.close();
      await limiter.leave();
      link.close();
    },
  };
}

/** The fleet is new to Redis: one window goes by before the first request. */
async function opened(hosts, since = 0) {
  while (!hosts.some(({ arrivals }) => arrivals.some((at) => at > since))) await delay(50);
}

async function measure(hosts, redis, windows) {
  const from = performance.now();
  const calls = redis.calls();
  await delay(windows * windowMs);
  const all = hosts.flatMap(({ arrivals }) => arrivals.filter((at) => at >= from)).sort((a, b) => a - b);
  // As many requests as one window allows take one window at best.
  const times = all.slice(limit).map((at, index) => at - all[index]);
  const mean = times.reduce((total, ms) => total + ms, 0) / times.length;
  return { used: (100 * windowMs) / mean, calls: (redis.calls() - calls) / all.length };
}

/** What a permit costs beside the local scheduler: there and back. */
async function permitCost(port) {
  const host = openHost(port, 'lone', 'lone');
  const before = performance.now();
  while (host.arrivals.length === 0) await delay(20);
  await delay(Math.max(0, windowMs - (performance.now() - before)));
  await host.close();
  const { openSession } = await import('../../build/cluster/redis/session.js');
  const { permitScript } = await import('../../build/cluster/permits/permit-script.js');
  const session = await openSession({
    address: parseRedisAddress(`redis://127.0.0.1:${port}`),
    channels: [],
    onMessage: () => {},
    onEnd: () => {},
  });
  const keys = ['permits', 'state', 'waiting', 'seen', 'shares', 'use'].map((key) => `ingestd:{lone}:${key}`);
  const costs = [];
  for (let count = 0; count < 200; count += 1) {
    const id = `lone/cost-${count}`;
    const ask = { host: 'lone', channel: 'ingestd:{lone}:wake', run: session.runId, limit: 1000, share: 0 };
    const wanted = {
      want: 1,
      ids: [id],
      level: 1,
      demand: 1,
      seq: 0,
      epoch: 0,
      offerMs: 2000,
      waitMs: 10_000,
    };
    const begun = performance.now();
    await session.evaluate(permitScript, keys, [JSON.stringify({ ...ask, ...wanted, ...times })]);
    costs.push(performance.now() - begun);
    await session.evaluate(permitScript, keys, [
      JSON.stringify({ ...ask, ...times, seq: 0, epoch: 0, offerMs: 2000, waitMs: 10_000, returned: [id] }),
    ]);
  }
  session.close();
  return costs.sort((a, b) => a - b)[100];
}

function jain(counts) {
  const sum = counts.reduce((total, count) => total + count, 0);
  const squares = counts.reduce((total, count) => total + count * count, 0);
  return (sum * sum) / (counts.length * squares);
}

function mostInWindow(arrivals) {
  const sorted = arrivals.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  sorted.forEach((at, index) => {
    while (at - sorted[first] >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
