import { expect, it } from '@jest/globals';
import { attack } from './support/hostile-clients.ts';

it.each(['status', 'embedded'] as const)(
  '1,000 hostile connections and 5,000 requests that nobody reads at the %s server harm nobody else',
  async (target) => {
    const attacked = await attack({ target, connections: 1000, requests: 5000, documents: 600 });
    process.stderr.write(`${JSON.stringify(attacked)}\n`);
    const { extraBytes, slowestMs, rates, harmed } = attacked;
    expect(extraBytes).toBeLessThan(60e6);
    // A machine that is slow without an attack is no slower in proportion.
    expect(slowestMs.during).toBeLessThan(Math.max(1000, 10 * slowestMs.before));
    // The attackers take time of the same processors.
    expect(rates.during / rates.before).toBeGreaterThan(0.5);
    expect(harmed).toBe(0);
  },
  240_000,
);
