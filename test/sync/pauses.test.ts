import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { engineWorld, filledEngineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';
import { manualClock } from '../support/manual-clock.ts';
import { simulatedFolder } from '../support/worlds/simulated-folder.ts';

let world: EngineWorld;

afterEach(() => world.close());

async function filled(count: number, concurrency = 4): Promise<void> {
  world = await filledEngineWorld(count, {
    service: { requestsPerMinute: 5_000, concurrency },
    safety: { maxDeleteCount: 100 },
  });
}

const pause = () => world.engine().setPaused(['inbox']);
const resume = () => world.engine().setPaused([]);

/** Until nothing moves but what a pause keeps back; the disk is a real one. */
async function atRest(): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    await world.clock.advance(100);
    await delay(1);
    if (turn > 100 && world.engine().isAtRest()) return;
  }
  throw new Error('still moving');
}

describe('while a folder is paused', () => {
  it('nothing is sent of it; all is found, counted and judged, and goes out when the pause ends', async () => {
    await filled(8);
    pause();
    expect([...world.engine().paused()]).toEqual(['inbox']);
    world.folder.write('new.txt', 'new');
    world.folder.write('0.txt', 'edited');
    for (const path of ['1.txt', '2.txt']) {
      world.folder.describe(path, { customTags: [{ name: 'q3', visibility: 'PUBLIC' }] });
    }
    for (const path of ['3.txt', '4.txt']) world.folder.remove(path);
    world.folder.rename('5.txt', 'd/5.txt');
    world.folder.scan();
    await atRest();
    expect([world.service.calls, world.engine().isIdle()]).toEqual([[], false]);
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ pending: 4, waiting: 0, removing: 2 });
    expect(world.docIds().has('d/5.txt')).toBe(true);
    resume();
    await world.quiesce();
    expect(world.service.calls.toSorted()).toEqual(['bulk delete 2', 'bulk modify 2', 'modify', 'upload']);
    expect(world.engine().isIdle()).toBe(true);
  });

  it('what was ready before stays, and is planned as it is when the pause ends', async () => {
    await filled(1, 1);
    const release = world.service.holdNext();
    for (let index = 0; index < 6; index += 1) world.folder.write(`new ${index}.txt`, `new ${index}`);
    world.folder.scan();
    for (let turn = 0; turn < 500 && world.service.calls.length < 1; turn += 1) {
      await world.clock.advance(10);
      await delay(1);
    }
    pause();
    release();
    const sent = world.service.calls.length;
    for (let index = 0; index < 6; index += 1) world.folder.remove(`new ${index}.txt`);
    world.folder.scan();
    await atRest();
    expect([world.service.calls.length, world.engine().inFlight()]).toEqual([sent, 0]);
    resume();
    await world.quiesce();
    expect(world.docIds().size).toBe(1);
    expect(world.service.documents.size).toBe(1);
    expect(world.service.calls.filter((call) => call === 'upload')).toHaveLength(sent);
  });

  it('new files of a first day wait unread, and are not in the way of the end of one pass', async () => {
    await filled(3);
    for (let index = 0; index < 20; index += 1) world.folder.write(`new/${index}.txt`, `new ${index}`);
    world.folder.write('0.txt', 'edited');
    await world.clock.advance(10_000);
    pause();
    world.folder.scan('start');
    await atRest();
    expect([world.service.calls, world.engine().backlogged()]).toEqual([[], 0]);
    expect([world.engine().isAtRest(), world.engine().isIdle()]).toEqual([true, false]);
    expect(world.engine().tasks.counts('inbox').pending).toBe(21);
    resume();
    await world.quiesce();
    expect(world.service.calls).toHaveLength(21);
  });

  it('what cannot be sent of a first day is found out all the same, once, and the rest waits unread', async () => {
    await filled(0);
    const { inspect } = world.folder;
    let inspections = 0;
    Object.assign(world.folder, {
      inspect: (path: string) => {
        inspections += 1;
        return inspect(path);
      },
    });
    for (let index = 0; index < 300; index += 1) world.folder.write(`new/${index}.txt`, `new ${index}`);
    for (let index = 0; index < 3; index += 1) world.folder.write(`new/two.dots.${index}.txt`, 'dots');
    await world.clock.advance(10_000);
    pause();
    world.folder.scan('start');
    await atRest();
    const { tasks } = world.engine();
    expect(tasks.counts('inbox')).toMatchObject({ pending: 300, failed: 3 });
    expect([...tasks.all()]).toHaveLength(3);
    expect(inspections).toBe(306);
    world.folder.scan('rescan');
    await atRest();
    expect(inspections).toBe(306);
    // Of these one goes and another gets a sidecar: it comes to rest again, and only what changed is looked at.
    world.folder.remove('new/0.txt');
    world.folder.describe('new/1.txt', { customTags: [{ name: 'q3', visibility: 'PUBLIC' }] });
    world.folder.scan('event', false);
    await atRest();
    expect(inspections).toBe(307);
    resume();
    await world.until(() => world.docIds().size === 299);
    expect(world.service.calls).toHaveLength(299);
  });

  it('what waits in it is not in the way of another folder', async () => {
    let inode = 10_000;
    const nextInode = () => (inode += 1);
    const other = simulatedFolder({ name: 'other', clock: manualClock(), settleMs: 0, nextInode });
    world = await engineWorld({ service: { requestsPerMinute: 5_000 }, beside: other });
    await other.start(world.engine().listener('other'));
    pause();
    // More than half of what is inspected ahead of its turn.
    for (let index = 0; index < 300; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
    world.folder.scan();
    await atRest();
    other.write('a.txt', 'a');
    other.scan('start');
    await atRest();
    expect(world.service.calls).toEqual(['upload']);
    expect(world.engine().tasks.counts('inbox').pending).toBe(300);
  });
});
