import TinyQueue from 'tinyqueue';

import { realTurn } from './real-turn.ts';

interface Event {
  readonly at: number;
  readonly order: number;
  /** Whose it is; null: the world's. */
  readonly life: number | null;
  readonly call: () => void;
  isCancelled: boolean;
}

/** So many in one wait are a loop without an end. */
const mostEvents = 200_000;

/**
 * All that happens in a simulated machine, in one order: by its time, and of one time in the order in which it was
 * asked for. Between two events all promises settle. What a process asked for does not happen once it is dead.
 */
export class Scheduler {
  #now = 0;
  #spent = 0;
  #order = 0;
  #life: number | null = null;
  #alive: number | null = null;
  #lives = 0;
  #queue = new TinyQueue<Event>([], (a, b) => a.at - b.at || a.order - b.order);

  /** Monotonic ms. Within an event time passes as `spend` says. */
  now(): number {
    return this.#now + this.#spent;
  }

  /** The event under way takes so much longer. */
  spend(ms: number): void {
    this.#spent += ms;
  }

  /** Calls `call` after `ms`, for whoever asks; what it gives cancels that. */
  after(ms: number, call: () => void): () => void {
    return this.#add(ms, call, this.#life);
  }

  /** The same for the world, which outlives every process. */
  inWorld(ms: number, call: () => void): () => void {
    return this.#add(ms, call, null);
  }

  /** Resolves after `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Begins a process: what `act` does, and all that follows from it, is that process's. */
  beginLife(act: () => void): number {
    this.#lives += 1;
    this.#alive = this.#lives;
    this.#add(0, act, this.#lives);
    return this.#lives;
  }

  /** As SIGKILL does. */
  endLife(): void {
    this.#alive = null;
  }

  /** The process that runs; null: none. */
  life(): number | null {
    return this.#alive;
  }

  isAlive(): boolean {
    return this.#alive !== null;
  }

  /** Does something as the process that runs, if one does. */
  later(ms: number, act: () => void): void {
    if (this.#alive !== null) this.#add(ms, act, this.#alive);
  }

  /** Lets everything happen until it is so, or nothing is left to happen. Gives whether it is so. */
  async runUntil(isSo: () => boolean, deadline = Infinity): Promise<boolean> {
    await realTurn();
    for (let events = 0; !isSo(); events += 1) {
      if (events === mostEvents) throw new Error('it goes round and round without an end');
      const event = this.#queue.peek();
      if (event === undefined || event.at > deadline) {
        if (deadline < Infinity) this.#now = Math.max(this.#now, deadline);
        return false;
      }
      this.#queue.pop();
      if (event.isCancelled || (event.life !== null && event.life !== this.#alive)) continue;
      this.#now = Math.max(this.#now, event.at);
      this.#life = event.life;
      event.call();
      await realTurn();
      this.#now += this.#spent;
      this.#spent = 0;
      this.#life = null;
    }
    return true;
  }

  #add(ms: number, call: () => void, life: number | null): () => void {
    this.#order += 1;
    const at = this.now() + Math.max(0, ms);
    const event: Event = { at, order: this.#order, life, call, isCancelled: false };
    this.#queue.push(event);
    return () => {
      event.isCancelled = true;
    };
  }
}
