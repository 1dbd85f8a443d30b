import type { Scheduler } from '../machine/scheduler.ts';
import type { Stage } from '../service/service.ts';

/** The places at which a step can be put between two steps of ingestd. */
export type Gap = Stage | 'ledger';

/** Holds what comes to a gap until the act that waits for the gap is done. */
export class Gaps {
  readonly #scheduler: Scheduler;
  readonly #latency: (gap: Gap) => number;
  #wanted: { readonly gap: Gap; readonly act: () => void; readonly holdMs: number } | null = null;

  constructor(scheduler: Scheduler, latency: (gap: Gap) => number) {
    this.#scheduler = scheduler;
    this.#latency = latency;
  }

  /** The next one that comes to the gap is held for so long, and `act` is done meanwhile. */
  await(gap: Gap, holdMs: number, act: () => void): void {
    this.#wanted = { gap, act, holdMs };
  }

  isWanted(gap: Gap): boolean {
    return this.#wanted?.gap === gap;
  }

  /** Nobody waits for the gap any more. */
  forget(): void {
    this.#wanted = null;
  }

  /** Resolves when it may go on, for whoever asks. */
  pass(gap: Gap): Promise<void> {
    const wanted = this.#wanted;
    if (wanted?.gap !== gap) return this.#wait(this.#latency(gap));
    this.#wanted = null;
    this.#scheduler.inWorld(1, wanted.act);
    return this.#wait(wanted.holdMs + 2);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#scheduler.after(ms, resolve));
  }
}
