import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { inTemporaryDirectory, installDaemon, quantiles, sentTo, startService } from './world.mjs';

const files = 60;
const members = 250;

/**
 * From the moment at which a file has settled, as the daemon's log tells it, to the head of its request at the service,
 * nothing else waiting; beside the whole time since it was written. Then the same of many whose metadata change at once.
 */
export function run() {
  return inTemporaryDirectory(async (home) => {
    const service = await startService(join(home, 'service'));
    const settings = { timing: { settleMs: 100 }, log: { level: 'debug', format: 'json' } };
    const daemon = await installDaemon(home, service, settings);
    const running = await daemon.start();
    await running.until(({ state }) => state === 'idle');
    /** When a path was found settled, the last time before a moment: it is inspected again after its request, too. */
    const settledAt = (path, beforeMs) => {
      const times = running
        .log()
        .filter((line) => line.msg === 'settled' && line.path === path)
        .map(({ time }) => Date.parse(time) - performance.timeOrigin);
      return times.findLast((time) => time <= beforeMs);
    };
    const afterSettling = [];
    const afterWriting = [];
    for (let index = 0; index < files; index += 1) {
      const before = sentTo(service).length;
      const written = performance.now();
      await writeFile(join(home, 'inbox', `${index}.txt`), `text ${index}`);
      while (sentTo(service).length === before) await delay(1);
      const { atMs } = sentTo(service)[before];
      await running.until(({ state, totals }) => state === 'idle' && totals.uploaded === index + 1);
      afterSettling.push(atMs - settledAt(`${index}.txt`, atMs));
      afterWriting.push(atMs - written);
    }
    const bulk = await measureBulk({ home, service, running, settledAt });
    await running.stop();
    await service.close();
    const [p50, p99] = quantiles(afterSettling, 0.5, 0.99);
    const [whole50, whole99] = quantiles(afterWriting, 0.5, 0.99);
    return [
      row(`a settled file to its request, median of ${files}`, p50, whole50, 15),
      row('the same, 99th percentile', p99, whole99, 40),
      row(`${members} settled documents to their bulk call`, bulk.ms, bulk.wholeMs),
    ];
  });
}

/** From the last of the documents that has settled to the head of their call, and from what changes their metadata. */
async function measureBulk({ home, service, running, settledAt }) {
  await mkdir(join(home, 'inbox', 'bulk'));
  for (let index = 0; index < members; index += 1)
    await writeFile(join(home, 'inbox', 'bulk', `${index}.txt`), `text ${index}`);
  await running.until(({ state, totals }) => state === 'idle' && totals.uploaded === files + members);
  const written = performance.now();
  await writeFile(join(home, 'inbox', 'bulk', '.meta.json'), '{"customTags": [{"name": "bulk"}]}');
  await running.until(({ state, totals }) => state === 'idle' && totals.modified === members);
  const { atMs } = sentTo(service).findLast(({ operation }) => operation === 'bulk-modify');
  const last = Math.max(
    ...Array.from({ length: members }, (_, index) => settledAt(`bulk/${index}.txt`, atMs)),
  );
  return { ms: atMs - last, wholeMs: atMs - written };
}

function row(what, measured, whole, limitMs) {
  return {
    what,
    measured,
    unit: 'ms',
    against: `since it was written: ${whole.toFixed(1)} ms`,
    ratio: measured / whole,
    limit: limitMs === undefined ? null : `${limitMs} ms`,
    ok: limitMs === undefined ? null : measured <= limitMs,
  };
}
