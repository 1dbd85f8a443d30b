import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { watch } from 'chokidar';

import { inTemporaryDirectory, installDaemon, quantiles, sentTo, startService } from './world.mjs';

const settleMs = 100;
const files = 60;

/**
 * From a written file to the head of its request at the service, nothing else waiting, less the time it settles;
 * beside how long chokidar takes to tell of the same file.
 */
export function run() {
  return inTemporaryDirectory(async (home) => {
    const service = await startService(join(home, 'service'));
    const daemon = await installDaemon(home, service, { timing: { settleMs } });
    const running = await daemon.start();
    await running.until(({ state }) => state === 'idle');
    const told = new Map();
    const watcher = watch(join(home, 'inbox'));
    watcher.on('add', (path) => told.set(path, performance.now()));
    await new Promise((resolve) => {
      watcher.once('ready', resolve);
    });
    const ours = [];
    const theirs = [];
    for (let index = 0; index < files; index += 1) {
      const before = sentTo(service).length;
      const path = join(home, 'inbox', `${index}.txt`);
      const written = performance.now();
      await writeFile(path, `text ${index}`);
      while (sentTo(service).length === before || !told.has(path)) await delay(1);
      ours.push(sentTo(service)[before].atMs - written - settleMs);
      theirs.push(told.get(path) - written);
      await running.until(({ state, totals }) => state === 'idle' && totals.uploaded === index + 1);
    }
    await watcher.close();
    await running.stop();
    await service.close();
    const [p50, p99] = quantiles(ours, 0.5, 0.99);
    const [chokidarP50] = quantiles(theirs, 0.5);
    const row = (what, measured, limitMs) => ({
      what: `${what} of ${files}, beyond settleMs`,
      measured,
      unit: 'ms',
      against: `chokidar tells of it: ${chokidarP50.toFixed(1)} ms`,
      ratio: measured / chokidarP50,
      limit: `${limitMs} ms`,
      ok: measured <= limitMs,
    });
    return [
      row('a written file to its request at the service, median', p50, 10),
      row('the same, 99th percentile', p99, 30),
    ];
  });
}
