import { expect, it } from '@jest/globals';
import { attack } from './support/hostile-clients.ts';

/** The full numbers are tried by `npm run test:packaging`: hostile-clients.slow.ts. */
it('200 hostile connections and 1,000 requests that nobody reads neither fill the memory nor shut others out', async () => {
  const { extraBytes, slowestMs } = await attack({ connections: 200, requests: 1000, pages: 20 });
  expect(extraBytes).toBeLessThan(60e6);
  expect(slowestMs).toBeLessThan(1000);
});
