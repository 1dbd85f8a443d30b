import { randomBytes } from 'node:crypto';

import { abortForMany } from '../../lib/abort-for-many.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { ageMs, sentNow } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import { createBeat } from '../redis/beat.ts';
import type { RedisLink } from '../redis/connection.ts';
import type { LeaseTimes } from '../fleet-times.ts';
import { askForLease } from './lease-script.ts';
import type { LeaseAnswer, LeaseRequest } from './lease-script.ts';

export interface LeaseOptions {
  readonly redis: Pick<RedisLink, 'runId' | 'prefix' | 'evaluate' | 'connection'>;
  /** What it is the lease of. */
  readonly name: string;
  readonly host: string;
  /** This process has just made the state directory. */
  readonly isFirst: boolean;
  /** What the state directory says of those who had it. */
  readonly traces: () => Promise<NonNullable<LeaseRequest['traces']>>;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  /** What a person sees of it has changed. */
  readonly onChange: () => void;
}

/** What a host has seen of a lease that another holds. */
interface Watched {
  readonly connection: ReturnType<RedisLink['connection']>;
  readonly answer: LeaseAnswer;
  /** Monotonic, ms: the mark has been the same since. */
  readonly at: number;
  readonly isThere: boolean;
}

/** The right to one state directory, as this host has it or waits for it. */
export type Lease = ReturnType<typeof createLease>;

