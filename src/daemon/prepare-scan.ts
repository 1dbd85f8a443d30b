import { letHeapGrow } from '../lib/process/heap.ts';
import { prepareThread } from '../scan/worker/spare-thread.ts';

/** For `main.ts` and `run`, which may not import `scan`: the scanning thread loads while the configuration is read. */
export function prepareScan(): void {
  letHeapGrow();
  prepareThread();
}
