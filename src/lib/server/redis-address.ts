import { orNull } from '../or-null.ts';
import { urlHost } from './host.ts';

/** Where Redis is, as `cluster.redisUrl` says it. */
export interface RedisAddress {
  readonly tls: boolean;
  /** The server; with Sentinel, the sentinels. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** The name by which the sentinels know the server; null: no Sentinel. */
  readonly sentinelName: string | null;
  readonly username: string | null;
  /** Secret. */
  readonly password: string | null;
  readonly database: number;
}

const form =
  /^(?<scheme>rediss?)(?<sentinel>\+sentinel)?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<nodes>[^/?#@]+)(?:\/(?<path>[^?#]*))?$/;
const node = /^(?:\[(?<six>[\da-fA-F:.]+)\]|(?<host>[\p{L}\p{N}._-]{1,253}))(?::(?<port>\d{1,5}))?$/u;
const redisPort = 6379;
const sentinelPort = 26_379;
const lastPort = 65_535;

/**
 * Reads `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, and
 * `redis+sentinel://[user:password@]sentinel[:port],…/name[/database]`. Null: it is none of these.
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  const parts = form.exec(text.trim())?.groups;
  if (parts === undefined) return null;
  const isSentinel = parts['sentinel'] !== undefined;
  const path = (parts['path'] ?? '').split('/');
  const name = isSentinel ? path.shift() : null;
  const database = path.shift() || '0';
  if (name === '' || name === undefined || path.length > 0 || !/^\d{1,4}$/.test(database)) return null;
  const nodes = (parts['nodes'] ?? '').split(',').map((one) => nodeOf(one, isSentinel));
  const found = nodes.filter((one) => one !== null);
  if (found.length < nodes.length || (!isSentinel && found.length > 1)) return null;
  const username = orNull(() => decodeURIComponent(parts['user'] ?? ''));
  const password = orNull(() => decodeURIComponent(parts['password'] ?? ''));
  // Percent signs that mean nothing.
  if (username === null || password === null) return null;
  return {
    tls: parts['scheme'] === 'rediss',
    nodes: found,
    sentinelName: name,
    username: username || null,
    password: password || null,
    database: Number(database),
  };
}

function nodeOf(text: string, isSentinel: boolean): RedisAddress['nodes'][number] | null {
  const parts = node.exec(text)?.groups;
  const host = parts?.['six'] ?? parts?.['host'];
  const port = Number(parts?.['port'] ?? (isSentinel ? sentinelPort : redisPort));
  return host === undefined || port < 1 || port > lastPort ? null : { host, port };
}

/** The nodes for people: no user, no password. */
export function redisNodes({ nodes, sentinelName }: RedisAddress): string {
  const list = nodes.map(({ host, port }) => `${urlHost(host)}:${port}`).join(', ');
  return sentinelName === null ? list : `${sentinelName} by the sentinels ${list}`;
}
