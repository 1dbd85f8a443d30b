import { readTimeLua } from '../redis/redis-time.ts';
import type { RedisSession } from '../redis/connection.ts';

/** What became of a host that was to be forgotten. */
export type Forgotten =
  | { readonly kind: 'forgotten'; readonly share: number }
  /** It has spoken with Redis within the last seconds. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'unknown'; readonly hosts: readonly string[] };

/** KEYS: state, seen, shares, summaries. ARGV: host, unreachableMs. */
const forgetScript = `
${readTimeLua}
local alive = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not alive then
  if redis.call('HDEL', KEYS[4], ARGV[1]) == 1 then return 0 end
  return -2
end
if now - tonumber(alive) <= tonumber(ARGV[2]) then return -1 end
local share = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or 0)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
if redis.call('HDEL', KEYS[3], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'version', 1) end
return share
`;

/** Ends the reservation of a host that is gone for good. */
export async function forgetHost(
  session: RedisSession,
  { host, unreachableMs }: { readonly host: string; readonly unreachableMs: number },
): Promise<Forgotten> {
  const keys = ['state', 'seen', 'shares', 'summaries'];
  const share = Number(await session.evaluate(forgetScript, keys, [host, String(unreachableMs)]));
  if (share >= 0) return { kind: 'forgotten', share };
  if (share === -1) return { kind: 'alive' };
  const hosts = await session.send(['ZRANGE', `${session.prefix}:seen`, '0', '999']);
  return { kind: 'unknown', hosts: Array.isArray(hosts) ? hosts.map(String) : [] };
}

/** KEYS: state. ARGV: `halt` or `resume`, channel. Gives whether something has changed. */
const haltScript = `
local time = redis.call('TIME')
local changed
if ARGV[1] == 'halt' then changed = redis.call('HSETNX', KEYS[1], 'halted', time[1])
else
  changed = redis.call('HDEL', KEYS[1], 'halted')
  -- Hosts that put back what Redis has forgotten do not put back a pause that was before.
  redis.call('HSET', KEYS[1], 'resumed', time[1])
end
redis.call('PUBLISH', ARGV[2], 'ask')
return changed
`;

/** Stops all hosts of an account, or lets them send again: no permit is given meanwhile. False: it was so before. */
export async function haltFleet(session: RedisSession, isHalted: boolean): Promise<boolean> {
  const args = [isHalted ? 'halt' : 'resume', `${session.prefix}:wake`];
  return Number(await session.evaluate(haltScript, ['state'], args)) === 1;
}
