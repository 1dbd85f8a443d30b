import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const run = promisify(execFile);
const module = join(import.meta.dirname, '../../build/lib/process/heap.js');

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
