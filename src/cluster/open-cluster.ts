import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { readIfThere } from '../lib/files/durable-file.ts';
import { countWords } from '../lib/text/amounts.ts';
import { redisNodes } from '../lib/server/redis-address.ts';
import type { Clock } from '../lib/time/clock.ts';
import { errorCode } from '../model/errors.ts';
import type { SentRequest } from '../model/ports/ledger-port.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { LimiterPort } from '../model/ports/service-port.ts';
import { fleetPaused } from '../model/report/fleet-pause.ts';
import type { Reason, Status } from '../model/report/status.ts';
import type { ClusterSettings } from '../model/settings.ts';
import { Publisher } from './fleet/publisher.ts';
import type { Clashes } from './fleet/publisher.ts';
import { fleetReader } from './fleet/whole-fleet.ts';
import { openFolderMemory, readRemembered } from './lease/folder-memory.ts';
import { Lease } from './lease/lease.ts';
import type { LeaseOptions } from './lease/lease.ts';
import { fleetTimes } from './fleet-times.ts';
import type { FleetTimes } from './fleet-times.ts';
import { createTokenStore } from './token-store.ts';
import type { TokenStore } from './token-store.ts';
import { SharedLimiter } from './permits/shared-limiter.ts';
import type { FleetPauseNews } from './permits/shared-limiter.ts';
import { fleetPrefix, openLink } from './redis/connection.ts';

export interface ClusterOptions {
  readonly settings: ClusterSettings;
  readonly requestsPerMinute: number;
  readonly stateDir: string;
  /** Address of the ingestion operations, and who signs in there: they name the account. */
  readonly service: { readonly ingestUrl: string; readonly username: string };
  readonly clock: Clock;
  readonly log: LogPort;
  /** Shorter only in tests. */
  readonly times?: FleetTimes;
}

/** This host among the others of its account. */
export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** Joins the hosts of an account. Redis need not be there yet. */
export async function openCluster(options: ClusterOptions) {
  const { settings, clock, log, service, times = fleetTimes } = options;
  const { id, isNew } = await stateId(options.stateDir);
  const host = settings.host ?? hostName(id);
  const directory = hostDirectory(options.stateDir, host);
  const memory = await openFolderMemory({ path: join(directory, foldersFile), clock });
  const prefix = fleetPrefix(settings.account, service);
  let limiter: SharedLimiter | null = null;
  let lease: Lease | null = null;
  let notify = () => {};
  let notifyHalt: (news: FleetPauseNews) => void = () => {};
  const link = openLink({
    address: settings.redis,
    clock,
    log,
    prefix,
    channels: ['wake', `wake:${host}`],
    onMessage: (text) => {
      if (text === 'token') tokens.hear();
      else if (text === 'lease') lease?.hear();
      else limiter?.hear(text);
    },
    onChange: () => {
      lease?.hear();
      limiter?.connectionChanged();
      notify();
    },
  });
  const tokens = createTokenStore({ session: link.session, tried: link.tried, host, log });
  const publisher = new Publisher({
    session: link.session,
    host,
    limit: options.requestsPerMinute,
    clock,
    log,
    onChange: () => notify(),
  });
  log.info({ host, keys: prefix, redis: redisNodes(settings.redis) }, 'this host is part of a fleet');
  /** A host that waits for its lease only reads it: that Redis takes no writes shows when it publishes its summary. */
  const refusal = () => lease?.trouble ?? (lease?.holds() === true ? null : publisher.trouble);

  return {
    host,
    /** What is this host's own in the state directory: several may share it. */
    directory,
    /** One token for all hosts. */
    tokens,
    /** Begins to ask for the lease of the state directory. To be called once, before `limiter`. */
    enter: async (entered: Pick<LeaseOptions, 'traces' | 'folders' | 'configured'>) => {
      lease = new Lease({
        session: link.session,
        name: id,
        host,
        prefix,
        aloneShare: settings.aloneShare,
        isFirst: isNew,
        ...entered,
        memory,
        times,
        clock,
        onChange: () => notify(),
      });
      await link.tried;
      lease.begin();
      return lease;
    },
    /** Puts the shared minute before the local one; to be called once. */
    limiter: (local: LimiterPort, recent: readonly SentRequest[]): LimiterPort => {
      limiter = new SharedLimiter({
        local,
        session: link.session,
        host,
        limit: options.requestsPerMinute,
        aloneShare: settings.aloneShare,
        times,
        clock,
        log,
        // Redis counts what the holder before has sent.
        recent: lease?.hadPredecessor === true ? [] : recent,
        lease,
        onChange: () => notify(),
        onHalt: (news) => notifyHalt(news),
      });
      return limiter;
    },
    /** Publishes a summary of this host for the others from now on. */
    publish: (status: () => Status) => publisher.begin(status),
    /** This host's status may have changed. */
    noteChange: () => publisher.note(),
    /** Hosts that speak with Redis, this one included; 0: not known. */
    hosts: () => publisher.hosts,
    /** All hosts of the account, as they stood a moment ago; null: Redis is away or does not answer. */
    fleet: fleetReader(link.session, { clock, log }),
    /** Calls when what a person sees of the fleet has changed. */
    listen: (listener: () => void) => {
      notify = listener;
    },
    /** Calls when it is first known whether a person has paused all hosts, and whenever that changes. */
    listenToPauses: (listener: (news: FleetPauseNews) => void) => {
      notifyHalt = listener;
    },
    /** What the others and Redis keep this host from. */
    reasons: (): readonly Reason[] => [
      // Who stands by asks for no permits.
      ...((limiter === null ? publisher.isHalted : limiter.state().isHalted) ? [fleetPaused] : []),
      ...reasonsOf(settings, { away: link.away(), refused: refusal() }, limiter, tokens),
      ...(link.away() === null ? clashReasons(host, options.requestsPerMinute, publisher.clashes) : []),
    ],
    /** Publishes that this host stops. */
    close: async () => {
      await publisher.end();
      await tokens.leave();
      await limiter?.leave();
      await lease?.release();
      await memory.close();
      link.close();
    },
  };
}

