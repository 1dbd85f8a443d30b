import * as z from 'zod';

import type { Clock } from '../../lib/time/clock.ts';
import { orNull } from '../../lib/or-null.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { hostSummarySchema } from '../../model/report/fleet.ts';
import type { FleetHost, FleetStatus, HostSummary, Presence } from '../../model/report/fleet.ts';
import type { Health } from '../../model/report/status.ts';
import { folderTextLua } from '../lease/folder-text.ts';
import { aliveMs } from '../fleet-times.ts';
import type { FleetTimes } from '../fleet-times.ts';
import { readTimeLua } from '../redis/redis-time.ts';
import { pairsOf } from '../redis/connection.ts';
import type { RedisSession } from '../redis/connection.ts';

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

const pairs = z.union([
  z.array(z.string()).transform(pairsOf),
  z.record(z.string(), z.string()).transform(Object.entries<string>),
]);
const readSchema = z.tuple([z.string(), pairs, pairs, z.number(), z.string()]);

const weights: Readonly<Record<Health, number>> = { error: 2, attention: 1, ok: 0 };

/** What all hosts of the account say of themselves, those that need a person first. */
export async function readFleet(session: RedisSession): Promise<FleetStatus> {
  const { prefix } = session;
  const keys = ['summaries', 'use', 'permits', 'state'];
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
  const summary = orNull(() => hostSummarySchema.parse(JSON.parse(text)));
  if (summary !== null) return summary;
  const headline = 'Its summary cannot be read; it may run another version of ingestd';
  const known = { version: 'unknown', state: 'degraded', health: 'attention', headline } as const;
  return hostSummarySchema.parse({ ...known, queue: {} } satisfies z.input<typeof hostSummarySchema>);
}

/** Who stopped on purpose needs nobody; who is gone does. */
function weightOf({ presence, health }: FleetHost): number {
  if (presence === 'stopped') return 0;
  return presence === 'gone' ? Math.max(1, weights[health]) : weights[health];
}

/** However many pages are open, Redis is asked no more often. */
const freshMs = 2_000;

/** `readFleet`, at most every two seconds; null: Redis is away (`session` gives null) or does not answer. */
export function fleetReader(
  session: () => RedisSession | null,
  { clock, log }: { readonly clock: Clock; readonly log: LogPort },
): () => Promise<FleetStatus | null> {
  let known: { readonly fleet: Promise<FleetStatus | null>; readonly at: number } | null = null;

  async function read(): Promise<FleetStatus | null> {
    const open = session();
    if (open === null) return null;
    try {
      return await readFleet(open);
    } catch (error) {
      log.debug({ reason: errorMessage(error) }, 'the fleet could not be read');
      return null;
    }
  }

  return () => {
    const now = clock.monotonic();
    if (known === null || now - known.at >= freshMs) known = { fleet: read(), at: now };
    return known.fleet;
  };
}

/**
 * KEYS: state, seen, shares, summaries, folders. ARGV: host, unreachableMs, prefix, how long a lease lasts. Gives what
 * came of it, the share, and how many folders are free now: those of ledgers that nobody holds.
 */
const forgetScript = `
${readTimeLua}
${folderTextLua}
local folders, isHeld, listed = 0, false, redis.call('HGETALL', KEYS[5])
for i = 1, #listed, 2 do
  local folder = readFolder(listed[i + 1])
  if folder.holder == ARGV[1] then
    local lease = redis.call('HMGET', ARGV[3] .. ':lease:' .. folder.ledger, 'host', 'at')
    if (lease[1] or '') == '' or now - tonumber(lease[2]) > tonumber(ARGV[4]) then
      redis.call('HDEL', KEYS[5], listed[i])
      folders = folders + 1
    else isHeld = true end
  end
end
if folders > 0 then redis.call('PUBLISH', ARGV[3] .. ':wake', 'lease') end
local alive = redis.call('ZSCORE', KEYS[2], ARGV[1])
if isHeld or alive and now - tonumber(alive) <= tonumber(ARGV[2]) then
  return { folders > 0 and 'forgotten' or 'alive', 0, folders }
end
local isKnown = redis.call('HDEL', KEYS[4], ARGV[1]) == 1 or alive or folders > 0
if not alive then return { isKnown and 'forgotten' or 'unknown', 0, folders } end
local share = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or 0)
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('HDEL', KEYS[3], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'version', 1) end
return { 'forgotten', share, folders }
`;

const forgetSchema = z.tuple([z.enum(['forgotten', 'alive', 'unknown']), z.number(), z.number()]);

/** Ends what is reserved for a host that is gone for good: its share, and the folders of its ledger. */
export async function forgetHost(
  session: RedisSession,
  { host, times }: { readonly host: string; readonly times: Pick<FleetTimes, 'unreachableMs' | 'lifeMs'> },
) {
  const keys = ['state', 'seen', 'shares', 'summaries', 'folders'];
  const args = [host, String(times.unreachableMs), session.prefix, String(times.lifeMs)];
  const [kind, share, folders] = forgetSchema.parse(await session.evaluate(forgetScript, keys, args));
  // It has spoken with Redis within the last seconds.
  if (kind === 'alive') return { kind } as const;
  if (kind === 'forgotten') return { kind, share, folders } as const;
  const hosts = await session.send(['ZRANGE', `${session.prefix}:seen`, '0', '999']);
  return { kind, hosts: Array.isArray(hosts) ? hosts.map(String) : [] } as const;
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

/** Whether a person has stopped all hosts. */
export async function isFleetHalted({ send, prefix }: RedisSession): Promise<boolean> {
  return (await send(['HGET', `${prefix}:state`, 'halted'])) !== null;
}
