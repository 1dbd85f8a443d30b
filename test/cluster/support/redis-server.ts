import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import { parseRedisAddress } from '../../../src/lib/server/redis-address.ts';
import type { RedisAddress } from '../../../src/lib/server/redis-address.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What is missing for tests with Redis; null: nothing. For `describeWhere`. */
export const missingRedis =
  spawnSync('redis-server', ['--version']).status === 0 ? null : 'redis-server (Debian package redis-server)';

/** The `redis-server` of PATH, which may be Valkey, on a free loopback port, with an empty directory of its own. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Runs a command by redis-cli; gives what it says. */
  readonly command: (...words: string[]) => string;
  /** Ends it at once. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, with what its directory holds. */
  readonly start: () => Promise<void>;
  readonly directory: string;
  readonly remove: () => Promise<void>;
}

interface ServerOptions {
  /** More words for redis-server. */
  readonly more?: readonly string[];
  /** For `command`; the user is the usual one where none is named. */
  readonly user?: string;
  readonly password?: string;
  /** Where it listens; left out: on loopback. */
  readonly address?: string;
  /** A command that it is started through, and redis-cli too: `ip netns exec NAME`. It has to exec. */
  readonly through?: readonly string[];
  /** More of the server's environment, made at each start. */
  readonly environment?: () => Readonly<Record<string, string>>;
}

export async function startRedis(options: ServerOptions = {}): Promise<RedisServer> {
  const port = await freePort();
  const folder = await temporaryFolder();
  const { address = '127.0.0.1', through = [] } = options;
  let child: ChildProcess | null = null;

  const command = (...words: string[]) => {
    const user = options.user === undefined ? [] : ['--user', options.user];
    const [program = '', ...all] = [
      ...through,
      'redis-cli',
      '-h',
      address,
      '-p',
      String(port),
      ...user,
      ...words,
    ];
    const env = { ...process.env, REDISCLI_AUTH: options.password };
    return spawnSync(program, all, { encoding: 'utf8', env }).stdout.trim();
  };

  async function start(): Promise<void> {
    const words = ['--port', String(port), '--bind', address, '--dir', folder.path, '--save', ''];
    const [program = '', ...all] = [...through, 'redis-server', ...words, ...(options.more ?? [])];
    const env = { ...process.env, ...options.environment?.() };
    await eventually(
      () => {
        // Somebody may have taken the port meanwhile: then it has ended.
        if (child === null || child.exitCode !== null) child = spawn(program, all, { stdio: 'ignore', env });
        return /^PONG|NOPERM/.test(command('PING'));
      },
      { withinMs: 10_000 },
    );
  }

  async function kill(): Promise<void> {
    const ended = child;
    child = null;
    if (ended === null || ended.exitCode !== null) return;
    const over = new Promise((resolve) => ended.once('close', resolve));
    ended.kill('SIGKILL');
    await over;
  }

  await start();
  return {
    url: `redis://${address}:${port}`,
    port,
    command,
    kill,
    start,
    directory: folder.path,
    remove: async () => {
      await kill();
      await folder.remove();
    },
  };
}

/** The address as the program reads it. */
export function addressOf(url: string): RedisAddress {
  const address = parseRedisAddress(url);
  if (address === null) throw new Error(`no address: ${url}`);
  return address;
}

/** What names an account, for `openLink`. */
export function accountAt(url: string, account: string) {
  const service = { ingestUrl: 'https://service.example' };
  return { cluster: { redis: addressOf(url), account }, service, username: 'someone' };
}

/** As if a fleet had been here for a while: its hosts get permits at once, without one window of silence. */
export function settle(redis: RedisServer, account: string): void {
  const runId = /run_id:(\w+)/.exec(redis.command('INFO', 'server'))?.[1] ?? '';
  const state = ['run', runId, 'seq', '0', 'last', '1', 'open', '1', 'sure', '1', 'epoch', '1'];
  redis.command('HSET', `ingestd:{${account}}:state`, ...state);
}
