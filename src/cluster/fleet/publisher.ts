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
import { readTimeLua } from '../redis/redis-time.ts';
import { pairsOf } from '../redis/connection.ts';
import type { RedisSession } from '../redis/connection.ts';

/**
 * KEYS: summaries, seen, limits, state of the shared minute, shares. ARGV: host, summary, aliveMs, run, limit,
 * `compare` or `stop` or ''. What was not renewed for a day goes. Gives how many hosts are alive, the run that wrote
 * last under this name, hosts with another limit, and since when all are paused or ''. The lowest limit of those that may send is what all obey.
 */
const publishScript = `
${readTimeLua}
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], 172800000)
local before = string.match(redis.call('HGET', KEYS[3], ARGV[1]) or '', '^%d+ %d+ (.*)$') or ''
if ARGV[6] == 'stop' then redis.call('HDEL', KEYS[3], ARGV[1])
else redis.call('HSET', KEYS[3], ARGV[1], string.format('%.0f ', now) .. ARGV[5] .. ' ' .. ARGV[4]) end
redis.call('PEXPIRE', KEYS[3], 172800000)
local others = {}
if ARGV[6] == 'compare' then
  local least = tonumber(ARGV[5])
  local all = redis.call('HGETALL', KEYS[3])
  for i = 1, #all, 2 do
    local at, limit = string.match(all[i + 1], '^(%d+) (%d+)')
    if tonumber(at) < now - tonumber(ARGV[3]) and not redis.call('HGET', KEYS[5], all[i]) then
      redis.call('HDEL', KEYS[3], all[i])
    elseif limit ~= ARGV[5] then
      least = math.min(least, tonumber(limit))
      others[#others + 1] = all[i]
      others[#others + 1] = limit
    end
  end
  redis.call('HSET', KEYS[4], 'limit', least)
end
return { redis.call('ZCOUNT', KEYS[2], now - tonumber(ARGV[3]), '+inf'), before, others,
  redis.call('HGET', KEYS[4], 'halted') or '' }
`;

const answerSchema = z.tuple([z.number(), z.string(), z.array(z.string()), z.string()]);

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
    const mode = summary.state === 'stopped' ? 'stop' : compares ? 'compare' : '';
    const keys = ['summaries', 'seen', 'limits', 'state', 'shares'];
    const args = [host, JSON.stringify(summary), String(aliveMs), this.#run, String(limit), mode];
    try {
      const answer = answerSchema.parse(await session.evaluate(publishScript, keys, args));
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

  #learn([hosts, before, others, halted]: z.output<typeof answerSchema>, isCompared: boolean): void {
    const known = JSON.stringify([this.clashes, this.isHalted]);
    this.#hosts = hosts;
    this.#publications += 1;
    // The first time it may be the run before this one, which ended without a word.
    const isOther = this.#publications > 1 && before !== '' && before !== this.#run;
    this.#sinceClash = isOther ? 0 : this.#sinceClash + 1;
    if (isCompared) this.#otherLimits = pairsOf(others).map(([name, limit]) => [name, Number(limit)]);
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
