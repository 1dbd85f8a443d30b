import { afterEach, describe, expect, it } from '@jest/globals';

import { filledEngineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

/** `act` makes a request that is on its way when the process is killed; `meanwhile` before the next one starts. */
async function killedUnderWay(act: () => void, meanwhile: () => void): Promise<() => void> {
  world = await filledEngineWorld(1);
  world.service.beStrict();
  const arrive = world.service.delayNext();
  act();
  world.folder.scan();
  await world.until(() => world.service.isHolding());
  await world.restart(meanwhile);
  world.folder.scan();
  return arrive;
}

/** What can be done without time passing is done first, each time. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await world.rest();
    await world.clock.advance(100);
  }
  await world.rest();
}

const held = () => Array.from(world.service.documents.values(), ({ content }) => content);
const ended = () => expect(Array.from(world.engine().tasks.all(), ({ state }) => state.kind)).toEqual([]);

describe('P1: a request of a killed process that arrives late', () => {
  it('a deletion finds nothing sent to its document, and its file goes out as a new one', async () => {
    const arrive = await killedUnderWay(
      () => world.folder.remove('0.txt'),
      () => world.folder.write('0.txt', 'back'),
    );
    await pass(25_000);
    expect(world.service.calls).toEqual([]);
    expect(Array.from(world.engine().tasks.in('retry'), ({ state }) => state)).toMatchObject([
      { reason: { code: 'request-under-way' } },
    ]);
    arrive();
    await world.quiesce();
    expect(world.service.calls).toEqual(['delete', 'modify', 'upload']);
    expect(held()).toEqual(['back']);
    ended();
  });

  it('a deletion that never arrives costs the document nothing', async () => {
    await killedUnderWay(
      () => world.folder.remove('0.txt'),
      () => world.folder.write('0.txt', 'back'),
    );
    const docIds = world.docIds();
    await world.until(() => world.service.calls.length > 0, 1_000);
    await world.until(() => world.engine().isIdle());
    expect([world.service.calls, held(), world.docIds()]).toEqual([['modify'], ['back'], docIds]);
  });

  it('a modify does not undo what was changed since', async () => {
    const arrive = await killedUnderWay(
      () => world.folder.write('0.txt', 'two'),
      () => world.folder.write('0.txt', 'three'),
    );
    await pass(4_000);
    expect(world.service.calls).toEqual([]);
    arrive();
    await world.quiesce();
    expect(world.service.calls).toEqual(['modify', 'modify']);
    expect(held()).toEqual(['three']);
    ended();
  });

  it('is waited for whatever the clock was set to meanwhile', async () => {
    const arrive = await killedUnderWay(
      () => world.folder.remove('0.txt'),
      () => {
        world.clock.jump(86_400_000);
        world.folder.write('0.txt', 'back');
      },
    );
    await pass(4_000);
    expect(Array.from(world.engine().tasks.in('retry'), ({ state }) => state)).toMatchObject([
      { reason: { code: 'request-under-way' } },
    ]);
    arrive();
    await world.quiesce();
    expect(held()).toEqual(['back']);
  });
});
