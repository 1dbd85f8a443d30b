import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';

import type { Clock } from '../../lib/time/clock.ts';
import type { LeaseTraces, WriteLease } from '../../model/ports/write-lease-port.ts';
import { ageMs, sentNow } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import { Beat } from '../redis/beat.ts';
import type { RedisLink } from '../redis/connection.ts';
import type { FleetTimes } from '../fleet-times.ts';
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
  readonly traces: () => Promise<LeaseTraces>;
  readonly times: Pick<FleetTimes, 'lifeMs' | 'beatMs' | 'marginMs' | 'failoverMs'>;
  readonly clock: Clock;
  /** What a person sees of it has changed. */
  readonly onChange: () => void;
}

/** What a host has seen of a lease that another holds. */
interface Watched {
  readonly connection: number | null;
  readonly answer: LeaseAnswer;
  /** Monotonic, ms: the mark has been the same since. */
  readonly at: number;
  readonly isThere: boolean;
}

/**
 * The right to one state directory, as this host has it or waits for it: it counts from when the command went out that
 * took or renewed it, by the clock that says more.
 */
export class Lease implements WriteLease {
  /** Resolves when this host has it. */
  readonly taken: Promise<void>;
  /** Resolves with the reason when this host had it and has it no more. */
  readonly lost: Promise<string>;
  readonly #options: LeaseOptions;
  readonly #beat: Beat;
  readonly #run = randomBytes(8).toString('hex');
  readonly #lost = followedByMany();
  #lapse = followedByMany();
  #onTaken = () => {};
  #onLost: (why: string) => void = () => {};
  #fence = 0;
  #heldAt: Sent | null = null;
  /** Monotonic, ms: found lapsed and not yet renewed; null: it holds. */
  #lapsedAt: number | null = null;
  #watched: Watched | null = null;
  #hadPredecessor = false;
  #isTakenOver = false;
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #cancelLapse = () => {};

  constructor(options: LeaseOptions) {
    this.#options = options;
    const say = () => this.#exchange().finally(() => this.#loseWhereLapsed());
    this.#beat = new Beat({ clock: options.clock, say, restMs: () => this.#restMs() });
    this.taken = new Promise((resolve) => (this.#onTaken = resolve));
    this.lost = new Promise((resolve) => (this.#onLost = resolve));
  }

  /** Asks for it now, and from now on: Redis has come or gone, or somebody has given a lease back. */
  ask(): void {
    this.#beat.now();
  }

  get fence(): number {
    return this.#fence;
  }

  get fleet(): string {
    return this.#options.redis.prefix;
  }

  /** Aborted when it is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborted when it is lost, and already when others may take it; another signal after it could be renewed again. */
  get lapsed(): AbortSignal {
    return this.#lapse.signal;
  }

  /** It is lost because another host has it; false: it may have run out. */
  get isTakenOver(): boolean {
    return this.#isTakenOver;
  }

  /** The shared minute knows the requests of who held it before. */
  get hadPredecessor(): boolean {
    return this.#hadPredecessor;
  }

  /** Who holds it, since when (wall clock, ms) and whether it was renewed meanwhile; null: not known, or this host does. */
  get holder() {
    if (this.#watched === null || this.#heldAt !== null) return null;
    const { answer, isThere } = this.#watched;
    return answer.host === '' ? null : { host: answer.host, since: answer.since, isThere };
  }

  /** This host's name is in use by another process that renews the lease. */
  get isNameTaken(): boolean {
    const { holder } = this;
    return holder?.isThere === true && holder.host === this.#options.host;
  }

  holds(): boolean {
    return this.#heldAt !== null && !this.signal.aborted && this.#age() <= this.#options.times.lifeMs;
  }

  confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.holds()) return resolve();
      if (this.signal.aborted) return reject(new Error(lapsed));
      this.#waiting.push({ resolve, reject });
      this.#beat.now();
    });
  }

  /** Gives it back, so that whoever waits has it at once. */
  async release(): Promise<void> {
    this.#end();
    await this.#beat.end();
    if (this.#heldAt !== null) await this.#send('release').catch(() => {});
    this.#heldAt = null;
  }

  /** Until the next renewal, the next check, or the moment from which the lease of another is over. */
  #restMs(): number {
    const { clock, times } = this.#options;
    if (this.#heldAt !== null || this.#watched === null) return times.beatMs;
    const left = this.#watched.at + this.#restingMs(this.#watched.answer) - clock.monotonic();
    return left > 0 ? Math.min(times.beatMs, left) : times.beatMs;
  }

  async #exchange(): Promise<void> {
    const { redis, clock } = this.#options;
    const connection = redis.connection();
    if (connection === null) return;
    const isRenewal = this.#heldAt !== null;
    const sent = sentNow(clock);
    const answer = await this.#send(isRenewal ? 'renew' : 'take');
    if (answer.isHeld) this.#hold(answer, sent, isRenewal);
    else if (isRenewal) this.#loseTo(`${answer.host === '' ? 'another host' : answer.host} has taken over`);
    else this.#watch(connection, answer);
  }

  async #send(kind: LeaseRequest['kind']): Promise<LeaseAnswer> {
    const { redis, name, host, isFirst } = this.#options;
    const traces = kind === 'take' ? await this.#options.traces() : undefined;
    this.#hadPredecessor ||= (traces?.highestFence ?? 0) > 0;
    const [run, fence, still] = [this.#run, this.#fence, this.#still()];
    return askForLease(redis, { kind, host, run, fence, traces, still, first: isFirst, name });
  }

  /** The mark of a lease that is over. */
  #still(): string {
    const { redis, clock } = this.#options;
    if (this.#watched === null || this.#watched.connection !== redis.connection()) return '';
    const { answer, at } = this.#watched;
    return clock.monotonic() - at >= this.#restingMs(answer) ? answer.mark : '';
  }

  /** How long a mark has to be the same until the lease is over. */
  #restingMs({ isOfThisRedis }: { readonly isOfThisRedis: boolean }): number {
    const { lifeMs, marginMs, failoverMs } = this.#options.times;
    return lifeMs + marginMs + (isOfThisRedis ? 0 : failoverMs);
  }

