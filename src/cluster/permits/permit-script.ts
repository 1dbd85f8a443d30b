import * as z from 'zod';

import type { FleetTimes } from '../fleet-times.ts';
import { commandMs } from '../redis/connection.ts';
import { listOf, redisScript } from '../redis/script.ts';

/** What a host asks for. By `channel` the script tells `next` to all, and `ask` to one host. */
export interface PermitRequest extends FleetTimes {
  readonly host: string;
  readonly limit: number;
  /** The last that this host has seen of both. */
  readonly seq: number;
  readonly epoch: number;
  /** What Redis's clock should say. */
  readonly estimate?: number | undefined;
  /** Nothing was sent of this host's ledger within the last window. */
  readonly founds: boolean;
  /** In this epoch Redis's clock has jumped. */
  readonly jump?: number | undefined;
  /** When a person has stopped all hosts and on which one, in case that Redis has lost it. */
  readonly halted?: string | undefined;
  /** Permits whose request was answered, and how long ago, ms. */
  readonly spent: readonly (readonly [id: string, agoMs: number])[];
  /** Permits on which nothing was sent. */
  readonly returned: readonly string[];
  /** Permits whose requests are under way. */
  readonly renew: readonly string[];
  /** Permits whose requests are about to begin. */
  readonly confirm: readonly string[];
  /** How long requests of this host's last run still count, ms, longest first. */
  readonly recent: readonly number[];
  /** Nobody sends for so long. */
  readonly pauseMs?: number | undefined;
  /** The names of the permits that are wanted, if they are granted. */
  readonly ids: readonly string[];
  /** 0 to 9: the priority of what is first in line here. */
  readonly level: number;
  /** How much is in line here. */
  readonly demand: number;
}

const whole = z.number().default(0);

const answerSchema = z.object({
  now: z.number(),
  /** Nothing was done. */
  late: z.boolean().default(false),
  granted: whole,
  /** Permits that were to be confirmed and are no longer there. */
  gone: listOf(z.string()).default([]),
  /** When the next place comes free. */
  nextMs: whole,
  /** How many hosts come before this one. */
  rank: whole,
  used: whole,
  openMs: whole,
  pauseMs: whole,
  epoch: whole,
  seq: whole,
  /** A window without permits begins with this call. */
  reset: z.boolean().default(false),
  /** Why the last one began. `new`: Redis knew nothing of the account, and neither did who asked. */
  why: z.enum(['new', 'restarted', 'lost', 'clock']).default('new'),
  /** How many hosts are in line; a mere sign of life is not told. */
  waiting: z.number().optional(),
  /** When a person stopped all hosts, and on which one; empty: nobody has. */
  halted: z.string().default(''),
});

/** What came of it. */
export type PermitAnswer = z.output<typeof answerSchema>;

/** Before the first one. */
export const noAnswer: PermitAnswer = answerSchema.parse({ now: 0 });

/**
 * The minute of all hosts, in one step of Redis: takes back, renews and gives permits. All times are Redis's own, ms.
 *
 * A permit is a member of a sorted set; its score is when its place comes free: one window after the answer, and while
 * its request is under way, as long after its last renewal as a dead host may keep it, and one window. What may have
 * been forgotten (a new process, a counter that went back, another number of places than it wrote, a clock that jumped)
 * starts one window without permits; permits under way are put back by their renewals meanwhile. Where Redis has never
 * known the account and the host that asks has sent nothing, two seconds are enough, if no other host asks within them:
 * those that are there are woken.
 *
 * A place goes to the waiting host with the highest priority, among them to the one that has used least of its part:
 * its demand for one window. A place for another host than the caller is kept for it while it is woken by a message, for
 * as long as a permit is valid. Rejects where Redis does not answer, or refuses.
 */
