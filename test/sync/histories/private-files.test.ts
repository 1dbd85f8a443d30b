import { it } from '@jest/globals';
import * as fc from 'fast-check';

import { privateHistories } from './private-files.ts';

it('random histories of private files show no content to more people that was held as private (A1)', async () => {
  await fc.assert(privateHistories, { numRuns: 60 });
}, 120_000);
