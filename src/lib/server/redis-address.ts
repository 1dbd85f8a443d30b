import type { DeepReadonly } from '../deep-readonly.ts';
import { orNull } from '../or-null.ts';

/** Where Redis is, as `cluster.redisUrl` says it. */
export type RedisAddress = DeepReadonly<NonNullable<ReturnType<typeof parseRedisAddress>>>;

const server = /^(rediss?):\/\/([^@/]*@)?([^/?#@,]+)(?:\/()(\d{1,4})?)?$/;
const sentinels = /^(rediss?)\+sentinel:\/\/([^@/]*@)?([^/?#@]+)\/([^/?#]+)(?:\/(\d{1,4})?)?$/;
const host = /^(?:\[.+\]|[\p{L}\p{N}._-]{1,253})$/u;

/**
 * Reads `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, and
 * `redis+sentinel://[user:password@]sentinel[:port],…/name[/database]`. Null: it is none of these.
 */
export function parseRedisAddress(text: string) {
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
      /** The nodes for people: no user, no password. */
      words: name === '' ? words : `${name} by the sentinels ${words}`,
      tls: scheme === 'rediss',
      /** The server; with Sentinel, the sentinels. */
      nodes: at.map(({ name: node, port }) => ({ host: node.replace(/^\[(.*)\]$/, '$1'), port })),
      /** The name by which the sentinels know the server; null: no Sentinel. */
      sentinelName: name || null,
      username: decodeURIComponent(first.username) || null,
      /** Secret. */
      password: decodeURIComponent(first.password) || null,
      database: Number(database),
    };
  });
}
