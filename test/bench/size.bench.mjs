// Many documents, on the built program: npm run build && node test/bench/size.bench.mjs [10000 100000 500000].
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { makeTree, makeWorld, timeOf } from './size-world.mjs';

const starts = 3;
const idleSeconds = 60;
const small = 1;
const middle = 100_000;
const megabytes = { 100_000: { peak: 220, after: 180 }, 500_000: { peak: 600, after: 600 } };

/** Measures trees of so many documents; 100,000 are looked at more closely. */
export async function run({ counts = [small, 10_000, middle, 500_000] } = {}) {
  const rows = [];
  const warm = new Map();
  for (const count of counts) {
    const home = await mkdtemp(join(tmpdir(), 'ingestd-size-'));
    try {
      await makeTree(home, count);
      const world = await makeWorld(home);
      if (count === middle) rows.push(...(await firstSweep(world)));
      await world.forget();
      await world.seed();
      warm.set(count, await warmStarts(world));
      rows.push(...startRows(count, warm.get(count)));
      if (count === small || count === middle) rows.push(...(await idleRows(world, count)));
      await world.close();
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  }
  return [...rows, ...growth(warm)];
}

/** The best start of a few, each beside walks of the same tree at the same time. */
async function warmStarts(world) {
  const found = [];
  const before = world.requests();
  for (let number = 0; number < starts; number += 1) {
    const find = await timeOf('find', [world.inbox, '-printf', '%p %s %T@ %i\\n']);
    const rsync = await timeOf('rsync', ['-a', '--delete', '--dry-run', `${world.inbox}/`, world.twin]).catch(
      () => null,
    );
    const daemon = await world.start();
    const { ms } = await daemon.until();
    await delay(2_000);
    const { peak } = await daemon.memory();
    const [folder] = (await daemon.status()).folders;
    const { stalls, max } = await daemon.stop();
    found.push({ find, rsync, ms, peak, folder, longest: longest(stalls), max });
  }
  const least = (pick) => Math.min(...found.map(pick));
  const [first] = found.sort((one, other) => one.ms / one.find - other.ms / other.find);
  return {
    ...first,
    longest: least((one) => one.longest),
    requests: world.requests() - before,
  };
}

function startRows(count, { find, rsync, ms, peak, folder, longest, requests }) {
  const name = count.toLocaleString('en');
  const limits = megabytes[count];
  const asked = count === middle;
  const directories = directoriesOf(count);
  return [
    {
      what: `${name} unchanged, process start to idle, beside find -printf`,
      measured: ms,
      unit: 'ms',
      against: find,
      ratio: ms / find,
      limit: asked ? '4 times' : null,
      ok: asked ? ms <= 4 * find : null,
    },
    ...(rsync === null
      ? []
      : [
          {
            what: `${name} unchanged, process start to idle, beside rsync --dry-run`,
            measured: ms,
            unit: 'ms',
            against: rsync,
            ratio: ms / rsync,
            limit: asked ? '1.3 times' : null,
            ok: asked ? ms <= 1.3 * rsync : null,
          },
        ]),
    row(`${name}: memory at the peak`, peak, 'MB', limits?.peak),
    row(`${name}: longest hold of the event loop at the start`, longest, 'ms', asked ? 50 : undefined),
    row(`${name}: watches beyond one a directory`, folder.watches - directories, '', 0),
    row(`${name}: documents not found as they were`, count - folder.synced, '', 0),
    row(`${name}: requests`, requests, '', 0),
  ];
}

/** All documents are new: how long the status address takes meanwhile. */
async function firstSweep(world) {
  const daemon = await world.start();
  const address = await daemon.address();
  const waits = [];
  const found = daemon.until(({ folders: [folder] }) => folder.pending + folder.waiting >= middle);
  do {
    const began = performance.now();
    await (await fetch(`${address}/healthz`)).text();
    waits.push(performance.now() - began);
  } while ((await Promise.race([found, delay(5, null)])) === null || waits.length < 200);
  const { stalls } = await daemon.stop();
  waits.sort((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)];
  return [
    row('first sweep of 100,000: /healthz at the 99th percentile', p99, 'ms', 100),
    row('first sweep of 100,000: longest hold of the event loop', longest(stalls), 'ms', 50),
  ];
}

async function idleRows(world, count) {
  const name = count.toLocaleString('en');
  const daemon = await world.start({ watched: false });
  await daemon.until();
  await delay(5_000);
  const before = await daemon.cpuMs();
  await delay(idleSeconds * 1_000);
  const spent = (await daemon.cpuMs()) - before;
  // By now V8 has given back what the start took.
  const { now } = await daemon.memory();
  await daemon.stop();
  return [
    row(`${name}: processor while idle`, spent / idleSeconds / 10, '% of a core', 0.5),
    row(`${name}: memory after a minute`, now, 'MB', megabytes[count]?.after),
  ];
}

/** How the cost grows with the number of documents. */
function growth(warm) {
  const counts = [...warm.keys()].filter((count) => count >= 10_000);
  return counts.slice(1).map((count, index) => {
    const less = counts[index];
    const from = warm.get(less);
    const to = warm.get(count);
    const factor = to.ms / to.find / (from.ms / from.find);
    return {
      what: `${count.toLocaleString('en')} beside ${less.toLocaleString('en')}: time in times of find`,
      measured: to.ms / to.find,
      unit: 'times',
      against: from.ms / from.find,
      ratio: factor,
      limit: 'no more than in proportion',
      ok: factor <= 1.1,
    };
  });
}

/** The longest that the main thread itself was at work without a turn of its loop, ms. */
function longest(stalls) {
  return Math.max(0, ...stalls.map(({ own }) => own));
}

function directoriesOf(count) {
  const leaves = Math.ceil(count / 100);
  return 1 + leaves + Math.ceil(leaves / 10);
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

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const counts = process.argv.slice(2).map(Number);
  const rows = await run(counts.length === 0 ? {} : { counts });
  for (const { what, measured, unit, ratio, limit, ok } of rows) {
    const beside = ratio === null ? '' : ` (${ratio.toFixed(2)} times)`;
    const verdict = ok === null ? '' : ok ? ' ok' : ' NOT OK';
    process.stdout.write(
      `${what}: ${measured.toFixed(1)} ${unit}${beside}${limit === null ? '' : `, ${limit}`}${verdict}\n`,
    );
  }
  process.exit(rows.some(({ ok }) => ok === false) ? 1 : 0);
}
