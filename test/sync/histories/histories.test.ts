import { describe, it } from '@jest/globals';
import * as fc from 'fast-check';

import { diskHistories } from './disk-histories.ts';

/** The same histories each time: `npm run soak -- --histories 2000` tries others. */
const seed = 20_261_122;

describe('random histories on disk', () => {
  it('publish, duplicate and delete nothing, with sidecars, attachments and ignore files (I2, I5, I6)', async () => {
    await fc.assert(diskHistories('retry'), { numRuns: 30, seed });
  }, 120_000);

  it('send nothing that is in doubt where a person is to decide (I9)', async () => {
    await fc.assert(diskHistories('hold'), { numRuns: 10, seed });
  }, 120_000);
});
