import { expect, it } from '@jest/globals';
import { attack } from './support/hostile-clients.ts';

/** The full numbers are tried by `npm run test:packaging`: hostile-clients.slow.ts. */
it.each(['status', 'embedded'] as const)(
  '200 hostile connections and 1,000 requests that nobody reads at the %s server harm nobody else',
  async (target) => {
    const attacked = await attack({ target, connections: 200, requests: 1000, documents: 100 });
    const { extraBytes, slowestMs, harmed } = attacked;
    expect(extraBytes).toBeLessThan(60e6);
    // Where everything is slow, other tests run on the same processors.
    expect(slowestMs.during).toBeLessThan(Math.max(1000, 10 * slowestMs.before));
    expect(harmed).toBe(0);
  },
  120_000,
);
