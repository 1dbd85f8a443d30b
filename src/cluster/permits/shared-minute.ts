import { randomBytes } from 'node:crypto';

import { countingMs } from '../../lib/queue/permits.ts';
import { toTheSecond } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { SentRequest } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Demand, PermitSource } from '../../model/ports/service-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { FleetTimes } from '../fleet-times.ts';
import type { Lease } from '../lease/lease.ts';
import { Beat } from '../redis/beat.ts';
import type { Redis } from '../redis/connection.ts';
import { RedisTime, sentNow } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import { askForPermits, noAnswer } from './permit-script.ts';
import type { PermitAnswer } from './permit-script.ts';
import { SharedPermit } from './shared-permit.ts';

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

/** What Redis does not know yet. */
interface News {
  /** Answered permits with the time of the answer (monotonic, ms). */
  readonly spent: { readonly id: string; readonly at: number }[];
  /** Unused permits. */
  readonly returned: string[];
  /** The epoch in which Redis's clock has jumped; null: it has not. */
  jump: number | null;
}

const noNews = (): News => ({ spent: [], returned: [], jump: null });

/** The sliding minute of all hosts, in Redis: each permit is a place there (`askForPermits`). */
export class SharedMinute implements PermitSource {
  readonly #options: SharedMinuteOptions;
  readonly #clock: Clock;
  readonly #beat: Beat;
  /** Permits of an earlier run of this host have other names. */
  readonly #run = randomBytes(4).toString('hex');
  #named = 0;

  #taker: Parameters<PermitSource['begin']>[0] | null = null;
  #demand: Demand = { level: 0, count: 0 };
  readonly #held = new Map<string, SharedPermit>();
  #news = noNews();
  /** Monotonic, ms. */
  #pauseUntil = 0;

  #time: RedisTime;
  #runId = '';
  /** That of the state directory, where there is one: nothing is sent without it. */
  #lease: Lease | null = null;
  /** Sent before this start, until Redis knows of it; null: not known yet. */
  #recent: readonly SentRequest[] | null = null;
  /** The last one, and when it came: monotonic, ms. */
  #answer = noAnswer;
  #answeredAt = 0;
  /** Redis was spoken with, or it was tried: monotonic, ms. */
  #saidAt = 0;
  /** When a place may have come free: monotonic, ms. Infinity: none is waited for. */
  #nextAt = Infinity;
  /** How many hosts come before this one. */
  #rank = 0;
  #hasLeft = false;

  constructor(options: SharedMinuteOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#beat = new Beat({ clock: options.clock, say: () => this.#say(), restMs: () => this.#restMs() });
    this.#time = new RedisTime(options.times.marginMs);
  }

  /** This host sends from now on. `recent`: what was sent before this start that the service may still count. */
  join(recent: readonly SentRequest[], lease: Lease | null): void {
    this.#lease = lease;
    // Redis counts what the holder before has sent.
    this.#recent = lease?.hadPredecessor === true ? [] : recent;
  }

  begin(taker: Parameters<PermitSource['begin']>[0]): void {
    this.#taker = taker;
    this.call();
  }

  /** Speaks with Redis, which has come or gone, or where permits may be asked for now. */
  call(): void {
    this.#beat.now();
  }

