import { randomBytes } from 'node:crypto';

import { countingMs, endPermitOnce } from '../../lib/queue/permits.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage, StoppedError } from '../../model/errors.ts';
import type { SentRequest } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Demand, LimiterPort, Permit } from '../../model/ports/service-port.ts';
import { leasedPermit } from '../lease/lease.ts';
import type { Lease } from '../lease/lease.ts';
import { commandMs } from '../redis/connection.ts';
import type { RedisSession } from '../redis/connection.ts';
import { RedisTime, sentNow } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import type { FleetTimes } from '../fleet-times.ts';
import { SharedPermit } from './held-permits.ts';
import { askForPermits } from './permit-script.ts';
import type { PermitAnswer, PermitRequest } from './permit-script.ts';

/** Above all priorities of the engine: the replay of a request under way. */
const aheadLevel = 9;
/** No more permits are asked for at once. */
const mostWanted = 16;
/** Hosts that wait for the same place ask one after the other: most of them need not. */
const rankMs = 10;
const longestRankMs = 500;
/** The keys in Redis live for two days without this. */
const keepKeysMs = 3_600_000;

export interface SharedLimiterOptions {
  /** The local scheduler: its order, its pauses, and a bound for this host whatever Redis says. */
  readonly local: LimiterPort;
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly host: string;
  readonly limit: number;
  readonly times: FleetTimes;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Requests sent before this start that the service may still count. */
  readonly recent: readonly SentRequest[];
  /** Another host may have sent of this ledger within the last window. */
  readonly hasPredecessor: boolean;
  /** That of the state directory, where there is one: nothing is sent without it. */
  readonly lease: Lease | null;
  /** False: no permit is wanted now. */
  readonly mayAsk: () => boolean;
  /** Redis may have forgotten something. */
  readonly onReset: () => void;
  /** Something of `state` has changed. */
  readonly onChange: () => void;
  /** Called with the first answer, and when a person has stopped all hosts or lets them send again. */
  readonly onHalt: (news: FleetPauseNews) => void;
}

/** Whether a person has stopped all hosts. `isFirst`: it may be long since this host was there to see it. */
export interface FleetPauseNews {
  readonly isHalted: boolean;
  readonly isFirst: boolean;
}

interface Waiting {
  readonly ahead: boolean;
  readonly own: Permit;
  readonly go: (permit: Permit) => void;
  readonly stop: () => void;
}

/**
 * The sliding minute of all hosts, in Redis: each permit is a place there (`askForPermits`), beside a place of the local
 * limiter. While Redis is away, nothing goes out.
 */
export class SharedLimiter implements LimiterPort {
  readonly #options: SharedLimiterOptions;
  readonly #clock: Clock;
  readonly #times: FleetTimes;
  /** Permits of an earlier run of this host have other names. */
  readonly #run = randomBytes(4).toString('hex');
  #named = 0;

  /** Whoever has a local permit and waits for one in Redis. */
  #waiting: Waiting[] = [];
  #demand: Demand = { level: 0, count: 0 };
  readonly #held = new Map<string, SharedPermit>();
  /** What Redis does not know yet: answered permits with the time of the answer (monotonic, ms), and unused ones. */
  #spent: { readonly id: string; readonly at: number }[] = [];
  #returned: string[] = [];
  /** Permits that Redis has offered and that this host will take. */
  #claims: string[] = [];
  /** Monotonic, ms. */
  #pauseUntil = 0;

  readonly #time: RedisTime;
  #joined: RedisSession | null = null;
  #runId = '';
  /** The last that Redis said of both: with lower ones it has forgotten something. */
  #seq = 0;
  #epoch = 0;
  /** The epoch in which Redis's clock has jumped, to be told to it; null: it has not. */
  #jump: number | null = null;
  /** Sent before this start, until Redis knows of it. */
  #recent: readonly SentRequest[];
  /** When a person stopped all hosts; empty: nobody has. */
  #halted = '';
  /** Monotonic, ms: when the keys were kept from expiring. */
  #keptAt = -Infinity;

  #calling: Promise<void> | null = null;
  /** There is more to say than the call under way says. */
  #again = false;
  #cancelBeat = () => {};
  /** When the next sign of life is due, monotonic; Infinity: it is not. */
  #beatAt = Infinity;
  #cancelNext = () => {};
  /** How many hosts come before this one. */
  #rank = 0;
  /** The last answer, and when it came: monotonic, ms. */
  #last: { readonly answer: PermitAnswer; readonly at: number } | null = null;
  /** The epoch whose window without permits `onChange` was called for; 0: there is none. */
  #closedEpoch = 0;

  #isClosed = false;
  #hasLeft = false;

