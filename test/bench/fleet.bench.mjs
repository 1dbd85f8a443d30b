// Hosts with one account on a real Redis, against the embedded service. In scaled time: a window of twelve seconds
// instead of a minute, and the other times in proportion. What a process without work costs is measured in real time
// beside it.
import { join } from 'node:path';
import { inTemporaryDirectory } from './world.mjs';
import { measureIdle } from './fleet/idle.mjs';
import { row } from './fleet/measures.mjs';
import { measureProcesses } from './fleet/processes.mjs';
import { isThere } from './fleet/redis.mjs';
import { measureSimulated } from './fleet/simulated.mjs';

export async function run() {
  if (!isThere()) return [{ ...row('NOT MEASURED, redis-server is missing', 0, ''), ok: false }];
  return inTemporaryDirectory(async (home) => {
    const idle = measureIdle(join(home, 'idle'));
    const simulated = await measureSimulated(join(home, 'simulated'));
    const processes = await measureProcesses(join(home, 'processes'));
    return [...processes, ...simulated, ...(await idle)];
  });
}
