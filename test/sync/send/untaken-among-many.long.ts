import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { seededRandom } from '../../soak/seeded-random.ts';
import { engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import { answers, pathsOf } from './answers.ts';

let world: EngineWorld;

afterEach(() => world?.close());

/** Without the clock: the disk is a real one, and takes no time of the clock in hand. */
async function untilNothingMoves(): Promise<void> {
  for (let known = -1; known < world.service.calls.length;) {
    known = world.service.calls.length;
    await delay(2);
    await world.rest();
  }
}

/** How long a thousand documents take, ms, and so many beside them, newer or older, that the service does not take. */
async function taking(bad: number, areNewer: boolean): Promise<number> {
  world = await engineWorld({ random: seededRandom(1).next });
  world.service.failWhere((request) =>
    pathsOf(world, request).some((path) => path.startsWith('bad')) ? answers[500] : null,
  );
  const sent: number[] = [];
  world.service.observe(() => sent.push(world.clock.monotonic()));
  const groups = { good: 1_000, bad };
  for (const name of areNewer ? (['good', 'bad'] as const) : (['bad', 'good'] as const)) {
    for (let index = 0; index < groups[name]; index += 1)
      world.folder.write(`${name}-${index}.txt`, `${name} ${index}`);
    world.folder.scan();
    await world.clock.advance(10);
  }
  const since = world.clock.monotonic();
  while (world.docIds().size < 1_000) {
    await untilNothingMoves();
    // While the minute is used up nothing can go out.
    const freeMs = (sent.at(-50) ?? -Infinity) + 60_000 - world.clock.monotonic();
    await world.clock.advance(Math.max(500, freeMs - 1_000));
  }
  return world.clock.monotonic() - since;
}

describe('25 documents that the service does not take', () => {
  let without: number;

  beforeAll(async () => {
    without = await taking(0, true);
    await world.close();
  }, 300_000);

  it.each([true, false])(
    'A3: have a thousand others take at most a quarter longer; they are newer: %s',
    async (areNewer) => {
      expect((await taking(25, areNewer)) / without).toBeLessThan(1.25);
    },
    300_000,
  );
});
