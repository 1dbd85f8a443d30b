import { afterAll, beforeAll, it } from '@jest/globals';
import * as fc from 'fast-check';

import { failingWorlds } from './failing-world.ts';
import { randomFaults } from './random-faults.ts';

/** The same each time; RANDOM_FAULTS tries so many others. */
const seed = 20_261_126;
const more = Number(process.env['RANDOM_FAULTS'] ?? 0);

let worlds: Awaited<ReturnType<typeof failingWorlds>>;

beforeAll(async () => {
  worlds = await failingWorlds();
});

afterAll(() => worlds.end());

it(
  'A2: any error at any open, read, stat and list deletes, repeats and widens nothing, and passes by itself',
  async () => {
    await fc.assert(randomFaults(worlds.open), more > 0 ? { numRuns: more } : { numRuns: 100, seed });
  },
  more > 0 ? 3_600_000 : 120_000,
);
