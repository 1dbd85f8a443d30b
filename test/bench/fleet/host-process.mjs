import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { environmentOf } from '../world.mjs';

const built = new URL('../../../dist/main.js', import.meta.url).pathname;
const modules = new URL('../../../build/main.js', import.meta.url).pathname;
const scaled = new URL('scaled-times.mjs', import.meta.url).pathname;

/**
 * `ingestd run` as one host of a fleet, in directory `home`. `inbox` and `stateDir` may be those of another host. In
 * scaled time it runs from the modules, whose times can be changed from outside.
 */
export async function hostProcess(home, options) {
  const { name, service, redisPort, inbox, stateDir, isScaled = false, standBy = true } = options;
  await mkdir(inbox, { recursive: true });
  await mkdir(home, { recursive: true });
  const { authUrl, ingestUrl, credentials } = service;
  const configuration = {
    service: { authUrl, ingestUrl, requestsPerMinute: 50 },
    cluster: { redisUrl: `redis://127.0.0.1:${redisPort}`, account: 'bench', host: name, standBy },
    folders: [{ name: 'inbox', path: inbox }],
    state: { dir: stateDir },
    timing: { settleMs: 100, removeGraceMs: 400 },
    http: { port: 0 },
    log: { level: 'warn' },
  };
  const file = join(home, 'ingestd.yaml');
  await writeFile(file, JSON.stringify(configuration));
  const env = environmentOf(credentials);
  const program = isScaled ? ['--import', scaled, modules] : [built];
  let child = null;
  let ended = Promise.resolve();
  let said = '';

  const status = async () => {
    if (child === null || child.exitCode !== null) return null;
    try {
      const own = standBy ? join(stateDir, 'hosts', name) : stateDir;
      const { pid, http } = JSON.parse(await readFile(join(own, 'daemon.json'), 'utf8'));
      if (pid !== child.pid) return null;
      return await (await fetch(`${http}/api/status`, { signal: AbortSignal.timeout(3_000) })).json();
    } catch {
      return null;
    }
  };

  return {
    name,
    inbox,
    status,
    said: () => said,
    launch: () => {
      child = spawn(process.execPath, [...program, 'run', '--config', file], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const { stderr } = child;
      stderr.on('data', (chunk) => (said = (said + String(chunk)).slice(-8_000)));
      ended = new Promise((resolve) => child.once('close', resolve));
    },
    /** Resolves when it answers, with its status; throws where it has ended. */
    answers: async (ready = () => true) => {
      for (;;) {
        const now = await status();
        if (now !== null && ready(now)) return now;
        if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
        await delay(100);
      }
    },
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      await ended;
    },
  };
}
