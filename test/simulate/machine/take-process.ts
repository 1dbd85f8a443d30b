// Takes this process for simulations. It has to be imported before anything of `src`: some of that keeps functions of
// `node:fs` when it is loaded.
import './real-turn.ts';
import type { MemoryFs } from '../disk/memory-fs.ts';
import { replaceConnections } from './connection.ts';
import type { Network } from './connection.ts';
import { replaceFs } from './replace-fs.ts';
import { replaceGlobals } from './replace-globals.ts';
import type { Scheduler } from './scheduler.ts';

/** The machine that this process is part of at the moment. */
export interface Machine {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly fs: MemoryFs;
  readonly holds: (path: string) => boolean;
  /** Files of the system, such as `/proc/self/mountinfo`; null: as they really are. */
  readonly systemFile: (path: string) => string | null;
  readonly wallClock: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** A promise was rejected, and nobody took care of it. */
  readonly crashed: (error: unknown) => void;
}

/** Nothing is read of a machine before one is there. */
let current: Machine | null = null;
const { now: realNow } = Date;
const { random: realRandom } = Math;

export function useMachine(machine: Machine): void {
  current = machine;
}

export function machine(): Machine {
  if (current === null) throw new Error('no machine is simulated');
  return current;
}

replaceFs(machine, () => current !== null);
replaceConnections(machine);
replaceGlobals({
  scheduler: () => machine().scheduler,
  wallClock: () => current?.wallClock() ?? realNow(),
  random: () => current?.random() ?? realRandom(),
  isThere: () => current !== null,
});
// Each pass of `sync` listens for signals, and one that is killed listens on.
process.setMaxListeners(0);
process.on('unhandledRejection', (error) => machine().crashed(error));
process.on('uncaughtException', (error) => machine().crashed(error));
