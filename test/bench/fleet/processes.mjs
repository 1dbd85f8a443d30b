// Twenty real processes with one account, in scaled time: fourteen for themselves, and three pairs of which one works
// and one stands by. They are killed, frozen and cut off from Redis at random, and Redis is killed in the middle and
// comes back empty. What arrives at the embedded service is counted there.
import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { quantiles, sentTo, startService } from '../world.mjs';
import { hostProcess } from './host-process.mjs';
import { atLeast, atMost, jain, mostInWindow, row, usedOf } from './measures.mjs';
import { cableTo, startRedis } from './redis.mjs';
import { windowMs } from './scaled-times.mjs';

const limit = 50;
const pairs = 3;
const singles = 14;
const documents = 32;
const liveChanges = 15;
const chaosMs = 40_000;
const chaosEveryMs = 2_000;
const measuredWindows = 3;
/** With back-offs and the local minute of each host, which is not scaled. */
const longestMs = 120_000;

export async function measureProcesses(home) {
  const redis = await startRedis();
  const service = await startService(join(home, 'service'), { requestsPerMinute: limit, windowMs });
  const say = (words) => process.stderr.write(`  ${hosts.length} processes: ${words}\n`);
  const places = [];
  const hosts = [];
  for (let index = 0; index < singles + pairs; index += 1) {
    const place = {
      label: `folder${index}`,
      inbox: join(home, `inbox-${index}`),
      stateDir: join(home, `state-${index}`),
    };
    places.push(place);
    await mkdir(place.inbox, { recursive: true });
    for (let number = 0; number < documents; number += 1) await writeBacklog(place, number);
    for (let one = 0; one < (index < pairs ? 2 : 1); one += 1) {
      const cable = await cableTo(redis.port);
      const name = `host-${index}-${one}`;
      const at = { name, service, redisPort: cable.port, ...place, isScaled: true };
      hosts.push({ ...(await hostProcess(join(home, name), at)), cable, place, isBusy: false });
    }
  }
  redis.command('HSET', 'ingestd:{bench}:state', 'halted', '1');
  const arrivals = (since = 0) => sentTo(service).flatMap(({ atMs }) => (atMs >= since ? [atMs] : []));
  const names = () => service.documents().map(({ file }) => file.name);
  const reported = new Map();
  const counted = new Map();

  try {
    // Not all at once: each of them compiles the program.
    const starts = [...hosts];
    const startSome = async () => {
      for (let host = starts.shift(); host !== undefined; host = starts.shift()) {
        host.launch();
        await host.answers();
      }
    };
    await Promise.all([startSome(), startSome(), startSome()]);
    say('all answer');
    // None of them sends before the last one is there.
    redis.command('HDEL', 'ingestd:{bench}:state', 'halted');
    redis.command('HSET', 'ingestd:{bench}:state', 'resumed', '2');
    redis.command('PUBLISH', 'ingestd:{bench}:wake', 'ask');
    while (arrivals().length === 0) await delay(50);

    const begun = performance.now();
    let restarted = null;
    const under = { kills: 0, cuts: 0, freezes: 0 };
    const ongoing = [];
    while (performance.now() - begun < chaosMs) {
      await delay(chaosEveryMs);
      if (restarted === null && performance.now() - begun > chaosMs / 2) restarted = restart(redis);
      const idle = hosts.filter(({ isBusy }) => !isBusy);
      const host = idle[randomInt(idle.length)];
      if (host !== undefined) ongoing.push(harm(host, under));
    }
    await Promise.all([...ongoing, restarted]);
    await Promise.all(hosts.map((host) => host.answers()));
    say(`${under.kills} kills, ${under.cuts} cuts, ${under.freezes} freezes, one restart of Redis`);
    // Redis gives nothing for one window after its restart, and the dead have their permits for as long.
    await delay(windowMs * 1.5);

    const from = performance.now();
    const before = names().length;
    const lives = writeLive(places, measuredWindows * windowMs);
    await delay(measuredWindows * windowMs);
    const measured = arrivals(from);
    const used = usedOf(measured, { limit, windowMs });
    // Each has its part by what it has left to send. Documents lie in the order of their upload.
    const sentBefore = countBy(names().slice(0, before));
    const sentNow = countBy(names().slice(before));
    const parts = places.flatMap(({ label }) => {
      const left = documents - (sentBefore.get(label) ?? 0);
      return left > 0 ? [(sentNow.get(label) ?? 0) / left] : [];
    });
    const fairness = jain(parts);
    const written = await lives;

    say('the rest');
    const all = places.length * documents + liveChanges;
    const until = performance.now() + longestMs;
    while (new Set(names()).size < all && performance.now() < until) await delay(200);
    await delay(1_000);
    for (const name of names()) counted.set(name, (counted.get(name) ?? 0) + 1);
    const holders = [];
    for (const host of hosts) {
      const now = await host.answers();
      if (now.state === 'standby') continue;
      holders.push(host);
      for (const { path, copies } of now.duplicates) reported.set(path, copies);
      for (const { path } of now.inDoubt) reported.set(path, (reported.get(path) ?? 0) + 1);
    }
    const duplicates = [...counted].reduce((total, [, count]) => total + count - 1, 0);
    const unreported = [...counted].filter(([name, count]) => count - 1 > (reported.get(name) ?? 0));
    const waits = written.map(({ name, at }) => arrivalOf(service, name) - at);
    const missing = all - counted.size;
    const refused = service.requestLog().filter(({ status }) => status === 429).length;
    const what = (words) => `${hosts.length} processes: ${words}`;
    const most = mostInWindow(arrivals(), windowMs);
    const [median, high] = quantiles(waits, 0.5, 0.9);
    return [
      row(what('most requests in a window'), most, 'requests', atMost(limit, most)),
      row(what('requests answered with 429'), refused, 'requests', atMost(0, refused)),
      row(what('share of the window that is used once Redis is back'), used, '%', atLeast(98, used)),
      row(
        what(`Jain's index of the ${parts.length} folders that have a backlog, by its size`),
        fairness,
        '',
        {
          ...atLeast(0.97, fairness),
        },
      ),
      row(what('documents that were not delivered'), missing, 'documents', atMost(0, missing)),
      row(what('duplicates that are not reported'), unreported.length, 'documents', {
        ...atMost(0, unreported.length),
      }),
      row(
        what('duplicates that are reported, after kills in the middle of an upload'),
        duplicates,
        'documents',
      ),
      row(what('hosts that write'), holders.length, 'hosts', atMost(places.length, holders.length)),
      row(what('a new file until its request, median'), median, 'ms'),
      row(what('the same, nine of ten'), high, 'ms'),
    ];
  } catch (error) {
    for (const host of hosts) process.stderr.write(`${host.name}: ${host.said()}\n`);
    throw error;
  } finally {
    for (const host of hosts) host.cable.join();
    await Promise.all(hosts.map((host) => host.stop()));
    for (const host of hosts) host.cable.close();
    await service.close();
    await redis.kill();
  }
}