export const askForPermits = redisScript<PermitRequest, PermitAnswer>({
  keys: ['permits', 'state', 'waiting', 'use'],
  answer: answerSchema,
  lua: `
local host, window, limit = ask.host, ask.windowMs, ask.limit
local answered = window + ask.marginMs
local underWay = ask.lifeMs + answered

local was = redis.call('HMGET', state, 'run', 'seq', 'last', 'open', 'pause', 'epoch', 'at', 'halted', 'sure', 'why', 'founder', 'places', 'resumed')
local run, seq, last = was[1], tonumber(was[2] or 0), tonumber(was[3] or 0)
local open, pause, epoch = tonumber(was[4] or 0), tonumber(was[5] or 0), tonumber(was[6] or 0)
local at, halted, sure = tonumber(was[7] or 0), was[8] or '', tonumber(was[9] or 0)
local why, founder, places = was[10] or 'restarted', was[11] or '', tonumber(was[12] or 0)

-- Its host has given it up, and said all of it again: it waited in a network that was cut.
if ask.estimate and ask.estimate + ${commandMs} < now then
  return { now = now, epoch = epoch, seq = seq, late = true }
end

local function ownerOf(id) return string.match(id, '^(.*)/') end
local function put(id, score)
  if score <= now then return end
  if redis.call('ZADD', permits, score, id) == 1 then redis.call('HINCRBY', use, ownerOf(id), 1) end
end
local function drop(id)
  if redis.call('ZREM', permits, id) == 0 then return false end
  if redis.call('HINCRBY', use, ownerOf(id), -1) <= 0 then redis.call('HDEL', use, ownerOf(id)) end
  return true
end

local reset, held = '', redis.call('ZCARD', permits)
if run and run ~= ask.redis then reset = 'restarted'
elseif not run or places ~= held or seq < ask.seq then reset = 'lost'
elseif now < last - ask.marginMs or ask.jump == epoch then reset = 'clock' end
if reset ~= '' then
  local isUnknown = not run and held == 0
  redis.call('DEL', permits, waiting, use)
  if reset == 'clock' then pause = now + math.max(0, math.min(pause - last, window)) end
  run, seq, sure, epoch, at = ask.redis, math.max(seq, ask.seq), now + answered, math.max(epoch, ask.epoch or 0) + 1, 0
  open, why, founder = sure, reset, ''
  if isUnknown and ask.founds and ask.seq == 0 and ask.epoch == 0 then
    open, why, founder = now + 2000, 'new', host
    redis.call('PUBLISH', ask.channel, 'ask')
  end
end

if founder ~= '' and founder ~= host then
  if now < open then open = sure end
  founder = ''
  redis.call('HSET', state, 'open', open, 'founder', '')
end

-- Nothing but a sign of life.
local news = #ask.spent + #ask.returned + #ask.renew + #ask.confirm + #ask.recent + #ask.ids
if news == 0 and reset == '' and not ask.pauseMs and not redis.call('HGET', waiting, host) then
  for _, key in ipairs({ state, permits }) do redis.call('PEXPIRE', key, 172800000) end
  return { now = now, used = redis.call('ZCOUNT', permits, now, '+inf'), epoch = epoch, seq = seq,
    openMs = math.max(0, open - now), pauseMs = math.max(0, pause - now), halted = halted, why = why }
end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', permits, '-inf', now)) do drop(id) end
for _, id in ipairs(ask.returned) do drop(id) end
for _, one in ipairs(ask.spent) do
  drop(one[1])
  put(one[1], now - one[2] + answered)
end
for _, id in ipairs(ask.renew) do put(id, now + underWay) end
local gone = {}
for _, id in ipairs(ask.confirm) do
  if redis.call('ZSCORE', permits, id) then put(id, now + underWay) else gone[#gone + 1] = id end
end
for i = tonumber(redis.call('HGET', use, host) or 0) + 1, #ask.recent do
  put(host .. '/before' .. i, now + ask.recent[i] + ask.marginMs)
end
if ask.pauseMs then pause = math.max(pause, now + ask.pauseMs) end

-- Unless a person has ended that pause since.
if open > now and ask.halted and halted == '' and tonumber(string.match(ask.halted, '^%d+')) > tonumber(was[13] or 0) then
  halted = ask.halted
  redis.call('HSET', state, 'halted', halted)
end

-- A thousand hosts may wait: what is done for each of them is little.
local want, granted = #ask.ids, 0
local entries, own, usedBy = {}, nil, {}
local counted = redis.call('HGETALL', use)
for i = 1, #counted, 2 do usedBy[counted[i]] = tonumber(counted[i + 1]) end
local function enter(entry)
  entry.used, entry.want = usedBy[entry.name] or 0, entry.asked
  entry.weight = math.max(1, math.min(limit, entry.demand + entry.used))
  entries[#entries + 1] = entry
end
local listed = redis.call('HGETALL', waiting)
local since = now
for i = 1, #listed, 2 do
  local entry = cjson.decode(listed[i + 1])
  if entry.name == host then since = entry.since
  -- It died while it waited.
  elseif entry.till < now or entry.woken > 0 and entry.woken + ask.validMs <= now then
    redis.call('HDEL', waiting, entry.name)
  else enter(entry) end
end
if want > 0 then
  -- A request that was long on its way says when its host was alive, not that it is.
  local till = math.min(now, ask.estimate or now) + 2 * ask.beatMs
  own = { name = host, level = ask.level, demand = ask.demand, since = since, till = till, woken = 0, asked = want }
  enter(own)
end

local function before(a, b)
  if a.level ~= b.level then return a.level > b.level end
  local x, y = a.used / a.weight, b.used / b.weight
  if x ~= y then return x < y end
  if a.since ~= b.since then return a.since < b.since end
  return a.name < b.name
end
-- Until when places are kept for hosts that were woken.
local kept = math.huge
if now >= open and now >= pause and halted == '' then
  for _ = 1, limit - redis.call('ZCARD', permits) do
    local best = nil
    for _, entry in ipairs(entries) do
      if entry.want > 0 and (not best or before(entry, best)) then best = entry end
    end
    if not best then break end
    best.want, best.used = best.want - 1, best.used + 1
    if best == own then
      granted = granted + 1
      seq = seq + 1
      put(ask.ids[granted], now + underWay)
    else
      if best.woken == 0 then
        best.woken = now
        redis.call('HSET', waiting, best.name, cjson.encode(best))
        redis.call('PUBLISH', ask.channel .. ':' .. best.name, 'ask')
      end
      kept = math.min(kept, best.woken + ask.validMs)
    end
  end
end

local left, rank = 0, 0
for _, entry in ipairs(entries) do
  if entry ~= own or granted < want then left = left + 1 end
  if own and entry ~= own and entry.want > 0 and before(entry, own) then rank = rank + 1 end
end
if granted < want then
  own.asked = want - granted
  redis.call('HSET', waiting, host, cjson.encode(own))
else redis.call('HDEL', waiting, host) end

local used = redis.call('ZCARD', permits)
local nextMs = 0
if halted ~= '' then nextMs = 5000
elseif now < open then nextMs = open - now
elseif now < pause then nextMs = pause - now
elseif used >= limit or kept < math.huge then
  local index = math.max(0, used - limit)
  local first = tonumber(redis.call('ZRANGE', permits, index, index, 'WITHSCORES')[2] or kept)
  nextMs = math.min(first, kept) - now
end
if left > 0 and (at <= now or now + nextMs < at - 5) then
  at = now + nextMs
  redis.call('PUBLISH', ask.channel, 'next ' .. string.format('%.0f', nextMs))
end

redis.call('HSET', state, 'run', run, 'seq', seq, 'last', now, 'open', open, 'pause', pause, 'epoch', epoch,
  'at', at, 'sure', sure, 'why', why, 'founder', founder, 'places', used)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 172800000) end
return { now = now, granted = granted, gone = gone, nextMs = nextMs,
  rank = rank, used = used, openMs = math.max(0, open - now),
  pauseMs = math.max(0, pause - now), epoch = epoch, seq = seq, reset = reset ~= '', why = why,
  waiting = left, halted = halted }
`,
});