  constructor(options: SharedLimiterOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#times = options.times;
    this.#time = new RedisTime(options.times.marginMs);
    this.#recent = options.recent;
    this.#call();
  }

  async take({ ahead = false }: { readonly ahead?: boolean } = {}): Promise<Permit> {
    const own = await this.#options.local.take({ ahead });
    return new Promise((resolve, reject) => {
      const stop = () => {
        own.giveBack();
        reject(new StoppedError('the limiter is closed'));
      };
      if (this.#isClosed) return stop();
      const waiting: Waiting = { ahead, own, go: resolve, stop };
      const behind = ahead ? this.#waiting.findIndex((other) => !other.ahead) : -1;
      this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, waiting);
      this.#call();
    });
  }

  demand(demand: Demand): void {
    const isUrgent = demand.level > this.#demand.level && this.#waiting.length > 0;
    this.#demand = demand;
    if (isUrgent) this.#call();
  }

  pause(ms: number, message: string): void {
    this.#options.local.pause(ms, message);
    if (!(ms > 0)) return;
    this.#pauseUntil = Math.max(this.#pauseUntil, this.#clock.monotonic() + ms);
    this.#call();
  }

  status(): ReturnType<LimiterPort['status']> {
    const local = this.#options.local.status();
    const { limit, times } = this.#options;
    const answer = this.#last?.answer;
    const ago = this.#last === null ? 0 : this.#clock.monotonic() - this.#last.at;
    const pauseMs = Math.max(0, (answer?.pauseMs ?? 0) - ago);
    const pausedUntil = pauseMs > 0 ? this.#clock.now() + pauseMs : local.pausedUntil;
    const nextFreeMs = Math.max(local.nextFreeMs, (answer?.nextMs ?? 0) - ago, pauseMs, this.#opensInMs());
    return {
      limit,
      used: answer?.used ?? local.used,
      windowMs: times.windowMs,
      pausedUntil,
      pausedBy: local.pausedBy,
      nextFreeMs,
    };
  }

  waitMs(requests: number): number {
    if (requests <= 0) return 0;
    const answer = this.#last?.answer;
    // With others in line, this host has its part of the minute.
    const hosts = Math.max(1, answer?.waiting ?? 1);
    const own = this.#options.local.waitMs(requests * hosts);
    return Math.max(own, this.status().nextFreeMs);
  }

  /** How it stands with the shared minute, for the status. */
  state() {
    return {
      /** Why no host gets a permit for so long. 0: they do. */
      opens: this.#last?.answer.why ?? 'new',
      opensInMs: this.#options.session() === null ? 0 : this.#opensInMs(),
      /** A person has stopped all hosts. */
      isHalted: this.#halted !== '',
    };
  }

  /** A message of one of the channels. */
  hear(text: string): void {
    const [word, value = ''] = text.split(' ');
    if (word === 'ask') this.#call();
    else if (word === 'offer') {
      if (this.#waiting.length > 0 && !this.#isClosed) this.#claims.push(value);
      else this.#returned.push(value);
      this.#call();
    } else if (word === 'next' && this.#waiting.length > 0) this.#askIn(Number(value));
  }

  /** Redis has come or gone. */
  connectionChanged(): void {
    this.#call();
    this.#arm();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.local.close();
    for (const waiting of this.#waiting.splice(0)) waiting.stop();
  }

  /** Sends Redis what it does not know yet, and that this host stops. After `close`. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#cancelBeat();
    this.#cancelNext();
    await this.#calling;
    const session = this.#options.session();
    if (session !== null) await this.#exchange(session, { leave: true }).catch(() => {});
    // Nothing renews or confirms them any more.
    for (const permit of this.#held.values()) permit.lose();
  }

  /** Speaks with Redis now, or as soon as the call under way has ended. */
  #call(): void {
    if (this.#hasLeft) return;
    if (this.#calling !== null) {
      this.#again = true;
      return;
    }
    const session = this.#options.session();
    if (session === null) return this.#arm();
    this.#calling = this.#exchange(session)
      .catch((error: unknown) => {
        this.#options.log.debug({ reason: errorMessage(error) }, 'no answer of Redis about permits');
        // Where Redis refuses, the next sign of life tries again; else there may be another connection by now.
        if (this.#options.session() === session) this.#again = false;
      })
      .finally(() => {
        this.#calling = null;
        this.#cancelBeat();
        this.#beatAt = Infinity;
        if (this.#again) {
          this.#again = false;
          this.#call();
        } else this.#arm();
      });
  }

  /** One request to the script, and what follows from its answer. Rejects where none came. */
  async #exchange(session: RedisSession, more: { readonly leave?: boolean } = {}): Promise<void> {
    if (this.#joined !== session) this.#join(session);
    const news = { spent: this.#spent, returned: this.#returned, claims: this.#claims, jump: this.#jump };
    const mayWant = this.#time.isKnown && !this.#isClosed && this.#options.mayAsk();
    const want = mayWant ? Math.min(mostWanted, this.#waiting.length) : 0;
    const ids = Array.from({ length: want }, () => this.#name());
    const pauseMs = Math.ceil(this.#pauseLeftMs());
    const { limit, times } = this.#options;
    const sent = sentNow(this.#clock);
    const lists = {
      spent: news.spent.map(({ id, at }) => [id, Math.max(0, Math.floor(sent.monotonic - at))] as const),
      returned: news.returned,
      renew: this.#heldIds({ begun: true }),
      confirm: this.#heldIds({ begun: false }),
      recent: countingMs(this.#recent, { limit, windowMs: times.windowMs, clock: this.#clock }).map(
        Math.ceil,
      ),
      ids,
      claims: news.claims,
    };
    const isQuiet =
      Object.values(lists).every(({ length }) => length === 0) &&
      news.jump === null &&
      pauseMs <= 0 &&
      more.leave !== true;
    const keepKeys = sent.monotonic - this.#keptAt >= keepKeysMs;
    const request: PermitRequest = {
      ...this.#constants(),
      ...lists,
      ...more,
      idle: (isQuiet && !keepKeys) || undefined,
      keepKeys: keepKeys || undefined,
      founds: lists.recent.length === 0 && !this.#options.hasPredecessor && this.#spent.length === 0,
      estimate: this.#time.estimate(sent.monotonic),
      lateMs: commandMs,
      jump: news.jump ?? undefined,
      halted: this.#halted === '' ? undefined : this.#halted,
      pauseMs: pauseMs > 0 ? pauseMs : undefined,
      want,
      level: this.#waiting[0]?.ahead === true ? aheadLevel : this.#demand.level,
      demand: Math.max(this.#waiting.length, this.#demand.count),
    };
    this.#spent = [];
    this.#returned = [];
    this.#claims = [];
    this.#jump = null;
    const sayAgain = () => {
      this.#spent = [...news.spent, ...this.#spent];
      this.#returned = [...news.returned, ...news.claims, ...ids, ...this.#returned];
      this.#jump = news.jump ?? this.#jump;
    };
    let answer: PermitAnswer;
    try {
      answer = await askForPermits(session, request);
    } catch (error) {
      // Whether Redis did it is not known: what was granted is never used, and the rest is said again.
      sayAgain();
      throw error;
    }
    const answered = sentNow(this.#clock);
    if (answer.late) {
      sayAgain();
      this.#again = true;
      // This machine has slept, or Redis's clock has jumped.
      if (!this.#time.isSteady(answer.now, sent, answered)) this.#noteJump(answer.epoch);
      return;
    }
    const granted = ids.slice(0, answer.granted);
    this.#recent = [];
    if (keepKeys) this.#keptAt = sent.monotonic;
    this.#note(answer, answered.monotonic, request.idle === true);
    for (const id of [...lists.confirm, ...lists.renew]) {
      if (!answer.gone.includes(id)) this.#held.get(id)?.renewed(sent);
    }
    for (const id of answer.gone) this.#held.get(id)?.lose();
    if (!this.#time.isSteady(answer.now, sent, answered)) {
      this.#returned.push(...granted);
      this.#again = true;
      this.#noteJump(answer.epoch);
      return;
    }
    for (const id of granted) this.#hand(id, sent);
    // What comes of a first answer is asked for now.
    if (want === 0 && this.#waiting.length > 0 && !this.#isClosed && this.#options.mayAsk())
      this.#again = true;
    else if (this.#waiting.length > 0) this.#askIn(answer.nextMs, answer.rank);
  }

  #noteJump(epoch: number): void {
    this.#jump = epoch;
    this.#options.log.warn({}, 'the clock of Redis jumped; no host sends for one window');
  }

  #join(session: RedisSession): void {
    this.#joined = session;
    // The clock of the same process is followed over a lost connection.
    if (this.#runId !== session.runId) this.#time.forget();
    this.#runId = session.runId;
  }

  #constants() {
    const { host, limit, times } = this.#options;
    const { windowMs, lifeMs, marginMs, unreachableMs, validMs, beatMs } = times;
    return {
      host,
      limit,
      windowMs,
      lifeMs,
      marginMs,
      unreachableMs,
      offerMs: validMs,
      waitMs: 2 * beatMs,
      seq: this.#seq,
      epoch: this.#epoch,
    };
  }

  #note(answer: PermitAnswer, at: number, isIdle: boolean): void {
    // An epoch that is new to this host: what is under way has to be put back at once.
    if (answer.epoch !== this.#epoch && this.#held.size > 0) this.#again = true;
    const isFirst = this.#last === null;
    if (!isFirst && answer.epoch !== this.#epoch) this.#options.onReset();
    const isTurned = (answer.halted === '') !== (this.#halted === '');
    if (answer.halted !== this.#halted) {
      this.#halted = answer.halted;
      this.#options.onChange();
    }
    if (isFirst || isTurned) this.#options.onHalt({ isHalted: answer.halted !== '', isFirst });
    this.#epoch = answer.epoch;
    this.#seq = Math.max(this.#seq, answer.seq);
    const waiting = isIdle ? (this.#last?.answer.waiting ?? 0) : answer.waiting;
    this.#last = { answer: { ...answer, waiting }, at };
    if (answer.reset) this.#options.log.warn({ reason: answer.why }, resetWords[answer.why]);
    const closedEpoch = answer.openMs > 0 ? answer.epoch : 0;
    if (closedEpoch !== this.#closedEpoch) this.#options.onChange();
    this.#closedEpoch = closedEpoch;
  }

  /** Gives a place to whoever is first. */
  #hand(id: string, heldAt: Sent): void {
    const first = this.#pauseLeftMs() > 0 ? undefined : this.#waiting.shift();
    if (first === undefined) {
      this.#returned.push(id);
      this.#again = true;
      return;
    }
    const permit = new SharedPermit(id, {
      heldAt,
      clock: this.#clock,
      times: this.#times,
      ask: () => this.#call(),
    });
    this.#held.set(id, permit);
    this.#admit(
      first,
      (isSpent) => {
        this.#held.delete(id);
        if (isSpent) this.#spent.push({ id, at: this.#clock.monotonic() });
        else this.#returned.push(id);
      },
      permit.guard,
    );
  }

  /** Lets a request begin; `end` is called once, when its permit was used or given back. */
  #admit({ own, go }: Waiting, end: (isSpent: boolean) => void, guard?: Permit['guard']): void {
    const permit = endPermitOnce((isSpent) => {
      if (isSpent) own.spent();
      else own.giveBack();
      end(isSpent);
      this.#call();
    });
    const guarded = guard === undefined ? permit : { ...permit, guard };
    const { lease } = this.#options;
    go(lease === null ? guarded : leasedPermit(guarded, lease));
  }

  /** Permits whose requests have begun, or are about to begin. */
  #heldIds({ begun }: { readonly begun: boolean }): readonly string[] {
    return [...this.#held.values()]
      .filter(({ isBegun, isLost }) => isBegun === begun && !isLost)
      .map(({ id }) => id);
  }

  #pauseLeftMs(): number {
    return this.#pauseUntil - this.#clock.monotonic();
  }

  #opensInMs(): number {
    if (this.#last === null) return 0;
    return Math.max(0, this.#last.answer.openMs - (this.#clock.monotonic() - this.#last.at));
  }

  /** The next sign of life; sooner while a request is about to begin. */
  #arm(): void {
    if (this.#hasLeft) return;
    const ms = this.#heldIds({ begun: false }).length > 0 ? this.#times.validMs / 2 : this.#times.beatMs;
    const at = this.#clock.monotonic() + ms;
    // An attempt to reach Redis that has failed is no sign of life: the next one must not wait for it.
    if (at >= this.#beatAt) return;
    this.#cancelBeat();
    this.#beatAt = at;
    this.#cancelBeat = this.#clock.after(ms, () => {
      this.#beatAt = Infinity;
      for (const permit of this.#held.values()) permit.expire();
      this.#call();
    });
  }

  /** Asks again when a place may have come free. */
  #askIn(ms: number, rank = this.#rank): void {
    this.#rank = rank;
    this.#cancelNext();
    const restMs = Math.max(1, Math.ceil(ms)) + Math.min(longestRankMs, rank * rankMs);
    this.#cancelNext = this.#clock.after(restMs, () => this.#call());
  }

  #name(): string {
    return `${this.#options.host}/${this.#run}-${(this.#named += 1)}`;
  }
}

/** Why no host sends for a while. */
export const resetWords: Readonly<Record<PermitAnswer['why'], string>> = {
  new: 'This fleet is new to Redis; it is waited for other hosts of it',
  empty: 'Redis has no data of this fleet, so its requests of the last minute are not known',
  restarted: 'Redis was restarted or replaced and may have lost requests of the last minute',
  older: 'Redis has older data than before and may have lost requests of the last minute',
  clock: 'The clock of Redis has jumped, so requests of the last minute cannot be counted',
};
