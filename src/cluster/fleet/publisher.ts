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
import { redisScript } from '../redis/script.ts';

const answerSchema = z.object({
  /** How many hosts speak with Redis. */
  hosts: z.number(),
  /** The run that published last under this host's name. */
  before: z.string(),
  /** Since when all hosts are paused; empty: they are not. */
  halted: z.string(),
});

interface Summary {
  readonly host: string;
  /** Another start of a host has another one. */
  readonly run: string;
  readonly summary: string;
  readonly aliveMs: number;
}

/** Keeps a host's summary for a day, as the time, its run and the text. */
const publish = redisScript<Summary, z.output<typeof answerSchema>>({
  keys: ['summaries', 'hosts', 'seen', 'state'],
  answer: answerSchema,
  lua: `
local before = string.match(redis.call('HGET', summaries, ask.host) or '', '^%d+ (%S+) ') or ''
redis.call('HSET', summaries, ask.host, string.format('%.0f %s ', now, ask.run) .. ask.summary)
redis.call('ZADD', hosts, now, ask.host)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', hosts, '-inf', now - 86400000)) do
  redis.call('ZREM', hosts, name)
  redis.call('HDEL', summaries, name)
end
for _, key in ipairs({ summaries, hosts }) do redis.call('PEXPIRE', key, 172800000) end
return { hosts = redis.call('ZCOUNT', seen, now - ask.aliveMs, '+inf'), before = before,
  halted = redis.call('HGET', state, 'halted') or '' }
`,
});

interface PublisherOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly host: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** What `isNameTaken` or `isHalted` say has changed. */
  readonly onChange: () => void;
}

/** A summary is renewed this often. */
const publishMs = 5_000;
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

  /** Another ingestd publishes under the name of this one. */
  get isNameTaken(): boolean {
    return this.#sinceClash < quietEnough;
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
    const { host, log } = this.#options;
    const session = this.#options.session();
    this.#published = session === null ? null : summary.health;
    if (session === null) return;
    try {
      const answer = await publish(session, {
        host,
        run: this.#run,
        summary: JSON.stringify(summary),
        aliveMs,
      });
      this.#learn(answer);
    } catch (error) {
      this.#published = null;
      log.debug({ reason: errorMessage(error) }, 'the summary could not be published');
    }
  }

  #learn({ hosts, before, halted }: z.output<typeof answerSchema>): void {
    const known = [this.isNameTaken, this.isHalted].join();
    this.#hosts = hosts;
    this.#publications += 1;
    // The first time it may be the run before this one, which ended without a word.
    const isOther = this.#publications > 1 && before !== '' && before !== this.#run;
    this.#sinceClash = isOther ? 0 : this.#sinceClash + 1;
    this.#isHalted = halted !== '';
    if ([this.isNameTaken, this.isHalted].join() !== known) this.#options.onChange();
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
