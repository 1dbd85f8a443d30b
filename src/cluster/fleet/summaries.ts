import * as z from 'zod';

import type { FleetHost, FleetStatus, HostSummary, Presence } from '../../model/report/fleet.ts';
import type { Health, Status } from '../../model/report/status.ts';
import { failedCount, headline, failuresInDoubt } from '../../model/report/headline.ts';
import { pairsOf } from '../redis/session.ts';
import type { RedisSession } from '../redis/session.ts';
import { readTimeLua } from '../redis/redis-time.ts';
import { aliveMs } from '../permits/fleet-times.ts';

/**
 * KEYS: summaries, seen, limits, state of the shared minute, shares. ARGV: host, summary, aliveMs, run, limit, `compare` or
 * `stop` or ''. What was not renewed for a day goes. Gives how many hosts are alive, the run that wrote last under this
 * name, and hosts with another limit. The lowest limit of those that may send is what all obey.
 */
const publishScript = `
${readTimeLua}
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], 172800000)
local before = string.match(redis.call('HGET', KEYS[3], ARGV[1]) or '', '^%d+ %d+ (.*)$') or ''
if ARGV[6] == 'stop' then redis.call('HDEL', KEYS[3], ARGV[1])
else redis.call('HSET', KEYS[3], ARGV[1], string.format('%.0f ', now) .. ARGV[5] .. ' ' .. ARGV[4]) end
redis.call('PEXPIRE', KEYS[3], 172800000)
local others = {}
if ARGV[6] == 'compare' then
  local least = tonumber(ARGV[5])
  local all = redis.call('HGETALL', KEYS[3])
  for i = 1, #all, 2 do
    local at, limit = string.match(all[i + 1], '^(%d+) (%d+)')
    if tonumber(at) < now - tonumber(ARGV[3]) and not redis.call('HGET', KEYS[5], all[i]) then
      redis.call('HDEL', KEYS[3], all[i])
    elseif limit ~= ARGV[5] then
      least = math.min(least, tonumber(limit))
      others[#others + 1] = all[i]
      others[#others + 1] = limit
    end
  end
  redis.call('HSET', KEYS[4], 'limit', least)
end
return { redis.call('ZCOUNT', KEYS[2], now - tonumber(ARGV[3]), '+inf'), before, others }
`;

/** KEYS: summaries, use, permits, state. */
const readScript = `
${readTimeLua}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if tonumber(string.match(all[i + 1], '^%d+')) < now - 86400000 then redis.call('HDEL', KEYS[1], all[i]) end
end
return { string.format('%.0f', now), redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]),
  redis.call('ZCOUNT', KEYS[3], now, '+inf'), redis.call('HGET', KEYS[4], 'halted') or '' }
`;

/** A summary is renewed every five seconds. */
export const publishMs = 5_000;
const mostFolders = 50;
const mostFailures = 10;
const mostReasons = 10;
const longestText = 300;

