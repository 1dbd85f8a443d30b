import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import type { Outcome } from '../../src/model/ports/service-port.ts';
import { engineWorld } from '../support/engine-world.ts';
import type { EngineWorld } from '../support/engine-world.ts';

const paths = ['a.txt', 'b.txt', 'd/a.txt', 'd/b.txt', 'd/e/c.txt'] as const;

const busy: Outcome = {
  kind: 'unavailable',
  code: 'http-503',
  message: 'busy',
  retryAfterMs: null,
  sent: 'nothing',
};
const lost: Outcome = { kind: 'unknown', code: 'no-answer', message: 'the answer was lost' };

type Step = (world: EngineWorld) => Promise<void> | void;

const path = fc.constantFrom(...paths);
/** Few contents, so that equal ones stand beside each other. */
const content = fc.constantFrom('x', 'yy', 'zzz', 'xx');

const step: fc.Arbitrary<readonly [string, Step]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(path, content)
      .map(([to, text]): [string, Step] => [`write ${to} ${text}`, ({ folder }) => folder.write(to, text)]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(path, path)
      .map(([from, to]): [string, Step] => [`rename ${from} ${to}`, ({ folder }) => folder.rename(from, to)]),
  },
  {
    weight: 2,
    arbitrary: path.map((one): [string, Step] => [`remove ${one}`, ({ folder }) => folder.remove(one)]),
  },
  {
    weight: 2,
    arbitrary: path.map((one): [string, Step] => [`away ${one}`, ({ folder }) => folder.takeAway(one)]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, path)
      .map(([one, to]): [string, Step] => [`back ${one} ${to}`, ({ folder }) => folder.bringBack(one, to)]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<[string, Step]>(['rename d', ({ folder }) => folder.rename('d', 'f')]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<[string, Step]>(['rename f', ({ folder }) => folder.rename('f', 'd')]),
  },
  { weight: 4, arbitrary: fc.constant<[string, Step]>(['sweep', ({ folder }) => folder.sweep()]) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(300, 2_500, 6_000)
      .map((ms): [string, Step] => [`wait ${ms}`, ({ clock }) => clock.advance(ms)]),
  },
  { weight: 1, arbitrary: fc.constant<[string, Step]>(['restart', (world) => world.restart()]) },
  { weight: 1, arbitrary: fc.constant<[string, Step]>(['busy', ({ service }) => service.failNext(busy)]) },
  {
    weight: 1,
    arbitrary: fc.constant<[string, Step]>([
      'lost',
      ({ service }) => service.failNext(lost, { taken: true }),
    ]),
  },
);

/** Of commits and requests, in turn: a slow disk and a slow service bring everything out of step. */
const delays = fc.array(fc.constantFrom(0, 0, 0, 150, 700, 6_000), { minLength: 1, maxLength: 7 });

describe('random histories', () => {
  it('end with the service holding just what the folder holds, and numbers that add up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), delays, async (steps, waits) => {
        let turn = 0;
        const slow = () => waits[(turn += 1) % waits.length] ?? 0;
        const world = await engineWorld({ safety: { maxDeleteCount: 1_000 }, slow });
        try {
          for (const [, act] of steps) await act(world);
          world.folder.sweep();
          await world.quiesce();
          expectAgreement(world);
        } finally {
          await world.close();
        }
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});

function expectAgreement(world: EngineWorld): void {
  const onDisk = world.folder.contents();
  const docIds = world.docIds();
  expect([...docIds.keys()].sort()).toEqual([...onDisk.keys()].sort());
  expect(new Set(docIds.values()).size).toBe(docIds.size);
  for (const [where, docId] of docIds) {
    expect([where, world.service.documents.get(docId)?.content]).toEqual([where, onDisk.get(where)]);
  }
  const reported =
    [...world.ledger().entries()].reduce((total, { record }) => total + record.possibleDuplicates, 0) +
    world
      .ledger()
      .doubts()
      .reduce((total, { count }) => total + count, 0);
  expect(world.service.documents.size - docIds.size).toBeLessThanOrEqual(reported);
  const counts = world.engine().tasks.counts('inbox');
  const synced = world.ledger().count('inbox') - counts.withRecord;
  expect(synced + counts.pending + counts.waiting + counts.failed).toBe(onDisk.size);
  expect(world.ledger().intents()).toEqual([]);
}
