import { readFileSync } from 'node:fs';

import { orNull } from '../or-null.ts';

/** A moment since the machine was booted: whatever is done to the wall clock, and the same for all processes. */
export interface BootMoment {
  readonly bootId: string;
  readonly ms: number;
}

let bootId: string | null | undefined;

/** This moment; null: the system does not tell one boot from another. */
export function bootMoment(): BootMoment | null {
  bootId ??= orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8));
  return bootId === null ? null : { bootId, ms: Number(process.hrtime.bigint() / 1_000_000n) };
}
