import { afterEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../src/model/ports/service-port.ts';
import { engineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

const rejected: Outcome = { kind: 'rejected', code: 'http-422', message: 'no' };

describe('a backlog of more files than are inspected ahead', () => {
  it('is inspected to its end though the service rejects all of it', async () => {
    world = await engineWorld({ service: { requestsPerMinute: 50_000 } });
    for (let index = 0; index < 1_020; index += 1) {
      world.folder.write(`${index}.txt`, `text ${index}`);
      world.service.failNext(rejected);
    }
    await world.restart();
    // Far more hours than so many requests take: the clock in hand runs ahead of a disk that is slow.
    await world.quiesce(20);
    expect(world.engine().tasks.counts('inbox').failed).toBe(1_020);
  });

  it('is sent from the newest on, and forgets what is removed before its turn', async () => {
    world = await engineWorld();
    const { folder, clock, service } = world;
    for (let index = 0; index < 1_200; index += 1) {
      folder.write(`old/${index % 7}/${index}.txt`, `${index}`);
      if (index % 100 === 0) await clock.advance(1_000);
    }
    folder.write('newest.txt', 'newest');
    await clock.advance(60_000);
    await world.restart();
    await world.until(() => world.engine().tasks.backlog.size < 1_201);
    const counts = () => world.engine().tasks.counts('inbox');
    expect(counts().pending).toBe(1_201);
    expect(world.engine().tasks.backlog.size).toBe(201);
    expect(world.engine().tasks.backlog.has({ folder: 'inbox', path: 'old/0/0.txt' })).toBe(true);
    folder.remove('old/0');
    folder.scan();
    expect(world.engine().tasks.backlog.has({ folder: 'inbox', path: 'old/0/0.txt' })).toBe(false);
    await world.until(() => service.documents.size === 50);
    expect([...service.documents.values()].map(({ content }) => content)).toContain('newest');
    await world.quiesce(20);
    expect(service.documents.size).toBe(1_201 - 172);
  });
});
