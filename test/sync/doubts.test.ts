import { afterEach, describe, expect, it } from '@jest/globals';

import type { FileStat, Inspection } from '../../src/model/document.ts';
import { noDocIdCode, withoutDocIdWords } from '../../src/model/doubts.ts';
import type { Doubt } from '../../src/model/ports/ledger-port.ts';
import type { Outcome } from '../../src/model/ports/service-port.ts';
import { doubtAbout } from '../../src/sync/send/doubt-about.ts';
import { doubtsOfFile } from '../../src/sync/decide/assess.ts';
import { engineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';

const lost: Outcome = { kind: 'unknown', code: 'no-answer', message: 'the answer was lost' };

describe('a document in doubt (I9)', () => {
  let world: EngineWorld;

  afterEach(() => world.close());

  /** One document whose upload was taken and never answered. */
  async function inDoubt(): Promise<void> {
    world = await engineWorld({ safety: { inDoubt: 'hold' } });
    world.service.failNext(lost, { taken: true });
    world.folder.write('d/a.txt', 'one');
    await world.sync();
  }

  const doubtful = () =>
    world
      .ledger()
      .doubts()
      .map(({ ref }) => ref.path);

  it('that was accepted without a docId is not sent again, and three in a row stop uploads until a person says so (7.32)', async () => {
    world = await engineWorld({ service: { concurrency: 1 } });
    const unusable: Outcome = {
      kind: 'unknown',
      code: noDocIdCode,
      message: `${withoutDocIdWords}; it said {"id":4}`,
    };
    for (let time = 0; time < 3; time += 1) world.service.failNext(unusable, { taken: true });
    for (const name of ['a', 'b', 'c', 'd', 'e']) world.folder.write(`${name}.txt`, name);
    world.folder.scan();
    const isStopped = () =>
      world
        .engine()
        .reasons()
        .some(({ code }) => code === 'uploads-stopped');
    await world.until(isStopped);
    await world.clock.advance(600_000);
    expect(world.service.calls).toEqual(['upload', 'upload', 'upload']);
    expect(
      world
        .ledger()
        .doubts()
        .map(({ holds }) => holds),
    ).toEqual([true, true, true]);
    await world.restart();
    world.folder.scan();
    await world.clock.advance(600_000);
    expect([isStopped(), world.service.calls.length]).toEqual([true, 3]);
    // What a person says of something else.
    const ref = { folder: 'inbox', path: 'd.txt' };
    await world.engine().decide(ref, [{ kind: 'clear', ref }]);
    expect(isStopped()).toBe(true);
    await world.engine().retry(null);
    await world.quiesce();
    expect([isStopped(), world.service.calls.length, world.service.documents.size]).toEqual([false, 5, 5]);
    // Since then uploads were accepted with docIds: a restart does not bring it back.
    await world.restart();
    expect([world.ledger().doubts().length, isStopped()]).toEqual([3, false]);
  });

  it('that was accepted without a docId stops uploads whose connection is being made as well', async () => {
    world = await engineWorld({ service: { concurrency: 4 } });
    const unusable: Outcome = { kind: 'unknown', code: noDocIdCode, message: withoutDocIdWords };
    for (let time = 0; time < 3; time += 1) world.service.failNext(unusable, { taken: true });
    const connect = world.service.connectNext();
    for (const name of ['a', 'b', 'c', 'd']) world.folder.write(`${name}.txt`, name);
    world.folder.scan();
    await world.until(() => doubtful().length === 3);
    connect();
    await world.clock.advance(600_000);
    expect([world.service.calls, world.service.documents.size]).toEqual([['upload', 'upload', 'upload'], 3]);
  });

  const acts: readonly (readonly [string, string, () => void])[] = [
    ['renamed', 'd/b.txt', () => world.folder.rename('d/a.txt', 'd/b.txt')],
    ['moved with its directory', 'e/a.txt', () => world.folder.rename('d', 'e')],
    ['edited', 'd/a.txt', () => world.folder.write('d/a.txt', 'two')],
    [
      'saved as a new file',
      'd/a.txt',
      () => {
        world.folder.remove('d/a.txt');
        world.folder.write('d/a.txt', 'two');
      },
    ],
    [
      'renamed and edited at once',
      'd/b.txt',
      () => {
        world.folder.rename('d/a.txt', 'd/b.txt');
        world.folder.write('d/b.txt', 'two');
      },
    ],
  ];

  it('is reported once, as in doubt and not as failed', async () => {
    await inDoubt();
    expect(world.activities.map(({ what, path }) => `${what} ${path}`)).toEqual(['in doubt d/a.txt']);
    world.folder.write('d/a.txt', 'two');
    await world.sync();
    expect(world.activities.map(({ what }) => what)).not.toContain('failed');
  });

  it.each(acts)('is not sent when it is %s, and the doubt is about where it stands', async (_, at, act) => {
    await inDoubt();
    act();
    await world.sync();
    expect([world.service.calls, doubtful()]).toEqual([['upload'], [at]]);
    expect(world.engine().tasks.counts('inbox').inDoubt).toBe(1);
  });

  it.each(acts)('is not sent when it is %s while ingestd does not run', async (_, at, act) => {
    world = await engineWorld({ safety: { inDoubt: 'hold' } });
    const release = world.service.holdNext();
    world.folder.write('d/a.txt', 'one');
    world.folder.scan();
    await world.until(() => world.service.isHolding());
    act();
    await world.restart();
    release();
    await world.sync();
    expect([world.service.calls, doubtful()]).toEqual([['upload'], [at]]);
  });

  it('goes out under its new name when a person says so', async () => {
    await inDoubt();
    world.folder.rename('d/a.txt', 'd/b.txt');
    await world.sync();
    await world.engine().retry([{ folder: 'inbox', path: 'd/b.txt' }]);
    await world.sync();
    expect(world.service.calls).toEqual(['upload', 'upload']);
    const [entry] = [...world.ledger().entries()];
    expect([entry?.ref.path, entry?.record.possibleDuplicates]).toEqual(['d/b.txt', 1]);
    expect(doubtful()).toEqual([]);
  });

  it('stays dismissed, whatever is under way about its file when a person dismisses it', async () => {
    for (let ticks = 0; ticks < 20; ticks += 1) {
      await inDoubt();
      const [{ id } = { id: '' }] = world.ledger().doubts();
      world.folder.write('d/a.txt', 'two');
      const synced = world.sync();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      await world.engine().decide({ folder: 'inbox', path: 'd/a.txt' }, [{ kind: 'dismiss', id }]);
      await synced;
      await world.sync();
      expect([ticks, doubtful()]).toEqual([ticks, []]);
      await world.close();
    }
  });

  it('holds back a second name of its file, which goes out when the doubt has ended', async () => {
    await inDoubt();
    world.folder.link('d/a.txt', 'd/b.txt');
    await world.sync();
    expect(world.service.calls).toEqual(['upload']);
    const [{ id } = { id: '' }] = world.ledger().doubts();
    await world.engine().decide({ folder: 'inbox', path: 'd/a.txt' }, [{ kind: 'dismiss', id }]);
    await world.sync();
    expect([...world.docIds().keys()]).toContain('d/b.txt');
  });
});

describe('the doubts about a file (I9)', () => {
  const stat: FileStat = { size: 3, mtimeMs: 5, ctimeMs: 6, birthtimeMs: 4, ino: 7, dev: 1 };
  const doubt: Doubt = {
    id: 'i',
    ref: { folder: 'inbox', path: 'a.txt' },
    stat,
    count: 1,
    since: 0,
    message: 'lost',
    holds: true,
  };
  const absent: Inspection = { kind: 'absent', device: 1 };
  const unreadable: Inspection = { kind: 'unknown', code: 'unreadable', message: 'it cannot be read' };

  const asked = (left: Inspection | undefined, stands = false) => ({
    inspect: () => Promise.resolve(left),
    isFound: () => Promise.resolve(stands),
  });

  async function whose(path: string, found: FileStat, left: Inspection | undefined) {
    const document = { ref: { folder: 'other', path }, stat: found };
    const { following, elsewhere } = await doubtsOfFile(document, [doubt], asked(left));
    return [following.length, elsewhere.length];
  }

  const copied = { ...stat, ino: 9, birthtimeMs: 8, dev: 2 };

  it.each<readonly [string, Partial<Doubt>, boolean]>([
    ['of that file as it is', {}, false],
    ['of the file before it was edited', { stat: { ...stat, size: 4 } }, true],
    ['that waits for a person, of a ledger that did not tell the file', { stat: undefined }, true],
    ['that waits for nobody, of such a ledger', { stat: undefined, holds: false }, false],
  ])('of its path learn which file it is: one %s', async (_, parts, expected) => {
    const here = [{ ...doubt, ...parts }];
    const document = { ref: doubt.ref, stat };
    const { following } = await doubtsOfFile(document, here, asked(unreadable));
    expect(following).toEqual(expected ? here : []);
  });

  it('of a file that has left stay where they are beside one like it that is in doubt itself, or where it stands elsewhere', async () => {
    const [gone, own] = [doubt, { ...doubt, ref: { folder: 'other', path: 'd/a.txt' }, stat: copied }];
    const document = { ref: own.ref, stat: copied };
    expect((await doubtsOfFile(document, [gone, own], asked(absent))).following).toEqual([]);
    expect((await doubtsOfFile(document, [gone], asked(absent))).following).toEqual([gone]);
    expect((await doubtsOfFile(document, [gone], asked(absent, true))).following).toEqual([]);
  });

  it('of its path stay with their file where that was renamed before another came', async () => {
    const document = { ref: doubt.ref, stat: { ...stat, ino: 9, birthtimeMs: 8 } };
    expect((await doubtsOfFile(document, [doubt], asked(unreadable, true))).following).toEqual([]);
    expect((await doubtsOfFile(document, [doubt], asked(unreadable))).following).toHaveLength(1);
  });

  it('of one document at one moment are two, whatever the clock shows', () => {
    const about = { message: 'the answer was lost', since: 1_000 };
    const [one, other] = [doubtAbout(doubt.ref, about), doubtAbout(doubt.ref, about)];
    expect(one.id).not.toBe(other.id);
  });

  it.each<readonly [string, string, FileStat, Inspection | undefined, readonly number[]]>([
    ['follow a file into another folder', 'b.txt', stat, absent, [1, 0]],
    ['follow it out of a folder that is not configured any more', 'a.txt', stat, undefined, [1, 0]],
    ['follow it to another file system by name, size and time', 'd/a.txt', copied, absent, [1, 0]],
    ['are not those about a copy', 'd/a.txt', copied, unreadable, [0, 0]],
    [
      'are not those about a new file with a used inode number',
      'b.txt',
      { ...stat, birthtimeMs: 9 },
      absent,
      [0, 0],
    ],
    ['hold a file whose other path cannot be read', 'b.txt', stat, unreadable, [0, 1]],
  ])('%s', async (_, path, found, left, expected) => {
    expect(await whose(path, found, left)).toEqual(expected);
  });
});

it.each([
  ['hold', ['in doubt']],
  ['retry', ['in doubt', 'uploaded']],
] as const)('an upload that a crash interrupted is listed as in doubt, inDoubt: %s', async (mode, listed) => {
  const world = await engineWorld({ safety: { inDoubt: mode } });
  const release = world.service.holdNext();
  world.folder.write('a.txt', 'one');
  world.folder.scan();
  await world.until(() => world.service.isHolding());
  await world.restart();
  release();
  world.folder.scan('start');
  await world.quiesce();
  expect(world.activities.map(({ what }) => what)).toEqual(listed);
  await world.close();
});
