import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { eventually } from '../eventually.ts';

/** A process that has ended and that nobody has waited for. */
export interface Zombie {
  readonly pid: number;
  /** Ticks since boot, as in /proc. */
  readonly start: string;
  /** Ends its parent, and it with that. */
  readonly bury: () => void;
}

/** Makes one. Linux only. */
export async function makeZombie(): Promise<Zombie> {
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pid] = (await once(parent.stdout, 'data')).map((data) => Number(data));
  const start = await eventually(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? fields[18] : null;
  });
  return { pid: pid ?? 0, start: start ?? '', bury: () => parent.kill() };
}
