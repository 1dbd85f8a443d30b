import { readdir, readFile, readlink, rm } from 'node:fs/promises';

import { eventually } from '../../support/eventually.ts';

/** What a process holds at one moment. */
export interface Census {
  /** Of the main thread after a collection, MB of 10^6 bytes. */
  readonly heap: number;
  /** MB of 10^6 bytes. */
  readonly rss: number;
  readonly descriptors: number;
  readonly sockets: number;
  readonly watches: number;
  /** Handles and requests that keep node's loop busy. */
  readonly handles: number;
}

/** Takes it of a process that runs with `measure.mjs`, which writes into `file`. */
export async function takeCensus(pid: number, file: string): Promise<Census> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  const memory = await eventually(
    async () =>
      JSON.parse(await readFile(file, 'utf8')) as { heapUsed: number; rss: number; resources: string[] },
  );
  const descriptors = await readdir(`/proc/${pid}/fd`);
  let sockets = 0;
  let watches = 0;
  for (const descriptor of descriptors) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    if (target.startsWith('socket:')) sockets += 1;
    if (!target.includes('inotify')) continue;
    const info = await readFile(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8').catch(() => '');
    watches += info.split('\n').filter((line) => line.startsWith('inotify wd')).length;
  }
  const handles = memory.resources.filter((name) => name !== 'Timeout').length;
  return {
    heap: memory.heapUsed / 1e6,
    rss: memory.rss / 1e6,
    descriptors: descriptors.length,
    sockets,
    watches,
    handles,
  };
}
