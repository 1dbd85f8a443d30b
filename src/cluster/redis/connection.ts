import { createHash } from 'node:crypto';
import { isIP } from 'node:net';

import { createClient } from '@redis/client';

import type { RedisAddress } from '../../lib/server/redis-address.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { ClusterSettings, ServiceSettings } from '../../model/settings.ts';

/** Redis, as the scripts of one account reach it. */
export interface Redis {
  /** The process that answers: another after each start. */
  readonly runId: string;
  /** `ingestd:{account}`: what the keys and channels of the account begin with. */
  readonly prefix: string;
  /** Runs a Lua script on keys of the account. Rejects where Redis is away, does not answer in time, or refuses. */
  readonly evaluate: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
}

/** Where the fleet of an account meets. `username` names the account where `cluster` does not: who signs in. */
export interface FleetAddress {
  readonly cluster: Pick<ClusterSettings, 'redis' | 'account'>;
  readonly service: Pick<ServiceSettings, 'ingestUrl'>;
  readonly username: string;
}

interface LinkOptions extends FleetAddress {
  readonly clock: Clock;
  readonly log: LogPort;
  /** Messages of these channels of the account go to `onMessage`. */
  readonly channels?: readonly string[];
  readonly onMessage?: (text: string) => void;
  /** Called when Redis is there, when it is away, and when it begins or ends to refuse. */
  readonly onChange?: () => void;
}

type Client = ReturnType<typeof clientOf>;

/** One connection to one Redis process: it does not reconnect, so what is true of the process stays true of it. */
interface Session {
  readonly client: Client;
  readonly runId: string;
  /** What a Redis may cost that drops keys when it is full; null: it drops none. */
  readonly warning: string | null;
}

/** A command without an answer after this is given up, and its connection with it. */
export const commandMs = 2_000;
const connectMs = 4_000;
/** No more than that is received between two answers; those of scripts are at most a quarter of it. */
const mostBytes = 4_194_304;
const firstRestMs = 100;
/** Whoever is waiting for Redis is connected within two seconds: a new fleet may begin then (`askForPermits`). */
const longestRestMs = 1_500;
/** Redis takes writes again when it has refused none for so long: two signs of life. */
const quietMs = 10_000;

export type RedisLink = ReturnType<typeof openLink>;

/** The connection to Redis, made at once and again whenever it ends; says each change once in the log. */
export function openLink(options: LinkOptions) {
  const { clock, log, channels = [], onMessage = () => {}, onChange = () => {} } = options;
  const address = options.cluster.redis;
  const prefix = prefixOf(options);
  const redis = address.words;
  let session: Session | null = null;
  let trouble: Reason | null = null;
  /** When Redis last refused a script: monotonic, ms. */
  let refusedAt = 0;
  let closed = false;
  let restMs = firstRestMs;
  let cancel = () => {};
  const tried = connect();

  return {
    get runId() {
      return session?.runId ?? '';
    },
    prefix,
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
      leave();
    },
  };

  /**
   * Connects, by way of the sentinels where there are some: the client's own way with them sends a command again to
   * another server, and does not tell which one answered.
   */
  async function connect(): Promise<void> {
    let client: Client | null = null;
    try {
      const opened = clientOf(address, await findServer(address));
      client = opened;
      client.on('error', (error: unknown) => {
        if (session?.client === opened) lose(error);
      });
      await connected(client);
      const found = await sessionOf(client);
      for (const channel of channels) await inTime(client.subscribe(`${prefix}:${channel}`, onMessage));
      if (!client.isReady) throw new Error('the connection ended');
      if (closed) return client.destroy();
      session = found;
      restMs = firstRestMs;
      if (trouble !== null) log.info({ redis }, 'Redis is back');
      trouble = null;
      if (found.warning !== null) log.warn({ redis }, found.warning);
      onChange();
    } catch (error) {
      if (client?.isOpen === true) client.destroy();
      if (!closed) lose(error);
    }
  }

  async function evaluate(...[script, keys, args]: Parameters<Redis['evaluate']>): Promise<unknown> {
    const used = session;
    if (used === null) throw new Error('Redis is away');
    const digest = createHash('sha1').update(script).digest('hex');
    const rest = [String(keys.length), ...keys.map((key) => `${prefix}:${key}`), ...args];
    try {
      const answer = await answerOf(used.client, ['EVALSHA', digest, ...rest]).catch((error: unknown) => {
        if (!wordsOf(error).startsWith('NOSCRIPT')) throw error;
        return answerOf(used.client, ['EVAL', script, ...rest]);
      });
      noteTaken();
      return answer;
    } catch (error) {
      if (session === used) {
        if (error instanceof LateError || !used.client.isReady) lose(error);
        else noteRefusal(wordsOf(error));
      }
      throw error;
    }
  }

  function noteTaken(): void {
    if (trouble?.code !== 'redis-refuses' || clock.monotonic() - refusedAt < quietMs) return;
    trouble = null;
    log.info({ redis }, 'Redis takes writes again');
    onChange();
  }

  function noteRefusal(why: string): void {
    refusedAt = clock.monotonic();
    if (trouble !== null) return;
    log.error({ redis, reason: why }, 'Redis refuses a command');
    const message = `Redis refuses a command (${redis}): ${why}; nothing is sent until it takes writes`;
    trouble = { code: 'redis-refuses', message };
    onChange();
  }

  function lose(error: unknown): void {
    leave();
    const why = wordsOf(error);
    if (trouble?.code !== 'redis-unavailable') log.warn({ redis, reason: why }, 'Redis cannot be reached');
    const message = `Redis cannot be reached (${redis}): ${why}; nothing is sent until it is back`;
    trouble = { code: 'redis-unavailable', message };
    // Not all hosts at once when it is back.
    cancel = clock.after(restMs * (0.5 + Math.random() / 2), () => void connect());
    restMs = Math.min(restMs * 2, longestRestMs);
    onChange();
  }

  function leave(): void {
    if (session?.client.isOpen === true) session.client.destroy();
    session = null;
  }
}

