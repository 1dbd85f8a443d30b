// Many documents: npm run bench -- size [--files 100000] [--rounds 5] [--idle-seconds 60]. Needs Debian's rclone and
// rsync. Every round measures each thing once, in another order than the round before; medians of the rounds are
// compared.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { directoriesOf, makeWorld, timeOf } from './size-world.mjs';

const askedAt = 100_000;
/** How long the peak of memory is awaited after the work is done, ms. */
const afterwards = 5_000;

export async function run({ files = askedAt, rounds = 5, idleSeconds = 60 } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'ingestd-size-'));
  try {
    const world = await makeWorld(home, files);
    const before = world.requests();
    const imported = await repeat(rounds, () => firstInspection(world));
    const starts = await interleaved(rounds, {
      find: () => timeOf('find', [world.inbox, '-printf', '%p %s %T@ %i\\n']),
      rclone: () => timeOf('rclone', ['sync', '--dry-run', world.inbox, world.copy]),
      rsync: () => timeOf('rsync', ['-an', world.inbox, world.copy]),
      ingestd: () => unchanged(world),
    });
    const idle = await idleCost(world, idleSeconds);
    const requests = world.requests() - before;
    const backlog = await repeat(rounds, () => newFiles(world, files));
    await world.close();
    return rowsOf({ files, imported, starts, idle, requests, backlog });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function rowsOf({ files, imported, starts, idle, requests, backlog }) {
  const name = files.toLocaleString('en');
  const asked = (limit) => (files === askedAt ? limit : undefined);
  const ms = median(starts.ingestd.map((start) => start.ms));
  const besides = (tool, most) => {
    const against = median(starts[tool]);
    const limit = asked(most);
    return {
      what: `${name} unchanged, from start until idle, beside ${tool}`,
      measured: ms,
      unit: 'ms',
      against,
      ratio: ms / against,
      limit: limit === undefined ? null : `at most ${limit} times`,
      ok: limit === undefined ? null : ms <= limit * against,
    };
  };
  const peak = (runs) => median(runs.map((run) => run.peak));
  const { folder } = starts.ingestd[0];
  const resting = asked(idle);
  return [
    besides('rclone', 1.0),
    besides('rsync', 1.5),
    besides('find'),
    row(`${name} unchanged: memory at the peak`, peak(starts.ingestd), 'MB', asked(220)),
    row(`${name} unchanged: watches beyond one a directory`, folder.watches - directoriesOf(files), '', 0),
    row(`${name} unchanged: documents not found as they were`, files - folder.synced, '', 0),
    row(`${name} unchanged: requests, after the import too`, requests, '', 0),
    row(`${name} unchanged: processor while idle`, idle.percent, '% of a core', resting && 0.5),
    row(`${name} unchanged: memory when it has been idle`, idle.memory, 'MB', resting && 180),
    row(`${name} new, waiting at 50 a minute: memory at the peak`, peak(backlog), 'MB', asked(190)),
    row(
      `${name} new: /healthz at the 99th percentile meanwhile`,
      median(backlog.map(({ p99 }) => p99)),
      'ms',
      asked(100),
    ),
    row(`${name} imported, first run until idle`, median(imported.map((run) => run.ms)), 'ms'),
    row(`${name} imported, first run: memory at the peak`, peak(imported), 'MB', asked(250)),
  ];
}

/** The first run after `ledger import`, which reads every file once; its state is what later starts find. */
async function firstInspection(world) {
  await world.forget();
  await world.importLedger();
  const { ms, peak } = await unchanged(world);
  return { ms, peak };
}

async function unchanged(world) {
  const daemon = await world.start();
  const { ms } = await daemon.until();
  await delay(afterwards);
  const { peak } = await daemon.memory();
  const [folder] = (await daemon.status()).folders;
  await daemon.stop();
  return { ms, peak, folder };
}

async function idleCost(world, seconds) {
  const daemon = await world.start();
  await daemon.until();
  await delay(5_000);
  const before = await daemon.cpuMs();
  await delay(seconds * 1_000);
  const spent = (await daemon.cpuMs()) - before;
  const { now } = await daemon.memory();
  await daemon.stop();
  return { percent: spent / seconds / 10, memory: now };
}

/** Nothing is known: everything is found, and waits for its minute. */
async function newFiles(world, files) {
  await world.forget();
  const daemon = await world.start();
  const address = await daemon.address();
  const waits = [];
  const found = daemon.until(
    ({ folders: [{ state, pending, waiting, synced }] }) =>
      state !== 'scanning' && pending + waiting + synced >= files,
  );
  do {
    const began = performance.now();
    await (await fetch(`${address}/healthz`)).text();
    waits.push(performance.now() - began);
  } while ((await Promise.race([found, delay(5, null)])) === null || waits.length < 200);
  await delay(afterwards);
  const { peak } = await daemon.memory();
  await daemon.stop();
  waits.sort((a, b) => a - b);
  return { peak, p99: waits[Math.floor(waits.length * 0.99)] };
}

async function repeat(rounds, measure) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) results.push(await measure());
  return results;
}

/** Each of `measures` once a round, beginning with another one each round. */
async function interleaved(rounds, measures) {
  const names = Object.keys(measures);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      results[name].push(await measures[name]());
    }
  }
  return results;
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
}

function row(what, measured, unit, limit) {
  const none = limit === undefined;
  return {
    what,
    measured,
    unit,
    against: null,
    ratio: null,
    limit: none ? null : `at most ${limit}`,
    ok: none ? null : measured <= limit,
  };
}