  #hold(answer: LeaseAnswer, sent: Sent, isRenewal: boolean): void {
    this.#fence = answer.fence;
    this.#heldAt = sent;
    this.#watched = null;
    if (!isRenewal) this.#onTaken();
    if (!this.holds()) return;
    if (this.#lapse.signal.aborted) this.#lapse = followedByMany();
    this.#followLapse();
    this.#settle(null);
  }

  /** Requests under way end at the very moment from which others may take it: not with the next call of Redis. */
  #followLapse(): void {
    this.#cancelLapse();
    if (this.signal.aborted) return;
    const { clock, times } = this.#options;
    const leftMs = this.#options.times.lifeMs - this.#age();
    // Who wakes up after a long time asks Redis first.
    if (leftMs < -times.beatMs) return;
    if (leftMs < 0) this.#lapse.abort();
    else this.#cancelLapse = clock.after(Math.floor(leftMs) + 1, () => this.#followLapse());
  }

  #watch(connection: number, answer: LeaseAnswer): void {
    const before = this.#watched;
    // The mark of another connection may be older than what was seen before.
    const known = before?.connection === connection && before.answer.fence === answer.fence ? before : null;
    const isSame = known?.answer.mark === answer.mark;
    const at = isSame ? known.at : this.#options.clock.monotonic();
    const isThere = known !== null && (known.isThere || !isSame);
    this.#watched = { connection, answer, at, isThere };
    if (before?.answer.host !== answer.host || before.isThere !== isThere) this.#options.onChange();
  }

  /** Who wakes up after a long time is given one beat: the answer may be that nobody has taken the lease meanwhile. */
  #loseWhereLapsed(): void {
    const { clock, times } = this.#options;
    if (this.#heldAt === null || this.holds()) this.#lapsedAt = null;
    else this.#lapsedAt ??= clock.monotonic();
    if (this.#lapsedAt !== null && clock.monotonic() - this.#lapsedAt >= times.beatMs)
      this.#lose('it could not be renewed in Redis in time');
  }

  #loseTo(why: string): void {
    if (!this.signal.aborted) this.#isTakenOver = true;
    this.#lose(why);
  }

  #lose(why: string): void {
    if (this.signal.aborted) return;
    void this.#beat.end();
    this.#end();
    this.#onLost(why);
  }

  /** Nothing may be done by it any more. */
  #end(): void {
    this.#cancelLapse();
    this.#lost.abort();
    this.#lapse.abort();
    this.#settle(new Error(lapsed));
  }

  #settle(error: Error | null): void {
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (error === null) resolve();
      else reject(error);
    }
  }

  #age(): number {
    return this.#heldAt === null ? Infinity : ageMs(this.#options.clock, this.#heldAt);
  }
}

/** A controller whose signal any number of requests may follow: Node warns from eleven on. */
function followedByMany(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

const lapsed = 'the lease of the state directory is lost';
