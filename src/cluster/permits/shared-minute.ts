import { randomBytes } from 'node:crypto';

import { countingMs } from '../../lib/queue/permits.ts';
import { toTheSecond } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { SentRequest } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Demand, PermitSource } from '../../model/ports/service-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { FleetTimes } from '../fleet-times.ts';
import type { Lease } from '../lease/lease.ts';
import { createBeat } from '../redis/beat.ts';
import type { Redis } from '../redis/connection.ts';
import { followRedisTime, sentNow } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import { askForPermits, noAnswer } from './permit-script.ts';
import type { PermitAnswer } from './permit-script.ts';
import { sharedPermit } from './shared-permit.ts';
import type { SharedPermit } from './shared-permit.ts';

/** Above all priorities of the engine: the replay of a request under way. */
const aheadLevel = 9;
/** No more permits are asked for at once. */
const mostWanted = 16;
/** Hosts that wait for the same place ask one after the other: most of them need not. */
const rankMs = 10;
const longestRankMs = 500;

export interface SharedMinuteOptions {
  readonly redis: Redis;
  readonly host: string;
  readonly limit: number;
  readonly times: FleetTimes;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Nothing can have been sent of the state directory but what `join` is told: Redis is not asked before. */
  readonly waitsToJoin: boolean;
  /** False: no permit is wanted now. */
  readonly mayAsk: () => boolean;
  /** Redis may have forgotten something. */
  readonly onReset: () => void;
  /** What `isHalted` or `opening` say has changed. */
  readonly onChange: () => void;
}

/** Whom permits are for. */
type Taker = Parameters<PermitSource['begin']>[0];

