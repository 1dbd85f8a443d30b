import { randomBytes } from 'node:crypto';

import { countingMs } from '../../lib/queue/permits.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { SentRequest } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Demand, PermitSource } from '../../model/ports/service-port.ts';
import type { FleetTimes } from '../fleet-times.ts';
import type { Lease } from '../lease/lease.ts';
import { commandMs } from '../redis/connection.ts';
import type { RedisSession } from '../redis/connection.ts';
import { RedisTime, sentNow } from '../redis/redis-time.ts';
import type { Sent } from '../redis/redis-time.ts';
import { askForPermits } from './permit-script.ts';
import type { PermitAnswer, PermitRequest } from './permit-script.ts';
import { SharedPermit } from './shared-permit.ts';

/** Above all priorities of the engine: the replay of a request under way. */
const aheadLevel = 9;
/** No more permits are asked for at once. */
const mostWanted = 16;
/** Hosts that wait for the same place ask one after the other: most of them need not. */
const rankMs = 10;
const longestRankMs = 500;

export interface SharedMinuteOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly host: string;
  readonly limit: number;
  readonly times: FleetTimes;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Requests sent before this start that the service may still count. */
  readonly recent: readonly SentRequest[];
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
  /** Permits of an earlier run of this host have other names. */
  readonly #run = randomBytes(4).toString('hex');
  #named = 0;

  #taker: Parameters<PermitSource['begin']>[0] | null = null;
  #demand: Demand = { level: 0, count: 0 };
  readonly #held = new Map<string, SharedPermit>();
  #news = noNews();
  /** Monotonic, ms. */
  #pauseUntil = 0;

  readonly #time: RedisTime;
  #joined: RedisSession | null = null;
  #runId = '';
  /** Sent before this start, until Redis knows of it. */
  #recent: readonly SentRequest[];
  /** The last answer, and when it came: monotonic, ms. */
  #last: { readonly answer: PermitAnswer; readonly at: number } | null = null;

  #calling: Promise<void> | null = null;
  /** There is more to say than the call under way says. */
  #again = false;
  #cancelBeat = () => {};
  /** When the next sign of life is due, monotonic; Infinity: it is not. */
  #beatAt = Infinity;
  #cancelNext = () => {};
  /** How many hosts come before this one. */
  #rank = 0;
  #hasLeft = false;

  constructor(options: SharedMinuteOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#time = new RedisTime(options.times.marginMs);
    // Redis counts what the holder before has sent.
    this.#recent = options.lease?.hadPredecessor === true ? [] : options.recent;
  }

  begin(taker: Parameters<PermitSource['begin']>[0]): void {
    this.#taker = taker;
    this.#call();
  }

  changed(): void {
    if (this.#isWanted()) this.#call();
  }

  demand(demand: Demand): void {
    const isUrgent = demand.level > this.#demand.level && this.#isWanted();
    this.#demand = demand;
    if (isUrgent) this.#call();
  }

  pause(ms: number): void {
    this.#pauseUntil = Math.max(this.#pauseUntil, this.#clock.monotonic() + ms);
    this.#call();
  }

  status(): ReturnType<PermitSource['status']> {
    const pauseMs = this.#leftMs('pauseMs');
    return {
      used: this.#last?.answer.used,
      pauseMs,
      nextFreeMs: Math.max(this.#leftMs('nextMs'), pauseMs, this.#leftMs('openMs')),
      waiting: this.#last?.answer.waiting ?? 0,
    };
  }

  /** How it stands with the shared minute, for the status. */
  state() {
    return {
      /** Why no host gets a permit for so long. 0: they do. */
      opens: this.#last?.answer.why ?? 'new',
      opensInMs: this.#options.session() === null ? 0 : this.#leftMs('openMs'),
      /** A person has stopped all hosts. */
      isHalted: this.#halted !== '',
    };
  }

  /** A message of one of the channels. */
  hear(text: string): void {
    const [word, value] = text.split(' ');
    if (word === 'ask') this.#call();
    else if (word === 'next' && this.#isWanted()) this.#askIn(Number(value));
  }

  /** Redis has come or gone, or permits may be asked for now. */
  connectionChanged(): void {
    this.#call();
    this.#arm();
  }

  /** Sends Redis what it does not know yet, and that this host stops. To be called when no permit is wanted any more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#cancelBeat();
    this.#cancelNext();
    await this.#calling;
    const session = this.#options.session();
    if (session !== null) await this.#exchange(session).catch(() => {});
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
  async #exchange(session: RedisSession): Promise<void> {
    if (this.#joined !== session) this.#join(session);
    const news = this.#news;
    this.#news = noNews();
    const { host, limit, times, lease } = this.#options;
    const { windowMs, lifeMs, marginMs, unreachableMs, validMs } = times;
    const wanted = this.#wanted();
    const mayAsk = this.#options.mayAsk() && !this.#hasLeft;
    const want = this.#time.isKnown && mayAsk ? Math.min(mostWanted, wanted.count) : 0;
    const ids = Array.from({ length: want }, () => this.#name());
    const sent = sentNow(this.#clock);
    const pauseMs = Math.ceil(this.#pauseUntil - sent.monotonic);
    const lists = {
      spent: news.spent.map(({ id, at }) => [id, Math.max(0, Math.floor(sent.monotonic - at))] as const),
      returned: news.returned,
      renew: this.#heldIds({ begun: true }),
      confirm: this.#heldIds({ begun: false }),
      recent: countingMs(this.#recent, { limit, windowMs, clock: this.#clock }).map(Math.ceil),
      ids,
    };
    const isQuiet =
      Object.values(lists).every(({ length }) => length === 0) &&
      news.jump === null &&
      pauseMs <= 0 &&
      !this.#hasLeft;
    const request: PermitRequest = {
      host,
      limit,
      windowMs,
      lifeMs,
      marginMs,
      unreachableMs,
      offerMs: validMs,
      lateMs: commandMs,
      seq: this.#last?.answer.seq ?? 0,
      epoch: this.#epoch,
      ...lists,
      idle: isQuiet || undefined,
      founds: lists.recent.length === 0 && lease?.hadPredecessor !== true && news.spent.length === 0,
      estimate: this.#time.estimate(sent.monotonic),
      jump: news.jump ?? undefined,
      halted: this.#halted === '' ? undefined : this.#halted,
      pauseMs: pauseMs > 0 ? pauseMs : undefined,
      level: wanted.isAhead ? aheadLevel : this.#demand.level,
      demand: Math.max(wanted.count, this.#demand.count),
    };
    const sayAgain = () => {
      this.#news.spent.unshift(...news.spent);
      this.#news.returned.unshift(...news.returned, ...ids);
      this.#news.jump ??= news.jump;
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
    // Else this machine has slept, or Redis's clock has jumped.
    const isSteady = this.#time.isSteady(answer.now, sent, answered);
    if (answer.late) sayAgain();
    else {
      this.#recent = [];
      this.#note(answer, answered.monotonic);
      for (const id of [...lists.confirm, ...lists.renew]) {
        if (!answer.gone.includes(id)) this.#held.get(id)?.renewed(sent);
      }
      for (const id of answer.gone) this.#held.get(id)?.lose();
    }
    const granted = ids.slice(0, answer.granted);
    if (answer.late || !isSteady) {
      if (!answer.late) this.#news.returned.push(...granted);
      if (!isSteady) this.#noteJump(answer.epoch);
      this.#again = true;
      return;
    }
    for (const id of granted) this.#grant(id, sent);
    if (!this.#isWanted()) return;
    // What comes of a first answer is asked for now.
    if (want === 0 && mayAsk) this.#again = true;
    else this.#askIn(answer.nextMs, answer.rank);
  }

  #noteJump(epoch: number): void {
    this.#news.jump = epoch;
    this.#options.log.warn({}, 'the clock of Redis jumped; no host sends for one window');
  }

  #join(session: RedisSession): void {
    this.#joined = session;
    // The clock of the same process is followed over a lost connection.
    if (this.#runId !== session.runId) this.#time.forget();
    this.#runId = session.runId;
  }

  #note(answer: PermitAnswer, at: number): void {
    const before = this.#last?.answer;
    // An epoch that is new to this host: what is under way has to be put back at once.
    if (answer.epoch !== this.#epoch && this.#held.size > 0) this.#again = true;
    this.#last = { answer: { ...answer, waiting: answer.waiting ?? before?.waiting }, at };
    if (before !== undefined && answer.epoch !== before.epoch) this.#options.onReset();
    if (answer.reset) this.#options.log.warn({ reason: answer.why }, resetWords[answer.why]);
    const isHalted = answer.halted !== '';
    if (before === undefined || isHalted !== (before.halted !== ''))
      this.#options.onHalt({ isHalted, isFirst: before === undefined });
    if (answer.halted !== (before?.halted ?? '') || closedEpoch(answer) !== closedEpoch(before))
      this.#options.onChange();
  }

  #grant(id: string, heldAt: Sent): void {
    const { times, lease } = this.#options;
    const permit = new SharedPermit(id, {
      heldAt,
      clock: this.#clock,
      times,
      lease,
      ask: () => this.#call(),
      end: (isSpent) => {
        this.#held.delete(id);
        if (isSpent) this.#news.spent.push({ id, at: this.#clock.monotonic() });
        else this.#news.returned.push(id);
        this.#call();
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

  get #epoch(): number {
    return this.#last?.answer.epoch ?? 0;
  }

  /** When a person stopped all hosts; empty: nobody has. */
  get #halted(): string {
    return this.#last?.answer.halted ?? '';
  }

  /** What is left of a time that Redis has said. */
  #leftMs(name: 'openMs' | 'pauseMs' | 'nextMs'): number {
    if (this.#last === null) return 0;
    return Math.max(0, this.#last.answer[name] - (this.#clock.monotonic() - this.#last.at));
  }

  /** The next sign of life; sooner while a request is about to begin. */
  #arm(): void {
    if (this.#hasLeft) return;
    const { validMs, beatMs } = this.#options.times;
    const ms = this.#heldIds({ begun: false }).length > 0 ? validMs / 2 : beatMs;
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

/** The epoch whose window without permits is not over; 0: there is none. */
function closedEpoch(answer: PermitAnswer | undefined): number {
  return answer !== undefined && answer.openMs > 0 ? answer.epoch : 0;
}

/** Why no host sends for a while. */
export const resetWords: Readonly<Record<PermitAnswer['why'], string>> = {
  new: 'This fleet is new to Redis; it is waited for other hosts of it',
  restarted: 'Redis was restarted or replaced and may have lost requests of the last minute',
  lost: 'Redis has lost data of this fleet, so its requests of the last minute are not known',
  clock: 'The clock of Redis has jumped, so requests of the last minute cannot be counted',
};