/** What of a status the other hosts see. */
export function summaryOf(status: Status): HostSummary {
  const { version, state, health, queue } = status;
  const doubts = failuresInDoubt(status);
  // What is retried has not failed, and doubts stand in the headline.
  const failures = status.failures.filter((one) => one.retryAt === null && !doubts.has(one));
  return {
    version,
    state,
    health,
    headline: headline(status),
    reasons: status.reasons
      .slice(0, mostReasons)
      .map(({ code, message }) => ({ code, message: cut(message) })),
    folders: status.folders
      .slice(0, mostFolders)
      .map(({ name, state: watched, onDisk, synced, pending, waiting, failed, held }) => {
        return { name, state: watched, onDisk, synced, pending, waiting, failed, held };
      }),
    queue: { pending: queue.pending, inFlight: queue.inFlight, waiting: queue.waiting },
    failures: failures.slice(0, mostFailures).map(({ folder, path, code, message }) => {
      return { folder, path: cut(path), code, message: cut(message) };
    }),
    failuresTotal: failedCount(status),
  };
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/** What a host learns of the others when it publishes. */
export interface Neighbours {
  /** How many hosts speak with Redis, this one included. */
  readonly hosts: number;
  /** The run of ingestd that published last under this host's name; empty: none that is known. */
  readonly before: string;
  /** Hosts that were told another limit, and which; null: not asked for. */
  readonly otherLimits: readonly (readonly [string, number])[] | null;
}

interface Publication {
  readonly prefix: string;
  readonly host: string;
  readonly summary: HostSummary;
  /** Names this start of ingestd. */
  readonly run: string;
  /** `service.requestsPerMinute` of this host. */
  readonly limit: number;
  /** Ask for the limits of the others too. */
  readonly compares: boolean;
}

const neighboursSchema = z.tuple([z.number(), z.string(), z.array(z.string())]);

/** Publishes it for the others. */
export async function publishSummary(
  session: RedisSession,
  { prefix, host, summary, run, limit, compares }: Publication,
): Promise<Neighbours> {
  const keys = ['summaries', 'seen', 'limits', 'state', 'shares'].map((key) => `${prefix}:${key}`);
  const mode = summary.state === 'stopped' ? 'stop' : compares ? 'compare' : '';
  const args = [host, JSON.stringify(summary), String(aliveMs), run, String(limit), mode];
  const answer = await session.evaluate(publishScript, keys, args);
  const [hosts, before, others] = neighboursSchema.parse(answer);
  const otherLimits = pairsOf(others).map(([name, other]) => [name, Number(other)] as const);
  return { hosts, before, otherLimits: compares ? otherLimits : null };
}

const count = z.number().default(0);
const summarySchema = z.object({
  version: z.string(),
  state: z.enum(['starting', 'working', 'idle', 'paused', 'degraded', 'stopping', 'stopped', 'standby']),
  health: z.enum(['ok', 'attention', 'error']),
  headline: z.string(),
  reasons: z.array(z.object({ code: z.string(), message: z.string() })).default([]),
  folders: z
    .array(
      z.object({
        name: z.string(),
        state: z.string(),
        onDisk: count,
        synced: count,
        pending: count,
        waiting: count,
        failed: count,
        held: count,
      }),
    )
    .default([]),
  queue: z.object({ pending: count, inFlight: count, waiting: count }),
  failures: z
    .array(z.object({ folder: z.string(), path: z.string(), code: z.string(), message: z.string() }))
    .default([]),
  failuresTotal: count,
});

const pairs = z.union([
  z.array(z.string()).transform(pairsOf),
  z.record(z.string(), z.string()).transform(Object.entries<string>),
]);
const readSchema = z.tuple([z.string(), pairs, pairs, z.number(), z.string()]);

const weights: Readonly<Record<Health, number>> = { error: 2, attention: 1, ok: 0 };

/** What all hosts of the account say of themselves, those that need a person first. */
export async function readFleet(session: RedisSession, prefix: string): Promise<FleetStatus> {
  const keys = ['summaries', 'use', 'permits', 'state'].map((key) => `${prefix}:${key}`);
  const [now, summaries, use, used, halted] = readSchema.parse(await session.evaluate(readScript, keys, []));
  const shares = new Map(use);
  const hosts = summaries.map(([host, text]) => {
    const space = text.indexOf(' ');
    const ago = Number(now) - Number(text.slice(0, space));
    return hostOf(host, text.slice(space + 1), { ago, used: Number(shares.get(host) ?? 0) });
  });
  hosts.sort((a, b) => weightOf(b) - weightOf(a) || (a.host < b.host ? -1 : 1));
  const worst = Math.max(0, ...hosts.map(weightOf));
  return {
    health: worst === 2 ? 'error' : worst === 1 || halted !== '' ? 'attention' : 'ok',
    account: /\{(.*)\}/.exec(prefix)?.[1] ?? prefix,
    paused: halted !== '',
    rate: { used, windowSeconds: 60 },
    hosts,
  };
}

function hostOf(
  host: string,
  text: string,
  { ago, used }: { readonly ago: number; readonly used: number },
): FleetHost {
  const summary = readSummary(text);
  const presence: Presence = summary.state === 'stopped' ? 'stopped' : ago > aliveMs ? 'gone' : 'here';
  return { ...summary, host, presence, lastSeen: new Date(Date.now() - ago).toISOString(), used };
}

/** Another version of ingestd may say it otherwise. */
function readSummary(text: string): HostSummary {
  try {
    return summarySchema.parse(JSON.parse(text));
  } catch {
    return {
      version: 'unknown',
      state: 'degraded',
      health: 'attention',
      headline: 'Its summary cannot be read; it may run another version of ingestd',
      reasons: [],
      folders: [],
      queue: { pending: 0, inFlight: 0, waiting: 0 },
      failures: [],
      failuresTotal: 0,
    };
  }
}

/** Who stopped on purpose needs nobody; who is gone does. */
function weightOf({ presence, health }: FleetHost): number {
  if (presence === 'stopped') return 0;
  return presence === 'gone' ? Math.max(1, weights[health]) : weights[health];
}