/** The sliding minute of all hosts, in Redis: each permit is a place there (`askForPermits`). */
export function createSharedMinute(options: SharedMinuteOptions) {
  const { redis, host, limit, times, clock, log } = options;
  const beat = createBeat(clock, say, restMs);
  /** Permits of an earlier run of this host have other names. */
  const run = randomBytes(4).toString('hex');
  let named = 0;

  /** Null: not known yet. */
  let taker: Taker | null = null;
  let ownDemand: Demand = { level: 0, count: 0 };
  const held = new Map<string, SharedPermit>();
  /** Answered permits that Redis does not know of yet, with the time of the answer (monotonic, ms). */
  const spent: { readonly id: string; readonly at: number }[] = [];
  /** The same of permits that were not used. */
  const returned: string[] = [];
  /** The epoch in which Redis's clock has jumped, until Redis knows of it; undefined: it has not. */
  let jump: number | undefined;
  /** Monotonic, ms. */
  let pauseUntil = 0;

  /** The clock of the Redis process that answered last. */
  let time = followRedisTime(times.marginMs);
  let timeOf = '';
  /** That of the state directory, where there is one: nothing is sent without it. */
  let lease: Lease | null = null;
  /** Sent before this start, until Redis knows of it; null: not known yet. */
  let recent: readonly SentRequest[] | null = null;
  /** The last one, and when it came: monotonic, ms. */
  let last = noAnswer;
  let answeredAt = -Infinity;
  /** Redis was spoken with, or it was tried: monotonic, ms. */
  let saidAt = 0;
  /** When a place may have come free: monotonic, ms. Infinity: none is waited for. */
  let nextAt = Infinity;
  /** How many hosts come before this one. */
  let lastRank = 0;
  let hasLeft = false;

  return {
    /** This host sends from now on. `before`: what was sent before this start that the service may still count. */
    join: (before: readonly SentRequest[], ownLease: Lease | null): void => {
      lease = ownLease;
      // Redis counts what the holder before has sent.
      recent = lease?.hadPredecessor === true ? [] : before;
    },
    begin: (given: Taker): void => {
      taker = given;
      beat.now();
    },
    /** Speaks with Redis, which has come or gone, or where permits may be asked for now. */
    call: beat.now,
    changed: (): void => {
      if (isWanted()) beat.now();
    },
    demand: (demand: Demand): void => {
      const isUrgent = demand.level > ownDemand.level && isWanted();
      ownDemand = demand;
      if (isUrgent) beat.now();
    },
    pause: (ms: number): void => {
      pauseUntil = Math.max(pauseUntil, clock.monotonic() + ms);
      beat.now();
    },
    status: () => {
      const pauseMs = leftMs('pauseMs');
      return {
        used: clock.monotonic() - answeredAt < times.windowMs ? last.used : undefined,
        pauseMs,
        nextFreeMs: Math.max(leftMs('nextMs'), pauseMs, leftMs('openMs')),
        waiting: last.waiting ?? 0,
      };
    },
    /** When a person stopped all hosts and on which one, as Redis keeps it; empty: nobody has, as far as is known. */
    halted: (): string => last.halted,
    /** Why no host gets a permit for a while; null: they do, or this host does not send yet. */
    opening: (): Reason | null => {
      const ms = leftMs('openMs');
      if (ms === 0 || recent === null) return null;
      const until = toTheSecond(clock.now() + ms);
      const message = `${resetWords[last.why]}; no host of the fleet sends until ${until}`;
      return { code: 'fleet-opens', message, until };
    },
    /** A message of one of the channels. */
    hear: (text: string): void => {
      const [word, value] = text.split(' ');
      if (word === 'ask') beat.now();
      else if (word === 'next' && isWanted()) askIn(Number(value));
    },
    /** Sends Redis what it does not know yet, and that this host stops. To be called when no permit is wanted any more. */
    leave: async (): Promise<void> => {
      hasLeft = true;
      await beat.end();
      await say().catch(() => {});
      // Nothing renews or confirms them any more.
      for (const permit of held.values()) permit.lose();
    },
  };

  async function say(): Promise<void> {
    for (const permit of held.values()) permit.expire();
    nextAt = Infinity;
    await exchange().finally(() => {
      saidAt = clock.monotonic();
    });
  }

  /** One request to the script, and what follows from its answer. Rejects where none came. */
  async function exchange(): Promise<void> {
    if (redis.runId === '' || (recent === null && options.waitsToJoin)) return;
    // The clock of the same process is followed over a lost connection.
    if (timeOf !== redis.runId) time = followRedisTime(times.marginMs);
    timeOf = redis.runId;
    const wanted = taker?.wanted() ?? { count: 0, isAhead: false };
    const [spentNow, returnedNow] = [[...spent], [...returned]];
    const mayAsk = options.mayAsk() && !hasLeft;
    const sent = sentNow(clock);
    const estimate = time.estimate(sent.monotonic);
    const want = estimate !== undefined && mayAsk ? Math.min(mostWanted, wanted.count) : 0;
    const ids = Array.from({ length: want }, () => `${host}/${run}-${(named += 1)}`);
    const counting = countingMs(recent ?? [], { limit, windowMs: times.windowMs, clock }).map(Math.ceil);
    const pauseMs = Math.ceil(pauseUntil - sent.monotonic);
    const { seq, epoch, halted } = last;
    const [renew, confirm] = [heldIds({ begun: true }), heldIds({ begun: false })];
    const answer = await askForPermits(redis, {
      ...times,
      host,
      limit,
      seq,
      epoch,
      spent: spentNow.map(({ id, at }) => [id, Math.max(0, Math.floor(sent.monotonic - at))] as const),
      returned: returnedNow,
      renew,
      confirm,
      recent: counting,
      ids,
      founds: recent !== null && lease?.hadPredecessor !== true && counting.length + spentNow.length === 0,
      estimate,
      jump,
      halted: halted || undefined,
      pauseMs: pauseMs > 0 ? pauseMs : undefined,
      level: wanted.isAhead ? aheadLevel : ownDemand.level,
      demand: Math.max(wanted.count, ownDemand.count),
    }).catch((error: unknown) => {
      // Whether Redis did it is not known: what was granted is never used, and the rest is said again.
      returned.push(...ids);
      throw error;
    });
    const answered = sentNow(clock);
    const isSteady = time.isSteady(answer.now, sent, answered);
    // Or this machine has slept.
    if (!isSteady) log.warn({}, 'the clock of Redis jumped; no host sends for one window');
    if (!isSteady || !answer.late) jump = isSteady ? undefined : answer.epoch;
    if (answer.late) {
      returned.push(...ids);
      return beat.now();
    }
    spent.splice(0, spentNow.length);
    returned.splice(0, returnedNow.length);
    if (recent !== null) recent = [];
    note(answer, answered.monotonic);
    for (const id of [...confirm, ...renew]) {
      if (!answer.gone.includes(id)) held.get(id)?.renewed(sent);
    }
    for (const id of answer.gone) held.get(id)?.lose();
    const granted = ids.slice(0, answer.granted);
    if (!isSteady) {
      returned.push(...granted);
      return beat.now();
    }
    for (const id of granted) grant(id, sent);
    if (!isWanted()) return;
    // What comes of a first answer is asked for now.
    if (want === 0 && mayAsk) beat.now();
    else askIn(answer.nextMs, answer.rank);
  }

  function note(answer: PermitAnswer, at: number): void {
    const before = last;
    const isFirst = before === noAnswer;
    last = { ...answer, waiting: answer.waiting ?? before.waiting };
    answeredAt = at;
    const isNewEpoch = answer.epoch !== before.epoch;
    // What is under way has to be put back at once.
    if (isNewEpoch && held.size > 0) beat.now();
    if (isNewEpoch && !isFirst) options.onReset();
    if (answer.reset) log.warn({ reason: answer.why }, resetWords[answer.why]);
    const hasWaited = before.openMs > 0;
    if (isFirst || isNewEpoch || hasWaited || answer.halted !== before.halted) options.onChange();
  }

  function grant(id: string, heldAt: Sent): void {
    const end = (isSpent: boolean) => {
      held.delete(id);
      if (isSpent) spent.push({ id, at: clock.monotonic() });
      else returned.push(id);
      beat.now();
    };
    const permit = sharedPermit({ heldAt, clock, times, lease, ask: beat.now, end });
    held.set(id, permit);
    taker?.grant(permit);
  }

  function isWanted(): boolean {
    return taker !== null && taker.wanted().count > 0;
  }

  /** Permits whose requests have begun, or are about to begin. */
  function heldIds({ begun }: { readonly begun: boolean }): readonly string[] {
    const alive = [...held].filter(([, { isBegun, isLost }]) => isBegun === begun && !isLost);
    return alive.map(([id]) => id);
  }

  /** What is left of a time that Redis has said. */
  function leftMs(name: 'openMs' | 'pauseMs' | 'nextMs'): number {
    return Math.max(0, last[name] - (clock.monotonic() - answeredAt));
  }

  /** Until the next sign of life; sooner while a request is about to begin, or where a place comes free. */
  function restMs(): number {
    const { validMs, beatMs } = times;
    const sign = heldIds({ begun: false }).length > 0 ? validMs / 2 : beatMs;
    return Math.min(saidAt + sign, nextAt) - clock.monotonic();
  }

  /** Asks again when a place may have come free. */
  function askIn(ms: number, rank = lastRank): void {
    lastRank = rank;
    const delayMs = Math.max(1, Math.ceil(ms)) + Math.min(longestRankMs, rank * rankMs);
    nextAt = clock.monotonic() + delayMs;
    beat.rest();
  }
}

/** Why no host sends for a while. */
const resetWords: Readonly<Record<PermitAnswer['why'], string>> = {
  new: 'This fleet is new to Redis; its first host waits for others',
  restarted: 'Redis was restarted or replaced and may have lost requests of the last minute',
  lost: 'Redis has lost data of this fleet, so its requests of the last minute are not known',
  clock: 'The clock of Redis has jumped, so requests of the last minute cannot be counted',
};
