import { createHash } from 'node:crypto';

import { createClient } from '@redis/client';

import { redisNodes } from '../../lib/server/redis-address.ts';
import type { RedisAddress } from '../../lib/server/redis-address.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';

/** Redis, as the scripts of one account reach it. */
export interface Redis {
  /** The process that answers: another after each start. */
  readonly runId: string;
  /** `ingestd:{account}`: what the keys and channels of the account begin with. */
  readonly prefix: string;
  /** Runs a Lua script on keys of the account. Rejects where Redis is away, does not answer in time, or refuses. */
  readonly evaluate: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
}

/** One connection to one Redis process: it does not reconnect, so what is true of the process stays true of it. */
interface RedisSession extends Redis {
  /** The `maxmemory-policy` by which it drops keys when it is full; null: it drops none. */
  readonly evictsBy: string | null;
  readonly close: () => void;
}

/** The first line of a script that writes nothing. */
export const readsFirst = '#!lua flags=no-writes';

interface SessionOptions {
  readonly address: RedisAddress;
  readonly prefix: string;
  /** Messages of these channels of the account go to `onMessage`. */
  readonly channels?: readonly string[];
  readonly onMessage?: (text: string) => void;
  /** Called once when the session is over, unless `close` was called. */
  readonly onEnd?: (why: string) => void;
}

type Client = ReturnType<typeof clientOf>;

/** A command without an answer after this is given up, and its connection with it. */
export const commandMs = 2_000;
const connectMs = 4_000;

/**
 * Connects, by way of the sentinels where there are some: the client's own way with them sends a command again to
 * another server, and does not tell which one answered. Rejects with a message for people, free of secrets.
 */
export async function openSession(options: SessionOptions): Promise<RedisSession> {
  const { address, prefix, channels = [], onMessage = () => {}, onEnd = () => {} } = options;
  const master = address.sentinelName === null ? address.nodes[0] : await findMaster(address);
  if (master === undefined) throw new Error('no address');
  const client = clientOf(address, master);
  /** An end counts only while it is established, and once. */
  let established = false;
  const close = () => {
    established = false;
    if (client.isOpen) client.destroy();
  };
  const end = (error: unknown) => {
    if (!established) return;
    close();
    onEnd(wordsOf(error));
  };
  const send = (command: readonly string[]): Promise<unknown> =>
    answerOf(client, command).catch((error: unknown) => {
      if (error instanceof LateError || !client.isReady) end(error);
      throw error;
    });
  client.on('error', end);
  try {
    await connected(client);
    const info = await inTime(client.info());
    const told = (name: string) => new RegExp(`^${name}:([\\w-]+)`, 'm').exec(info)?.[1];
    const runId = told('run_id');
    if (runId === undefined) throw new Error('its answer to INFO server has no run_id');
    const policy = told('maxmemory_policy') ?? 'noeviction';
    const evictsBy = told('maxmemory') === '0' || policy === 'noeviction' ? null : policy;
    // A sentinel may name the old server for a moment after a failover.
    if (told('role') !== 'master') throw new Error('it is a replica at the moment');
    for (const channel of channels) await inTime(client.subscribe(`${prefix}:${channel}`, onMessage));
    if (!client.isReady) throw new Error('the connection ended');
    established = true;
    return {
      runId,
      prefix,
      evictsBy,
      evaluate: async (script, keys, args) => {
        const digest = createHash('sha1').update(script).digest('hex');
        const rest = [String(keys.length), ...keys.map((key) => `${prefix}:${key}`), ...args];
        try {
          return await send(['EVALSHA', digest, ...rest]);
        } catch (error) {
          if (!wordsOf(error).startsWith('NOSCRIPT')) throw error;
          return send(['EVAL', script, ...rest]);
        }
      },
      close,
    };
  } catch (error) {
    close();
    throw new Error(wordsOf(error), { cause: error });
  }
}

function clientOf(
  { tls, username, password, database }: Omit<RedisAddress, 'nodes' | 'sentinelName'>,
  { host, port }: RedisAddress['nodes'][number],
) {
  const socket = { host, port, connectTimeout: connectMs, reconnectStrategy: false } as const;
  return createClient({
    RESP: 3,
    name: 'ingestd',
    disableOfflineQueue: true,
    disableClientInfo: true,
    database,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    // An address has no server name.
    socket: tls ? { ...socket, tls: true, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) } : socket,
  });
}

/** Asks one sentinel after the other where the server is now. */
async function findMaster(address: RedisAddress): Promise<RedisAddress['nodes'][number]> {
  let why = 'no sentinel answers';
  for (const node of address.nodes) {
    // Sentinels have a user list of their own, usually an empty one.
    const client = clientOf({ tls: address.tls, username: null, password: null, database: 0 }, node);
    client.on('error', () => {});
    try {
      await connected(client);
      const command = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.sentinelName ?? ''];
      const found = await answerOf(client, command);
      if (Array.isArray(found)) return { host: String(found[0]), port: Number(found[1]) };
      why = `the sentinels do not know ${address.sentinelName}`;
    } catch (error) {
      why = `no sentinel answers: ${wordsOf(error)}`;
    } finally {
      if (client.isOpen) client.destroy();
    }
  }
  throw new Error(why);
}

