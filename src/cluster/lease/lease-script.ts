import * as z from 'zod';

import type { LeaseTraces } from '../../model/ports/write-lease-port.ts';
import { readTimeLua } from '../redis/redis-time.ts';
import type { RedisSession } from '../redis/connection.ts';
import type { DirectoryLocation } from './directory-location.ts';

/**
 * The lease of one state directory, in one step of Redis. A renewal counts `beats` up; a lease whose beats another host
 * has not seen move for as long as a lease lasts, by its own monotonic clock and over one connection, is over: no clock
 * of Redis or of another host is believed. A lease that was given back is free at once, unless Redis may have forgotten
 * who took it since: it is another process than the one that was told, and has not been running for one window. So is
 * one whose holder, by what the state directory itself says, was a process of this machine that has ended; and where
 * the directory names a later holder that goes on without Redis, Redis has forgotten that one, and learns of it.
 *
 * With the lease come the folders: each is known by where it lies, and belongs to one lease. One that another lease
 * has, or that lies in one of another lease or has one in it, is free when that lease is, by the same rules.
 *
 * KEYS: lease, state of the shared minute, hosts it has heard of, folders, shares. ARGV: the request as JSON, see
 * `LeaseRequest`.
 */
const leaseScript = `
local ask = cjson.decode(ARGV[1])
${readTimeLua}
local was = redis.call('HMGET', KEYS[1], 'host', 'run', 'fence', 'beats', 'redis', 'since', 'at', 'alone')
local host, run, fence, beats = was[1] or '', was[2] or '', tonumber(was[3] or 0), tonumber(was[4] or 0)
local mark = was[3] and string.format('%.0f:%.0f', fence, beats) or 'none'
local own = run == ask.run and fence == ask.fence
local state = redis.call('HMGET', KEYS[2], 'run', 'open')
local remembers = state[1] == ask.redis and tonumber(state[2] or now + 1) <= now

local alone = ask.traces and ask.traces.alone ~= cjson.null and ask.traces.alone
if alone and alone.fence > fence and alone.host ~= ask.host then
  host, run, fence, beats = alone.host, '', alone.fence, 0
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'host', host, 'run', run, 'fence', string.format('%.0f', fence), 'beats', '0',
    'redis', ask.redis, 'since', string.format('%.0f', now), 'at', string.format('%.0f', now), 'alone', '1')
  redis.call('PEXPIRE', KEYS[1], 172800000)
  was = redis.call('HMGET', KEYS[1], 'host', 'run', 'fence', 'beats', 'redis', 'since', 'at', 'alone')
  mark = string.format('%.0f:0', fence)
  -- What it may send is kept for it, as if it had said so itself.
  redis.call('ZADD', KEYS[3], 'NX', now - ask.unreachableMs - 1, host)
  if redis.call('HSETNX', KEYS[5], host, alone.share) == 1 then redis.call('HINCRBY', KEYS[2], 'version', 1) end
end

-- A host that sends without Redis keeps its lease, until a person says that it is gone: then it is none of the hosts.
local function mayLapse(alone, holder)
  return alone ~= '1' or holder == '' or holder == ask.host or not redis.call('ZSCORE', KEYS[3], holder)
end

-- The folders of other leases that are this one, lie in it, or have it in them. What is stored of each: its lease, its
-- path, the Redis that was told, and the paths above it.
local function inTheWay(folder, listed)
  local found, above = {}, {}
  for _, path in ipairs(folder.above) do above[path] = true end
  for i = 1, #listed, 2 do
    local owner, path = string.match(listed[i + 1], '^(%S+) (%S+)')
    local where = (listed[i] == folder.key or path == folder.path) and 'same' or above[path] and 'around'
      or string.find(listed[i + 1], ' ' .. folder.path, 1, true) and 'inside'
    if where and owner ~= ask.name then found[#found + 1] = { key = listed[i], owner = owner, where = where } end
  end
  table.sort(found, function(a, b) return a.key < b.key end)
  return found
end

-- Takes the folders that are free; gives those that are not, each with a mark and its holder.
local function claim()
  local others, listed = {}, nil
  for _, folder in ipairs(ask.folders) do
    local text = ask.name .. ' ' .. folder.path .. ' ' .. ask.redis .. ' ' .. table.concat(folder.above, ' ')
    local known = redis.call('HGET', KEYS[4], folder.key)
    -- Whoever takes it away removes it or writes its own there.
    if known ~= text or ask.mine[folder.key] ~= 1 then
      listed = listed or redis.call('HGETALL', KEYS[4])
      local still, signs, holder, here, where = ask.stillFolders[folder.key], {}, '', true, 'same'
      local obstacles, free = inTheWay(folder, listed), true
      for _, one in ipairs(obstacles) do
        local other = redis.call('HMGET', ask.prefix .. ':lease:' .. one.owner, 'host', 'fence', 'beats', 'alone', 'redis')
        one.holder, one.alone = other[1] or '', other[4]
        one.released = one.holder == '' and (remembers or other[5] == ask.redis)
        signs[#signs + 1] = one.key .. ' ' .. one.owner .. ' ' .. (other[2] or '') .. ' ' .. (other[3] or '')
        if holder == '' then holder, where = one.holder, one.where end
        if other[5] ~= ask.redis then here = false end
      end
      local sign = #signs > 0 and redis.sha1hex(table.concat(signs, ',')) or 'none'
      if #obstacles == 0 then
        free = remembers or known == text or ask.mine[folder.key] == 1 or ask.still == mark or still == 'none'
      end
      for _, one in ipairs(obstacles) do
        if not one.released and not (still == sign and mayLapse(one.alone, one.holder)) then free = false end
      end
      if free then
        for _, one in ipairs(obstacles) do redis.call('HDEL', KEYS[4], one.key) end
        redis.call('HSET', KEYS[4], folder.key, text)
        listed = nil
      else
        if #obstacles == 0 then here = false end
        others[#others + 1] = { folder = folder.key, mark = sign, host = holder, isOfThisRedis = here, where = where }
      end
    end
  end
  if #ask.folders > 0 then redis.call('PEXPIRE', KEYS[4], 172800000) end
  return others
end

local function keep(newFence, newBeats, since)
  redis.call('HSET', KEYS[1], 'host', ask.host, 'run', ask.run, 'fence', string.format('%.0f', newFence),
    'beats', string.format('%.0f', newBeats), 'redis', ask.redis, 'since', since,
    'at', string.format('%.0f', now), 'alone', ask.alone and '1' or '')
  redis.call('PEXPIRE', KEYS[1], 172800000)
  local foreign = claim()
  return cjson.encode({ isHeld = true, fence = newFence, mark = mark, host = ask.host, since = since,
    isOfThisRedis = true, foreign = foreign[1] and foreign })
end

if ask.kind == 'renew' then
  if host ~= '' and own then return keep(fence, beats + 1, was[6]) end
  -- Redis has forgotten it.
  if fence < ask.fence then return keep(ask.fence, 1, string.format('%.0f', now)) end
elseif ask.kind == 'release' then
  if own then
    redis.call('HSET', KEYS[1], 'host', '')
    redis.call('PUBLISH', ask.channel, 'lease')
  end
else
  local free
  if mark == 'none' then free = remembers or ask.first
  elseif host == '' then free = remembers or was[5] == ask.redis
  else free = was[8] == '1' and now - tonumber(was[7]) > ask.aloneMs end
  if ask.still == mark and mayLapse(was[8], host) then free = true end
  local traces = ask.traces
  if fence > 0 and traces.endedFence == fence and traces.highestFence <= fence and (remembers or was[5] == ask.redis) then
    free = true
  end
  if free then return keep(math.max(fence, traces.highestFence) + 1, 0, string.format('%.0f', now)) end
end
return cjson.encode({ fence = fence, mark = mark, host = host, since = was[6], isAlone = was[8] == '1',
  isOfThisRedis = was[5] == ask.redis })
`;

