import { randomBytes } from 'node:crypto';

import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { WriteLease } from '../../model/ports/write-lease.ts';
import type { Sent } from '../redis/redis-time.ts';
import type { RedisSession } from '../redis/session.ts';
import { askForLease } from './lease-script.ts';
import type { LeaseAnswer, LeaseRequest } from './lease-script.ts';

/** The times of a lease, ms; shorter only in tests. */
export interface LeaseTimes {
  /** Without a renewal its holder stops after this, and others may take it. */
  readonly lifeMs: number;
  /** It is renewed, and looked at by who waits for it, this often. */
  readonly beatMs: number;
  /** Who waits lets it rest so much longer than it lasts. */
  readonly marginMs: number;
  /** How long a host that may send without Redis keeps it. */
  readonly aloneMs: number;
}

export const leaseTimes: LeaseTimes = {
  lifeMs: 15_000,
  beatMs: 5_000,
  marginMs: 250,
  aloneMs: 24 * 3_600_000,
};

export interface LeaseOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  /** `ingestd:{account}` */
  readonly prefix: string;
  /** What it is the lease of. */
  readonly name: string;
  readonly host: string;
  /** This host may send while Redis is away: then nobody takes its lease before a person says that it is gone. */
  readonly isAlone: boolean;
  /** This process has just made the state directory. */
  readonly isFirst: boolean;
  /** Where the folders lie that come with it: see `shareKey`. */
  readonly folders: readonly string[];
  /** The highest fence of the names in the state directory. */
  readonly seenFence: () => Promise<number>;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  /** What a person sees of it has changed. */
  readonly onChange: () => void;
}

/** Who holds a lease that this host waits for. */
export interface LeaseHolder {
  readonly host: string;
  /** Wall clock, ms. */
  readonly since: number;
  /** It may be sending without Redis, and is not followed. */
  readonly isAlone: boolean;
  /** True when it was renewed while this host waits. */
  readonly isThere: boolean;
}

/** What a host has seen of a lease that another holds. */
interface Watched {
  readonly session: RedisSession;
  readonly answer: LeaseAnswer;
  /** Monotonic, ms: the mark has been the same since. */
  readonly at: number;
  readonly isThere: boolean;
}

