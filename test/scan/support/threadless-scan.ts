import { EventEmitter } from 'node:events';

import { servePlan } from '../../../src/scan/worker/folder-worker.ts';
import type { FromWorker, ToWorker } from '../../../src/scan/worker/protocol.ts';
import type { ScanThread } from '../../../src/scan/worker/spare-thread.ts';

/**
 * Runs the scanning worker in this very thread, to spare a test the start of another one. Messages take a turn of the
 * event loop each way. For a folder without watches: they would outlive it. `isReading`: a question waits for its answer.
 */
export function threadlessScan(): ScanThread & { readonly isReading: () => boolean } {
  let serve: ReturnType<typeof servePlan> | null = null;
  let isOver = false;
  let questions = 0;
  const later = (act: () => void) =>
    setImmediate(() => {
      if (!isOver) act();
    });
  const answer = (message: FromWorker) =>
    later(() => {
      if (message.kind === 'answers') questions -= message.answers.length;
      thread.emit('message', message);
    });
  const thread = Object.assign(new EventEmitter(), {
    postMessage: (message: ToWorker) => {
      if (message.kind === 'questions') questions += message.questions.length;
      later(() => {
        if (message.kind === 'plan') serve = servePlan(message.plan, answer);
        else serve?.(message);
      });
    },
    terminate: () => {
      isOver = true;
      return Promise.resolve(0);
    },
    isReading: () => questions > 0 && !isOver,
  });
  return thread;
}
