import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

import { servePlan } from '../../../src/scan/worker/folder-worker.ts';
import type { FromWorker, ToWorker } from '../../../src/scan/worker/protocol.ts';
import { machine } from './take-process.ts';

/** Lets the scanning thread's code run in this thread: its messages are events of the scheduler. */
export function replaceWorker(latencyMs: () => number): void {
  class InProcessWorker extends EventEmitter {
    #serve: ReturnType<typeof servePlan> | null = null;
    #isOver = false;
    /** Messages keep their order. */
    #lastAt = 0;

    postMessage(message: ToWorker): void {
      this.#later(() => {
        if (message.kind !== 'plan') this.#serve?.(message);
        else
          this.#serve = servePlan(message.plan, (answer: FromWorker) =>
            this.#later(() => this.emit('message', answer)),
          );
      });
    }

    terminate(): Promise<number> {
      this.#isOver = true;
      return Promise.resolve(0);
    }

    #later(act: () => void): void {
      const { scheduler } = machine();
      const now = scheduler.now();
      this.#lastAt = Math.max(this.#lastAt, now + latencyMs());
      scheduler.after(this.#lastAt - now, () => {
        if (!this.#isOver) act();
      });
    }
  }
  Object.assign(threads, { Worker: InProcessWorker });
  syncBuiltinESMExports();
}
