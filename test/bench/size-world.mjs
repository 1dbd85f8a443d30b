// A folder of many documents, a ledger that knows them, and the real program on both.
import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { loadConfiguration } from '../../build/config/load-configuration.js';
import { systemClock } from '../../build/daemon/system-clock.js';
import { startEmbeddedService } from '../../build/embedded/embedded-service.js';
import { openFolder } from '../../build/scan/folder.js';
import { openLedger } from '../../build/ledger/open-ledger.js';

const program = new URL('../../dist/main.js', import.meta.url).pathname;
const watcher = new URL('./watch-event-loop.mjs', import.meta.url).href;
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const run = promisify(execFile);
const perDirectory = 100;
const perParent = 10;

/** `count` documents, a hundred in a directory, ten directories in one above; and hard links of all for rsync. */
export async function makeTree(home, count) {
  const inbox = join(home, 'inbox');
  if ((await stat(join(home, 'twin')).catch(() => null)) !== null) return;
  for (let first = 0; first < count; first += perDirectory) {
    const place = first / perDirectory;
    const directory = join(inbox, `year-${Math.floor(place / perParent)}`, `month-${place % perParent}`);
    mkdirSync(directory, { recursive: true });
    for (let at = first; at < Math.min(count, first + perDirectory); at += 1)
      writeFileSync(join(directory, `report-${String(at).padStart(6, '0')}.pdf`), 'x');
    if (place % 100 === 0) await delay(0);
  }
  await mkdir(inbox, { recursive: true });
  await run('cp', ['-al', inbox, join(home, 'twin')]);
}

/** A service without work, and the configuration of a daemon that knows it. */
export async function makeWorld(home) {
  const service = await startEmbeddedService({
    dataDir: join(home, 'service'),
    clock: systemClock,
    log: silent,
    requestsPerMinute: 50,
  });
  const file = join(home, 'ingestd.yaml');
  const { authUrl, ingestUrl, credentials } = service;
  const folders = [{ name: 'inbox', path: './inbox' }];
  const configuration = {
    service: { authUrl, ingestUrl },
    folders,
    state: { dir: './state' },
    http: { port: 0 },
  };
  await writeFile(file, JSON.stringify(configuration));
  const env = {
    PATH: process.env.PATH,
    INGESTD_API_KEY: credentials.apiKey,
    INGESTD_CLIENT_ID: credentials.clientId,
    INGESTD_CLIENT_SECRET: credentials.clientSecret,
    INGESTD_USERNAME: credentials.username,
    INGESTD_PASSWORD: credentials.password,
  };
  const state = join(home, 'state');
  return {
    home,
    service,
    inbox: join(home, 'inbox'),
    twin: join(home, 'twin/'),
    forget: () => rm(state, { recursive: true, force: true }),
    seed: () => seed(file, env, state),
    /** `watched` false: nothing is loaded into the process to watch its event loop. */
    start: ({ watched = true } = {}) => start({ file, env, state, home, watched }),
    requests: () => service.requestLog().filter(({ operation }) => operation !== 'auth').length,
    close: () => service.close(),
  };
}

/** Sweeps the folder as the daemon would, and writes a ledger in which all of it has been sent. */
async function seed(file, env, state) {
  const { settings } = await loadConfiguration({ file, env, cwd: '/' });
  const ledger = await openLedger({ dir: state, clock: systemClock, log: silent });
  const folder = openFolder({
    settings: settings.folders[0],
    timing: settings.timing,
    maxFileBytes: settings.service.maxFileMegabytes * 1024 * 1024,
    stateDir: state,
    clock: systemClock,
    log: silent,
  });
  let found = [];
  let commits = Promise.resolve();
  let count = 0;
  await folder.start({
    changed() {},
    scanned() {},
    directory: ({ entries }) => {
      for (const { path, stamp, context } of entries) {
        count += 1;
        found.push({
          kind: 'put',
          ref: { folder: 'inbox', path },
          record: recordOf(path, stamp, context, count),
        });
      }
      if (found.length < 5_000) return;
      const changes = found;
      found = [];
      commits = commits.then(() => ledger.commit(changes));
    },
  });
  await commits;
  await ledger.commit(found);
  await folder.close();
  await ledger.close();
}

function recordOf(path, stamp, context, number) {
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return {
    docId: `7b9f0c1e-52a4-4d1b-9c3e-${number.toString(16).padStart(12, '0')}`,
    sha256: number.toString(16).padStart(64, 'a'),
    stamp,
    context,
    fileName,
    attachments: [],
    metadata: {
      title: fileName.slice(0, -4),
      createdTimestamp: new Date(Math.floor(stamp.mtimeMs)).toISOString(),
    },
    uploadedAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: null,
    possibleDuplicates: 0,
  };
}

async function start({ file, env, state, home, watched }) {
  const loopFile = join(home, `loop-${Date.now()}.json`);
  await rm(join(state, 'daemon.json'), { force: true });
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...(watched ? ['--import', `${watcher}?${encodeURIComponent(loopFile)}`] : []),
      program,
      'run',
      '--config',
      file,
    ],
    { env, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let http = null;
  const address = async () => {
    while (http === null) {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
      await delay(5);
      http = await readFile(join(state, 'daemon.json'), 'utf8').then(
        (text) => JSON.parse(text).http,
        () => null,
      );
    }
    return http;
  };
  const status = async () => (await fetch(`${await address()}/api/status`)).json();
  return {
    pid: child.pid,
    address,
    status,
    /** Ms from the start of the process until `ready` holds. */
    until: async (ready = ({ state }) => state === 'idle') => {
      for (;;) {
        const now = await status().catch(() => null);
        const ms = performance.now() - began;
        if (now !== null && ready(now)) return { ms, status: now };
        if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
        await delay(20);
      }
    },
    memory: () => memoryOf(child.pid),
    cpuMs: () => cpuOf(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      const code = await ended;
      if (!watched) return { code, stalls: [] };
      const loop = JSON.parse(await readFile(loopFile, 'utf8'));
      await rm(loopFile);
      return { code, ...loop };
    },
  };
}

/** Megabytes resident: now and at the most. */
async function memoryOf(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (key) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

async function cpuOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Ms of a command, the shortest of `times`. */
export async function timeOf(command, args, times = 3) {
  let best = Infinity;
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await new Promise((resolve, reject) => {
      const child = spawn(command, args, { stdio: 'ignore' });
      child.once('error', reject);
      child.once('exit', resolve);
    });
    best = Math.min(best, performance.now() - began);
  }
  return best;
}
