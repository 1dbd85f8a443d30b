import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { systemClock } from '../../build/lib/time/clock.js';
import { startEmbeddedService } from '../../build/embedded/embedded-service.js';
import { followRequests } from '../support/services/follow-requests.mjs';

const program = new URL('../../dist/main.js', import.meta.url).pathname;
const quiet = () => undefined;
const silent = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };

/** A temporary directory that goes when `use` is done. */
export async function inTemporaryDirectory(use) {
  const home = await mkdtemp(join(tmpdir(), 'ingestd-bench-'));
  try {
    return await use(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The embedded service in this process, with data in `dataDir`. */
export async function startService(dataDir, { requestsPerMinute = 1_000_000, windowMs } = {}) {
  const options = { dataDir, clock: systemClock, log: silent, requestsPerMinute, windowMs };
  const service = await startEmbeddedService(options);
  const { requestLog, stop } = followRequests(service.ingestUrl);
  const close = async () => {
    stop();
    await service.close();
  };
  return { ...service, requestLog, close };
}

/** What goes to the ingestion endpoints of an embedded service, in the order of arrival. */
export function sentTo(service) {
  return service.requestLog().filter(({ operation }) => operation !== 'auth' && operation !== 'revoke');
}

/** The environment in which the program finds these credentials, and nothing of ours. */
export function environmentOf(credentials) {
  return {
    PATH: process.env.PATH,
    INGESTD_API_KEY: credentials.apiKey,
    INGESTD_CLIENT_ID: credentials.clientId,
    INGESTD_CLIENT_SECRET: credentials.clientSecret,
    INGESTD_USERNAME: credentials.username,
    INGESTD_PASSWORD: credentials.password,
  };
}

/** The built program on folders below `home`, against `service`. `more` is merged into the configuration. */
export async function installDaemon(home, service, more = {}) {
  const folders = more.folders ?? [{ name: 'inbox', path: './inbox' }];
  for (const { path } of folders) await mkdir(join(home, path), { recursive: true });
  const { authUrl, ingestUrl, credentials } = service;
  const configuration = {
    state: { dir: './state' },
    http: { port: 0 },
    ...more,
    folders,
    service: { authUrl, ingestUrl, requestsPerMinute: 1_000_000, ...more.service },
  };
  const file = join(home, 'ingestd.yaml');
  await writeFile(file, JSON.stringify(configuration));
  const env = environmentOf(credentials);
  const launch = (...words) => {
    const child = spawn(process.execPath, [program, ...words, '--config', file], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    const ended = new Promise((resolve) =>
      child.once('close', (code) => resolve({ code, said: said.slice(-4_000) })),
    );
    /** The lines of a log in JSON so far. */
    const log = () => said.split('\n').slice(0, -1).map(JSON.parse);
    return { child, ended, log };
  };
  return {
    /** Runs a command to its end; throws when it is not well. */
    command: async (...words) => {
      const { code, said } = await launch(...words).ended;
      if (code !== 0) throw new Error(`ingestd ${words.join(' ')} ended with ${code}: ${said}`);
    },
    /** Starts `run`; resolves when it answers. */
    start: async () => {
      const { child, ended, log } = launch('run');
      const address = async () => {
        if (child.exitCode !== null) throw new Error(`the daemon ended: ${(await ended).said}`);
        const { pid, http } = JSON.parse(await readFile(join(home, 'state/daemon.json'), 'utf8'));
        if (pid !== child.pid) throw new Error('not this life');
        return http;
      };
      const status = async () => (await fetch(`${await address()}/api/status`)).json();
      const until = async (ready, everyMs = 20) => {
        for (;;) {
          const now = await status().catch((error) => {
            if (child.exitCode !== null) throw error;
            return null;
          });
          if (now !== null && (await ready(now))) return now;
          await delay(everyMs);
        }
      };
      await until(() => true);
      return {
        pid: child.pid,
        address,
        log,
        status,
        until,
        stop: async () => {
          child.kill('SIGTERM');
          await ended;
        },
      };
    },
  };
}

/** Obtains a token of an embedded service, as any client would. */
export async function tokenOf({ authUrl, credentials }) {
  const { apiKey, clientId, clientSecret, username, password } = credentials;
  const answer = await fetch(`${authUrl}/auth`, {
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
  return (await answer.json()).access_token;
}

/** A line of /proc/PID/status in MB of 1024 * 1024 bytes. */
export async function memoryOf(pid, key) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${key}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
}

/** The value at each share (0.5: the median) of the values. */
export function quantiles(values, ...shares) {
  const sorted = values.toSorted((a, b) => a - b);
  return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
}
