import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { FileStat } from '../../src/model/document.ts';
import { unstatedSource } from '../../src/model/report/activity-words.ts';
import { reasonOf } from '../../src/sync/tasks/task.ts';
import { busyOf } from '../support/fixtures/model-fixtures.ts';
import { engineWorld, filledEngineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld, EngineWorldOptions } from '../support/worlds/engine-world.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import { simulatedFolder } from '../support/worlds/simulated-folder.ts';

let world: EngineWorld;

afterEach(() => world.close());

/** Another directory in place of the root, with the same files, each made once more. */
function replaceWithCopies({ folder }: EngineWorld): void {
  folder.replaceRoot();
  for (const [path, content] of folder.contents()) {
    folder.remove(path);
    folder.write(path, content);
  }
}

/** Lets so much time pass, in small steps: the disk is a real one. */
async function passSlowly(ms: number, step = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    await world.clock.advance(step);
    await delay(1);
  }
}

const filled = (count: number, options?: EngineWorldOptions) => filledEngineWorld(count, options, 'a');

/** Removes those of them, up to the last but one, and lets the folder be scanned. */
function removeFiles(from: number, to: number): void {
  for (let index = from; index < to; index += 1) world.folder.remove(`a/${index}.txt`);
  world.folder.scan();
}

/** The minute is not what these are about. */
const quick = { service: { requestsPerMinute: 5_000 } };

