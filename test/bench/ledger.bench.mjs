import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { openLedger } from '../../build/ledger/open-ledger.js';
import { quantiles } from './world.mjs';

const COMMITS = 400;
const WARM_UP = 100;
const DIRECTORY_FILES = 90;

const quiet = () => undefined;
const options = {
  log: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet },
  clock: { now: Date.now, monotonic: () => performance.now(), after: () => quiet },
};

/**
 * The ledger at each size: commit beside a write and fdatasync of the same bytes, taken in turn; load; a snapshot with
 * commits beside it.
 */
export async function run() {
  const figures = [];
  for (const documents of [1_000, 100_000]) figures.push(await measure(documents));
  const [small, large] = figures;
  return [
    ...figures.flatMap(rowsOf),
    {
      what: 'commit at 100,000 documents beside 1,000, median',
      measured: large.commitP50Ms,
      unit: 'ms',
      against: `${small.commitP50Ms.toFixed(2)} ms`,
      ratio: large.commitP50Ms / small.commitP50Ms,
      limit: '2 ×',
      ok: large.commitP50Ms <= 2 * small.commitP50Ms,
    },
  ];
}

function rowsOf(at) {
  const count = at.documents.toLocaleString('en');
  const row = (what, measured, unit, [against, ratio, limit, ok]) => ({
    what: `${what}, ${count} documents`,
    measured,
    unit,
    against,
    ratio,
    limit,
    ok,
  });
  return [
    row('commit, median', at.commitP50Ms, 'ms', [
      `write + fdatasync: ${at.rawP50Ms.toFixed(2)} ms`,
      at.commitRatio,
      '3 ×',
      at.commitRatio <= 3,
    ]),
    row('commit, 99th percentile', at.commitP99Ms, 'ms', [
      `write + fdatasync: ${at.rawP99Ms.toFixed(2)} ms`,
      at.commitP99Ms / at.rawP99Ms,
      null,
      null,
    ]),
    row('bytes written by a commit', at.bytesPerCommit, 'B', [
      null,
      null,
      '1 KB',
      at.bytesPerCommit <= 1_024,
    ]),
    row('load', at.loadMs, 'ms', [null, null, null, null]),
    row('snapshot with commits beside it', at.snapshotMs, 'ms', [
      `longest stall ${at.snapshotStallMs.toFixed(1)} ms`,
      null,
      'stall 50 ms',
      at.snapshotStallMs <= 50,
    ]),
  ];
}

async function measure(documents) {
  const dir = await mkdtemp(join(tmpdir(), 'ingestd-bench-'));
  try {
    await seed(dir, documents);
    const stall = monitorEventLoopDelay({ resolution: 1 });
    stall.enable();
    const began = performance.now();
    const ledger = await openLedger({ ...options, dir });
    const loadMs = performance.now() - began;
    const commit = await commits(ledger, dir);
    stall.reset();
    const snapshotMs = await snapshot(ledger, dir);
    const snapshotStallMs = stall.max / 1e6;
    return {
      documents,
      loadMs,
      ...commit,
      snapshotMs,
      snapshotStallMs,
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function seed(dir, documents) {
  const ledger = await openLedger({ ...options, dir });
  for (let first = 0; first < documents; first += 1_000) {
    await ledger.commit(
      Array.from({ length: Math.min(1_000, documents - first) }, (_, index) => put(first + index)),
    );
  }
  await ledger.close();
  // The seeding's last journal would be replayed too: a start after a clean stop has none to speak of.
  const again = await openLedger({ ...options, dir, compactAfterBytes: 1 });
  await again.close();
}

async function commits(ledger, dir) {
  const raw = openSync(join(dir, 'raw'), 'w');
  const journal = { before: await journalBytes(dir) };
  const ours = [];
  const theirs = [];
  const bytes = Buffer.alloc(430, 'x');
  for (let number = 0; number < COMMITS + WARM_UP; number += 1) {
    let began = performance.now();
    await ledger.commit([put(number)]);
    ours.push(performance.now() - began);
    began = performance.now();
    writeSync(raw, bytes);
    fdatasyncSync(raw);
    theirs.push(performance.now() - began);
  }
  closeSync(raw);
  const bytesPerCommit = ((await journalBytes(dir)) - journal.before) / (COMMITS + WARM_UP);
  const [p50, p99] = quantiles(ours.slice(WARM_UP), 0.5, 0.99);
  const [rawP50, rawP99] = quantiles(theirs.slice(WARM_UP), 0.5, 0.99);
  return {
    commitP50Ms: p50,
    commitP99Ms: p99,
    rawP50Ms: rawP50,
    rawP99Ms: rawP99,
    commitRatio: p50 / rawP50,
    bytesPerCommit,
  };
}

async function journalBytes(dir) {
  const names = (await readdir(dir)).filter((name) => name.startsWith('ledger.journal.'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A compaction with commits going on beside it. */
async function snapshot(ledger, dir) {
  await ledger.close();
  const again = await openLedger({ ...options, dir, compactAfterBytes: 1 });
  const began = performance.now();
  for (let number = 0; number < 20; number += 1) await again.commit([put(number)]);
  await again.close();
  return performance.now() - began;
}

function put(number) {
  const name = `document-number-${number}.pdf`;
  const path = `${Math.floor(number / DIRECTORY_FILES) % 11}/directory-${Math.floor(number / DIRECTORY_FILES)}/${name}`;
  const record = {
    docId: `d0c00000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    sha256: Math.imul(number, 0x9e3779b1).toString(16).replace('-', '').padStart(8, '0').repeat(8),
    stat: {
      size: number,
      mtimeMs: 1_760_000_000_000.25 + number,
      ctimeMs: 1_760_000_000_001.5 + number,
      birthtimeMs: 1_759_000_000_000.125 + number,
      ino: 4_000_000 + number,
      dev: 65_025,
    },
    fingerprint: 'c0ffee',
    fileName: name,
    attachments: [],
    metadata: { title: name.slice(0, -4), createdTimestamp: '2025-10-09T08:53:20Z' },
    uploadedAt: new Date(1_760_000_000_000 + number).toISOString(),
    modifiedAt: null,
    possibleDuplicates: 0,
  };
  return { kind: 'put', ref: { folder: 'inbox', path }, record };
}
