import { afterEach, describe, expect, it } from '@jest/globals';

import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import { closeNetworkWorlds, filledNetworkWorld, textFiles } from './network-world.ts';
import type { NetworkWorld } from './network-world.ts';

afterEach(closeNetworkWorlds);

const removed = Object.keys(textFiles(5));

/** Five deletions go out in one call, the service takes them, and the process dies before it answers. */
async function deadWithin(world: NetworkWorld): Promise<void> {
  const { service } = world;
  service.script(service.stalling(service.taken(steps.silence())));
  for (const name of removed) world.folder.remove(name);
  world.folder.scan();
  await world.until(() => service.stalled() === 1);
  await world.until(() => service.documents.size === 3);
  await world.restart();
}

/**
 * Five deletions get these answers, and a foreign 404 from then on: they are held, over a restart too, and nothing is
 * gone.
 */
async function expectHeld(world: NetworkWorld, ...answers: readonly Step[]): Promise<void> {
  const { service } = world;
  service.script(...answers);
  service.always(steps.html(404));
  for (const name of removed) world.folder.remove(name);
  await world.sync();
  expect(world.status()).toMatchObject({ held: [{ count: 5 }], reasons: [{ code: 'held' }] });
  // Nothing is tried again before a person has looked.
  const before = service.requests.length;
  await world.pass(3_600_000);
  expect(service.requests).toHaveLength(before);
  await world.restart();
  await world.pass(3_600_000);
  expect(world.status().held).toMatchObject([{ count: 5 }]);
  expect(service.documents.size).toBe(8);
}

describe('deletions that were under way when the process died', () => {
  it('are done where the service does not know the documents any more: no wrong address', async () => {
    const world = await filledNetworkWorld(8);
    await deadWithin(world);
    await world.quiesce();
    expect(world.status()).toMatchObject({ state: 'idle', held: [], failures: [] });
    expect(world.disagreements()).toEqual([]);
  });

  it.each([
    ['where they were', (name: string) => name],
    ['under other names', (name: string) => `later-${name}`],
  ])('are made good where the files came back meanwhile %s', async (_, nameAfter) => {
    const world = await filledNetworkWorld(8);
    const { service } = world;
    service.script(service.stalling(service.taken(steps.silence())));
    for (const name of removed) world.folder.takeAway(name);
    world.folder.scan();
    await world.until(() => service.documents.size === 3);
    for (const name of removed) world.folder.bringBack(name, nameAfter(name));
    await world.restart();
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toEqual([]);
    expect(world.status()).toMatchObject({ failures: [], held: [] });
    // Once made sure of, nothing more is sent.
    const before = service.requests.length;
    await world.sync();
    expect(service.requests).toHaveLength(before);
  });

  it('N15: are held after a refusal as before: many unknown ones at once are a wrong address', async () => {
    await expectHeld(await filledNetworkWorld(8), steps.refuse('no', 403), steps.html(503));
  });

  it.each([429, 500, 502, 503])(
    'N15: are held after %i where what stands before the service knows nothing: only its own word is taken for the end',
    async (status) => {
      const world = await filledNetworkWorld(8);
      const { service } = world;
      await expectHeld(world, steps.html(status));
      // A person's word allows the deletions; whether they are done is the service's to say.
      await world.engine().approve('inbox');
      await world.pass(60_000);
      expect(service.documents.size).toBe(8);
      service.fix();
      await world.quiesce();
      expect(world.status()).toMatchObject({ held: [], failures: [] });
      expect(service.documents.size).toBe(3);
      expect(world.disagreements()).toEqual([]);
    },
  );

  it('are not made good by another upload where what stands before the service does not know the document', async () => {
    const world = await filledNetworkWorld(8);
    const { service } = world;
    service.script(steps.html(503), steps.html(404));
    world.folder.takeAway('0.txt');
    world.folder.scan();
    await world.until(() => world.ledger().get({ folder: 'inbox', path: '0.txt' })?.unsure?.gone === true);
    world.folder.bringBack('0.txt', '0.txt');
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toEqual([]);
    expect(service.documents.size).toBe(8);
  });
});

describe('a 404 that is not the service’s own word', () => {
  it('ends no deletion: it goes out again until the service itself has answered', async () => {
    const world = await filledNetworkWorld(8);
    const { service } = world;
    service.script(steps.html(404), steps.html(410));
    world.folder.remove('0.txt');
    await world.sync();
    expect(service.documents.size).toBe(7);
    expect(world.status()).toMatchObject({ state: 'idle', held: [], failures: [] });
    expect(world.disagreements()).toEqual([]);
  });

  it('fails no document: what is new and what changed goes out when the service is back', async () => {
    const world = await filledNetworkWorld(8);
    const { service } = world;
    service.always(steps.html(404));
    world.write({ 'new.txt': 'new', 'other.txt': 'other', '0.txt': 'edited', '1.txt': 'edited too' });
    await world.pass(600_000);
    expect(world.status()).toMatchObject({
      state: 'degraded',
      reasons: [
        { code: 'not-the-service', message: expect.stringContaining('answers at service.ingestUrl') },
      ],
      folders: [{ failed: 0 }],
    });
    expect(service.requests.length).toBeLessThan(30);
    service.fix();
    await world.quiesce();
    expect(world.status()).toMatchObject({ state: 'idle', failures: [] });
    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toEqual([]);
  });
});

describe('an outage', () => {
  it('that nothing waits for any more is not told for ever', async () => {
    const world = await filledNetworkWorld(8);
    const { service } = world;
    service.always(steps.html(503));
    world.write({ 'new.txt': 'never sent' });
    await world.until(() => world.status().state === 'degraded');
    expect(world.status().reasons).toMatchObject([{ code: 'service-unavailable' }]);
    world.folder.remove('new.txt');
    await world.sync();
    expect(world.status()).toMatchObject({ state: 'idle', reasons: [] });
  });
});
