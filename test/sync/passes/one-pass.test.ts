import { afterEach, describe, expect, it } from '@jest/globals';

import { busyOf, elsewhere } from '../../support/fixtures/model-fixtures.ts';
import { engineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

const busy = busyOf();

describe('one pass', () => {
  it.each([
    ['the service was away', busy, 5],
    ['no service answered', { ...busy, code: 'econnrefused' }, 5],
    ['it asked to wait', { ...busy, code: 'http-429', sent: 'all' }, 5],
    ['the address was wrong', elsewhere, 1],
  ] as const)('ends, and the next one sends what this one left, where %s', async (_, outcome, times) => {
    world = await engineWorld({ maxAttempts: 5 });
    for (let time = 0; time < times; time += 1) world.service.failNext(outcome);
    world.folder.write('a.txt', 'one');
    world.folder.scan();
    await world.until(() => world.engine().isHopeless());
    await world.rest();
    expect(world.service.calls).toHaveLength(times);
    // Nothing is wrong with it.
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ failed: 0, waitingFor: { retry: 1 } });
    expect(world.activities.filter(({ what }) => what === 'failed')).toEqual([]);
    await world.restart();
    await world.quiesce();
    expect(world.service.documents.size).toBe(1);
  });

  it('gives up after five that were forbidden in a row', async () => {
    world = await engineWorld({ maxAttempts: 5 });
    world.service.failWhere(() => ({ kind: 'rejected', code: 'http-403', message: 'no' }));
    for (let index = 0; index < 12; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
    world.folder.scan();
    await world.until(() => world.engine().isHopeless(), 500);
    expect(world.service.calls.length).toBeLessThanOrEqual(5 + 4);
  });

  it.each([
    ['no service answers', { ...busy, code: 'econnrefused' }],
    ['the service asks to wait', { ...busy, retryAfterMs: 1_000 }],
    ['another program answers', { ...busy, code: 'not-the-service' }],
  ])('of many documents gives up after as many attempts in all as of one where %s', async (_, outcome) => {
    world = await engineWorld({ maxAttempts: 5 });
    world.service.failWhere(() => outcome);
    for (let index = 0; index < 40; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
    world.folder.scan();
    await world.until(() => world.engine().isHopeless(), 500);
    expect(world.service.calls.length).toBeLessThanOrEqual(5 + 4);
  });

  it('of many documents, none of which is taken, gives up after fifty of them', async () => {
    world = await engineWorld({ maxAttempts: 5 });
    world.service.failWhere(() => ({ ...busy, code: 'http-503', sent: 'all' }));
    for (let index = 0; index < 200; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
    world.folder.scan();
    await world.until(() => world.engine().isHopeless(), 5_000);
    expect(world.service.calls.length).toBeGreaterThanOrEqual(50);
    expect(world.service.calls.length).toBeLessThanOrEqual(50 + 4);
  });

  it('waits as long as a service that is there asks it to', async () => {
    world = await engineWorld({ maxAttempts: 5 });
    for (let time = 0; time < 12; time += 1) {
      world.service.failNext({ ...busy, code: 'http-429', retryAfterMs: 30_000, sent: 'all' });
    }
    for (let index = 0; index < 12; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
    world.folder.scan();
    await world.until(() => world.service.documents.size === 12 || world.engine().isHopeless(), 500);
    expect(world.service.documents.size).toBe(12);
  });
});
