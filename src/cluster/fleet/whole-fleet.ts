import * as z from 'zod';

import { orNull } from '../../lib/or-null.ts';
import { toTheSecond } from '../../lib/time/clock.ts';
import { hostSummarySchema } from '../../model/report/fleet.ts';
import type { FleetHost, FleetStatus, HostSummary } from '../../model/report/fleet.ts';
import { fleetPaused } from '../../model/report/fleet-pause.ts';
import { emptyStatus } from '../../model/report/status.ts';
import type { Health, Reason } from '../../model/report/status.ts';
import { aliveMs } from '../fleet-times.ts';
import type { Redis } from '../redis/connection.ts';
import { listOf, redisScript } from '../redis/script.ts';

/** No more hosts are read, in slices of at most so many bytes, and of no summary more: a host's own is never so long. */
const mostHosts = 2_000;
const mostSliceBytes = 262_144;
const mostSummaryBytes = 131_072;

const readSlice = redisScript({
  keys: ['hosts', 'summaries', 'use', 'permits', 'state'],
  answer: z.object({
    now: z.number(),
    /** Each with its summary and how many requests of this minute it has used. */
    hosts: listOf(z.tuple([z.string(), z.string(), z.number()])),
    used: z.number(),
    halted: z.string(),
  }),
  lua: `
local slice, size = {}, 0
for _, name in ipairs(redis.call('ZRANGE', hosts, ask.from, ask.from + ask.most - 1)) do
  local summary = redis.call('HGET', summaries, name) or ''
  -- Its time is left, and nothing that can be read.
  if #summary > ${mostSummaryBytes} then summary = string.sub(summary, 1, 100) end
  size = size + #summary
  if size > ${mostSliceBytes} then break end
  slice[#slice + 1] = { name, summary, tonumber(redis.call('HGET', use, name) or 0) }
end
return { now = now, hosts = slice, used = redis.call('ZCOUNT', permits, now, '+inf'),
  halted = redis.call('HGET', state, 'halted') or '' }
`,
});

const healths: readonly Health[] = ['ok', 'attention', 'error'];

/** What all hosts of the account say of themselves, those that need a person first. */
export async function readFleet(redis: Redis): Promise<FleetStatus> {
  const hosts: FleetHost[] = [];
  let slice;
  do {
    slice = await readSlice(redis, { from: hosts.length, most: 100 });
    for (const [host, text, usedByHost] of slice.hosts) {
      const [at = '', run = ''] = text.split(' ', 2);
      const summary = readSummary(text.slice(at.length + run.length + 2));
      const ago = slice.now - Number(at);
      const presence = summary.state === 'stopped' ? 'stopped' : ago > aliveMs ? 'gone' : 'here';
      const lastSeen = new Date(Date.now() - ago).toISOString();
      const health = presence === 'gone' && summary.health === 'ok' ? 'attention' : summary.health;
      hosts.push({ ...summary, health, host, presence, lastSeen, used: usedByHost });
    }
  } while (slice.hosts.length > 0 && hosts.length < mostHosts);
  const { used, halted } = slice;
  hosts.sort((a, b) => weightOf(b) - weightOf(a) || (a.host < b.host ? -1 : 1));
  return {
    health: healths[Math.max(halted === '' ? 0 : 1, ...hosts.map(weightOf))] ?? 'ok',
    account: /\{(.*)\}/.exec(redis.prefix)?.[1] ?? redis.prefix,
    paused: halted !== '',
    rate: { used, windowSeconds: 60 },
    hosts,
  };
}

/** Another version of ingestd may say it otherwise. */
function readSummary(text: string): HostSummary {
  const headline = 'Its summary cannot be read; it may run another version of ingestd';
  const unreadable = { version: 'unknown', state: 'degraded', health: 'attention', headline };
  const summary = orNull(() => hostSummarySchema.parse(JSON.parse(text)));
  return summary ?? hostSummarySchema.parse({ ...emptyStatus(0), ...unreadable });
}

/** Who stopped on purpose needs nobody. */
function weightOf({ presence, health }: FleetHost): number {
  return presence === 'stopped' ? 0 : healths.indexOf(health);
}

/**
 * A person stops all hosts of an account, or lets them send again: no permit is given meanwhile. `host`: on which one that
 * is done. False: it was so before.
 */
export const haltFleet = redisScript<{ readonly isHalted: boolean; readonly host: string }, boolean>({
  keys: ['state'],
  answer: z.number().transform((changed) => changed === 1),
  lua: `
local changed
if ask.isHalted then changed = redis.call('HSETNX', state, 'halted', time[1] .. ' ' .. ask.host)
else
  changed = redis.call('HDEL', state, 'halted')
  -- Hosts that put back what Redis has forgotten do not put back a pause that was before.
  redis.call('HSET', state, 'resumed', time[1])
end
redis.call('PUBLISH', ask.channel, 'ask')
return changed
`,
});

/** Why no host sends, by what Redis keeps of it (when and on which host); null: that is empty, nobody has stopped all. */
export function pauseOf(halted: string): Reason | null {
  const [, seconds, host] = /^(\d+) (.*)$/s.exec(halted) ?? [];
  return host === undefined ? null : fleetPaused(host, toTheSecond(Number(seconds) * 1000));
}

/** The same, as Redis says it now. */
export async function readPause(redis: Redis): Promise<Reason | null> {
  return pauseOf((await readSlice(redis, { from: 0, most: 1 })).halted);
}
