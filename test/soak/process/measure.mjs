import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Loaded into the daemon before its program: on SIGUSR2 it collects garbage and writes down what is left.
const file = process.env.SOAK_MEASURE;
if (isMainThread && file !== undefined) {
  process.on('SIGUSR2', () => {
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, rss } = process.memoryUsage();
    const resources = process.getActiveResourcesInfo();
    writeFileSync(`${file}.tmp`, JSON.stringify({ heapUsed, rss, resources }));
    renameSync(`${file}.tmp`, file);
  });
}
