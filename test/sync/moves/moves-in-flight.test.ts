import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { engineWorld, filledEngineWorld } from '../../support/worlds/engine-world.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';

let world: EngineWorld;

afterEach(() => world.close());

const filled = (count: number, requestsPerMinute = 5_000) =>
  filledEngineWorld(count, {
    service: { requestsPerMinute, onMissing: 'upload' },
    safety: { maxDeleteCount: 1_000 },
  });

/** Lets time pass until the service has been asked for so much. */
async function asked(...calls: string[]): Promise<void> {
  await world.until(() => world.service.calls.length >= calls.length);
  expect(world.service.calls).toEqual(calls);
}

/** Path → content at the service. */
const held = () =>
  Object.fromEntries(
    [...world.docIds()].map(([path, docId]) => [path, world.service.documents.get(docId)?.content]),
  );

function expectNoMistake(): void {
  expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
}

describe('moves while requests are under way', () => {
  it('keep the docId of a document that is renamed while its modify is sent', async () => {
    world = await filled(1);
    const docId = world.docIds().get('0.txt');
    world.folder.write('0.txt', 'edited');
    world.folder.scan();
    const release = world.service.holdNext();
    await asked('modify');
    const inspect = jest.spyOn(world.folder, 'inspect');
    world.folder.rename('0.txt', 'new.txt');
    world.folder.scan();
    await world.clock.advance(30_000);
    // It waits for the end of that request.
    expect(inspect.mock.calls.length).toBeLessThan(5);
    release();
    await world.quiesce();
    expect([...world.docIds()]).toEqual([['new.txt', docId]]);
    expect(world.service.calls).not.toContain('upload');
    expect([...world.service.documents.values()].map(({ content }) => content)).toEqual(['edited']);
    expectNoMistake();
  });

  it.each([
    ['new.txt', 0],
    ['new.txt', 1],
    ['new.txt', 2],
    ['new.txt', 3],
    ['new.txt', 4],
    ['1.txt', 0],
    ['1.txt', 2],
    ['1.txt', 4],
  ])('to %s forget no file that takes the old name %i steps later', async (to, steps) => {
    world = await filled(2);
    if (to === '1.txt') world.folder.remove(to);
    world.folder.rename('0.txt', to);
    world.folder.scan();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    world.folder.write('0.txt', 'another');
    await world.sync();
    expect(held()).toEqual({ '1.txt': 'text 1', '0.txt': 'another', [to]: 'text 0' });
    expectNoMistake();
  });

  it('send no file again that takes the place of another while it is on its way', async () => {
    world = await engineWorld({ service: { requestsPerMinute: 2 } });
    world.folder.write('a.txt', 'a');
    await world.sync();
    world.folder.write('b.txt', 'b');
    world.folder.scan();
    const release = world.service.holdNext();
    await asked('upload', 'upload');
    world.folder.write('c.txt', 'c');
    world.folder.scan();
    await world.clock.advance(10_000);
    // Nobody has noticed it when the next permit comes.
    world.folder.rename('b.txt', 'c.txt');
    await world.clock.advance(60_000);
    await world.rest();
    release();
    await world.quiesce();
    // The title is its new name.
    expect(world.service.calls).toEqual(['upload', 'upload', 'modify']);
    expect([...world.docIds().keys()].sort()).toEqual(['a.txt', 'c.txt']);
    expectNoMistake();
  });

  it('never give a docId to a file whose deletion is being sent', async () => {
    world = await filled(2);
    world.folder.takeAway('0.txt');
    world.folder.scan();
    const release = world.service.holdNext();
    await asked('delete');
    world.folder.bringBack('0.txt', 'back.txt');
    world.folder.scan();
    await world.clock.advance(3_000);
    release();
    await world.quiesce();
    expect(held()).toEqual({ '1.txt': 'text 1', 'back.txt': 'text 0' });
    expectNoMistake();
  });

  it('bring their record to a path whose own document the service does not know, and nothing is uploaded', async () => {
    world = await filled(2, 3);
    const moved = world.docIds().get('1.txt');
    world.folder.write('0.txt', 'edited');
    world.folder.scan();
    world.service.failNext({ kind: 'missing', message: 'unknown' });
    await asked('modify');
    // No permit is left for the upload that follows.
    world.folder.remove('0.txt');
    world.folder.rename('1.txt', '0.txt');
    await world.sync();
    expect([...world.docIds()]).toEqual([['0.txt', moved]]);
    expect(world.service.calls).not.toContain('upload');
    expect([...world.service.documents.keys()]).toEqual([moved]);
    expectNoMistake();
  });

  it('delete at the service what was uploaded while its directory and then the whole folder went', async () => {
    world = await filled(1);
    world.folder.write('d/new.txt', 'new');
    world.folder.scan();
    const release = world.service.holdNext();
    await asked('upload');
    world.folder.remove('d');
    world.folder.scan();
    world.folder.setAway(true);
    release();
    await world.quiesce();
    expect(world.service.documents.size).toBe(2);
    world.folder.setAway(false);
    await world.sync();
    expect([...world.docIds().keys()]).toEqual(['0.txt']);
    expect(world.service.documents.size).toBe(1);
  });
});
