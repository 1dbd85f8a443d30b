import type { RedisSession } from '../redis/session.ts';

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
export async function haltFleet(
  session: RedisSession,
  { prefix, isHalted }: { readonly prefix: string; readonly isHalted: boolean },
): Promise<boolean> {
  const args = [isHalted ? 'halt' : 'resume', `${prefix}:wake`];
  return Number(await session.evaluate(haltScript, [`${prefix}:state`], args)) === 1;
}