/** A folder that comes with another lease. */
interface Foreign {
  readonly session: RedisSession;
  readonly mark: string;
  readonly host: string;
  /** Monotonic, ms: the mark has been the same since. */
  readonly at: number;
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
  readonly #run = randomBytes(8).toString('hex');
  readonly #lost = new AbortController();
  #onTaken = () => {};
  #onLost: (why: string) => void = () => {};
  #fence = 0;
  #heldAt: Sent | null = null;
  /** Monotonic, ms: found lapsed and not yet renewed; null: it holds. */
  #lapsedAt: number | null = null;
  #trouble: string | null = null;
  #watched: Watched | null = null;
  #mine: ReadonlySet<string> = new Set();
  #foreign: ReadonlyMap<string, Foreign> = new Map();
  readonly #listeners = new Set<() => void>();
  #hadPredecessor = false;
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #asking: Promise<void> | null = null;
  #again = false;
  #isClosed = false;
  #cancel = () => {};

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.taken = new Promise((resolve) => (this.#onTaken = resolve));
    this.lost = new Promise((resolve) => (this.#onLost = resolve));
  }

  /** Asks for it from now on, until it is there. */
  begin(): void {
    this.#ask();
  }

  get fence(): number {
    return this.#fence;
  }

  /** Aborted when it is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** The shared minute knows the requests of who held it before. */
  get hadPredecessor(): boolean {
    return this.#hadPredecessor;
  }

  /** Who holds it; null: not known, or this host does. */
  get holder(): LeaseHolder | null {
    if (this.#watched === null || this.#heldAt !== null) return null;
    const { answer, isThere } = this.#watched;
    if (answer.host === '') return null;
    return { host: answer.host, since: answer.since, isAlone: answer.isAlone, isThere };
  }

  /** Who has a folder with another lease: empty where that is not known yet; null: nobody else. */
  folderHolder(folder: string): string | null {
    return this.#mine.has(folder) ? null : (this.#foreign.get(folder)?.host ?? '');
  }

  /** Calls when a folder has become this host's. */
  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Why Redis does not give an answer about it; null: it does, or is away. */
  get trouble(): string | null {
    return this.#options.session() === null ? null : this.#trouble;
  }

  /** This host's name is in use by another process that renews the lease. */
  get isNameTaken(): boolean {
    const { holder } = this;
    return holder !== null && holder.isThere && holder.host === this.#options.host;
  }

  holds(): boolean {
    return this.#heldAt !== null && !this.signal.aborted && this.#age() <= this.#lifeMs();
  }

  confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.holds()) return resolve();
      if (this.signal.aborted || this.#isClosed) return reject(new Error(lapsed));
      this.#waiting.push({ resolve, reject });
      this.#ask();
    });
  }

  /** Redis has come or gone, or somebody has given a lease back. */
  hear(): void {
    this.#ask();
  }

  /** Gives it back, so that whoever waits has it at once. */
  async release(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    this.#settle(new Error(lapsed));
    await this.#asking;
    const session = this.#options.session();
    if (this.#heldAt !== null && session !== null) await this.#send(session, 'release').catch(() => {});
    this.#heldAt = null;
  }

  /** Speaks with Redis now, or as soon as the call under way has ended. */
  #ask(): void {
    if (this.#isClosed || this.signal.aborted) return;
    if (this.#asking !== null) {
      this.#again = true;
      return;
    }
    this.#cancel();
    this.#asking = this.#exchange()
      .catch((error: unknown) => this.#note(errorMessage(error)))
      .finally(() => {
        this.#asking = null;
        this.#loseWhereLapsed();
        const again = this.#again;
        this.#again = false;
        if (again) this.#ask();
        else this.#arm();
      });
  }

  #arm(): void {
    if (this.#isClosed || this.signal.aborted) return;
    this.#cancel = this.#options.clock.after(this.#restMs(), () => this.#ask());
  }

  /** Until the next renewal, the next check, or the moment from which the lease of another is over. */
  #restMs(): number {
    const { clock, times } = this.#options;
    if (this.#heldAt !== null || this.#watched === null) return times.beatMs;
    const left = this.#watched.at + times.lifeMs + times.marginMs - clock.monotonic();
    return left > 0 ? Math.min(times.beatMs, left) : times.beatMs;
  }

  async #exchange(): Promise<void> {
    const session = this.#options.session();
    if (session === null) return;
    const isRenewal = this.#heldAt !== null;
    const sent = this.#now();
    const answer = await this.#send(session, isRenewal ? 'renew' : 'take');
    this.#note(null);
    if (answer.isHeld) {
      this.#hold(answer, sent, isRenewal);
      this.#claim(session, answer);
    } else if (isRenewal) this.#lose(`${answer.host === '' ? 'another host' : answer.host} has taken over`);
    else this.#watch(session, answer);
  }

  async #send(session: RedisSession, kind: LeaseRequest['kind']): Promise<LeaseAnswer> {
    const { prefix, name, host, times, isAlone, isFirst, folders, seenFence } = this.#options;
    const seen = kind === 'take' ? await seenFence() : 0;
    this.#hadPredecessor ||= seen > 0;
    return askForLease(session, {
      kind,
      host,
      run: this.#run,
      fence: this.#fence,
      seen,
      still: this.#still(session),
      first: isFirst,
      alone: isAlone,
      aloneMs: times.aloneMs,
      channel: `${prefix}:wake`,
      prefix,
      name,
      folders,
      mine: Object.fromEntries([...this.#mine].map((folder) => [folder, 1])),
      stillFolders: this.#stillFolders(session),
    });
  }

  /** The mark of a lease that is over. */
  #still(session: RedisSession): string {
    const { times, clock } = this.#options;
    if (this.#watched?.session !== session) return '';
    const age = clock.monotonic() - this.#watched.at;
    return age >= times.lifeMs + times.marginMs ? this.#watched.answer.mark : '';
  }

  #hold(answer: LeaseAnswer, sent: Sent, isRenewal: boolean): void {
    this.#fence = answer.fence;
    this.#heldAt = sent;
    this.#watched = null;
    if (!isRenewal) this.#onTaken();
    if (this.holds()) this.#settle(null);
  }

  /** Follows the folders that come with other leases. */
  #claim(session: RedisSession, { foreign }: LeaseAnswer): void {
    const before = this.#foreign;
    const now = this.#options.clock.monotonic();
    this.#foreign = new Map(
      foreign.map(({ folder, mark, host }) => {
        const known = before.get(folder);
        const isSame = known?.session === session && known.mark === mark;
        return [folder, { session, mark, host, at: isSame ? known.at : now }];
      }),
    );
    const was = this.#mine;
    this.#mine = new Set(this.#options.folders.filter((folder) => !this.#foreign.has(folder)));
    if ([...was].some((folder) => !this.#mine.has(folder)))
      return this.#lose('another host has taken a folder');
    const isNew = this.#mine.size !== was.size;
    const isOther = [...this.#foreign].some(([folder, { host }]) => before.get(folder)?.host !== host);
    if (isNew || isOther) this.#options.onChange();
    if (isNew) for (const listener of this.#listeners) listener();
  }

  #stillFolders(session: RedisSession): Readonly<Record<string, string>> {
    const { clock, times } = this.#options;
    const past = clock.monotonic() - times.lifeMs - times.marginMs;
    const still = [...this.#foreign].filter(([, one]) => one.session === session && one.at <= past);
    return Object.fromEntries(still.map(([folder, { mark }]) => [folder, mark]));
  }

  #watch(session: RedisSession, answer: LeaseAnswer): void {
    const before = this.#watched;
    // The mark of another connection may be older than what was seen before.
    const known = before?.session === session && before.answer.fence === answer.fence ? before : null;
    const isSame = known?.answer.mark === answer.mark;
    const at = isSame ? known.at : this.#options.clock.monotonic();
    const isThere = known !== null && (known.isThere || !isSame);
    this.#watched = { session, answer, at, isThere };
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

  #note(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#options.onChange();
  }

  #lose(why: string): void {
    if (this.signal.aborted) return;
    this.#cancel();
    this.#lost.abort();
    this.#settle(new Error(lapsed));
    this.#onLost(why);
  }

  #settle(error: Error | null): void {
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (error === null) resolve();
      else reject(error);
    }
  }

  #lifeMs(): number {
    const { isAlone, times } = this.#options;
    // An hour before others may take it.
    return isAlone ? (times.aloneMs * 23) / 24 : times.lifeMs;
  }

  #age(): number {
    if (this.#heldAt === null) return Infinity;
    const { monotonic, wall } = this.#now();
    return Math.max(monotonic - this.#heldAt.monotonic, wall - this.#heldAt.wall);
  }

  #now(): Sent {
    return { monotonic: this.#options.clock.monotonic(), wall: this.#options.clock.now() };
  }
}

const lapsed = 'the lease of the state directory is lost';
