import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { HostSummary } from '../../model/report/fleet.ts';
import type { RedisSession } from '../redis/session.ts';
import { publishMs, publishSummary } from './summaries.ts';

interface PublisherOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly prefix: string;
  readonly host: string;
  readonly clock: Clock;
  readonly log: LogPort;
}

/** Publishes this host's summary for the others: every five seconds, and at once when its health changes. */
export class Publisher {
  readonly #options: PublisherOptions;
  #summarise: (() => HostSummary) | null = null;
  #published: HostSummary['health'] | null = null;
  #cancel = () => {};
  #underWay: Promise<void> = Promise.resolve();
  #hosts = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** How many hosts speak with Redis, this one included; 0: not known yet. */
  get hosts(): number {
    return this.#hosts;
  }

  begin(summarise: () => HostSummary): void {
    this.#summarise = summarise;
    this.#publish();
  }

  /** Something has changed. */
  note(): void {
    const summary = this.#summarise?.();
    if (summary !== undefined && summary.health !== this.#published) this.#publish(summary);
  }

  /** Says at last that this host has stopped. */
  async end(): Promise<void> {
    const summary = this.#summarise?.();
    this.#summarise = null;
    this.#cancel();
    await this.#underWay;
    if (summary !== undefined) await this.#send({ ...summary, state: 'stopped' });
  }

  #publish(summary = this.#summarise?.()): void {
    if (summary === undefined) return;
    this.#cancel();
    this.#cancel = this.#options.clock.after(publishMs, () => this.#publish());
    this.#underWay = this.#send(summary);
  }

  async #send(summary: HostSummary): Promise<void> {
    const { prefix, host, log } = this.#options;
    const session = this.#options.session();
    if (session === null) {
      this.#published = null;
      return;
    }
    this.#published = summary.health;
    try {
      this.#hosts = await publishSummary(session, { prefix, host, summary });
    } catch (error) {
      this.#published = null;
      log.debug({ reason: errorMessage(error) }, 'the summary could not be published');
    }
  }
}