const idForm = /^[0-9a-f]{32}$/;
const longestName = 80;

/**
 * What a state directory is known by, wherever it is mounted: a random id in the file `id`. `isNew`: this call has made
 * it.
 */
async function stateId(dir: string): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const path = join(dir, 'id');
  let isNew = false;
  try {
    const text = `${randomBytes(16).toString('hex')}\n`;
    await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
    isNew = true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const id = await readStateId(dir);
  if (id !== null) return { id, isNew };
  throw new Error(
    `${path} does not contain a valid id; stop every ingestd that uses the directory and remove the file: a new one is created`,
  );
}

const foldersFile = 'folders.json';

function hostDirectory(stateDir: string, host: string): string {
  return join(stateDir, 'hosts', encodeURIComponent(host));
}

/** What a host knows by itself, without a word to anybody: what its state directory is known by, and the folders of all. */
export async function readHost(stateDir: string, { host }: Pick<ClusterSettings, 'host'>) {
  const id = await readStateId(stateDir);
  const directory = hostDirectory(stateDir, host ?? hostName(id ?? ''));
  return { id, remembered: await readRemembered(join(directory, foldersFile)) };
}

/** Null: it has none yet, or none that is valid. */
async function readStateId(dir: string): Promise<string | null> {
  const id = (await readIfThere(join(dir, 'id')))?.trim() ?? '';
  return idForm.test(id) ? id : null;
}

/** The name of this host where the configuration gives none: `archive-3f9a01c2`. */
function hostName(id: string): string {
  const name = hostname().replaceAll(/[^\w.-]/g, '-');
  return `${name.slice(0, longestName) || 'host'}-${id.slice(0, 8)}`;
}

/** Named: more of them than this say nothing new. */
const mostNames = 3;

function clashReasons(host: string, limit: number, { isNameTaken, otherLimits }: Clashes): readonly Reason[] {
  const reasons: Reason[] = [];
  if (isNameTaken) {
    reasons.push({
      code: 'host-name-taken',
      message: `another running ingestd of this account is named ${host} too (cluster.host)`,
    });
  }
  if (otherLimits.length > 0) {
    const named = otherLimits.slice(0, mostNames).map(([name, other]) => `${other} on ${name}`);
    const more = otherLimits.length > mostNames ? ' and others' : '';
    const least = Math.min(limit, ...otherLimits.map(([, other]) => other));
    reasons.push({
      code: 'other-limit',
      message: `service.requestsPerMinute is ${limit} here, but ${named.join(', ')}${more}; together the hosts send at most ${least}`,
    });
  }
  return reasons;
}

function reasonsOf(
  { redis, aloneShare }: ClusterSettings,
  { away, refused }: { readonly away: string | null; readonly refused: string | null },
  limiter: SharedLimiter | null,
  tokens: TokenStore,
): readonly Reason[] {
  const state = limiter?.state();
  const share = state?.share ?? 0;
  const isHalted = state?.isHalted === true;
  const reasons: Reason[] = [];
  if (away !== null) {
    const what =
      share === 0 || isHalted
        ? 'nothing is sent until it is back'
        : state?.isAlone === true
          ? `this host sends its own share, ${countWords(share, 'request')} a minute`
          : `nothing is sent for now; if Redis stays away, this host sends its own share, ${countWords(share, 'request')} a minute`;
    reasons.push({
      code: 'redis-unavailable',
      message: `Redis (${redisNodes(redis)}) cannot be reached: ${away}; ${what}`,
    });
  } else if ((state?.trouble ?? refused) !== null) {
    reasons.push({
      code: 'redis-refuses',
      message: `Redis (${redisNodes(redis)}): ${state?.trouble ?? refused}`,
    });
  } else if (state !== undefined && state.opensInMs > 0 && !isHalted) {
    const seconds = Math.ceil(state.opensInMs / 1000);
    reasons.push({
      code: 'fleet-opens',
      message: `Redis was restarted or may have lost permits, so no host of the fleet sends for ${seconds} s`,
    });
  }
  if (state !== undefined && state.share !== null && state.share < aloneShare) {
    reasons.push({
      code: 'alone-share',
      message: `cluster.aloneShare is ${aloneShare}, but the shares of the other hosts leave only ${state.share} of the account’s requests a minute`,
    });
  }
  const others = tokens.others();
  if (others > 0 && away === null) {
    reasons.push({
      code: 'other-credentials',
      message: `${countWords(others, 'other host')} of this account ${others === 1 ? 'uses' : 'use'} different credentials`,
    });
  }
  return reasons;
}