/** What a host asks of the script, which gets with it what the session knows: `redis`, `prefix` and `channel`. */
export interface LeaseRequest {
  readonly kind: 'take' | 'renew' | 'release';
  readonly host: string;
  /** This process's own: a host that was started again is another holder. */
  readonly run: string;
  /** The fence that is held; 0: none. */
  readonly fence: number;
  /** What the state directory says of those who had it; left out unless it is to be taken. */
  readonly traces: LeaseTraces | undefined;
  /** A host that was not heard of for so long counts as out of reach. */
  readonly unreachableMs: number;
  /** The mark that has not changed for as long as a lease lasts; empty: none yet. */
  readonly still: string;
  /** This process has just made the state directory: nobody can hold it. */
  readonly first: boolean;
  /** This host may send without Redis: its lease does not lapse. */
  readonly alone: boolean;
  /** After so long, it does. */
  readonly aloneMs: number;
  /** What the lease is of. */
  readonly name: string;
  /** Where the folders lie that come with it. */
  readonly folders: readonly DirectoryLocation[];
  /** Those of them that this host has already: 1. */
  readonly mine: Readonly<Record<string, number>>;
  /** The marks of those that others have, where they have not changed for as long as a lease lasts. */
  readonly stillFolders: Readonly<Record<string, string>>;
}

/** A folder that comes with another lease. */
const foreignSchema = z.object({
  folder: z.string(),
  /** Changes with each renewal of that lease. */
  mark: z.string(),
  /** Empty: not known yet. */
  host: z.string(),
  /** What it has: the folder itself, one inside of it, or one around it. */
  where: z.enum(['same', 'inside', 'around']),
  /** It was renewed in this Redis, and not in one before it. */
  isOfThisRedis: z.boolean(),
});

/** Who has a folder, or one that cannot be sent beside it. */
export type FolderHolder = Pick<z.output<typeof foreignSchema>, 'host' | 'where'>;

const answerSchema = z.object({
  isHeld: z.boolean().default(false),
  fence: z.number(),
  /** Changes with each renewal. */
  mark: z.string(),
  /** Who holds it; empty: nobody. */
  host: z.string(),
  /** Since when, by Redis's clock, ms; 0: nobody does. */
  since: z.coerce.number().default(0),
  /** The holder may be sending without Redis. */
  isAlone: z.boolean().default(false),
  /** It was renewed in this Redis, and not in one before it. */
  isOfThisRedis: z.boolean(),
  foreign: z.array(foreignSchema).default([]),
});

export type LeaseAnswer = z.output<typeof answerSchema>;

/** Takes, renews or gives back a lease. Rejects where Redis does not answer, or refuses. */
export async function askForLease(session: RedisSession, request: LeaseRequest): Promise<LeaseAnswer> {
  const { runId, prefix } = session;
  const keys = [`lease:${request.name}`, 'state', 'seen', 'folders', 'shares'];
  const text = JSON.stringify({ ...request, redis: runId, prefix, channel: `${prefix}:wake` });
  return answerSchema.parse(JSON.parse(String(await session.evaluate(leaseScript, keys, [text]))));
}
