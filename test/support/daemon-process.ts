import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';

import type { Credentials } from '../../src/core/settings.ts';
import type { Status } from '../../src/core/status.ts';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

const program = new URL('../../dist/main.js', import.meta.url).pathname;

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A configuration of its own with folder `inbox`, and the real program run on it. */
export interface Installation {
  readonly home: TemporaryFolder;
  readonly inbox: string;
  /** Starts `ingestd run`; resolves when it answers. */
  readonly start: () => Promise<RunningDaemon>;
  /** Runs a command to its end. */
  readonly run: (...words: string[]) => Promise<Finished>;
  readonly remove: () => Promise<void>;
}

interface RunningDaemon {
  readonly pid: number;
  readonly status: () => Promise<Status>;
  /** Waits until it is idle and `ready` holds. */
  readonly idle: (ready?: (status: Status) => boolean) => Promise<Status>;
  readonly fetch: (path: string) => Promise<Response>;
  /** Sends a signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Finished>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly log: () => string;
}

interface Options {
  readonly authUrl: string;
  readonly ingestUrl: string;
  readonly credentials: Credentials;
  /** Merged into the configuration. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Sets up a configuration for the real program against a service that runs elsewhere. */
export async function installation({
  authUrl,
  ingestUrl,
  credentials,
  more = {},
}: Options): Promise<Installation> {
  const home = await temporaryFolder();
  await home.write('inbox/.keep', '');
  await home.write(
    'ingestd.yaml',
    stringify({
      service: { authUrl, ingestUrl },
      folders: [{ name: 'inbox', path: './inbox' }],
      state: { dir: './state' },
      timing: { settleMs: 150, removeGraceMs: 400 },
      http: { port: 0 },
      ...more,
    }),
  );
  const env = {
    PATH: process.env['PATH'] ?? '',
    INGESTD_API_KEY: credentials.apiKey,
    INGESTD_CLIENT_ID: credentials.clientId,
    INGESTD_CLIENT_SECRET: credentials.clientSecret,
    INGESTD_USERNAME: credentials.username,
    INGESTD_PASSWORD: credentials.password,
  };
  const running = new Set<ChildProcess>();

  function launch(words: readonly string[]) {
    const child = spawn(process.execPath, [program, ...words, '--config', home.join('ingestd.yaml')], {
      cwd: home.path,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const finished = new Promise<Finished>((resolve) => {
      child.once('close', (code) => {
        running.delete(child);
        resolve({ code, out, err });
      });
    });
    return { child, finished, log: () => err };
  }

  return {
    home,
    inbox: home.join('inbox'),
    run: (...words) => launch(words).finished,
    start: async () => {
      const { child, finished, log } = launch(['run']);
      const url = await eventually(
        async () => {
          if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${log()}`);
          const address: unknown = JSON.parse(await readFile(join(home.path, 'state/daemon.json'), 'utf8'));
          const { pid, http } = address as { pid: number; http: string };
          if (pid !== child.pid) return null;
          await fetch(`${http}/healthz`);
          return http;
        },
        { withinMs: 20_000 },
      );
      const status = async () => (await (await fetch(`${url}/api/status`)).json()) as Status;
      return {
        pid: child.pid ?? 0,
        status,
        log,
        fetch: (path) => fetch(`${url}${path}`),
        idle: (ready = () => true) =>
          eventually(
            async () => {
              const now = await status();
              if (now.state === 'idle' && ready(now)) return now;
              throw new Error(`not there yet: ${JSON.stringify(now)}\n${log().slice(-2000)}`);
            },
            { withinMs: 30_000 },
          ),
        signal: (signal) => child.kill(signal),
        end: async (signal) => {
          child.kill(signal);
          return finished;
        },
      };
    },
    remove: async () => {
      for (const child of running) child.kill('SIGKILL');
      await home.remove();
    },
  };
}
