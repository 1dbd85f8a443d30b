import { refKey } from '../model/document.ts';
import type { Doubt } from '../model/ports/ledger-port.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** The uploads of a task's path whose outcome was never learned. */
export function doubtsAbout({ ledger }: Parts, { key }: Task): readonly Doubt[] {
  return ledger.doubts().filter(({ ref }) => refKey(ref) === key);
}
