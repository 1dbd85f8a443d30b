import { randomBytes } from 'node:crypto';

import * as z from 'zod';

import { shortened } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { HostSummary } from '../../model/report/fleet.ts';
import { failedCount, failuresInDoubt, headline } from '../../model/report/headline.ts';
import type { Health, Status } from '../../model/report/status.ts';
import { aliveMs } from '../fleet-times.ts';
import type { RedisSession } from '../redis/connection.ts';
import { listOf, redisScript } from '../redis/script.ts';

const answerSchema = z.object({
  /** How many hosts speak with Redis. */
  hosts: z.number(),
  /** The run that published last under this host's name. */
  before: z.string(),
  /** Hosts with another limit, and theirs. */
  others: listOf(z.tuple([z.string(), z.number()])),
  /** Since when all hosts are paused; empty: they are not. */
  halted: z.string(),
});

interface Summary {
  readonly host: string;
  /** Another start of a host has another one. */
  readonly run: string;
  readonly summary: string;
  readonly limit: number;
  readonly aliveMs: number;
  /** The limits of the others are wanted. */
  readonly compares: boolean;
  /** The host stops. */
  readonly stops: boolean;
}

/**
 * Keeps a host's summary for a day. The lowest limit of the hosts that may send is what all obey; it is looked for where
 * limits are compared.
 */
const publish = redisScript<Summary, z.output<typeof answerSchema>>({
  keys: ['summaries', 'seen', 'limits', 'state', 'shares'],
  answer: answerSchema,
  lua: `
redis.call('HSET', summaries, ask.host, string.format('%.0f ', now) .. ask.summary)
redis.call('PEXPIRE', summaries, 172800000)
local before = string.match(redis.call('HGET', limits, ask.host) or '', '^%d+ %d+ (.*)$') or ''
if ask.stops then redis.call('HDEL', limits, ask.host)
else redis.call('HSET', limits, ask.host, string.format('%.0f %d ', now, ask.limit) .. ask.run) end
redis.call('PEXPIRE', limits, 172800000)
local others = {}
if ask.compares and not ask.stops then
  local least = ask.limit
  local all = redis.call('HGETALL', limits)
  for i = 1, #all, 2 do
    local at, limit = string.match(all[i + 1], '^(%d+) (%d+)')
    if tonumber(at) < now - ask.aliveMs and not redis.call('HGET', shares, all[i]) then
      redis.call('HDEL', limits, all[i])
    elseif tonumber(limit) ~= ask.limit then
      least = math.min(least, tonumber(limit))
      others[#others + 1] = { all[i], tonumber(limit) }
    end
  end
  redis.call('HSET', state, 'limit', least)
end
return { hosts = redis.call('ZCOUNT', seen, now - ask.aliveMs, '+inf'), before = before, others = others,
  halted = redis.call('HGET', state, 'halted') or '' }
`,
});

interface PublisherOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly host: string;
  /** `service.requestsPerMinute` of this host. */
  readonly limit: number;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Something that `clashes` or `isHalted` says has changed. */
  readonly onChange: () => void;
}

/** What does not go together with other hosts of the account. */
export interface Clashes {
  /** Another ingestd publishes under the name of this one. */
  readonly isNameTaken: boolean;
  /** Hosts with another `service.requestsPerMinute`, and theirs. */
  readonly otherLimits: readonly (readonly [string, number])[];
}

/** What a Redis process said instead of taking a summary. */
interface Trouble {
  readonly session: RedisSession;
  readonly message: string;
}

/** A summary is renewed this often. */
const publishMs = 5_000;
/** The limits of the others are asked for at first, and then this often. */
const compareEvery = 12;
/** After so many publications without another under the same name, the name is this host's alone. */
const quietEnough = 3;

