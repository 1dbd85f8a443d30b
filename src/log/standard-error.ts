import { writeSync } from 'node:fs';
import { errorCode } from '../model/errors.ts';

const STANDARD_ERROR = 2;
const LONGEST_WAIT_MS = 200;
const PAUSE_MS = 5;

/**
 * Writes to standard error and returns when it is written. A reader that went away or a full disk loses the
 * line and nothing else; for a full pipe it waits a moment only.
 */
export function writeStandardError(text: string): void {
  let bytes: Uint8Array = Buffer.from(text);
  let waitedMs = 0;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(STANDARD_ERROR, bytes));
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN' || waitedMs >= LONGEST_WAIT_MS) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      waitedMs += PAUSE_MS;
    }
  }
}
