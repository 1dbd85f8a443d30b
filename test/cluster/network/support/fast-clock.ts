import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { TemporaryFolder } from '../../../support/temporary-folder.ts';

/** faketime's library, as its own command would preload it; undefined: it is not installed. */
export const clockLibrary = /^LD_PRELOAD=(.*)$/m.exec(
  spawnSync('faketime', ['-f', '+0', 'env'], { encoding: 'utf8' }).stdout ?? '',
)?.[1];

/** For `describeWhere`. */
export const missingClock = clockLibrary === undefined ? 'faketime' : null;

/**
 * How much faster all clocks of the tested processes go than the test's own: a minute takes a quarter of one.
 * `INGESTD_TEST_SPEED=1` lets everything take the time it takes.
 */
export const speed = Number(process.env['INGESTD_TEST_SPEED'] ?? 4);

/** So many seconds of the tested processes, in this process's ms. */
export const fleetSeconds = (seconds: number) => (seconds * 1000) / speed;

/** So many ms of this process, in the tested processes' seconds. */
export const inFleetSeconds = (ms: number) => (ms * speed) / 1000;

/** Where faketime keeps its memory, named after processes. */
const shared = '/dev/shm';

/** Removes what killed processes have left: one that gets the number of such a process could not start. */
export function removeLeftClocks(): void {
  for (const name of readdirSync(shared)) {
    const pid = /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(shared, name), { force: true });
  }
}

/** All clocks that are not wrong show the same. */
const begun = Date.now();

/** The clock of one process, which may be wrong. */
export interface FastClock {
  /** For the process; to be called at each start. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Sets the clock of the running process; it shows within two seconds of its own. */
  readonly jump: (seconds: number) => void;
}

/** A clock that is so many seconds ahead. */
export function fastClock(folder: TemporaryFolder, name: string, skewSeconds = 0): FastClock {
  const file = folder.join(`${name}.clock`);
  let skew = skewSeconds;
  /** faketime counts from the start of the process. */
  let missed = 0;
  const write = () => {
    const offset = missed + skew;
    writeFileSync(`${file}.new`, `${offset < 0 ? '-' : '+'}${Math.abs(offset).toFixed(3)} x${speed}\n`);
    renameSync(`${file}.new`, file);
  };
  return {
    environment: () => {
      missed = ((Date.now() - begun) * (speed - 1)) / 1000;
      write();
      return {
        // Redis's own allocator asks for the time before faketime is ready.
        LD_PRELOAD: `${clockLibrary}:libc.so.6`,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        NO_FAKE_STAT: '1',
        // Without a speed, what counts monotonically is the real clock: it does not jump with the other.
        ...(speed === 1 ? { FAKETIME_DONT_FAKE_MONOTONIC: '1' } : {}),
      };
    },
    jump: (seconds) => {
      skew += seconds;
      write();
    },
  };
}
