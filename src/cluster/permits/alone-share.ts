import type { Clock } from '../../lib/time/clock.ts';

/** The requests that this host may send by itself while Redis is away: a sliding window of its own. */
export class AloneShare {
  readonly #clock: Clock;
  readonly #windowMs: number;
  /** When the place of each request comes free, monotonic; null: it is under way. */
  readonly #places = new Map<string, number | null>();

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** Takes a place under that name. False: all of the share is used. */
  take(share: number, name: string): boolean {
    this.#free();
    if (this.#places.size >= share) return false;
    this.#places.set(name, null);
    return true;
  }

  /** The answer is there. */
  spent(name: string): void {
    if (this.#places.has(name)) this.#places.set(name, this.#clock.monotonic() + this.#windowMs);
  }

  giveBack(name: string): void {
    this.#places.delete(name);
  }

  /** How long until a place comes free, ms. */
  nextFreeMs(): number {
    const times = [...this.#places.values()].map((at) => (at ?? Infinity) - this.#clock.monotonic());
    return Math.min(this.#windowMs, ...times.map((ms) => Math.max(0, ms)));
  }

  /** What was answered and still counts: names, and how long, ms. */
  answered(): readonly (readonly [name: string, leftMs: number])[] {
    this.#free();
    const now = this.#clock.monotonic();
    return Array.from(this.#places).flatMap(([name, at]) =>
      at === null ? [] : [[name, Math.ceil(at - now)] as const],
    );
  }

  /** Names of requests under way. */
  underWay(): readonly string[] {
    return Array.from(this.#places).flatMap(([name, at]) => (at === null ? [name] : []));
  }

  get size(): number {
    this.#free();
    return this.#places.size;
  }

  #free(): void {
    const now = this.#clock.monotonic();
    for (const [name, at] of this.#places) if (at !== null && at <= now) this.#places.delete(name);
  }
}
