import { expect, it } from '@jest/globals';
import { attack } from './support/hostile-clients.ts';

it('1,000 hostile connections and 5,000 requests that nobody reads neither fill the memory nor shut others out', async () => {
  const { extraBytes, slowestMs, pages } = await attack({ connections: 1000, requests: 5000, pages: 200 });
  const megabytes = Math.round(extraBytes / 1e6);
  process.stderr.write(`${megabytes} MB more, ${Math.round(slowestMs)} ms at most for ${pages} pages\n`);
  expect(extraBytes).toBeLessThan(60e6);
  expect(slowestMs).toBeLessThan(1000);
}, 120_000);
