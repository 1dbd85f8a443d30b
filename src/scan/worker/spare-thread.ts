import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';

import { giveYoungGeneration, keepYoungGeneration } from '../../lib/process/heap.ts';
/** What runs the scanning worker, as its client sees it. */
export type ScanThread = EventEmitter & Pick<Worker, 'postMessage' | 'terminate'>;

/**
 * A scan makes much garbage and keeps little. With 3 MB it is collected 190 times for 100,000 files, with 24 MB about
 * 40 times, for 12 MB more memory; Node's default of 48 brings no gain.
 */
const youngGenerationMb = 24;

let spare: Worker | null = null;

/** Starts a scanning thread early: it loads while the configuration is read. */
export function prepareThread(): void {
  if (spare !== null) return;
  try {
    const thread = beginThread();
    spare = thread;
    thread.once('error', () => {
      if (spare === thread) spare = null;
    });
  } catch {
    // The caller of `takeThread` starts another one and gets the error.
  }
}

/** A scanning thread that waits for its plan: the prepared one, or a new one. */
export function takeThread(): ScanThread {
  const thread = spare ?? beginThread();
  spare = null;
  return thread;
}

function beginThread(): Worker {
  // V8's flags hold for the whole process: after `keepYoungGeneration` it would stay at its first size.
  giveYoungGeneration(youngGenerationMb);
  const thread = new Worker(scanWorkerUrl(), {
    execArgv: [],
    name: 'scan',
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  thread.once('online', keepYoungGeneration);
  return thread;
}

/** Where the scanning worker's compiled module is, for a module of this directory, compiled or not. */
function scanWorkerUrl(): URL {
  const worker = new URL('./scan-worker.ts', import.meta.url).href.replace(/\.ts$/, '.js');
  // A thread is started by Node itself, which takes JavaScript only: from the sources, the build beside them is used.
  return new URL(
    import.meta.url.endsWith('.ts')
      ? worker.replace(/\/src\/scan\/worker\/(?=[^/]+$)/, '/dist/program/')
      : worker,
  );
}