/** It counts from when the command went out that took or renewed it, by the clock that says more. */
export function createLease(options: LeaseOptions) {
  const { redis, host, times, clock } = options;
  const beat = createBeat(clock, () => exchange().finally(loseWhereLapsed), restMs);
  const run = randomBytes(8).toString('hex');
  const lost = abortForMany();
  let lapse = abortForMany();
  let onTaken = () => {};
  let onLost: (why: string) => void = () => {};
  const whenTaken = new Promise<void>((resolve) => (onTaken = resolve));
  const whenLost = new Promise<string>((resolve) => (onLost = resolve));
  let fence = 0;
  let heldAt: Sent | null = null;
  let watched: Watched | null = null;
  let hadPredecessor = false;
  let isTakenOver = false;
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  let cancelLapse = () => {};

  return {
    /** Resolves when this host has it. */
    taken: whenTaken,
    /** Resolves with the reason when this host had it and has it no more. */
    lost: whenLost,
    /** Asks for it now, and from now on: Redis has come or gone. */
    ask: beat.now,
    get fence() {
      return fence;
    },
    fleet: redis.prefix,
    /** Aborted when it is lost. */
    signal: lost.signal,
    /** Aborted when it is lost, and already when others may take it; another signal after it could be renewed again. */
    get lapsed() {
      return lapse.signal;
    },
    /** It is lost because another host has it; false: it may have run out. */
    get isTakenOver() {
      return isTakenOver;
    },
    /** The shared minute knows the requests of who held it before. */
    get hadPredecessor() {
      return hadPredecessor;
    },
    /**
     * Who else holds it, since when (ISO 8601) and whether it was renewed meanwhile; null: nobody is known to. Not
     * `isOther`: a process under the name of this host, which may be one that was killed a moment ago.
     */
    get holder() {
      if (watched === null || watched.answer.host === '' || heldAt !== null) return null;
      const { answer, isThere } = watched;
      const since = new Date(answer.since).toISOString();
      return { host: answer.host, since, isThere, isOther: answer.host !== host };
    },
    holds,
    confirm: (): Promise<void> =>
      new Promise((resolve, reject) => {
        if (holds()) return resolve();
        if (lost.signal.aborted) return reject(new Error(lapsed));
        waiting.push({ resolve, reject });
        beat.now();
      }),
    /** Gives it back, so that whoever waits has it when it looks again. */
    release: async (): Promise<void> => {
      end();
      await beat.end();
      if (heldAt !== null) await send('release').catch(() => {});
      heldAt = null;
    },
  };

  function holds(): boolean {
    return heldAt !== null && !lost.signal.aborted && age() <= times.lifeMs;
  }

  /** Until the next renewal, the next look, or the moment from which the lease of another is over. */
  function restMs(): number {
    if (heldAt !== null) return times.beatMs;
    const left = watched === null ? 0 : watched.at + restingMs(watched.answer) - clock.monotonic();
    return left > 0 ? Math.min(times.watchMs, left) : times.watchMs;
  }

  async function exchange(): Promise<void> {
    const connection = redis.connection();
    if (connection === null) return;
    const isRenewal = heldAt !== null;
    const sent = sentNow(clock);
    const answer = await send(isRenewal ? 'renew' : 'take');
    if (answer.isHeld) hold(answer, sent, isRenewal);
    else if (isRenewal) lose(`${answer.host === '' ? 'another host' : answer.host} has taken over`, true);
    else watch(connection, answer);
  }

  async function send(kind: LeaseRequest['kind']): Promise<LeaseAnswer> {
    const { name, isFirst: first } = options;
    const traces = kind === 'take' ? await options.traces() : undefined;
    hadPredecessor ||= (traces?.highestFence ?? 0) > 0;
    return askForLease(redis, { kind, host, run, fence, traces, still: still(), first, name });
  }

  /** The mark of a lease that is over. */
  function still(): string {
    if (watched === null || watched.connection !== redis.connection()) return '';
    const { answer, at } = watched;
    return clock.monotonic() - at >= restingMs(answer) ? answer.mark : '';
  }

  /** How long a mark has to be the same until the lease is over. */
  function restingMs({ isOfThisRedis }: LeaseAnswer): number {
    return times.lifeMs + times.marginMs + (isOfThisRedis ? 0 : times.failoverMs);
  }

  function hold(answer: LeaseAnswer, sent: Sent, isRenewal: boolean): void {
    fence = answer.fence;
    heldAt = sent;
    watched = null;
    if (!isRenewal) onTaken();
    if (!holds()) return;
    if (lapse.signal.aborted) lapse = abortForMany();
    followLapse();
    settle(null);
  }

  /** Requests under way end at the very moment from which others may take it: not with the next call of Redis. */
  function followLapse(): void {
    cancelLapse();
    if (lost.signal.aborted) return;
    const leftMs = times.lifeMs - age();
    // Who wakes up after a long time asks Redis first.
    if (leftMs < -times.beatMs) return;
    if (leftMs < 0) lapse.abort();
    else cancelLapse = clock.after(Math.floor(leftMs) + 1, followLapse);
  }

  function watch(connection: Watched['connection'], answer: LeaseAnswer): void {
    const before = watched;
    // The mark of another connection may be older than what was seen before.
    const known = before?.connection === connection && before.answer.fence === answer.fence ? before : null;
    const isSame = known?.answer.mark === answer.mark;
    const at = isSame ? known.at : clock.monotonic();
    const isThere = known !== null && (known.isThere || !isSame);
    watched = { connection, answer, at, isThere };
    if (before?.answer.host !== answer.host || before.isThere !== isThere) options.onChange();
  }

  /** After each answer: who wakes up late may be told that nobody has taken the lease meanwhile. */
  function loseWhereLapsed(): void {
    if (heldAt !== null && age() > times.lifeMs + times.beatMs)
      lose('it could not be renewed in Redis in time');
  }

  function lose(why: string, toAnother = false): void {
    if (lost.signal.aborted) return;
    isTakenOver = toAnother;
    void beat.end();
    end();
    onLost(why);
  }

  /** Nothing may be done by it any more. */
  function end(): void {
    cancelLapse();
    lost.abort();
    lapse.abort();
    settle(new Error(lapsed));
  }

  function settle(error: Error | null): void {
    for (const { resolve, reject } of waiting.splice(0)) {
      if (error === null) resolve();
      else reject(error);
    }
  }

  function age(): number {
    return heldAt === null ? Infinity : ageMs(clock, heldAt);
  }
}

const lapsed = 'the lease of the state directory is lost';
