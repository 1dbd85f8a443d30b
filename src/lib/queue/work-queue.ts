import PQueue from 'p-queue';

import { TransientMap } from '../collections/transient-map.ts';
import { PriorityQueue, priorityOf } from './priority-queue.ts';

/** Levels of work, the lower the later. */
type Level = 0 | 1 | 2 | 3;

/** An entry of p-queue costs a kilobyte: of each level no more than these are in it, the others wait as keys. */
const windowSize = 1_000;

/** Work by key on a p-queue: by level, newest first, with a reserve for lower levels, as `PriorityQueue` has it. */
export class WorkQueue {
  readonly #run: (key: string) => Promise<void>;
  readonly #afterEach: () => void;
  readonly #queue: PQueue<PriorityQueue>;
  /** Levels of the keys in the p-queue, and how many each has. */
  readonly #levels = new TransientMap<string, Level>();
  readonly #inWindow = [0, 0, 0, 0];
  /** What is beyond the window, by level, in the order of its coming: when it became due, by key. */
  readonly #beyond = Array.from({ length: 4 }, () => new Map<string, number>());

  constructor({
    concurrency,
    run,
    afterEach,
    isPaused = false,
  }: {
    readonly concurrency: number;
    /** Has to find out whether the key still has work. Must not reject. */
    readonly run: (key: string) => Promise<void>;
    /** Called when one has ended and its place is free. */
    readonly afterEach: () => void;
    readonly isPaused?: boolean;
  }) {
    this.#run = run;
    this.#afterEach = afterEach;
    this.#queue = new PQueue({ concurrency, queueClass: PriorityQueue, autoStart: !isPaused });
  }

  /** Puts work in its place; what waits under this key already gets the new one. */
  put(key: string, level: Level, atMs: number): void {
    const known = this.#levels.get(key);
    if (known !== undefined) {
      if (known !== level) this.#move(key, level);
      this.#queue.setPriority(key, priorityOf(level, atMs));
      return;
    }
    for (const waiting of this.#beyond) waiting.delete(key);
    if ((this.#inWindow[level] ?? 0) < windowSize) this.#enqueue(key, level, atMs);
    else this.#beyond[level]?.set(key, atMs);
  }

  /** Keys that wait, those without work included. */
  get size(): number {
    return this.#levels.size + this.#beyond.reduce((total, { size }) => total + size, 0);
  }

  /** The level of what comes first, 0 where nothing waits. */
  get firstLevel(): number {
    return Math.max(
      0,
      this.#inWindow.findLastIndex((count) => count > 0),
    );
  }

  get running(): number {
    return this.#queue.pending;
  }

  /** For a paused queue: lets start what is first, until `pause` is called by it. */
  start(): void {
    this.#queue.start();
    this.#queue.pause();
  }

  pause(): void {
    this.#queue.pause();
  }

  /** Starts nothing any more; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#queue.pause();
    this.#queue.clear();
    this.#levels.clear();
    for (const waiting of this.#beyond) waiting.clear();
    await this.#queue.onPendingZero();
  }

  #enqueue(key: string, level: Level, atMs: number): void {
    this.#levels.set(key, level);
    this.#inWindow[level] = (this.#inWindow[level] ?? 0) + 1;
    const added = this.#queue.add(() => this.#begin(key), { id: key, priority: priorityOf(level, atMs) });
    void added.finally(this.#afterEach);
  }

  #move(key: string, to: Level | null): void {
    const from = this.#levels.get(key);
    if (from !== undefined) this.#inWindow[from] = (this.#inWindow[from] ?? 1) - 1;
    if (to === null) this.#levels.delete(key);
    else {
      this.#levels.set(key, to);
      this.#inWindow[to] = (this.#inWindow[to] ?? 0) + 1;
    }
  }

  #begin(key: string): Promise<void> {
    const level = this.#levels.get(key);
    this.#move(key, null);
    // First, so that it can pause the queue before the next one enters.
    const done = this.#run(key);
    const [next] = level === undefined ? [] : (this.#beyond[level] ?? []);
    if (next !== undefined && level !== undefined) {
      this.#beyond[level]?.delete(next[0]);
      this.#enqueue(next[0], level, next[1]);
    }
    return done;
  }
}
