import * as z from 'zod';

import type { LeaseTraces } from '../../model/ports/write-lease-port.ts';
import type { RedisSession } from '../redis/connection.ts';
import { redisScript } from '../redis/script.ts';
import type { FolderPlace } from './directory-location.ts';
import type { RememberedFolders } from './folder-memory.ts';
import { foldersVersion, inTheWayLua } from './folders-lua.ts';

/** What a host asks for. */
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
  /** The folders that come with it, as far as they are there. */
  readonly folders: readonly FolderPlace[];
  /** Where they are known, by their `machine`; empty: on shares alone. */
  readonly machine: string;
  /** The `name` of each folder of the configuration, there or not: 1. Null: the configuration says nothing of them. */
  readonly configured: Readonly<Record<string, number>> | null;
  /** Those of them that this host has already: 1. */
  readonly mine: Readonly<Record<string, number>>;
  /** Those that Redis has known nothing of for as long as another ledger may have them: 1. */
  readonly quiet: Readonly<Record<string, number>>;
  /** A lease that was not renewed for so long is not in use. */
  readonly lifeMs: number;
  /** What Redis last told this host of the folders: see `RememberedFolders`. */
  readonly born: string;
  readonly changes: number;
}

/** A folder that belongs to another ledger. */
const foreignSchema = z.object({
  folder: z.string(),
  /** The ledger's last holder. Empty: not known yet. */
  host: z.string(),
  /** What it has: the folder itself, one inside of it, or one around it. */
  where: z.enum(['same', 'inside', 'around']),
  /** False: nobody holds that ledger. */
  isRunning: z.boolean(),
});

/** Whose a folder is, or one that cannot be sent beside it. */
export type FolderHolder = Omit<z.output<typeof foreignSchema>, 'folder'>;

const answerSchema = z.object({
  /** Nothing was done: Redis may have forgotten folders, and this host has not said yet what it remembers. */
  isUnknown: z.boolean().default(false),
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
  /** How often the folders had changed before this call. */
  changes: z.number(),
  foreign: z.array(foreignSchema).default([]),
});

export type LeaseAnswer = z.output<typeof answerSchema>;

/**
 * The lease of one state directory, in one step of Redis. A renewal counts `beats` up; a lease whose beats another host
 * has not seen move for as long as a lease lasts, by its own monotonic clock and over one connection, is over: no clock
 * of Redis or of another host is believed. A lease that was given back is free at once, unless Redis may have forgotten
 * who took it since: it is another process than the one that was told, and has not been running for one window. So is
 * one whose holder, by what the state directory itself says, was a process of this machine that has ended; and where
 * the directory names a later holder that goes on without Redis, Redis has forgotten that one, and learns of it.
 *
 * With the lease come the folders: each is known by where it lies, and belongs to one ledger, that of the lease's name. It
 * does so also while nobody holds that lease: another ledger does not know its documents. It is free when the ledger's
 * next holder is configured without it, or when a person says that its host is gone.
 * Rejects where Redis does not answer, or refuses.
 */
