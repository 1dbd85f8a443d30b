import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

import { servePlan } from '../../../src/scan/worker/folder-worker.ts';
import type { FromWorker, SentQuestion, ToWorker } from '../../../src/scan/worker/protocol.ts';
import { machine } from './take-process.ts';

/** Lets the scanning thread's code run in this thread: its messages are events of the scheduler. */
export function replaceWorker(latencyMs: () => number): void {
  class InProcessWorker extends EventEmitter {
    #serve: ReturnType<typeof servePlan> | null = null;
    #isOver = false;
    /** Messages keep their order. */
    #lastAt = 0;
    /** The questions for a look at the root that are not answered yet. */
    readonly #looks = new Set<number>();

    postMessage(message: ToWorker): void {
      const isLook = message.kind === 'questions' && message.questions.every((one) => this.#isLook(one));
      this.#later(isLook, () => {
        if (message.kind === 'plan') this.#serve = servePlan(message.plan, (answer) => this.#answer(answer));
        else this.#serve?.(message);
      });
    }

    terminate(): Promise<number> {
      this.#isOver = true;
      return Promise.resolve(0);
    }

    #answer(message: FromWorker): void {
      const isLook = message.kind === 'answers' && message.answers.every(({ id }) => this.#looks.delete(id));
      this.#later(isLook, () => this.emit('message', message));
    }

    #isLook({ kind, id }: SentQuestion): boolean {
      if (kind === 'root') this.#looks.add(id);
      return kind === 'root';
    }

    /** Each message but those of a look may change what a look is compared with. */
    #later(isLook: boolean, act: () => void): void {
      const { scheduler } = machine();
      const now = scheduler.now();
      this.#lastAt = Math.max(this.#lastAt, now + latencyMs());
      scheduler.after(this.#lastAt - now, () => {
        if (!isLook) scheduler.tellNews();
        if (!this.#isOver) act();
      });
    }
  }
  Object.assign(threads, { Worker: InProcessWorker });
  syncBuiltinESMExports();
}
