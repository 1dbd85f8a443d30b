// A folder of many documents, a ledger that knows them, and the real program on both. Nothing of the program's inside
// is used: the ledger comes from `ledger import` and a first run.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, watch, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { environmentOf, startService } from './world.mjs';

const program = new URL('../../dist/main.js', import.meta.url).pathname;
const run = promisify(execFile);
const perDirectory = 100;
const perParent = 10;

/**
 * `count` documents in `home`/inbox, a hundred in a directory and ten directories in one above; a copy of all with the
 * same times in `home`/copy; and in `home`/export.json what `ledger export --json` would print for them.
 */
async function makeTree(home, count) {
  const inbox = join(home, 'inbox');
  const documents = [];
  for (let first = 0; first < count; first += perDirectory) {
    const place = first / perDirectory;
    const directory = `year-${Math.floor(place / perParent)}/month-${place % perParent}`;
    mkdirSync(join(inbox, directory), { recursive: true });
    for (let at = first; at < Math.min(count, first + perDirectory); at += 1) {
      const title = `report-${String(at).padStart(6, '0')}`;
      const path = `${directory}/${title}.pdf`;
      writeFileSync(join(inbox, path), title);
      documents.push(exported(path, title, at));
    }
    if (place % 100 === 0) await delay(0);
  }
  await run('cp', ['-a', inbox, join(home, 'copy')]);
  await writeFile(join(home, 'export.json'), JSON.stringify({ version: 1, documents }));
}

/** How many directories `count` documents take, the folder itself included. */
export function directoriesOf(count) {
  const leaves = Math.ceil(count / perDirectory);
  return 1 + leaves + Math.ceil(leaves / perParent);
}

function exported(path, title, number) {
  return {
    folder: 'inbox',
    path,
    docId: `7b9f0c1e-52a4-4d1b-9c3e-${number.toString(16).padStart(12, '0')}`,
    sha256: createHash('sha256').update(title).digest('hex'),
    size: title.length,
    attachments: [],
    metadata: { title },
    uploadedAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: null,
  };
}

/** The tree, a service that takes 50 requests a minute, and a daemon that knows both. */
export async function makeWorld(home, count) {
  await makeTree(home, count);
  const service = await startService(join(home, 'service'), { requestsPerMinute: 50 });
  const file = join(home, 'ingestd.yaml');
  const state = join(home, 'state');
  const { authUrl, ingestUrl, credentials } = service;
  const configuration = {
    service: { authUrl, ingestUrl },
    folders: [{ name: 'inbox', path: './inbox' }],
    state: { dir: './state' },
    http: { port: 0 },
  };
  await writeFile(file, JSON.stringify(configuration), { mode: 0o600 });
  const env = environmentOf(credentials);
  return {
    inbox: join(home, 'inbox/'),
    copy: join(home, 'copy/'),
    forget: () => rm(state, { recursive: true, force: true }),
    importLedger: () =>
      run(process.execPath, [program, 'ledger', 'import', join(home, 'export.json'), '--config', file], {
        env,
      }),
    start: () => start({ file, env, state }),
    requests: () => service.requestLog().filter(({ operation }) => operation !== 'auth').length,
    close: () => service.close(),
  };
}

async function start({ file, env, state }) {
  await rm(join(state, 'daemon.json'), { force: true });
  await mkdir(state, { recursive: true, mode: 0o700 });
  // To ask again and again would take from the processors that are measured.
  const watcher = watch(state);
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'run', '--config', file], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const written = new Promise((resolve) => {
    watcher.on('change', (_, name) => name === 'daemon.json' && resolve());
  });
  const found = Promise.race([written, ended]).then(async () => {
    watcher.close();
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
    return JSON.parse(await readFile(join(state, 'daemon.json'), 'utf8')).http;
  });
  // Whoever asks for it gets the error.
  found.catch(() => undefined);
  const address = () => found;
  const status = async () => (await fetch(`${await address()}/api/status`)).json();
  return {
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
      return { code: await ended };
    },
  };
}

/** Megabytes of the whole process, its worker threads included: resident now, and at the most. */
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

/** Ms that a command takes; throws when it fails. */
export async function timeOf(command, args) {
  const began = performance.now();
  const code = await new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, RCLONE_CONFIG: '/dev/null' },
    });
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return performance.now() - began;
}
