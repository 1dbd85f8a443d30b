import { randomBytes } from 'node:crypto';

import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { HostSummary } from '../../model/report/fleet.ts';
import type { RedisSession } from '../redis/session.ts';
import { publishMs, publishSummary } from './summaries.ts';
import type { Neighbours } from './summaries.ts';

interface PublisherOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  readonly prefix: string;
  readonly host: string;
  /** `service.requestsPerMinute` of this host. */
  readonly limit: number;
  readonly clock: Clock;
  readonly log: LogPort;
  /** Something that `clashes` says has changed. */
  readonly onChange: () => void;
}

/** What does not go together with other hosts of the account. */
export interface Clashes {
  /** Another ingestd publishes under the name of this one. */
  readonly isNameTaken: boolean;
  /** Hosts with another `service.requestsPerMinute`, and theirs. */
  readonly otherLimits: readonly (readonly [string, number])[];
}

/** The limits of the others are asked for at first, and then this often. */
const compareEvery = 12;
/** After so many publications without another under the same name, the name is this host's alone. */
const quietEnough = 3;

/** Publishes this host's summary for the others: every five seconds, and at once when its health changes. */
export class Publisher {
  readonly #options: PublisherOptions;
  #summarise: (() => HostSummary) | null = null;
  #published: HostSummary['health'] | null = null;
  #cancel = () => {};
  #underWay: Promise<void> = Promise.resolve();
  #hosts = 0;
  /** Another start of this host is another one. */
  readonly #run = randomBytes(8).toString('hex');
  #publications = 0;
  /** Publications since another ingestd was met under this name. */
  #sinceClash = Infinity;
  #otherLimits: Clashes['otherLimits'] = [];

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** How many hosts speak with Redis, this one included; 0: not known yet. */
  get hosts(): number {
    return this.#hosts;
  }

  get clashes(): Clashes {
    return { isNameTaken: this.#sinceClash < quietEnough, otherLimits: this.#otherLimits };
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
    const { prefix, host, limit, log } = this.#options;
    const session = this.#options.session();
    if (session === null) {
      this.#published = null;
      return;
    }
    this.#published = summary.health;
    try {
      const compares = this.#publications % compareEvery === 0;
      const published = { prefix, host, summary, run: this.#run, limit, compares };
      this.#learn(await publishSummary(session, published));
    } catch (error) {
      this.#published = null;
      log.debug({ reason: errorMessage(error) }, 'the summary could not be published');
    }
  }

  #learn({ hosts, before, otherLimits }: Neighbours): void {
    const known = JSON.stringify(this.clashes);
    this.#hosts = hosts;
    this.#publications += 1;
    // The first time it may be the run before this one, which ended without a word.
    const isOther = this.#publications > 1 && before !== '' && before !== this.#run;
    this.#sinceClash = isOther ? 0 : this.#sinceClash + 1;
    if (otherLimits !== null) this.#otherLimits = otherLimits;
    if (JSON.stringify(this.clashes) !== known) this.#options.onChange();
  }
}
