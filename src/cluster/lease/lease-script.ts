import * as z from 'zod';

import { redisScript } from '../redis/script.ts';

/** What a host asks for. */
export interface LeaseRequest {
  readonly kind: 'take' | 'renew' | 'release';
  readonly host: string;
  /** This process's own: a host that was started again is another holder. */
  readonly run: string;
  /** The fence that is held; 0: none. */
  readonly fence: number;
  /** What the state directory says of those who had it, the last where it has ended; left out unless it is to be taken. */
  readonly traces: { readonly highestFence: number; readonly endedFence: number } | undefined;
  /** The mark that has not changed for as long as a lease lasts; empty: none yet. */
  readonly still: string;
  /** This process has just made the state directory: nobody can hold it. */
  readonly first: boolean;
  /** What the lease is of. */
  readonly name: string;
}

const answerSchema = z.object({
  isHeld: z.boolean().default(false),
  fence: z.number(),
  /** Changes with each renewal. */
  mark: z.string(),
  /** Who holds it; empty: nobody. */
  host: z.string(),
  /** Since when, by Redis's clock, ms; 0: nobody does. */
  since: z.coerce.number().default(0),
  /** It was renewed in this Redis, and not in one before it. */
  isOfThisRedis: z.boolean(),
});

export type LeaseAnswer = z.output<typeof answerSchema>;

/**
 * The lease of one state directory, in one step of Redis. A renewal counts `beats` up; a lease whose beats another host
 * has not seen move for as long as a lease lasts, by its own monotonic clock and over one connection, is over: no clock
 * of Redis or of another host is believed. A lease that was given back is free at once, unless Redis may have forgotten
 * who took it since: it is another process than the one that was told, and has not been running for one window. So is
 * one whose holder, by what the state directory itself says, was a process of this machine that has ended.
 * Rejects where Redis does not answer, or refuses.
 */
export const askForLease = redisScript<LeaseRequest, LeaseAnswer>({
  keys: [['lease', ({ name }) => `lease:${name}`], 'state'],
  answer: answerSchema,
  lua: `
local was = redis.call('HMGET', lease, 'host', 'run', 'fence', 'beats', 'redis', 'since')
local host, run, fence, beats = was[1] or '', was[2] or '', tonumber(was[3] or 0), tonumber(was[4] or 0)
local mark = was[3] and string.format('%.0f:%.0f', fence, beats) or 'none'
local own = run == ask.run and fence == ask.fence
local minute = redis.call('HMGET', state, 'run', 'sure')
local remembers = minute[1] == ask.redis and tonumber(minute[2] or now + 1) <= now

local function keep(newFence, newBeats, since)
  redis.call('HSET', lease, 'host', ask.host, 'run', ask.run, 'fence', string.format('%.0f', newFence),
    'beats', string.format('%.0f', newBeats), 'redis', ask.redis, 'since', since)
  redis.call('PEXPIRE', lease, 172800000)
  return { isHeld = true, fence = newFence, mark = mark, host = ask.host, since = since, isOfThisRedis = true }
end

if ask.kind == 'renew' then
  if host ~= '' and own then return keep(fence, beats + 1, was[6]) end
  -- Redis has forgotten it.
  if fence < ask.fence then return keep(ask.fence, 1, string.format('%.0f', now)) end
elseif ask.kind == 'release' then
  if own then redis.call('HSET', lease, 'host', '') end
else
  local free = false
  if mark == 'none' then free = remembers or ask.first
  elseif host == '' then free = remembers or was[5] == ask.redis end
  if ask.still == mark then free = true end
  local traces = ask.traces
  if fence > 0 and traces.endedFence == fence and traces.highestFence <= fence and (remembers or was[5] == ask.redis) then
    free = true
  end
  if free then return keep(math.max(fence, traces.highestFence) + 1, 0, string.format('%.0f', now)) end
end
return { fence = fence, mark = mark, host = host, since = was[6], isOfThisRedis = was[5] == ask.redis }
`,
});