/** Rejects where that is no Redis on which a fleet can rely. */
async function sessionOf(client: Client): Promise<Session> {
  const info = await inTime(client.info());
  const told = (name: string) => new RegExp(`^${name}:([\\w-]+)`, 'm').exec(info)?.[1];
  const runId = told('run_id');
  if (runId === undefined) throw new Error('its answer to INFO has no run_id');
  // A sentinel may name the old server for a moment after a failover.
  if (told('role') !== 'master') throw new Error('it is a replica at the moment');
  const policy = told('maxmemory_policy') ?? 'noeviction';
  const evicts = told('maxmemory') !== '0' && policy !== 'noeviction';
  const warning = `Redis drops data when its memory is full (maxmemory-policy ${policy}): each time no host may send for a minute, and it may forget which host has a folder; set maxmemory-policy to noeviction`;
  return { client, runId, warning: evicts ? warning : null };
}

function clientOf(
  { tls, username, password, database }: Omit<RedisAddress, 'nodes' | 'sentinelName' | 'words'>,
  { host, port }: RedisAddress['nodes'][number],
) {
  const socket = { host, port, connectTimeout: connectMs, reconnectStrategy: false } as const;
  const client = createClient({
    RESP: 3,
    name: 'ingestd',
    disableOfflineQueue: true,
    disableClientInfo: true,
    database,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    // An address has no server name.
    socket: tls ? { ...socket, tls: true, ...(isIP(host) === 0 ? { servername: host } : {}) } : socket,
  });
  let bytes = 0;
  // The client gathers an answer of any length, and shows its connection to nobody else.
  const received = client['_ejectSocket']();
  client['_insertSocket'](received);
  received.on('data', ({ length }: Uint8Array) => {
    bytes += length;
    if (bytes > mostBytes) received.emit('error', new Error('its answer is too long'));
  });
  return Object.assign(client, { answered: () => void (bytes = 0) });
}

/** The server's address; with Sentinel, asks one after the other where it is now. */
async function findServer(address: RedisAddress): Promise<RedisAddress['nodes'][number]> {
  const { nodes, sentinelName, tls } = address;
  if (sentinelName === null && nodes[0] !== undefined) return nodes[0];
  let why = 'no sentinel answers';
  for (const node of nodes) {
    // Sentinels have a user list of their own, usually an empty one.
    const client = clientOf({ tls, username: null, password: null, database: 0 }, node);
    client.on('error', () => {});
    try {
      await connected(client);
      const found = await answerOf(client, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', sentinelName ?? '']);
      if (Array.isArray(found)) return { host: String(found[0]), port: Number(found[1]) };
      why = `the sentinels do not know ${sentinelName}`;
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

const answerOf = (client: Client, command: readonly string[]) =>
  inTime(client.sendCommand(command).finally(client.answered));

/** The client's own time for a command is over when that is written. */
function inTime<T>(promise: Promise<T>, ms = commandMs, words = 'no answer in time'): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new LateError(words)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What went wrong, in words without addresses of ours or secrets. */
function wordsOf(error: unknown): string {
  const errors = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : null;
  if (Array.isArray(errors) && errors.length > 0) return wordsOf(errors[0]);
  const code = errorCode(error);
  const message = errorMessage(error);
  if (message.startsWith('NOAUTH'))
    return 'it requires a password; set INGESTD_REDIS_URL to an address with one';
  if (message.startsWith('WRONGPASS')) return 'it does not accept the user and password of its address';
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** What all keys and channels of an account begin with; the braces keep them together in a Redis Cluster. */
function prefixOf({ cluster, service, username }: FleetAddress): string {
  // The service counts by its address and user.
  const words = `${service.ingestUrl}\n${username.toLowerCase()}`;
  return `ingestd:{${cluster.account ?? createHash('sha256').update(words).digest('hex').slice(0, 20)}}`;
}
