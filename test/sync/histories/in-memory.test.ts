import { describe, it } from '@jest/globals';
import * as fc from 'fast-check';

import { histories } from './random-histories.ts';

describe('random histories', () => {
  it('end with the service holding just what the folder holds, and numbers that add up', async () => {
    await fc.assert(histories('retry'), { numRuns: 120 });
  }, 120_000);

  it('send nothing that is in doubt where a person is to decide (I9)', async () => {
    await fc.assert(histories('hold'), { numRuns: 40 });
  }, 120_000);
});
