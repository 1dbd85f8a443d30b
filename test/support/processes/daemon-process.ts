import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';

import type { Credentials } from '../../../src/model/settings.ts';
import type { Status } from '../../../src/model/report/status.ts';
import { eventually } from '../eventually.ts';
import { environmentOf, plantedCredentials } from '../planted-secrets.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { TemporaryFolder } from '../temporary-folder.ts';
import { program } from './program.ts';

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
  /** Starts `ingestd run` and does not wait for it. */
  readonly launch: () => LaunchedDaemon;
  /** The daemon that was started last, where it answers now: another address after it has stood by. */
  readonly launched: () => Promise<RunningDaemon>;
  /** Runs a command to its end: in this process, but for `run`, `sync` and what has surroundings of its own. */
  readonly run: (...words: string[]) => Promise<Finished>;
  /** Starts a command and does not wait for its end. */
  readonly begin: (...words: string[]) => Omit<LaunchedDaemon, 'answers'>;
  /** Writes the configuration again, with `more` merged into it. */
  readonly configure: (more: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** A daemon that has been started and may not answer yet. */
export interface LaunchedDaemon {
  /** Resolves when it answers; rejects when it ends before. */
  readonly answers: () => Promise<RunningDaemon>;
  /** Resolves when the process has ended. */
  readonly finished: Promise<Finished>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly log: () => string;
}

export interface RunningDaemon {
  readonly pid: number;
  readonly status: () => Promise<Status>;
  /** Waits until it is idle and `ready` holds. */
  readonly idle: (ready?: (status: Status) => boolean, withinMs?: number) => Promise<Status>;
  /** Waits until it is idle and what is asserted of its status holds. */
  readonly settled: (assert: (status: Status) => void) => Promise<Status>;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Sends a signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Finished>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly log: () => string;
  /** Nobody reads standard output and standard error any more. */
  readonly hangUp: () => void;
}

export interface InstallationOptions {
  readonly authUrl: string;
  readonly ingestUrl: string;
  /** Left out: those that may be found nowhere. */
  readonly credentials?: Credentials;
  /** Merged into the configuration. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Words for node before the program. */
  readonly nodeOptions?: readonly string[];
  /** More of the process's environment; undefined takes away what is there. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A command that the program is started through: `sh -c 'umask 0; exec "$@"' sh`. It has to exec. */
  readonly through?: readonly string[];
  /** It runs in a network of its own: its status comes over its Unix socket, and `fetch` does not reach it. */
  readonly isElsewhere?: boolean;
}

/** Sets up a configuration for the real program against a service that runs elsewhere. */
export async function installation({
  authUrl,
  ingestUrl,
  credentials = plantedCredentials,
  more = {},
  nodeOptions = [],
  environment = {},
  through = [],
  isElsewhere = false,
}: InstallationOptions): Promise<Installation> {
  const home = await temporaryFolder();
  await home.write('inbox/.keep', '');
  const { dir } = { dir: './state', ...(more['state'] as { dir?: string } | undefined) };
  const stateDir = resolve(home.path, dir);
  const configure = async (merged: Readonly<Record<string, unknown>>) => {
    const text = stringify({
      folders: [{ name: 'inbox', path: './inbox' }],
      state: { dir: './state' },
      timing: { settleMs: 150, removeGraceMs: 400 },
      http: { port: 0 },
      ...merged,
      service: { authUrl, ingestUrl, ...(merged['service'] as object | undefined) },
    });
    await home.write('ingestd.yaml', text);
  };
  await configure(more);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home.path,
    ...environmentOf(credentials),
    ...environment,
  };
  const running = new Set<ChildProcess>();

  function launch(words: readonly string[], options: readonly string[] = []) {
    const config = ['--config', home.join('ingestd.yaml')];
    const command = [...through, process.execPath, ...options, program, ...words, ...config];
    const child = spawn(command[0] ?? '', command.slice(1), {
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

  let last: LaunchedDaemon | null = null;
  function launchDaemon(): LaunchedDaemon {
    const { child, finished, log } = launch(['run'], nodeOptions);
    const signal = (which: NodeJS.Signals) => void child.kill(which);
    last = { finished, signal, answers, log };
    return last;

    async function answers(): Promise<RunningDaemon> {
      const { http: url, socket } = await eventually(
        async () => {
          if (child.exitCode !== null || child.signalCode !== null)
            throw new Error(`ended with ${child.exitCode ?? child.signalCode}: ${log()}`);
          const address = await addressOf(stateDir, child.pid);
          if (address === null) return null;
          if (isElsewhere) await overSocket(address.socket, '/healthz');
          else await fetch(`${address.http}/healthz`);
          return address;
        },
        { withinMs: 60_000 },
      );
      const status = async () => {
        if (isElsewhere) return JSON.parse(await overSocket(socket, '/api/status')) as Status;
        return (await (await fetch(`${url}/api/status`)).json()) as Status;
      };
      const idle: RunningDaemon['idle'] = (ready = () => true, withinMs = 80_000) =>
        eventually(
          async () => {
            const now = await status();
            if (now.state === 'idle' && ready(now)) return now;
            throw new Error(`not there yet: ${JSON.stringify(now)}\n${log().slice(-2000)}`);
          },
          { withinMs },
        );
      return {
        pid: child.pid ?? 0,
        status,
        log,
        fetch: (path, init) => fetch(`${url}${path}`, init),
        idle,
        settled: (assert) =>
          idle((now) => {
            assert(now);
            return true;
          }),
        signal,
        hangUp: () => {
          child.stdout.destroy();
          child.stderr.destroy();
        },
        end: async (which) => {
          child.kill(which);
          return finished;
        },
      };
    }
  }

  return {
    home,
    inbox: home.join('inbox'),
    configure,
    run: async (...words) => {
      // What scans and sends is shown as a process, which ends by itself or by a signal.
      const isProcess = words[0] === 'run' || words[0] === 'sync' || through.length > 0;
      if (isProcess || Object.keys(environment).length > 0) return launch(words).finished;
      // Only who runs commands loads them.
      const { inProcess } = await import('./in-process.ts');
      const options = ['--config', home.join('ingestd.yaml')];
      const { code, stdout, stderr } = await inProcess([...words, ...options], { cwd: home.path, env });
      return { code, out: stdout, err: stderr };
    },
    begin: (...words) => {
      const { child, ...launched } = launch(words);
      return { ...launched, signal: (which) => void child.kill(which) };
    },
    start: () => launchDaemon().answers(),
    launch: launchDaemon,
    launched: async () => {
      if (last === null) throw new Error('no daemon was started');
      return last.answers();
    },
    remove: async () => {
      for (const child of running) child.kill('SIGKILL');
      await home.remove();
    },
  };
}

interface DaemonAddress {
  readonly pid: number;
  readonly http: string;
  readonly socket: string;
}

/**
 * What a daemon says of itself in its `daemon.json`: in the state directory, or in its host's part of one that is
 * shared.
 */
async function addressOf(state: string, pid: number | undefined): Promise<DaemonAddress | null> {
  const hosts = await readdir(join(state, 'hosts')).catch(() => []);
  for (const part of ['.', ...hosts.map((host) => join('hosts', host))]) {
    const text = await readFile(join(state, part, 'daemon.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    const address = JSON.parse(text) as DaemonAddress;
    if (address.pid === pid) return address;
  }
  return null;
}

function overSocket(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false, timeout: 20_000 }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', reject);
      response.on('end', () => resolve(text));
    })
      .on('timeout', function (this: ClientRequest) {
        this.destroy(new Error('no answer'));
      })
      .on('error', reject)
      .end();
  });
}
