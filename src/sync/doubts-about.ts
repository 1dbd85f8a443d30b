import { refKey } from '../core/document.ts';
import type { Doubt } from '../core/ledger-port.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** The uploads of a task's path whose outcome was never learned. */
export function doubtsAbout({ ledger }: Parts, { key }: Task): readonly Doubt[] {
  return ledger.doubts().filter(({ ref }) => refKey(ref) === key);
}
