import { describe, expect, it } from '@jest/globals';

import { createLimited } from '../../src/lib/queue/limited.ts';

describe('limited jobs', () => {
  it('run so many at once, in their order, and one that fails takes no place for good', async () => {
    const limited = createLimited(2);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const jobs = [0, 1, 2, 3, 4].map((index) =>
      limited(async () => {
        begun.push(index);
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (index === 1) throw new Error('no');
        return index * 2;
      }),
    );
    const settled = await Promise.allSettled(jobs);
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : null))).toEqual([0, null, 4, 6, 8]);
    expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2]);
  });
});
