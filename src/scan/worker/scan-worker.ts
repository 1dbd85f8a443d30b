import { parentPort } from 'node:worker_threads';

import { servePlan } from './folder-worker.ts';
import type { ToWorker } from './protocol.ts';

const port = parentPort;
if (port === null) throw new Error('this module is for a worker thread');
let serve: ReturnType<typeof servePlan> | null = null;

port.on('message', (message: ToWorker) => {
  if (message.kind === 'plan') {
    serve = servePlan(message.plan, (answer, transfer = []) => port.postMessage(answer, transfer));
  } else serve?.(message);
});
