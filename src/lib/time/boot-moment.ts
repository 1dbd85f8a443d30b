import { readFileSync } from 'node:fs';

import { orNull } from '../or-null.ts';

/** A moment since the machine was booted: whatever is done to the wall clock, and the same for all processes. */
export interface BootMoment {
  readonly bootId: string;
  readonly ms: number;
}

/** In such steps the system says how long ago it was booted, ms. */
export const bootStepMs = 10;

let bootId: string | null | undefined;

/** This moment, to `bootStepMs`; null: the system does not tell one boot from another. */
export function bootMoment(): BootMoment | null {
  bootId ??= orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8));
  // The process may have been given clocks of its own.
  const uptime = orNull(() => readFileSync('/proc/uptime', 'utf8'));
  if (bootId === null || uptime === null) return null;
  return { bootId, ms: Math.round(Number.parseFloat(uptime) * 1_000) };
}
