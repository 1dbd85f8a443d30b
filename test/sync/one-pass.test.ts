import { afterEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../src/core/service-port.ts';
import { engineWorld } from '../support/engine-world.ts';
import type { EngineWorld } from '../support/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

const busy: Outcome = {
  kind: 'unavailable',
  code: 'http-503',
  message: 'busy',
  retryAfterMs: null,
  sent: 'nothing',
};
const elsewhere: Outcome = { kind: 'misaddressed', code: 'redirect', message: 'it is elsewhere' };

describe('one pass', () => {
  it.each([
    ['the service was away', busy, 5],
    ['the address was wrong', elsewhere, 1],
  ])('ends, and the next one sends what this one gave up, where %s', async (_, outcome, times) => {
    world = await engineWorld({ maxAttempts: 5 });
    for (let time = 0; time < times; time += 1) world.service.failNext(outcome);
    world.folder.write('a.txt', 'one');
    world.folder.sweep();
    await world.quiesce();
    expect(world.engine().desk.counts('inbox').failed).toBe(1);
    await world.restart();
    await world.quiesce();
    expect(world.service.documents.size).toBe(1);
  });
});