export const askForLease = redisScript<LeaseRequest, LeaseAnswer>({
  keys: [['lease', ({ name }) => `lease:${name}`], 'state', 'seen', 'shares', 'folders', foldersVersion],
  answer: answerSchema,
  lua: `
${inTheWayLua}

local changes = tonumber(redis.call('HGET', foldersVersion, 'changes') or 0)
if ask.kind ~= 'release' and not remembersAll(ask.born) then
  return { isUnknown = true, fence = 0, mark = '', host = '', isOfThisRedis = false, changes = 0 }
end

local was = redis.call('HMGET', lease, 'host', 'run', 'fence', 'beats', 'redis', 'since', 'at', 'alone')
local host, run, fence, beats = was[1] or '', was[2] or '', tonumber(was[3] or 0), tonumber(was[4] or 0)
local mark = was[3] and string.format('%.0f:%.0f', fence, beats) or 'none'
local own = run == ask.run and fence == ask.fence
local minute = redis.call('HMGET', state, 'run', 'open')
local remembers = minute[1] == ask.redis and tonumber(minute[2] or now + 1) <= now

local alone = ask.traces and ask.traces.alone ~= cjson.null and ask.traces.alone
if alone and alone.fence > fence and alone.host ~= ask.host then
  host, run, fence, beats = alone.host, '', alone.fence, 0
  redis.call('DEL', lease)
  redis.call('HSET', lease, 'host', host, 'run', run, 'fence', string.format('%.0f', fence), 'beats', '0',
    'redis', ask.redis, 'since', string.format('%.0f', now), 'at', string.format('%.0f', now), 'alone', '1')
  redis.call('PEXPIRE', lease, 172800000)
  was = redis.call('HMGET', lease, 'host', 'run', 'fence', 'beats', 'redis', 'since', 'at', 'alone')
  mark = string.format('%.0f:0', fence)
  -- What it may send is kept for it, as if it had said so itself.
  redis.call('ZADD', seen, 'NX', now - ask.unreachableMs - 1, host)
  if redis.call('HSETNX', shares, host, alone.share) == 1 then redis.call('HINCRBY', state, 'version', 1) end
end

-- A host that sends without Redis keeps its lease, until a person says that it is gone: then it is none of the hosts.
local function mayLapse(alone, holder)
  return alone ~= '1' or holder == '' or holder == ask.host or not redis.call('ZSCORE', seen, holder)
end

local function hasTold(known) return known and readFolder(known).told == ask.redis end

-- Takes the folders that are free; gives those that are not.
local function claim()
  local others, listed = {}, nil
  for _, folder in ipairs(ask.folders) do
    local text = folderText(folder, ask)
    local known = redis.call('HGET', folders, folder.key)
    -- Whoever takes it away removes it or writes its own there.
    if known ~= text or ask.mine[folder.key] ~= 1 then
      listed = listed or redis.call('HGETALL', folders)
      local other = inTheWay(folder, listed, ask.mine[folder.key] == 1)
      if other then others[#others + 1] = other
      elseif remembers or hasTold(known) or ask.mine[folder.key] == 1 or ask.still == mark or ask.quiet[folder.key] == 1 then
        setFolder(folder.key, text)
        listed = nil
      else others[#others + 1] = { folder = folder.key, host = '', where = 'same', isRunning = false } end
    end
  end
  if #ask.folders > 0 then
    for _, key in ipairs({ folders, foldersVersion }) do redis.call('PEXPIRE', key, 31536000000) end
  end
  return others
end

-- Gives up the folders that the configuration no longer has; a directory whose path another one has; and what this
-- machine knew before it was restarted. One that is not there keeps its place: it may only be unmounted.
local function giveUp()
  local listed, found, paths, isAny = redis.call('HGETALL', folders), {}, {}, false
  for _, folder in ipairs(ask.folders) do found[folder.key], paths[folder.path] = true, true end
  for i = 1, #listed, 2 do
    local one = readFolder(listed[i + 1])
    local isOld = one.machine ~= 'share' and ask.machine ~= '' and one.machine ~= ask.machine and one.holder == ask.host
    local isOver = isOld or paths[one.path] or ask.configured[one.name] ~= 1
    if one.ledger == ask.name and not found[listed[i]] and isOver then
      dropFolder(listed[i])
      isAny = true
    end
  end
  if isAny then redis.call('PUBLISH', ask.channel, 'lease') end
end

-- The lease last: where Redis refuses one of the others, nobody has it.
local function keep(newFence, newBeats, since)
  -- Also what another host has remembered of this ledger, and is over.
  if (ask.kind == 'take' or ask.changes ~= changes) and ask.configured ~= cjson.null then giveUp() end
  local foreign = claim()
  redis.call('HSET', lease, 'host', ask.host, 'run', ask.run, 'fence', string.format('%.0f', newFence),
    'beats', string.format('%.0f', newBeats), 'redis', ask.redis, 'since', since,
    'at', string.format('%.0f', now), 'alone', ask.alone and '1' or '')
  redis.call('PEXPIRE', lease, 172800000)
  return { isHeld = true, fence = newFence, mark = mark, host = ask.host, since = since,
    isOfThisRedis = true, changes = changes, foreign = foreign[1] and foreign }
end

if ask.kind == 'renew' then
  if host ~= '' and own then return keep(fence, beats + 1, was[6]) end
  -- Redis has forgotten it.
  if fence < ask.fence then return keep(ask.fence, 1, string.format('%.0f', now)) end
elseif ask.kind == 'release' then
  if own then
    redis.call('HSET', lease, 'host', '')
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
return { fence = fence, mark = mark, host = host, since = was[6], isAlone = was[8] == '1',
  isOfThisRedis = was[5] == ask.redis, changes = changes }
`,
});

const lookAtFolders = redisScript({
  keys: ['folders', foldersVersion],
  answer: answerSchema.pick({ foreign: true }),
  lua: `
${inTheWayLua}
local listed, found = redis.call('HGETALL', folders), {}
if not remembersAll(ask.born) then
  for key, text in pairs(ask.remembered) do
    if not redis.call('HGET', folders, key) then listed[#listed + 1], listed[#listed + 2] = key, text end
  end
end
for _, folder in ipairs(ask.folders) do found[#found + 1] = inTheWay(folder, listed) end
return { foreign = found[1] and found }
`,
});

/**
 * Which of some folders belong to another ledger than `name`, by their keys: as Redis and this host know it. Changes
 * nothing. Rejects as `askForLease` does.
 */
export async function findForeignFolders(
  session: RedisSession,
  request: Pick<LeaseRequest, 'name' | 'folders' | 'lifeMs'>,
  { born, folders: remembered }: RememberedFolders,
): Promise<ReadonlyMap<string, FolderHolder>> {
  const { foreign } = await lookAtFolders(session, { ...request, born, remembered });
  return new Map(foreign.map(({ folder, ...holder }) => [folder, holder]));
}
