import { describe, it } from '@jest/globals';
import * as fc from 'fast-check';

import { diskHistories } from './disk-histories.ts';
import { histories } from './random-histories.ts';

describe('random histories', () => {
  it('end with the service holding just what the folder holds, and numbers that add up', async () => {
    await fc.assert(histories('retry'), { numRuns: 100 });
  }, 120_000);

  it('send nothing that is in doubt where a person is to decide (I9)', async () => {
    await fc.assert(histories('hold'), { numRuns: 30 });
  }, 120_000);

  it('publish, duplicate and delete nothing on disk, with sidecars, attachments and ignore files (I2, I5, I6)', async () => {
    await fc.assert(diskHistories('retry'), { numRuns: 50 });
  }, 120_000);

  it('send nothing on disk that is in doubt where a person is to decide (I9)', async () => {
    await fc.assert(diskHistories('hold'), { numRuns: 20 });
  }, 120_000);
});