const writeBacklog = ({ label, inbox }, number) =>
  writeFile(join(inbox, `${label}-${number}.txt`), `${label} ${number}\n`.repeat(200));

/** New files, one after the other, while all have a backlog. */
async function writeLive(places, withinMs) {
  const written = [];
  for (let count = 0; count < liveChanges; count += 1) {
    const { inbox } = places[randomInt(places.length)];
    const name = `live-${count}.txt`;
    written.push({ name, at: Date.now() });
    await writeFile(join(inbox, name), `live ${count}\n`);
    await delay(withinMs / liveChanges / 2 + randomInt(withinMs / liveChanges / 2));
  }
  return written;
}

function arrivalOf(service, name) {
  const document = service.documents().find(({ file }) => file.name === name);
  return document === undefined ? Infinity : Date.parse(document.uploadedAt);
}

async function restart(redis) {
  await redis.kill();
  await delay(1_500);
  await redis.start();
}

/** One thing that goes wrong on a host, until it is over. */
async function harm(host, under) {
  host.isBusy = true;
  const kind = randomInt(3);
  if (kind === 0) {
    under.kills += 1;
    await host.kill();
    await delay(randomInt(4_000));
    host.launch();
    await host.answers();
  } else if (kind === 1) {
    under.cuts += 1;
    host.cable.cut();
    await delay(500 + randomInt(8_000));
    host.cable.join();
  } else {
    under.freezes += 1;
    host.signal('SIGSTOP');
    await delay(500 + randomInt(6_000));
    host.signal('SIGCONT');
  }
  host.isBusy = false;
}

const labelOf = (name) => name.slice(0, name.lastIndexOf('-'));

function countBy(names) {
  const counts = new Map();
  for (const name of names) counts.set(labelOf(name), (counts.get(labelOf(name)) ?? 0) + 1);
  return counts;
}