class LateError extends Error {}

const connected = (client: Client) => inTime(client.connect(), connectMs, 'no connection in time');

const answerOf = (client: Client, command: readonly string[]) => inTime(client.sendCommand(command));

/** The client's own time for a command is over when that is written. */
function inTime<T>(promise: Promise<T>, ms = commandMs, words = 'no answer in time'): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new LateError(words)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What went wrong, in words without addresses of ours or secrets. */
function wordsOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return wordsOf(error.errors[0]);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const message = 'message' in error ? String(error.message) : '';
  if (message.startsWith('NOAUTH'))
    return 'it requires a password; set INGESTD_REDIS_URL to an address with one';
  if (message.startsWith('WRONGPASS')) return 'it does not accept the user and password of its address';
  return code === null || message.includes(code) ? message : `${message} (${code})`;
}

interface LinkOptions extends Omit<SessionOptions, 'onEnd'> {
  readonly clock: Clock;
  readonly log: LogPort;
  /** Called when Redis is there, when it is away, and when it begins or ends to refuse. */
  readonly onChange: () => void;
}

/** Whoever is waiting for Redis is connected within two seconds: a new fleet may begin then (`askForPermits`). */
const longestRestMs = 1_500;
/** Redis takes writes again when it has refused none for so long: two signs of life. */
const quietMs = 10_000;

export type RedisLink = ReturnType<typeof openLink>;

/** The connection to Redis, made at once and again whenever it ends; says each change once in the log. */
export function openLink({ clock, log, onChange, ...options }: LinkOptions) {
  const redis = redisNodes(options.address);
  let session: RedisSession | null = null;
  let trouble: Reason | null = null;
  /** When Redis last refused a script: monotonic, ms. */
  let refusedAt = 0;
  let closed = false;
  let cancel = () => {};
  const tried = connect();

  return {
    get runId() {
      return session?.runId ?? '';
    },
    prefix: options.prefix,
    evaluate,
    /** The connection there is; null: Redis is away. */
    connection: () => session,
    /** What keeps all hosts from sending; null: nothing does, or the first attempt to connect is not over. */
    trouble: () => trouble,
    /** Resolves when the first attempt to connect is over, whatever came of it. */
    tried,
    close: () => {
      closed = true;
      cancel();
      session?.close();
      session = null;
    },
  };

  async function connect(): Promise<void> {
    try {
      const opened = await openSession({ ...options, onEnd: lost });
      if (closed) return opened.close();
      session = opened;
      if (trouble !== null) log.info({ redis }, 'Redis is back');
      trouble = null;
      const { evictsBy: policy } = opened;
      if (policy !== null) log.warn({ redis, policy }, evictsWords(policy));
      onChange();
    } catch (error) {
      if (!closed) lost(errorMessage(error));
    }
  }

  async function evaluate(...call: Parameters<Redis['evaluate']>): Promise<unknown> {
    const used = session;
    if (used === null) throw new Error('Redis is away');
    try {
      const answer = await used.evaluate(...call);
      // Whether Redis takes writes is what the scripts say that write.
      const isWrite = !call[0].startsWith(readsFirst);
      if (isWrite && trouble?.code === 'redis-refuses' && clock.monotonic() - refusedAt >= quietMs) {
        trouble = null;
        log.info({ redis }, 'Redis takes writes again');
        onChange();
      }
      return answer;
    } catch (error) {
      // Else the connection has ended with it.
      if (session === used) refused(errorMessage(error));
      throw error;
    }
  }

  function refused(why: string): void {
    refusedAt = clock.monotonic();
    if (trouble !== null) return;
    log.error({ redis, reason: why }, 'Redis refuses a command');
    const message = `Redis (${redis}) refuses commands: ${why}; nothing is sent until it takes them`;
    trouble = { code: 'redis-refuses', message };
    onChange();
  }

  function lost(why: string): void {
    session = null;
    if (closed) return;
    if (trouble?.code !== 'redis-unavailable') log.warn({ redis, reason: why }, 'Redis cannot be reached');
    const message = `Redis (${redis}) cannot be reached: ${why}; nothing is sent until it is back`;
    trouble = { code: 'redis-unavailable', message };
    // Not all hosts at once when it is back.
    cancel = clock.after(longestRestMs * Math.random(), () => void connect());
    onChange();
  }
}

/** What a Redis that drops keys may cost. */
export function evictsWords(policy: string): string {
  return `Redis drops data when its memory is full (maxmemory-policy ${policy}): each time no host may send for a minute, and it may forget which host has a folder; set maxmemory-policy to noeviction`;
}

/** What all keys and channels of an account begin with; the braces keep them together in a Redis Cluster. */
export function fleetPrefix(
  account: string | undefined,
  { ingestUrl, username }: { readonly ingestUrl: string; readonly username: string },
): string {
  // The service counts by its address and user.
  const words = `${ingestUrl}\n${username.toLowerCase()}`;
  return `ingestd:{${account ?? createHash('sha256').update(words).digest('hex').slice(0, 20)}}`;
}
