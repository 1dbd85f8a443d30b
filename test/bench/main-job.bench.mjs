// The main job, measured on the built program (npm run build): node test/bench/main-job.bench.mjs [soak]
// Prints one JSON object. `soak` adds 130 files at 50 a minute, which takes more than two minutes.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startEmbeddedService } from '../../dist/embedded/embedded-service.js';
import { systemClock } from '../../dist/daemon/system-clock.js';

const program = new URL('../../dist/main.js', import.meta.url).pathname;
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const run = promisify(execFile);
const mebibyte = 1024 * 1024;

async function world({ requestsPerMinute = 1_000_000, settleMs = 100 } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'ingestd-bench-'));
  await mkdir(join(home, 'inbox'));
  const service = await startEmbeddedService({
    dataDir: join(home, 'service'),
    clock: systemClock,
    log: silent,
    requestsPerMinute,
  });
  const configuration = {
    service: { authUrl: service.authUrl, ingestUrl: service.ingestUrl, requestsPerMinute },
    folders: [{ name: 'inbox', path: './inbox' }],
    state: { dir: './state' },
    timing: { settleMs, removeGraceMs: 500 },
    http: { port: 0 },
  };
  await writeFile(join(home, 'ingestd.yaml'), JSON.stringify(configuration));
  const { apiKey, clientId, clientSecret, username, password } = service.credentials;
  const env = {
    PATH: process.env.PATH,
    INGESTD_API_KEY: apiKey,
    INGESTD_CLIENT_ID: clientId,
    INGESTD_CLIENT_SECRET: clientSecret,
    INGESTD_USERNAME: username,
    INGESTD_PASSWORD: password,
  };
  const start = (...words) =>
    spawn(process.execPath, [program, ...words, '--config', join(home, 'ingestd.yaml')], {
      env,
      stdio: 'ignore',
    });
  const status = async () => {
    const { http } = JSON.parse(await readFile(join(home, 'state/daemon.json'), 'utf8'));
    return (await fetch(`${http}/api/status`)).json();
  };
  return {
    home,
    service,
    start,
    inbox: (name) => join(home, 'inbox', name),
    until: async (ready) => {
      for (;;) {
        const now = await status().catch(() => null);
        if (now !== null && ready(now)) return now;
        await delay(20);
      }
    },
    sent: () => service.requestLog().filter(({ operation }) => operation !== 'auth'),
    close: async () => {
      await service.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

const ended = (child) => new Promise((resolve) => child.once('exit', resolve));

async function memoryOf(pid, key) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${key}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
}

/** From a settled file to its request at the service, nothing waiting; ms on top of settleMs. */
async function latency() {
  const settleMs = 100;
  const at = await world({ settleMs });
  const child = at.start('run');
  await at.until(({ state }) => state === 'idle');
  const figures = [];
  for (let index = 0; index < 40; index += 1) {
    const before = at.sent().length;
    await writeFile(at.inbox(`${index}.txt`), `text ${index}`);
    const written = performance.now();
    while (at.sent().length === before) await delay(1);
    figures.push(at.sent()[before].atMs - written - settleMs);
    await at.until(({ state, totals }) => state === 'idle' && totals.uploaded === index + 1);
  }
  child.kill('SIGTERM');
  await ended(child);
  await at.close();
  figures.sort((a, b) => a - b);
  return { medianMs: figures[20], p95Ms: figures[38] };
}

/** A second pass over unchanged files: requests, and bytes read beside the size of the files. */
async function warmRestart(files = 10_000, bytes = 20_000) {
  const at = await world({ settleMs: 0 });
  for (let index = 0; index < files; index += 1) {
    if (index % 100 === 0) await mkdir(at.inbox(`${index / 100}`));
    await writeFile(at.inbox(`${Math.floor(index / 100)}/${index}.txt`), String(index).padEnd(bytes, '.'));
  }
  await ended(at.start('sync'));
  const before = at.sent().length;
  const begun = performance.now();
  const child = at.start('run');
  const now = await at.until(({ state }) => state === 'idle');
  const idleMs = performance.now() - begun;
  const io = await readFile(`/proc/${child.pid}/io`, 'utf8');
  const readMb = Number(/rchar: (\d+)/.exec(io)?.[1]) / 1e6;
  const peakMb = await memoryOf(child.pid, 'VmHWM');
  child.kill('SIGTERM');
  await ended(child);
  const requests = at.sent().length - before;
  await at.close();
  return {
    files,
    synced: now.folders[0].synced,
    requests,
    readMb,
    filesMb: (files * bytes) / 1e6,
    idleMs,
    peakMb,
  };
}

/** Four files of 149 MiB at once, beside four `curl -F` of the same files. */
async function largeFiles() {
  const at = await world({ settleMs: 0 });
  const sizes = 149 * mebibyte;
  const child = at.start('run');
  await at.until(({ state }) => state === 'idle');
  const idleMb = await memoryOf(child.pid, 'VmRSS');
  const names = [0, 1, 2, 3].map((index) => `${index}.pdf`);
  await mkdir(join(at.home, 'apart'));
  for (const name of names) {
    await writeFile(join(at.home, 'apart', name), '');
    await truncate(join(at.home, 'apart', name), sizes);
  }
  const { apiKey, clientId, clientSecret, username, password } = at.service.credentials;
  const answer = await fetch(`${at.service.authUrl}/auth`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: new URLSearchParams({
      grant_type: 'password',
      username,
      password,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  const { access_token: token } = await answer.json();
  const curlBegun = performance.now();
  await Promise.all(
    names.map((name) =>
      run('curl', [
        '--silent',
        '--output=/dev/null',
        '--form=metadata={}',
        `--form=file=@${join(at.home, 'apart', name)}`,
        `--header=Authorization: Bearer ${token}`,
        `--header=ClientId: ${clientId}`,
        `${at.service.ingestUrl}/services/i/ingestion-api/v1/upload-document`,
      ]),
    ),
  );
  const curlMs = performance.now() - curlBegun;
  const before = at.sent().length;
  await run('bash', ['-c', `cp -a --sparse=always ${join(at.home, 'apart')}/. ${at.inbox('')}`]);
  await at.until(({ totals }) => totals.uploaded === 4);
  const done = performance.now();
  const first = at.sent()[before].atMs;
  const peakMb = await memoryOf(child.pid, 'VmHWM');
  child.kill('SIGTERM');
  await ended(child);
  await at.close();
  const oursMs = done - first;
  return { idleMb, peakMb, aboveIdleMb: peakMb - idleMb, curlMs, oursMs, ofCurl: curlMs / oursMs };
}

/** 130 files at 50 in any sliding minute. */
async function soak() {
  const at = await world({ requestsPerMinute: 50 });
  for (let index = 0; index < 130; index += 1) await writeFile(at.inbox(`${index}.txt`), `text ${index}`);
  const begun = performance.now();
  const child = at.start('run');
  await at.until(({ totals }) => totals.uploaded === 130);
  const sent = at.sent();
  const refused = sent.filter(({ status }) => status === 429).length;
  child.kill('SIGTERM');
  await ended(child);
  await at.close();
  return {
    refused,
    first50Seconds: (sent[49].atMs - begun) / 1000,
    all130Seconds: (sent[129].atMs - begun) / 1000,
  };
}

const result = { latency: await latency(), warmRestart: await warmRestart(), largeFiles: await largeFiles() };
if (process.argv.includes('soak')) result.soak = await soak();
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