describe('the sync engine', () => {
  it('writes in the log of which document each activity is, and what there is to say about it', async () => {
    world = await filled(1);
    world.folder.rename('a/0.txt', 'b.txt');
    await world.sync();
    const docId = world.docIds().get('b.txt');
    const sharing = { before: null, after: 'DEFAULT', source: unstatedSource };
    expect(world.log.lines.filter(({ level }) => level !== 'debug')).toEqual([
      { level: 'info', message: 'uploaded', data: { folder: 'inbox', path: 'a/0.txt', docId, sharing } },
      {
        level: 'info',
        message: 'moved',
        data: { folder: 'inbox', path: 'b.txt', docId, from: 'inbox/a/0.txt' },
      },
      { level: 'info', message: 'modified', data: { folder: 'inbox', path: 'b.txt', docId } },
    ]);
    world.folder.write('c.txt', 'another');
    await world.sync();
    world.folder.rename('c.txt', 'b.txt');
    await world.sync();
    const former = world.activities.filter(({ path }) => path === 'b.txt/(its file was replaced)/b.txt');
    expect(former.map(({ what, from }) => [what, from])).toEqual([
      ['replaced', 'inbox/b.txt'],
      ['deleted', undefined],
    ]);
  });

  it('reads a file that was edited once to compare it', async () => {
    world = await filled(2);
    const { hash } = world.folder;
    const read: string[] = [];
    Object.assign(world.folder, {
      hash: (path: string, stat: FileStat) => {
        read.push(path);
        return hash(path, stat);
      },
    });
    world.folder.write('a/0.txt', 'edited');
    await world.sync();
    await world.sync();
    expect([read, world.service.calls]).toEqual([['a/0.txt'], ['modify']]);
  });

  it('counts what only a rescan finds, unless the watcher may still report it', async () => {
    world = await filled(3);
    const missed = () => world.engine().folders.viewOf('inbox').missedByWatcher;
    world.folder.write('a/0.txt', 'edited');
    await world.clock.advance(1_900);
    world.folder.scan('rescan');
    await world.quiesce();
    world.folder.write('a/1.txt', 'edited');
    await world.clock.advance(2_000);
    world.folder.scan('event');
    await world.quiesce();
    expect(missed()).toBe(0);
    world.folder.write('a/2.txt', 'edited');
    world.folder.remove('a/1.txt');
    await world.clock.advance(2_000);
    world.folder.scan('rescan');
    expect(missed()).toBe(2);
    await world.quiesce();
    expect(missed()).toBe(2);
  });

  it.each([
    ['has nothing to list', Infinity, ['delete']],
    ['has still to list what changed before that', -Infinity, []],
    ['has only to list what changed later', 3_600_000, ['delete']],
  ] as const)('deletes what is gone where a folder %s', async (_, coveredUntil, calls) => {
    world = await filled(3);
    world.folder.remove('a/1.txt');
    world.folder.scan();
    const { health } = world.folder;
    Object.assign(world.folder, { health: () => ({ ...health(), coveredUntil }) });
    await passSlowly(15_000);
    expect(world.service.calls).toEqual(calls);
  });

  describe('of documents that were kept until onRemove was set to delete', () => {
    const options: { onRemove: 'keep' | 'delete' } = { onRemove: 'keep' };

    beforeEach(async () => {
      options.onRemove = 'keep';
      world = await engineWorld(options);
      for (const name of ['0', '1', '2', '3']) world.folder.write(`a/${name}.txt`, name);
      await world.sync();
      world.folder.remove('a/1.txt');
      await world.sync();
      options.onRemove = 'delete';
      world.service.forget();
      await world.restart();
      await world.sync();
      expect(world.service.calls).toEqual([]);
      const hold = await eventually(() => world.ledger().hold('inbox') ?? null);
      expect(hold.reason).toMatch(/onRemove was keep/);
    });

    it('holds the deletion, over restarts, until a person approves it', async () => {
      await world.restart();
      await world.sync();
      expect(world.service.calls).toEqual([]);
      await world.engine().approve('inbox');
      await world.sync();
      expect(world.service.calls).toEqual(['delete']);
      world.folder.remove('a/2.txt');
      await world.sync();
      expect(world.service.calls).toEqual(['delete', 'delete']);
    });

    it('ends with the first approval, also while files keep going', async () => {
      world.folder.remove('a/2.txt');
      world.folder.scan();
      await world.engine().approve('inbox');
      await world.quiesce();
      expect(world.ledger().root('inbox')?.keeps).toBeUndefined();
      expect([...world.docIds().keys()]).toEqual(['a/0.txt', 'a/3.txt']);
    });

    it('holds nothing any more once the files are back', async () => {
      world.folder.write('a/1.txt', '1');
      await world.sync();
      await world.restart();
      await world.sync();
      await eventually(() => world.ledger().hold('inbox') === undefined);
      world.folder.remove('a/2.txt');
      await world.sync();
      expect(world.service.calls.filter((call) => call === 'delete')).toHaveLength(1);
    });

    it('keeps them when onRemove is set to keep again', async () => {
      options.onRemove = 'keep';
      await world.restart();
      await world.sync();
      await eventually(() => world.ledger().hold('inbox') === undefined);
      expect(world.service.calls).toEqual([]);
    });
  });

  it.each([false, true])(
    'is not said to remain where onRemove is keep and its file was only renamed (restarted: %s)',
    async (isRestarted) => {
      world = await engineWorld({ onRemove: 'keep' });
      world.folder.write('a.txt', 'a');
      await world.sync();
      world.folder.rename('a.txt', 'b.txt');
      if (isRestarted) await world.restart();
      await world.sync();
      const told = () => world.activities.flatMap(({ what, path }) => (what === 'remains' ? [path] : []));
      expect([[...world.docIds().keys()], told()]).toEqual([['b.txt'], []]);
      world.folder.remove('b.txt');
      for (let time = 0; time < 2; time += 1) {
        await world.sync();
        expect(told()).toEqual(['b.txt']);
        expect(world.engine().tasks.counts('inbox')).toMatchObject({ kept: 1, waiting: 0 });
        await world.restart();
      }
    },
  );

  it('holds nothing where onRemove was keep and all files are there, or ignored', async () => {
    const options: { onRemove: 'keep' | 'delete' } = { onRemove: 'keep' };
    world = await engineWorld(options);
    for (const name of ['0', '1', '2']) world.folder.write(`a/${name}.txt`, name);
    await world.sync();
    world.folder.write('a/2.txt', '');
    options.onRemove = 'delete';
    await world.restart();
    await world.sync();
    await world.clock.advance(1_000);
    world.folder.remove('a/0.txt');
    await world.sync();
    expect(world.service.calls.at(-1)).toBe('delete');
    await eventually(() => world.ledger().hold('inbox') === undefined);
  });

  it('deletes documents of two owners in two requests', async () => {
    world = await filled(20);
    for (const path of ['a/0.txt', 'a/1.txt']) world.folder.describe(path, { documentOwner: 'jane' });
    await world.sync();
    const before = world.service.calls.length;
    removeFiles(0, 5);
    await world.sync();
    expect(world.service.calls.slice(before).toSorted()).toEqual(['bulk delete 2', 'bulk delete 3']);
    expect(world.service.documents.size).toBe(15);
  });

  it('names no document twice in a bulk call, however often it changes before it goes out', async () => {
    world = await filled(40);
    const calls: (readonly string[])[] = [];
    world.service.observe(({ docIds }) => calls.push(docIds));
    const gone = ['a/0.txt', 'a/1.txt', 'a/2.txt', 'a/3.txt'];
    const tagged = ['a/10.txt', 'a/11.txt', 'a/12.txt', 'a/13.txt'];
    for (let time = 0; time < 3; time += 1) {
      for (const path of gone) world.folder.takeAway(path);
      for (const path of tagged) world.folder.describe(path, { customTags: [{ name: `time ${time}` }] });
      world.folder.scan();
      await world.until(() => world.engine().tasks.in('ready').size >= gone.length);
      if (time < 2) for (const path of gone) world.folder.bringBack(path, path);
      world.folder.scan();
    }
    await world.quiesce();
    expect(calls.map(({ length }) => length)).toContain(4);
    for (const docIds of calls) expect(new Set(docIds).size).toBe(docIds.length);
    expect(world.service.documents.size).toBe(36);
  });

  it('F45: holds a mass deletion, told once with the number of all, across a restart too, until it is approved', async () => {
    world = await filled(30);
    world.folder.remove('a');
    await world.sync();
    expect(world.service.calls).toEqual([]);
    expect(world.engine().tasks.counts('inbox').held).toBe(30);
    const told = world.log.lines.filter(({ message }) => message === 'held');
    expect(told).toEqual([
      { level: 'warn', message: 'held', data: expect.objectContaining({ documents: 30 }) },
    ]);
    const stories = world.activities.filter(({ what }) => what === 'held').map(({ path }) => path);
    expect([stories.length, new Set(stories).size]).toEqual([30, 30]);
    const hold = await eventually(() => world.ledger().hold('inbox') ?? null);
    const reasons = new Set([...world.engine().tasks.in('held')].map((task) => reasonOf(task)?.message));
    expect([...reasons]).toEqual([hold.reason]);
    await world.restart();
    // Sooner than their grace period is over again.
    await world.pass(500);
    expect(world.engine().holds.tasks('inbox')).toHaveLength(30);
    await world.quiesce();
    expect(world.service.calls).toEqual([]);
    expect(world.engine().tasks.counts('inbox').held).toBe(30);
    expect(await world.engine().approve('inbox')).toHaveLength(30);
    await world.quiesce();
    expect(world.service.documents.size).toBe(0);
    expect(world.ledger().hold('inbox')).toBeUndefined();
  });

  it('asks about no held deletion whose file stands by now where nothing is sent of it', async () => {
    world = await filled(30);
    for (let index = 0; index < 30; index += 1) world.folder.takeAway(`a/${index}.txt`);
    await world.sync();
    expect(world.engine().tasks.counts('inbox').held).toBe(30);
    world.folder.bringBack('a/0.txt', 'b.txt');
    world.folder.write('b.txt', '');
    await world.sync();
    await world.until(() => world.engine().tasks.counts('inbox').kept === 1);
    expect(world.engine().tasks.counts('inbox').held).toBe(29);
  });

  it('tells of each deletion that comes to those that are held, and of each approved one whose file is back', async () => {
    world = await filled(40);
    removeFiles(0, 1);
    await world.pass(500);
    removeFiles(1, 21);
    await world.sync();
    removeFiles(21, 22);
    await world.sync();
    removeFiles(22, 36);
    await world.sync();
    await world.restart();
    await world.quiesce();
    const held = world.activities.filter(({ what }) => what === 'held');
    expect(held.map(({ path }) => path)).toEqual(Array.from({ length: 36 }, (_, index) => `a/${index}.txt`));
    expect(held[1]?.message).toBe(world.ledger().hold('inbox')?.reason);
    expect(world.ledger().hold('inbox')?.documents).toBe(36);

    expect(await world.engine().approve('inbox')).toHaveLength(36);
    world.folder.write('a/0.txt', 'back');
    world.folder.scan();
    await world.quiesce();
    expect(world.service.documents.size).toBe(5);
    expect(world.activities.filter(({ what }) => what === 'returned')).toMatchObject([
      { path: 'a/0.txt', message: 'its file is back, so that it is not deleted' },
    ]);
  });

  it('tells once of a document that was kept, and whose file is back, however often it is seen meanwhile', async () => {
    world = await filled(30);
    removeFiles(1, 30);
    await world.sync();
    await world.engine().approve('inbox', undefined, { keeps: true });
    world.folder.write('a/1.txt', 'back');
    world.folder.scan();
    world.folder.scan();
    await world.sync();
    await world.sync();
    expect(world.activities.filter(({ what }) => what === 'returned')).toMatchObject([
      { path: 'a/1.txt', message: 'its file is back, so that its document goes on with it' },
    ]);
  });

  it('an approval shortens no grace: what goes while others are held is waited for as long as ever', async () => {
    world = await filled(30);
    removeFiles(1, 30);
    await world.sync();
    const meant = world.engine().holds.tasks('inbox');
    expect(meant).toHaveLength(29);
    const { find } = world.folder;
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    Object.assign(world.folder, {
      find: async (...asked: Parameters<typeof find>) => {
        await gate;
        return find(...asked);
      },
    });
    world.folder.remove('a/0.txt');
    world.folder.scan();
    for (let step = 0; step < 10; step += 1) {
      await world.rest();
      await world.clock.advance(50);
    }
    const docId = world.ledger().get({ folder: 'inbox', path: 'a/0.txt' })?.docId;
    expect(await world.engine().approve('inbox', meant)).toHaveLength(29);
    goOn();
    for (let step = 0; step < 20; step += 1) {
      await world.rest();
      await world.clock.advance(100);
      await delay(1);
    }
    world.folder.write('a/0.txt', 'saved again');
    await world.sync();
    expect([...world.service.documents.keys()]).toEqual([docId]);
  });

  it.each([
    ['before it, and waits out its grace', 0],
    ['before it, and is held while it is written', 20_000],
  ])('an approval releases what it is about: what goes %s is asked about', async (_, slowMs) => {
    let slow = 0;
    world = await filled(20, { slow: () => slow });
    removeFiles(0, 14);
    await world.sync();
    const meant = world.engine().holds.tasks('inbox');
    removeFiles(14, 18);
    await world.pass(1_000);
    slow = slowMs;
    const approved = world.engine().approve('inbox', meant);
    slow = 0;
    await world.quiesce();
    expect(await approved).toHaveLength(14);
    await world.quiesce();
    expect([world.service.documents.size, world.engine().tasks.counts('inbox').held]).toEqual([6, 4]);
    expect(await world.engine().approve('inbox')).toHaveLength(4);
    await world.quiesce();
    expect([world.service.documents.size, world.ledger().hold('inbox')]).toEqual([2, undefined]);
  });

  it('an approval is not written down for a file that comes back while the others that have gone are judged', async () => {
    world = await filled(20);
    removeFiles(0, 14);
    await world.sync();
    removeFiles(14, 15);
    await world.pass(1_000);
    const [{ ref } = { ref: { folder: 'inbox', path: '' } }] = world.engine().holds.tasks('inbox');
    const { folders } = world.engine();
    jest.spyOn(folders, 'mountsNow').mockImplementationOnce(async () => {
      world.folder.write(ref.path, 'back');
      await world.sync();
      return [];
    });
    expect(await world.engine().approve('inbox')).toHaveLength(13);
    expect(world.ledger().answer(ref)).toBeUndefined();
    expect(world.activities.filter(({ what }) => what === 'returned')).toMatchObject([{ ...ref }]);
  });

  it('holds a deletion in another root, though it holds copies of all that the old one held, and deletes by itself once a person approved (I3)', async () => {
    world = await filled(5);
    replaceWithCopies(world);
    await world.sync();
    await world.sync();
    world.folder.remove('a/0.txt');
    await world.sync();
    expect([world.service.calls, world.engine().tasks.counts('inbox').held]).toEqual([[], 1]);
    expect(await world.engine().approve('inbox')).toHaveLength(1);
    await world.quiesce();
    world.folder.remove('a/1.txt');
    await world.sync();
    expect([world.service.calls, world.docIds().size]).toEqual([['delete', 'delete'], 3]);
    await world.restart();
    world.folder.remove('a/2.txt');
    await world.sync();
    expect(world.docIds().size).toBe(2);
  });

  it('writes nothing that a person decides about a document whose request is under way', async () => {
    world = await engineWorld(quick);
    const ref = { folder: 'inbox', path: 'a.txt' };
    world.folder.write('a.txt', 'one');
    world.folder.scan();
    const release = world.service.holdNext();
    await world.until(() => world.service.calls.length === 1);
    const doubt = { id: 'i', ref, count: 1, since: 0, message: 'lost', holds: false };
    expect(await world.engine().decide(ref, [{ kind: 'doubt', doubt }])).toBe(false);
    expect(world.ledger().doubts()).toEqual([]);
    release();
    await world.quiesce();
    expect(await world.engine().decide(ref, [{ kind: 'doubt', doubt }])).toBe(true);
    expect(world.ledger().doubts()).toEqual([doubt]);
  });

  it('says once, over restarts too, that the service keeps a document whose file is empty, and deletes it when that goes', async () => {
    world = await filled(2);
    const said = () => world.activities.filter(({ what }) => what === 'remains');
    world.folder.write('a/0.txt', '');
    await world.sync();
    expect(said().map(({ path, message }) => [path, message])).toEqual([
      ['a/0.txt', 'it is empty; the document stays at the service as it was last sent'],
    ]);
    for (let life = 0; life < 2; life += 1) {
      await world.restart();
      await world.sync();
    }
    expect([said().length, world.service.calls]).toEqual([1, []]);
    world.folder.remove('a/0.txt');
    await world.sync();
    expect(world.service.calls).toEqual(['delete']);
  });

  it('holds no deletion that is under way', async () => {
    world = await filled(40);
    const release = world.service.holdNext();
    world.folder.remove('a/0.txt');
    world.folder.scan();
    await world.until(() => world.service.calls.length === 1);
    removeFiles(1, 30);
    await world.until(() => world.ledger().hold('inbox') !== undefined);
    release();
    await world.quiesce();
    expect(world.service.calls).toEqual(['delete']);
    expect([world.docIds().size, world.engine().tasks.counts('inbox').held]).toEqual([39, 29]);
    expect(world.activities.filter(({ what }) => what === 'held')).toHaveLength(29);
  });

  describe('a file that was moved into a mount point, where it cannot be sent', () => {
    const mount = (...paths: readonly string[]) =>
      Object.assign(world.folder, { mounts: () => Promise.resolve(paths) });
    const cover = () => {
      world.folder.takeAway('a/disk/x.y.txt');
      mount('a/disk');
    };

    beforeEach(async () => {
      world = await filled(3);
      mount('a/disk');
      world.folder.scan();
      await eventually(() => world.ledger().mounts('inbox').length === 1);
      mount();
      world.folder.scan();
      await eventually(() => world.ledger().bareMountPoints('inbox').length === 1);
      world.folder.rename('a/0.txt', 'a/disk/x.y.txt');
      await world.sync();
      expect(world.service.calls).toEqual([]);
    });

    it('is not deleted when a volume is mounted over it, but held until it shows again', async () => {
      cover();
      world.folder.scan();
      await world.clock.advance(120_000);
      await world.quiesce();
      expect([world.service.calls, world.engine().tasks.counts('inbox').held]).toEqual([[], 1]);
      await eventually(() => world.ledger().hold('inbox')?.reason.includes('inbox/a/disk') === true);
      mount();
      world.folder.bringBack('a/disk/x.y.txt', 'a/0.txt');
      world.folder.scan();
      await eventually(() => world.ledger().hold('inbox') === undefined);
      expect(world.service.calls).toEqual([]);
    });

    it('is not deleted when it went onto a volume that is unmounted, but held', async () => {
      world.folder.rename('a/disk/x.y.txt', 'a/0.txt');
      mount('a/disk');
      world.folder.scan();
      await world.quiesce();
      // Copied, and removed here, before the next look.
      world.folder.remove('a/0.txt');
      mount();
      world.folder.scan();
      await world.clock.advance(120_000);
      await world.quiesce();
      expect([world.service.calls, world.engine().tasks.counts('inbox').held]).toEqual([[], 1]);
      await eventually(() => world.ledger().hold('inbox')?.reason.includes('inbox/a/disk') === true);
    });

    it.each([
      ['mounted', [['a/disk']]],
      ['unmounted again', [['a/disk'], []]],
    ])(
      'takes no other deletion with it, once the folder was scanned since a volume was %s',
      async (_, changes) => {
        let rescans = 0;
        Object.assign(world.folder, {
          rescan: () => {
            rescans += 1;
            world.folder.scan();
            return Promise.resolve();
          },
        });
        world.folder.rename('a/disk/x.y.txt', 'a/0.txt');
        for (const mounted of changes) {
          rescans = 0;
          mount(...mounted);
          world.folder.scan();
          // In the smallest steps that the clock has.
          await world.until(() => rescans > 0, 1);
        }
        // By a scan that misses nothing.
        await world.quiesce();
        await world.sync();
        world.folder.remove('a/1.txt');
        await world.clock.advance(1_000);
        await world.sync();
        expect([world.service.calls, world.engine().tasks.counts('inbox').held]).toEqual([['delete'], 0]);
      },
    );
  });

  it('sends nothing from a mount that the ledger does not know yet (I3)', async () => {
    let read: (paths: readonly string[]) => void = () => undefined;
    world = await engineWorld();
    await world.quiesce();
    Object.assign(world.folder, { mounts: () => new Promise((resolve) => (read = resolve)) });
    world.folder.write('mnt/a.txt', 'a');
    world.folder.scan();
    const { tasks } = world.engine();
    await world.until(() => tasks.in('sending').size > 0 || world.service.calls.length > 0);
    await world.clock.advance(60_000);
    await delay(20);
    expect([world.service.calls, tasks.in('sending').size]).toEqual([[], 1]);
    Object.assign(world.folder, { mounts: () => Promise.resolve(['mnt']) });
    read(['mnt']);
    await world.quiesce();
    expect([world.service.calls, world.ledger().mounts('inbox')]).toEqual([['upload'], ['mnt']]);
  });

  it('deletes nothing while the mounts cannot be read', async () => {
    world = await filled(3);
    let asked = 0;
    const mount = (paths: readonly string[] | null) =>
      Object.assign(world.folder, {
        mounts: () => {
          asked += 1;
          return Promise.resolve(paths);
        },
      });
    world.folder.remove('a/0.txt');
    mount(null);
    world.folder.scan();
    await world.until(() => asked > 3);
    expect([world.service.calls, world.engine().tasks.counts('inbox').held]).toEqual([[], 0]);
    mount([]);
    await world.quiesce();
    expect(world.service.calls).toEqual(['delete']);
  });

  it('deletes what a person approved, though other deletions are held by then', async () => {
    world = await filled(40, { safety: { maxDeletePercent: 20 } });
    removeFiles(0, 25);
    await world.quiesce();
    expect(world.engine().tasks.counts('inbox').held).toBe(25);
    world.service.failNext(busyOf({ sent: 'all', retryAfterMs: 60_000 }));
    expect(await world.engine().approve('inbox')).toHaveLength(25);
    await world.until(() => world.service.calls.length === 1);
    removeFiles(25, 37);
    await world.until(() => world.ledger().hold('inbox') !== undefined);
    await world.quiesce();
    expect(world.service.calls).toEqual(['bulk delete 25', 'bulk delete 25']);
    expect(world.engine().tasks.counts('inbox').held).toBe(12);
  });

  it('waits after a delivery that failed with an unexpected error, and then tries again', async () => {
    world = await engineWorld();
    const { upload } = world.service;
    Object.assign(world.service, { upload: () => Promise.reject(new TypeError('nobody foresaw this')) });
    world.folder.write('a.txt', 'a');
    world.folder.scan();
    const failed = () => world.log.lines.filter(({ message }) => message === 'delivery failed');
    await world.until(() => failed().length === 1);
    await world.pass(4_000);
    expect(failed()).toEqual([
      { level: 'error', data: { error: 'nobody foresaw this' }, message: 'delivery failed' },
    ]);
    await world.until(() => failed().length === 2);
    Object.assign(world.service, { upload });
    await world.quiesce();
    expect(world.docIds().size).toBe(1);
  });

  it('logs what went wrong while it noted what a scan found, and goes on', async () => {
    world = await engineWorld({
      port: (clock) => {
        const port = simulatedFolder({ name: 'inbox', clock, settleMs: 0, nextInode: () => 1 });
        port.write('a.txt', 'one');
        return { ...port, mounts: () => Promise.reject(new TypeError('mounts is not iterable')) };
      },
    });
    await world.quiesce();
    const data = { error: 'mounts is not iterable' };
    const line = { level: 'error', message: 'what a scan found could not be noted', data };
    expect(world.log.lines).toContainEqual(line);
    expect(world.service.calls).toEqual(['upload']);
  });

  it('waits for other folders to be listed before it uploads, and not for ever', async () => {
    const clock = manualClock();
    const hung = simulatedFolder({ name: 'hung', clock, settleMs: 0, nextInode: () => 1 });
    const health = {
      ...hung.health(),
      state: 'scanning',
      busy: true,
      coveredUntil: -Infinity,
    } as const;
    world = await engineWorld({ ...quick, beside: { ...hung, health: () => health } });
    world.folder.write('a.txt', 'one');
    world.folder.scan();
    await passSlowly(540_000, 5_400);
    expect(world.service.calls).toEqual([]);
    await world.until(() => world.service.documents.size > 0);
    expect(world.service.calls).toEqual(['upload']);
  });

  it('deletes nothing while another folder has still to be listed: the file may have been moved there', async () => {
    const clock = manualClock();
    const other = simulatedFolder({ name: 'other', clock, settleMs: 0, nextInode: () => 1 });
    let state: 'unavailable' | 'scanning' = 'unavailable';
    const health = () => ({ ...other.health(), state });
    world = await engineWorld({ ...quick, beside: { ...other, health } });
    world.folder.write('a.txt', 'one');
    await world.sync();
    state = 'scanning';
    world.folder.remove('a.txt');
    world.folder.scan();
    await passSlowly(20_000);
    expect(world.service.calls).toEqual(['upload']);
    state = 'unavailable';
    await world.quiesce();
    expect(world.service.calls).toEqual(['upload', 'delete']);
  });

  it('F47: waits for a file that changes all the time, shows that it does, and delivers the others', async () => {
    world = await engineWorld();
    for (let index = 0; index < 5; index += 1) world.folder.write(`${index}.txt`, `text ${index}`);
    for (let turn = 0; turn < 300; turn += 1) {
      world.folder.write('busy.txt', `line ${turn}`);
      if (turn % 10 === 0) world.folder.scan();
      await world.clock.advance(100);
    }
    await eventually(() => world.docIds().size === 5);
    expect(world.docIds().has('busy.txt')).toBe(false);
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ waiting: 1, failed: 0 });
    expect(world.engine().isIdle()).toBe(false);
    await world.quiesce();
    expect(world.service.calls).toHaveLength(6);
    expect([...world.service.documents.values()].map(({ content }) => content)).toContain('line 299');
  });

  it('sends a file that is saved now within four requests of a backlog', async () => {
    world = await engineWorld();
    for (let index = 0; index < 300; index += 1) world.folder.write(`old/${index}.txt`, `${index}`);
    await world.restart();
    await world.clock.advance(70_000);
    world.folder.write('now.txt', 'now');
    world.folder.scan();
    await world.clock.advance(2_100);
    const sent = world.service.calls.length;
    // Until the service has it: how long the disk then takes to write that down is real time.
    const arrived = () => [...world.service.documents.values()].some(({ content }) => content === 'now');
    while (!arrived()) await world.clock.advance(100);
    expect(world.service.calls.length - sent).toBeLessThanOrEqual(4);
  });

  it('keeps what differs from its record for its turn after a start, and sends what has other bytes', async () => {
    world = await filled(400, quick);
    for (let index = 0; index < 400; index += 1) world.folder.write(`a/${index}.txt`, `text ${index}`);
    world.folder.write('a/7.txt', 'other text');
    await world.clock.advance(10_000);
    await world.restart();
    const { backlog } = world.engine().tasks;
    const waiting = backlog.countRecorded('inbox');
    expect(waiting).toBeGreaterThan(200);
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ pending: 400, withRecord: 400 });
    await world.quiesce();
    expect([world.service.calls, backlog.size]).toEqual([['modify'], 0]);
    expect(world.engine().tasks.counts('inbox')).toMatchObject({ pending: 0, withRecord: 0 });
  });
});
