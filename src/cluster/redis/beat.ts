import type { Clock } from '../../lib/time/clock.ts';

interface BeatOptions {
  readonly clock: Clock;
  /** Says it. What it rejects with is its own affair. */
  readonly say: () => Promise<void>;
  /** How long to rest until it is said again, ms. */
  readonly restMs: () => number;
}

/** What a host says to Redis again and again, and never twice at once. */
export class Beat {
  readonly #options: BeatOptions;
  #underWay: Promise<void> | null = null;
  /** There is more to say than what is being said. */
  #again = false;
  #isOver = false;
  #cancel = () => {};

  constructor(options: BeatOptions) {
    this.#options = options;
  }

  /** Says it now, or as soon as what is being said is over. */
  now(): void {
    if (this.#isOver) return;
    this.#again = this.#underWay !== null;
    if (this.#again) return;
    this.#cancel();
    this.#underWay = this.#options
      .say()
      .catch(() => {})
      .finally(() => {
        this.#underWay = null;
        if (this.#again) this.now();
        else this.rest();
      });
  }

  /** Rests from now on, for as long as `restMs` says now. */
  rest(): void {
    this.#cancel();
    if (this.#isOver || this.#underWay !== null) return;
    this.#cancel = this.#options.clock.after(this.#options.restMs(), () => this.now());
  }

  /** Says nothing more. Resolves when what is being said is over. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#underWay;
  }
}
