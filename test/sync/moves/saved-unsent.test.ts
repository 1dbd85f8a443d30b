import { rm } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { engineTiming } from '../../support/worlds/engine-world.ts';

const world = ofEachTest(() => syncedFolder());
const secret = '{"shareInfo": {"mode": "NONE"}}';

const write = (path: string, content: string) => world.inbox.write(path, content);

/** What changed is seen, and everything is done that follows within a minute. */
async function seen(): Promise<void> {
  await world.sync();
  await world.pass(4 * engineTiming.removeGraceMs);
  await world.sync();
}

let docId: string | undefined;

beforeEach(async () => {
  await write('.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
  await write('a.txt', 'one');
  await write('a.txt.meta.json', secret);
  await world.sync();
  docId = world.docIds().get('a.txt');
  expect(world.modes()).toEqual({ 'a.txt': 'NONE' });
});

type Step = () => Promise<unknown>;

describe('a document whose file is saved where it cannot be sent', () => {
  const withSidecar = async (to: string) => {
    await world.move('a.txt', to);
    await world.move('a.txt.meta.json', `${to}.meta.json`);
  };

  const cases: readonly (readonly [where: string, steps: readonly Step[], repaired: Step, at: string])[] = [
    [
      'under a name that the service refuses',
      [() => world.move('a.txt', 'a.v2.txt'), () => world.save('a.v2.txt', 'two')],
      () => world.move('a.v2.txt', 'b.txt'),
      'b.txt',
    ],
    [
      'beside a sidecar that is not valid and came along',
      [() => write('a.txt.meta.json', '{'), () => withSidecar('b.txt'), () => world.save('b.txt', 'two')],
      () => write('b.txt.meta.json', secret),
      'b.txt',
    ],
    [
      'in its own place, and moved then with its sidecar, which is not valid',
      [() => write('a.txt.meta.json', '{'), () => world.save('a.txt', 'two'), () => withSidecar('b.txt')],
      () => write('b.txt.meta.json', secret),
      'b.txt',
    ],
    [
      'in its own place, ignored before it was sent, and moved then beside a sidecar that is not valid',
      [
        async () => {
          await world.save('a.txt', 'two');
          await world.rescan();
          await write('.ingestignore', 'a.txt\n');
          await write('a.txt.meta.json', '{');
        },
        () => withSidecar('b.txt'),
      ],
      () => write('b.txt.meta.json', secret),
      'b.txt',
    ],
  ];

  it.each(cases.flatMap(([...row]) => [[...row, false] as const, [...row, true] as const]))(
    'stays, and as private as it was: %s (7.25, 7.27)',
    async (_, steps, repaired, at, restarts) => {
      for (const step of steps) {
        await step();
        await seen();
        if (restarts) await world.restart();
        await seen();
      }
      expect(world.service.documents.size).toBe(1);
      await repaired();
      await seen();
      expect([[...world.docIds()], world.held(), world.modes()]).toEqual([
        [[at, docId]],
        { [at]: 'two' },
        { [at]: 'NONE' },
      ]);
    },
  );

  it('goes when that is removed', async () => {
    await world.move('a.txt', 'a.v2.txt');
    await seen();
    await world.save('a.v2.txt', 'two');
    await seen();
    await rm(world.inbox.join('a.v2.txt'));
    await seen();
    expect(world.service.documents.size).toBe(0);
  });
});

describe('a save that was not accepted yet, and stands under another name then, is as private as its document (7.27)', () => {
  const rotate = async () => {
    await world.move('a.txt', 'older.txt');
    await write('a.txt', 'fresh');
  };
  const refuse = () => world.service.failNext({ kind: 'rejected', code: 'http-422', message: 'no' });
  const cutOff = () =>
    world.service.failNext({
      kind: 'unavailable',
      code: 'http-503',
      message: 'later',
      retryAfterMs: null,
      sent: 'all',
    });

  /** Of what was saved and not sent since. */
  async function expectKept(): Promise<void> {
    await seen();
    expect(world.held()['older.txt']).toBe('two');
    expect(world.modes()).toEqual({ 'a.txt': 'NONE', 'older.txt': 'NONE' });
  }

  it.each<readonly [string, Step, Step]>([
    ['its sidecar is not valid', () => write('a.txt.meta.json', '{'), () => world.sync()],
    ['its sidecar is empty for a moment', () => write('a.txt.meta.json', ''), () => world.rescan()],
    ['its sidecar was removed', () => rm(world.inbox.join('a.txt.meta.json')), () => world.rescan()],
    [
      'its sidecar was removed long ago',
      () => rm(world.inbox.join('a.txt.meta.json')).then(seen),
      () => world.rescan(),
    ],
  ])('where %s', async (_, before, notice) => {
    await before();
    await world.save('a.txt', 'two');
    await notice();
    await rotate();
    await world.rescan();
    await write('a.txt.meta.json', secret);
    await expectKept();
  });

  it.each<readonly [string, Step]>([
    ['the service refused it', async () => refuse()],
    ['the service did not answer', async () => cutOff()],
    ['its sidecar is not valid', () => write('a.txt.meta.json', '{')],
  ])('after a restart, where %s', async (_, before) => {
    await before();
    await world.save('a.txt', 'two');
    await world.rescan();
    await world.pass(3_000);
    await rotate();
    await write('a.txt.meta.json', secret);
    await world.restart();
    await expectKept();
  });
});
