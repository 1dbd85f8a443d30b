import * as z from 'zod';

import { orNull } from '../../lib/or-null.ts';
import { hostSummarySchema } from '../../model/report/fleet.ts';
import type { FleetHost, FleetStatus, HostSummary } from '../../model/report/fleet.ts';
import { emptyStatus } from '../../model/report/status.ts';
import type { Health } from '../../model/report/status.ts';
import { aliveMs } from '../fleet-times.ts';
import type { Redis } from '../redis/connection.ts';
import { listOf, redisScript } from '../redis/script.ts';

/** Hosts are read so many at a time, and no more than `mostHosts`: no answer of Redis is large. */
const sliceSize = 50;
const mostHosts = 2_000;

const readSlice = redisScript({
  keys: ['hosts', 'summaries', 'use', 'permits', 'state'],
  reads: true,
  answer: z.object({
    now: z.number(),
    /** Each with its summary and how many requests of this minute it has used. */
    hosts: listOf(z.tuple([z.string(), z.string(), z.number()])),
    used: z.number(),
    halted: z.string(),
  }),
  lua: `
local slice = {}
for _, name in ipairs(redis.call('ZRANGE', hosts, ask.from, ask.from + ask.size - 1)) do
  local used = tonumber(redis.call('HGET', use, name) or 0)
  slice[#slice + 1] = { name, redis.call('HGET', summaries, name) or '', used }
end
return { now = now, hosts = slice, used = redis.call('ZCOUNT', permits, now, '+inf'),
  halted = redis.call('HGET', state, 'halted') or '' }
`,
});

const weights: Readonly<Record<Health, number>> = { error: 2, attention: 1, ok: 0 };

/** What all hosts of the account say of themselves, those that need a person first. */
export async function readFleet(redis: Redis): Promise<FleetStatus> {
  const hosts: FleetHost[] = [];
  let slice;
  do {
    slice = await readSlice(redis, { from: hosts.length, size: sliceSize });
    for (const [host, text, usedByHost] of slice.hosts) {
      const [at = '', run = ''] = text.split(' ', 2);
      const summary = readSummary(text.slice(at.length + run.length + 2));
      const ago = slice.now - Number(at);
      const presence = summary.state === 'stopped' ? 'stopped' : ago > aliveMs ? 'gone' : 'here';
      const lastSeen = new Date(Date.now() - ago).toISOString();
      hosts.push({ ...summary, host, presence, lastSeen, used: usedByHost });
    }
  } while (slice.hosts.length === sliceSize && hosts.length < mostHosts);
  const { used, halted } = slice;
  hosts.sort((a, b) => weightOf(b) - weightOf(a) || (a.host < b.host ? -1 : 1));
  const worst = Math.max(0, ...hosts.map(weightOf));
  return {
    health: worst === 2 ? 'error' : worst === 1 || halted !== '' ? 'attention' : 'ok',
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

/** Who stopped on purpose needs nobody; who is gone does. */
function weightOf({ presence, health }: FleetHost): number {
  if (presence === 'stopped') return 0;
  return presence === 'gone' ? Math.max(1, weights[health]) : weights[health];
}

/** Stops all hosts of an account, or lets them send again: no permit is given meanwhile. False: it was so before. */
export const haltFleet = redisScript<{ readonly isHalted: boolean }, boolean>({
  keys: ['state'],
  answer: z.number().transform((changed) => changed === 1),
  lua: `
local changed
if ask.isHalted then changed = redis.call('HSETNX', state, 'halted', time[1])
else
  changed = redis.call('HDEL', state, 'halted')
  -- Hosts that put back what Redis has forgotten do not put back a pause that was before.
  redis.call('HSET', state, 'resumed', time[1])
end
redis.call('PUBLISH', ask.channel, 'ask')
return changed
`,
});

/** Whether a person has stopped all hosts. */
export async function isFleetHalted(redis: Redis): Promise<boolean> {
  return (await readSlice(redis, { from: 0, size: 1 })).halted !== '';
}
