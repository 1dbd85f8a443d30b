import { WorkQueue } from '../../lib/queue/work-queue.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { MetricsPort } from '../../model/ports/metrics-port.ts';
import type { LimiterPort, Permit } from '../../model/ports/service-port.ts';
import type { SendKind } from '../../model/operation.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { isReady } from '../tasks/task.ts';
import type { ReadyTask, Task } from '../tasks/task.ts';
import { chooseProbe } from './choose-probe.ts';
import type { ProbeCandidate } from './choose-probe.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { LedgerCommits } from './ledger-commits.ts';
import { levels, SendLine } from './send-line.ts';
import type { LineConditions, LineEntry } from './send-line.ts';

/** While sends wait for a fuller bulk call or for the circuit breaker, they are tried again this often. */
const askAgainMs = 100;
const longestAskMs = 60_000;

interface Options {
  readonly clock: Clock;
  readonly tasks: Pick<TaskStore, 'byKey' | 'in'>;
  readonly limiter: LimiterPort;
  readonly breaker: Pick<CircuitBreaker, 'allowedInFlight' | 'openMs'>;
  readonly writer: Pick<LedgerCommits, 'trouble'>;
  readonly metrics: Pick<MetricsPort, 'rateWait'>;
  /** Requests at once, at most. */
  readonly concurrency: number;
  readonly conditions: () => Omit<LineConditions, 'now'>;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Sends these together, on this permit. Must not reject. */
  readonly deliver: (work: readonly [ReadyTask, ...ReadyTask[]], permit: Permit) => Promise<void>;
}

/** What is ready waits here for a permit, the most urgent first. Who gets one is decided when it has come. */
export class SendQueue {
  readonly #options: Options;
  readonly #line = new SendLine();
  readonly #sends: WorkQueue;
  /** Kinds of the last probes, each once, the latest last. */
  #probed: readonly SendKind[] = [];
  #isTakingPermits = false;
  #isDraining = false;
  #cancelAsk = () => {};

  constructor(options: Options) {
    this.#options = options;
    this.#sends = new WorkQueue({ concurrency: options.concurrency, afterEach: () => this.wake() });
  }

  /** Requests under way. */
  get running(): number {
    return this.#sends.running;
  }

  /** Requests in line. */
  get size(): number {
    return this.#sends.size;
  }

  /** Documents that are ready, and wait for the end of a pause. */
  get pausedCount(): number {
    return this.#line.pausedCount(this.#options.conditions().paused);
  }

  /** How many requests fewer than documents go out, because some share a call. */
  get savedCount(): number {
    return this.#line.savedCount(this.#options.conditions().paused);
  }

  /** A task has become ready: it goes out on one of the next permits, or has to wait. */
  enter(task: ReadyTask): void {
    const entry = this.#line.enter(task, this.#conditions());
    if (entry === null) this.#askLater();
    else this.#put(entry);
    this.wake();
  }

  /** It is ready no more: something else is to be done with it, or nothing. */
  leave(task: Task, bulkKey: string | null): void {
    this.#line.leave(task, bulkKey);
  }

  /** What is paused now waits; puts in line what has gathered long enough, and what nothing blocks any more. */
  pausesChanged(): void {
    const { paused } = this.#options.conditions();
    for (const task of this.#options.tasks.in('ready'))
      if (isReady(task) && paused.has(task.ref.folder)) this.#line.block(task);
    this.release();
  }

  /** Puts in line what has gathered long enough, and uploads that nothing blocks any more. */
  release(): void {
    for (const entry of this.#line.release(this.#conditions())) this.#put(entry);
    this.wake();
  }

  /** Takes permits from now on, as long as something is in line. Called whenever that may have changed. */
  wake(): void {
    if (this.#isTakingPermits || this.#isDraining) return;
    this.#isTakingPermits = true;
    void this.#takePermits().finally(() => {
      this.#isTakingPermits = false;
    });
  }

  /** Starts nothing any more; resolves when the requests under way have ended. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#cancelAsk();
    await this.#sends.stop();
  }

  async #takePermits(): Promise<void> {
    const { clock, limiter, metrics } = this.#options;
    while (this.#hasRoom() && this.#sends.size > 0) {
      const asked = clock.monotonic();
      this.#noteDemand();
      const permit = await limiter.take().catch(() => null);
      if (permit === null) return;
      const isUsed = this.#hasRoom() && this.#startFirst(permit);
      if (isUsed) metrics.rateWait((clock.monotonic() - asked) / 1000);
      else permit.giveBack();
    }
    if (this.#sends.size > 0 || this.#line.isGathering(this.#options.conditions().paused)) this.#askLater();
  }

  #startFirst(permit: Permit): boolean {
    const conditions = this.#conditions();
    const probe = conditions.isProbing ? this.#chooseProbe(conditions) : undefined;
    if (probe !== undefined)
      this.#probed = [...this.#probed.filter((kind) => kind !== probe.operation), probe.operation];
    return this.#sends.startFirst((key) => this.#start(key, permit), probe?.key);
  }

  #chooseProbe(conditions: LineConditions): ProbeCandidate | undefined {
    const { random, tasks } = this.#options;
    const candidates: ProbeCandidate[] = [];
    for (const key of this.#sends.keys()) {
      const [first] = this.#line.tasksUnder(key, tasks.byKey(key), conditions);
      if (first !== undefined)
        candidates.push({ key, operation: first.state.operation, attempts: first.attempts });
    }
    return chooseProbe(candidates, this.#probed, random());
  }

  /** Sends what is in line under a key. Null: nothing is any more, and the permit is left for the next. */
  #start(key: string, permit: Permit): Promise<void> | null {
    const { deliver, tasks } = this.#options;
    const [first, ...rest] = this.#line.tasksUnder(key, tasks.byKey(key), this.#conditions());
    return first === undefined ? null : deliver([first, ...rest], permit);
  }

  #hasRoom(): boolean {
    const { breaker, concurrency, writer } = this.#options;
    if (this.#isDraining || writer.trouble() !== null) return false;
    return this.#sends.running < breaker.allowedInFlight(concurrency);
  }

  #put({ key, ...place }: LineEntry): void {
    this.#sends.put(key, place);
    this.#noteDemand();
  }

  /** Other hosts may share the minute: what is urgent here goes before what is not there. */
  #noteDemand(): void {
    const level = Math.min(levels.live, Math.max(levels.deletion, this.#sends.firstLevel)) - levels.deletion;
    this.#options.limiter.demand?.({ level, count: this.#sends.size });
  }

  #askLater(): void {
    const { breaker, clock } = this.#options;
    this.#cancelAsk();
    const openMs = breaker.openMs();
    const ms = openMs > 0 ? Math.min(openMs, longestAskMs) : askAgainMs;
    this.#cancelAsk = clock.after(ms, () => this.release());
  }

  #conditions(): LineConditions {
    return { ...this.#options.conditions(), now: this.#options.clock.monotonic() };
  }
}
