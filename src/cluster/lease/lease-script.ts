import * as z from 'zod';

import { readTimeLua } from '../redis/script-time.ts';
import type { RedisSession } from '../redis/session.ts';

/**
 * The lease of one state directory, in one step of Redis. A renewal counts `beats` up; a lease whose beats another host
 * has not seen move for as long as a lease lasts, by its own monotonic clock and over one connection, is over: no clock
 * of Redis or of another host is believed. A lease that was given back is free at once, unless Redis may have forgotten
 * who took it since: it is another process than the one that was told, and has not been running for one window.
 *
 * With the lease come the folders: each is known by where it lies, and belongs to one lease. One that another lease has is
 * free when that lease is, by the same rules.
 *
 * KEYS: lease, state of the shared minute, hosts it has heard of, folders. ARGV: the request as JSON, see `LeaseRequest`.
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

-- A host that sends without Redis keeps its lease, until a person says that it is gone: then it is none of the hosts.
local function mayLapse(alone, holder)
  return alone ~= '1' or holder == '' or holder == ask.host or not redis.call('ZSCORE', KEYS[3], holder)
end

-- Takes the folders that are free; gives those that are not, each with a mark and its holder.
local function claim()
  local others = {}
  for _, folder in ipairs(ask.folders) do
    local owner, free, sign, holder = redis.call('HGET', KEYS[4], folder), true, 'none', ''
    local still = ask.stillFolders[folder]
    if not owner then free = remembers or ask.mine[folder] == 1 or ask.still == mark or still == sign
    elseif owner ~= ask.name then
      local other = redis.call('HMGET', ask.prefix .. ':lease:' .. owner, 'host', 'fence', 'beats', 'alone', 'redis')
      holder = other[1] or ''
      sign = owner .. ' ' .. (other[2] or '') .. ' ' .. (other[3] or '')
      free = holder == '' and (remembers or other[5] == ask.redis)
      if still == sign and mayLapse(other[4], holder) then free = true end
    end
    if free then redis.call('HSET', KEYS[4], folder, ask.name)
    else
      others[#others + 1] = folder
      others[#others + 1] = sign
      others[#others + 1] = holder
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
  return { 1, string.format('%.0f', newFence), mark, ask.host, since, '', claim() }
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
  if free then return keep(math.max(fence, ask.seen) + 1, 0, string.format('%.0f', now)) end
end
return { 0, string.format('%.0f', fence), mark, host, was[6] or '', was[8] or '', {} }
`;

export interface LeaseRequest {
  readonly kind: 'take' | 'renew' | 'release';
  readonly host: string;
  /** This process's own: a host that was started again is another holder. */
  readonly run: string;
  /** The fence that is held; 0: none. */
  readonly fence: number;
  /** The highest fence of the names in the state directory. */
  readonly seen: number;
  /** The `run_id` of this Redis. */
  readonly redis: string;
  /** The mark that has not changed for as long as a lease lasts; empty: none yet. */
  readonly still: string;
  /** This process has just made the state directory: nobody can hold it. */
  readonly first: boolean;
  /** This host may send without Redis: its lease does not lapse. */
  readonly alone: boolean;
  /** After so long, it does. */
  readonly aloneMs: number;
  readonly channel: string;
  /** `ingestd:{account}` */
  readonly prefix: string;
  /** What the lease is of. */
  readonly name: string;
  /** Where the folders lie that come with it. */
  readonly folders: readonly string[];
  /** Those of them that this host has already: 1. */
  readonly mine: Readonly<Record<string, number>>;
  /** The marks of those that others have, where they have not changed for as long as a lease lasts. */
  readonly stillFolders: Readonly<Record<string, string>>;
}

/** A folder that comes with another lease. */
interface ForeignFolder {
  readonly folder: string;
  /** Changes with each renewal of that lease. */
  readonly mark: string;
  /** Who holds that lease; empty: not known. */
  readonly host: string;
}

export interface LeaseAnswer {
  readonly isHeld: boolean;
  readonly fence: number;
  /** Changes with each renewal. */
  readonly mark: string;
  /** Who holds it; empty: nobody. */
  readonly host: string;
  /** Since when, by Redis's clock, ms; 0: nobody does. */
  readonly since: number;
  /** The holder may be sending without Redis. */
  readonly isAlone: boolean;
  readonly foreign: readonly ForeignFolder[];
}

const number = z.coerce.number();
const answerSchema = z.tuple([
  number,
  number,
  z.string(),
  z.string(),
  number,
  z.string(),
  z.array(z.string()),
]);

/** Takes, renews or gives back a lease. Rejects where Redis does not answer, or refuses. */
export async function askForLease(
  session: RedisSession,
  request: Omit<LeaseRequest, 'redis'>,
): Promise<LeaseAnswer> {
  const text = JSON.stringify({ ...request, redis: session.runId } satisfies LeaseRequest);
  const keys = [`lease:${request.name}`, 'state', 'seen', 'folders'].map((key) => `${request.prefix}:${key}`);
  const answer = await session.evaluate(leaseScript, keys, [text]);
  const [isHeld, fence, mark, host, since, alone, list] = answerSchema.parse(answer);
  return { isHeld: isHeld === 1, fence, mark, host, since, isAlone: alone === '1', foreign: foreignOf(list) };
}

function foreignOf(list: readonly string[]): readonly ForeignFolder[] {
  return list.flatMap((folder, index) =>
    index % 3 === 0 ? [{ folder, mark: list[index + 1] ?? '', host: list[index + 2] ?? '' }] : [],
  );
}