  changed(): void {
    if (this.#isWanted()) this.call();
  }

  demand(demand: Demand): void {
    const isUrgent = demand.level > this.#demand.level && this.#isWanted();
    this.#demand = demand;
    if (isUrgent) this.call();
  }

  pause(ms: number): void {
    this.#pauseUntil = Math.max(this.#pauseUntil, this.#clock.monotonic() + ms);
    this.call();
  }

  status(): ReturnType<PermitSource['status']> {
    const pauseMs = this.#leftMs('pauseMs');
    return {
      used: this.#answer === noAnswer ? undefined : this.#answer.used,
      pauseMs,
      nextFreeMs: Math.max(this.#leftMs('nextMs'), pauseMs, this.#leftMs('openMs')),
      waiting: this.#answer.waiting ?? 0,
    };
  }

  /** A person has stopped all hosts; null: not known yet. */
  get isHalted(): boolean | null {
    return this.#answer === noAnswer ? null : this.#answer.halted !== '';
  }

  /** Why no host gets a permit for a while; null: they do, or this host does not send yet. */
  opening(): Reason | null {
    const ms = this.#leftMs('openMs');
    if (ms === 0 || this.#recent === null) return null;
    const until = toTheSecond(this.#clock.now() + ms);
    const message = `${resetWords[this.#answer.why]}; no host of the fleet sends until ${until}`;
    return { code: 'fleet-opens', message, until };
  }

  /** A message of one of the channels. */
  hear(text: string): void {
    const [word, value] = text.split(' ');
    if (word === 'ask') this.call();
    else if (word === 'next' && this.#isWanted()) this.#askIn(Number(value));
  }

  /** Sends Redis what it does not know yet, and that this host stops. To be called when no permit is wanted any more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#beat.end();
    await this.#say();
    // Nothing renews or confirms them any more.
    for (const permit of this.#held.values()) permit.lose();
  }

  async #say(): Promise<void> {
    for (const permit of this.#held.values()) permit.expire();
    this.#nextAt = Infinity;
    try {
      await this.#exchange();
    } catch (error) {
      this.#options.log.debug({ reason: errorMessage(error) }, 'no answer of Redis about permits');
    }
    this.#saidAt = this.#clock.monotonic();
  }

  /** One request to the script, and what follows from its answer. Rejects where none came. */
  async #exchange(): Promise<void> {
    const { redis, host, limit, times, waitsToJoin } = this.#options;
    if (redis.runId === '' || (this.#recent === null && waitsToJoin)) return;
    // The clock of the same process is followed over a lost connection.
    if (this.#runId !== redis.runId) this.#time = new RedisTime(times.marginMs);
    this.#runId = redis.runId;
    const news = this.#news;
    this.#news = noNews();
    const { windowMs } = times;
    const wanted = this.#wanted();
    const mayAsk = this.#options.mayAsk() && !this.#hasLeft;
    const sent = sentNow(this.#clock);
    const estimate = this.#time.estimate(sent.monotonic);
    const want = estimate !== undefined && mayAsk ? Math.min(mostWanted, wanted.count) : 0;
    const ids = Array.from({ length: want }, () => this.#name());
    const recent = countingMs(this.#recent ?? [], { limit, windowMs, clock: this.#clock }).map(Math.ceil);
    const pauseMs = Math.ceil(this.#pauseUntil - sent.monotonic);
    const { seq, epoch, halted } = this.#answer;
    const [renew, confirm] = [this.#heldIds({ begun: true }), this.#heldIds({ begun: false })];
    const sayAgain = () => {
      this.#news.spent.unshift(...news.spent);
      this.#news.returned.unshift(...news.returned, ...ids);
      this.#news.jump ??= news.jump;
    };
    const answer = await askForPermits(redis, {
      ...times,
      host,
      limit,
      seq,
      epoch,
      spent: news.spent.map(({ id, at }) => [id, Math.max(0, Math.floor(sent.monotonic - at))] as const),
      returned: news.returned,
      renew,
      confirm,
      recent,
      ids,
      founds: this.#foundsFleet(recent.length + news.spent.length),
      estimate,
      jump: news.jump ?? undefined,
      halted: halted || undefined,
      pauseMs: pauseMs > 0 ? pauseMs : undefined,
      level: wanted.isAhead ? aheadLevel : this.#demand.level,
      demand: Math.max(wanted.count, this.#demand.count),
    }).catch((error: unknown) => {
      // Whether Redis did it is not known: what was granted is never used, and the rest is said again.
      sayAgain();
      throw error;
    });
    const answered = sentNow(this.#clock);
    const isSteady = this.#time.isSteady(answer.now, sent, answered);
    if (!isSteady) {
      // Or this machine has slept.
      this.#news.jump = answer.epoch;
      this.#options.log.warn({}, 'the clock of Redis jumped; no host sends for one window');
    }
    if (answer.late) {
      sayAgain();
      return this.call();
    }
    if (this.#recent !== null) this.#recent = [];
    this.#note(answer, answered.monotonic);
    for (const id of [...confirm, ...renew]) {
      if (!answer.gone.includes(id)) this.#held.get(id)?.renewed(sent);
    }
    for (const id of answer.gone) this.#held.get(id)?.lose();
    const granted = ids.slice(0, answer.granted);
    if (!isSteady) {
      this.#news.returned.push(...granted);
      return this.call();
    }
    for (const id of granted) this.#grant(id, sent);
    if (!this.#isWanted()) return;
    // What comes of a first answer is asked for now.
    if (want === 0 && mayAsk) this.call();
    else this.#askIn(answer.nextMs, answer.rank);
  }

  /** Nothing was sent of this host's ledger within the last window. `sent`: that Redis does not know yet. */
  #foundsFleet(sent: number): boolean {
    return this.#recent !== null && this.#lease?.hadPredecessor !== true && sent === 0;
  }

  #note(answer: PermitAnswer, at: number): void {
    const before = this.#answer;
    const isFirst = before === noAnswer;
    this.#answer = { ...answer, waiting: answer.waiting ?? before.waiting };
    this.#answeredAt = at;
    // An epoch that is new to this host: what is under way has to be put back at once.
    if (answer.epoch !== before.epoch && this.#held.size > 0) this.call();
    if (answer.epoch !== before.epoch && !isFirst) this.#options.onReset();
    if (answer.reset) this.#options.log.warn({ reason: answer.why }, resetWords[answer.why]);
    if (isFirst || answer.halted !== before.halted || closedEpoch(answer) !== closedEpoch(before))
      this.#options.onChange();
  }

  #grant(id: string, heldAt: Sent): void {
    const permit = new SharedPermit(id, {
      heldAt,
      clock: this.#clock,
      times: this.#options.times,
      lease: this.#lease,
      ask: () => this.call(),
      end: (isSpent) => {
        this.#held.delete(id);
        if (isSpent) this.#news.spent.push({ id, at: this.#clock.monotonic() });
        else this.#news.returned.push(id);
        this.call();
      },
    });
    this.#held.set(id, permit);
    if (this.#taker === null) permit.giveBack();
    else this.#taker.grant(permit);
  }

  #wanted() {
    return this.#taker?.wanted() ?? { count: 0, isAhead: false };
  }

  #isWanted(): boolean {
    return this.#wanted().count > 0;
  }

  /** Permits whose requests have begun, or are about to begin. */
  #heldIds({ begun }: { readonly begun: boolean }): readonly string[] {
    return [...this.#held.values()]
      .filter(({ isBegun, isLost }) => isBegun === begun && !isLost)
      .map(({ id }) => id);
  }

  /** What is left of a time that Redis has said. */
  #leftMs(name: 'openMs' | 'pauseMs' | 'nextMs'): number {
    return Math.max(0, this.#answer[name] - (this.#clock.monotonic() - this.#answeredAt));
  }

  /** Until the next sign of life; sooner while a request is about to begin, or where a place comes free. */
  #restMs(): number {
    const { validMs, beatMs } = this.#options.times;
    const beat = this.#heldIds({ begun: false }).length > 0 ? validMs / 2 : beatMs;
    return Math.min(this.#saidAt + beat, this.#nextAt) - this.#clock.monotonic();
  }

  /** Asks again when a place may have come free. */
  #askIn(ms: number, rank = this.#rank): void {
    this.#rank = rank;
    const restMs = Math.max(1, Math.ceil(ms)) + Math.min(longestRankMs, rank * rankMs);
    this.#nextAt = this.#clock.monotonic() + restMs;
    this.#beat.rest();
  }

  #name(): string {
    return `${this.#options.host}/${this.#run}-${(this.#named += 1)}`;
  }
}

/** The epoch whose window without permits is not over; 0: there is none. */
function closedEpoch({ openMs, epoch }: PermitAnswer): number {
  return openMs > 0 ? epoch : 0;
}

/** Why no host sends for a while. */
const resetWords: Readonly<Record<PermitAnswer['why'], string>> = {
  new: 'This fleet is new to Redis; it is waited for other hosts of it',
  restarted: 'Redis was restarted or replaced and may have lost requests of the last minute',
  lost: 'Redis has lost data of this fleet, so its requests of the last minute are not known',
  clock: 'The clock of Redis has jumped, so requests of the last minute cannot be counted',
};
