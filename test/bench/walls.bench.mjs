// What another user of the machine can do in a folder that he may write to, beside the same run without it: the memory
// of the daemon, its answers on /healthz, and how long a document of another folder takes.
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { inTemporaryDirectory, installDaemon, memoryOf, quantiles, startService } from './world.mjs';

const settleMs = 1_000;
/** The attack is watched for so many documents of the other folder, one after the other. */
const rounds = 10;
const documents = 600;
const directories = 3_000;
/** Just below the 256 KiB that a sidecar may have. */
const sidecarBytes = 249 * 1024;

/** What is written into the folder `shared`. */
const attacks = [
  {
    what: `${documents} links to a sidecar of 249 KiB in small elements`,
    act: (folder, isAttack) => writeDocuments(folder, isAttack ? sidecarOf(12) : '{}'),
  },
  {
    what: `${documents} links to a sidecar of 249 KiB in large elements`,
    act: (folder, isAttack) => writeDocuments(folder, isAttack ? sidecarOf(270) : '{}'),
  },
  {
    what: `${directories} links to an ignore file of 1,000 patterns`,
    act: (folder, isAttack) =>
      writeDirectories(
        folder,
        Array.from({ length: isAttack ? 1_000 : 1 }, (_, at) => `*.${at}x`).join('\n'),
      ),
  },
];

export async function run() {
  const rows = [];
  for (const { what, act } of attacks) {
    const usual = await inTemporaryDirectory((home) => measure(home, (folder) => act(folder, false)));
    const attacked = await inTemporaryDirectory((home) => measure(home, (folder) => act(folder, true)));
    rows.push(...rowsOf(what, usual, attacked));
  }
  return rows;
}

function rowsOf(name, usual, attacked) {
  const row = (what, measured, unit, [against, limit, ok]) => ({
    what: `${name}: ${what}`,
    measured,
    unit,
    against,
    ratio: measured / against,
    limit,
    ok,
  });
  return [
    row('memory at the peak', attacked.memory, 'MB', [
      usual.memory,
      '200 MB more',
      attacked.memory <= usual.memory + 200,
    ]),
    row('/healthz, the slowest answer', attacked.slowest, 'ms', [
      usual.slowest,
      '500 ms',
      attacked.slowest <= 500,
    ]),
    row('/healthz, 99th percentile', attacked.p99, 'ms', [usual.p99, '50 ms', attacked.p99 <= 50]),
    row('a document of another folder, the slowest', attacked.document, 'ms', [
      usual.document,
      '2 ×',
      attacked.document <= 2 * usual.document,
    ]),
  ];
}

async function measure(home, act) {
  const service = await startService(join(home, 'service'));
  const daemon = await installDaemon(home, service, {
    folders: ['inbox', 'shared'].map((name) => ({ name, path: `./${name}` })),
    timing: { settleMs },
  });
  const running = await daemon.start();
  await running.until(({ state }) => state === 'idle');
  const probe = new Worker(new URL(import.meta.url), { workerData: await running.address() });
  await act(join(home, 'shared'));
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await writeFile(join(home, 'inbox', `${round}.txt`), `text ${round}`);
    await running.until(({ folders }) => folders.find(({ name }) => name === 'inbox').synced > round);
    times.push(performance.now() - began);
  }
  // What is left of the attack counts, too.
  await running.until(({ state }) => state === 'idle');
  probe.postMessage('stop');
  const answers = await new Promise((resolve) => {
    probe.once('message', resolve);
  });
  const memory = await memoryOf(running.pid, 'VmHWM');
  await running.stop();
  await service.close();
  const [p99] = quantiles(answers, 0.99);
  return { memory, p99, slowest: Math.max(...answers), document: Math.max(...times) };
}

/** Asks for /healthz until it is told to stop. In a thread of its own: the service works in the other one. */
async function probe(address) {
  const times = [];
  const end = new AbortController();
  parentPort.once('message', () => end.abort());
  while (!end.signal.aborted) {
    const began = performance.now();
    await (await fetch(`${address}/healthz`)).text();
    times.push(performance.now() - began);
    await delay(5);
  }
  parentPort.postMessage(times);
}

async function writeDocuments(folder, sidecar) {
  await writeFile(join(folder, '0.txt.meta.json'), sidecar);
  await writeFile(join(folder, '0.txt'), 'text 0');
  for (let at = 1; at < documents; at += 1) {
    await link(join(folder, '0.txt.meta.json'), join(folder, `${at}.txt.meta.json`));
    await writeFile(join(folder, `${at}.txt`), `text ${at}`);
  }
}

async function writeDirectories(folder, rules) {
  await writeFile(join(folder, '.ingestignore'), rules);
  for (let at = 0; at < directories; at += 1) {
    await mkdir(join(folder, `${at}`));
    await link(join(folder, '.ingestignore'), join(folder, `${at}`, '.ingestignore'));
    await writeFile(join(folder, `${at}`, 'file.xyz'), 'no document');
  }
}

/** Companies with names of this length, as many as there is room for. */
function sidecarOf(length) {
  const companies = [];
  for (let bytes = 20; bytes + length + 14 < sidecarBytes; bytes += length + 13)
    companies.push({ value: String(companies.length).padEnd(length, 'x') });
  return JSON.stringify({ companies });
}

if (!isMainThread) await probe(workerData);
