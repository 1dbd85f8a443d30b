import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const run = promisify(execFile);
const module = join(import.meta.dirname, '../../build/lib/process/heap.js');
const threads = join(import.meta.dirname, '../../build/scan/worker/spare-thread.js');

/**
 * Megabytes in use after a start whose half is garbage, and at the most while all that it left is replaced twenty
 * times.
 */
async function megabytes(collect: string): Promise<{ readonly left: number; readonly most: number }> {
  const script = `
    import { keepHeapSmall } from ${JSON.stringify(module)};
    const megabytes = () => process.memoryUsage().heapUsed / 1e6;
    const recordOf = (index) => ({ index, text: 'x'.repeat(20) + index, rest: [index] });
    const records = Array.from({ length: 200_000 }, (_, index) => recordOf(index));
    records.length /= 2;
    ${collect};
    const left = megabytes();
    let most = 0;
    for (let step = 0; step < 20 * records.length; step += 1) {
      records[step % records.length] = recordOf(step);
      if (step % 5_000 !== 0) continue;
      most = Math.max(most, megabytes());
      await new Promise((resolve) => setImmediate(resolve));
    }
    console.log(JSON.stringify({ left, most }));
  `;
  const { stdout } = await run(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof megabytes>>;
}

it('the heap is collected once, and grows less from then on than it would by itself', async () => {
  const small = await megabytes('keepHeapSmall()');
  const usual = await megabytes('gc()');
  expect(small.left).toBeLessThan(1.1 * usual.left);
  expect(small.most).toBeLessThan(0.8 * usual.most);
});

it('the young generation does not grow any more once a scanning thread has begun', async () => {
  const script = `
    import { once } from 'node:events';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { takeThread } from ${JSON.stringify(threads)};
    const megabytes = () =>
      getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20;
    const thread = takeThread();
    await once(thread, 'online');
    const before = megabytes();
    const kept = Array.from({ length: 500_000 }, (_, index) => ({ index, text: 'x' + index }));
    console.log(JSON.stringify({ before, after: megabytes(), kept: kept.length }));
    await thread.terminate();
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  const { before, after } = JSON.parse(stdout) as { before: number; after: number };
  // Both halves of it are there by then.
  expect(after).toBeLessThanOrEqual(2 * before);
});
