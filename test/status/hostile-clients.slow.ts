import { expect, it } from '@jest/globals';
import { attack } from './support/hostile-clients.ts';

it.each(['status', 'embedded'] as const)(
  '1,000 hostile connections and 5,000 requests that nobody reads at the %s server harm nobody else',
  async (target) => {
    const attacked = await attack({ target, connections: 1000, requests: 5000, documents: 600 });
    process.stderr.write(`${JSON.stringify(attacked)}\n`);
    // How long people waited is for readers: the attackers take time of the same processors.
    expect(attacked.extraBytes).toBeLessThan(60e6);
    expect(attacked.harmed).toBe(0);
  },
  600_000,
);