/** Publishes this host's summary for the others: every five seconds, and at once when its health changes. */
export class Publisher {
  readonly #options: PublisherOptions;
  #status: (() => Status) | null = null;
  #published: Health | null = null;
  #cancel = () => {};
  #underWay: Promise<void> = Promise.resolve();
  #hosts = 0;
  /** Another start of this host is another one. */
  readonly #run = randomBytes(8).toString('hex');
  #publications = 0;
  /** Publications since another ingestd was met under this name. */
  #sinceClash = Infinity;
  #otherLimits: Clashes['otherLimits'] = [];
  #trouble: Trouble | null = null;
  #isHalted = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** How many hosts speak with Redis, this one included; 0: not known yet. */
  get hosts(): number {
    return this.#hosts;
  }

  /** A person has paused all hosts. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  get clashes(): Clashes {
    return { isNameTaken: this.#sinceClash < quietEnough, otherLimits: this.#otherLimits };
  }

  /** Why Redis does not take the summary; null: it does, or is away. */
  get trouble(): string | null {
    return this.#trouble?.session === this.#options.session() ? (this.#trouble?.message ?? null) : null;
  }

  begin(status: () => Status): void {
    this.#status = status;
    this.#publish();
  }

  /** Something has changed. */
  note(): void {
    const status = this.#status?.();
    if (status !== undefined && status.health !== this.#published) this.#publish(status);
  }

  /** Says at last that this host has stopped. */
  async end(): Promise<void> {
    const status = this.#status?.();
    this.#status = null;
    this.#cancel();
    await this.#underWay;
    if (status !== undefined) await this.#send({ ...summaryOf(status), state: 'stopped' });
  }

  #publish(status = this.#status?.()): void {
    if (status === undefined) return;
    this.#cancel();
    this.#cancel = this.#options.clock.after(publishMs, () => this.#publish());
    this.#underWay = this.#send(summaryOf(status));
  }

  async #send(summary: HostSummary): Promise<void> {
    const { host, limit, log } = this.#options;
    const session = this.#options.session();
    this.#published = session === null ? null : summary.health;
    if (session === null) return;
    const compares = this.#publications % compareEvery === 0;
    try {
      const answer = await publish(session, {
        host,
        run: this.#run,
        summary: JSON.stringify(summary),
        limit,
        aliveMs,
        compares,
        stops: summary.state === 'stopped',
      });
      this.#note(null);
      this.#learn(answer, compares);
    } catch (error) {
      this.#published = null;
      const message = errorMessage(error);
      log.debug({ reason: message }, 'the summary could not be published');
      this.#note({ session, message });
    }
  }

  #note(trouble: Trouble | null): void {
    const before = this.trouble;
    this.#trouble = trouble;
    if (this.trouble !== before) this.#options.onChange();
  }

  #learn({ hosts, before, others, halted }: z.output<typeof answerSchema>, isCompared: boolean): void {
    const known = JSON.stringify([this.clashes, this.isHalted]);
    this.#hosts = hosts;
    this.#publications += 1;
    // The first time it may be the run before this one, which ended without a word.
    const isOther = this.#publications > 1 && before !== '' && before !== this.#run;
    this.#sinceClash = isOther ? 0 : this.#sinceClash + 1;
    if (isCompared) this.#otherLimits = others;
    this.#isHalted = halted !== '';
    if (JSON.stringify([this.clashes, this.isHalted]) !== known) this.#options.onChange();
  }
}

const mostFolders = 50;
const mostFailures = 10;
const mostReasons = 10;
const longestText = 300;

/** What of a status the other hosts see. */
function summaryOf(status: Status): HostSummary {
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
      .map(({ code, message }) => ({ code, message: shortened(message, longestText) })),
    folders: status.folders
      .slice(0, mostFolders)
      .map(({ name, state: watched, onDisk, synced, pending, waiting, failed, held }) => {
        return { name, state: watched, onDisk, synced, pending, waiting, failed, held };
      }),
    queue: { pending: queue.pending, inFlight: queue.inFlight, waiting: queue.waiting },
    failures: failures.slice(0, mostFailures).map(({ folder, path, code, message }) => {
      return { folder, path: shortened(path, longestText), code, message: shortened(message, longestText) };
    }),
    failuresTotal: failedCount(status),
  };
}
