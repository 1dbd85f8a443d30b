import { orNull } from '../or-null.ts';

/** Where Redis is, as `cluster.redisUrl` says it. */
export interface RedisAddress {
  /** The nodes for people: no user, no password. */
  readonly words: string;
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

const server = /^(rediss?):\/\/([^@/]*@)?([^/?#@,]+)(?:\/()(\d{1,4})?)?$/;
const sentinels = /^(rediss?)\+sentinel:\/\/([^@/]*@)?([^/?#@]+)\/([^/?#]+)(?:\/(\d{1,4})?)?$/;
const host = /^(?:\[.+\]|[\p{L}\p{N}._-]{1,253})$/u;

/**
 * Reads `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, and
 * `redis+sentinel://[user:password@]sentinel[:port],…/name[/database]`. Null: it is none of these.
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  const [, scheme, login = '', nodes = '', name = '', database = '0'] =
    server.exec(text.trim()) ?? sentinels.exec(text.trim()) ?? [];
  // An invalid port, percent signs that mean nothing.
  return orNull(() => {
    const user = login.replaceAll(/[?#]/g, encodeURIComponent);
    const urls = nodes.split(',').map((node) => new URL(`${scheme}://${user}${node}`));
    const [first] = urls;
    const found = urls.map(({ hostname, port }) => ({ name: decodeURIComponent(hostname), port }));
    const isValid = found.every(({ name, port }) => host.test(name) && port !== '0');
    if (first === undefined || !isValid || /:(?:,|$)/.test(nodes)) return null;
    const at = found.map((node) => ({ ...node, port: Number(node.port || (name === '' ? 6379 : 26_379)) }));
    const words = at.map((node) => `${node.name}:${node.port}`).join(', ');
    return {
      words: name === '' ? words : `${name} by the sentinels ${words}`,
      tls: scheme === 'rediss',
      nodes: at.map(({ name: node, port }) => ({ host: node.replace(/^\[(.*)\]$/, '$1'), port })),
      sentinelName: name || null,
      username: decodeURIComponent(first.username) || null,
      password: decodeURIComponent(first.password) || null,
      database: Number(database),
    };
  });
}
