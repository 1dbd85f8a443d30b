import { rename, rm } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { modeOf } from '../../../src/model/metadata/metadata.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { engineTiming } from '../../support/worlds/engine-world.ts';

const world = ofEachTest(() => syncedFolder());
const secret = '{"shareInfo": {"mode": "NONE"}}';

const write = (path: string, content: string) => world.inbox.write(path, content);
const move = (from: string, to: string) => rename(world.inbox.join(from), world.inbox.join(to));

async function saveByRename(path: string, content: string): Promise<void> {
  await write('.new', content);
  await move('.new', path);
}

/** What changed is seen, and everything is done that follows within a minute. */
async function seen(): Promise<void> {
  await world.sync();
  await world.pass(4 * engineTiming.removeGraceMs);
  await world.sync();
}

const modes = () =>
  Object.fromEntries(
    [...world.docIds()].map(([path, docId]) => [
      path,
      modeOf(world.service.documents.get(docId)?.metadata ?? {}),
    ]),
  );

let docId: string | undefined;

beforeEach(async () => {
  await write('.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
  await write('a.txt', 'one');
  await write('a.txt.meta.json', secret);
  await world.sync();
  docId = world.docIds().get('a.txt');
  expect(modes()).toEqual({ 'a.txt': 'NONE' });
});

type Step = () => Promise<unknown>;

describe('a document whose file is saved where it cannot be sent', () => {
  const withSidecar = async (to: string) => {
    await move('a.txt', to);
    await move('a.txt.meta.json', `${to}.meta.json`);
  };

  const cases: readonly (readonly [where: string, steps: readonly Step[], repaired: Step, at: string])[] = [
    [
      'under a name that the service refuses',
      [() => move('a.txt', 'a.v2.txt'), () => saveByRename('a.v2.txt', 'two')],
      () => move('a.v2.txt', 'b.txt'),
      'b.txt',
    ],
    [
      'beside a sidecar that is not valid and came along',
      [() => write('a.txt.meta.json', '{'), () => withSidecar('b.txt'), () => saveByRename('b.txt', 'two')],
      () => write('b.txt.meta.json', secret),
      'b.txt',
    ],
    [
      'in its own place, and moved then with its sidecar, which is not valid',
      [() => write('a.txt.meta.json', '{'), () => saveByRename('a.txt', 'two'), () => withSidecar('b.txt')],
      () => write('b.txt.meta.json', secret),
      'b.txt',
    ],
    [
      'in its own place, ignored before it was sent, and moved then beside a sidecar that is not valid',
      [
        async () => {
          await saveByRename('a.txt', 'two');
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
      expect([[...world.docIds()], world.held(), modes()]).toEqual([
        [[at, docId]],
        { [at]: 'two' },
        { [at]: 'NONE' },
      ]);
    },
  );

  it('goes when that is removed', async () => {
    await move('a.txt', 'a.v2.txt');
    await seen();
    await saveByRename('a.v2.txt', 'two');
    await seen();
    await rm(world.inbox.join('a.v2.txt'));
    await seen();
    expect(world.service.documents.size).toBe(0);
  });
});

describe('a save that was not accepted yet, and stands under another name then, is as private as its document (7.27)', () => {
  const rotate = async () => {
    await move('a.txt', 'older.txt');
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
    await saveByRename('a.txt', 'two');
    await notice();
    await rotate();
    await world.rescan();
    await write('a.txt.meta.json', secret);
    await seen();
    expect([world.held()['older.txt'], modes()]).toEqual(['two', { 'a.txt': 'NONE', 'older.txt': 'NONE' }]);
  });

  it.each<readonly [string, Step]>([
    ['the service refused it', async () => refuse()],
    ['the service did not answer', async () => cutOff()],
    ['its sidecar is not valid', () => write('a.txt.meta.json', '{')],
  ])('after a restart, where %s', async (_, before) => {
    await before();
    await saveByRename('a.txt', 'two');
    await world.rescan();
    await world.pass(3_000);
    await rotate();
    await write('a.txt.meta.json', secret);
    await world.restart();
    await seen();
    expect([world.held()['older.txt'], modes()]).toEqual(['two', { 'a.txt': 'NONE', 'older.txt': 'NONE' }]);
  });

  it.each<readonly [string, Step]>([
    ['the service refused it', async () => refuse()],
    ['the service did not answer', async () => cutOff()],
  ])(
    'and is the same document after a restart, where %s and nothing came to its place',
    async (_, before) => {
      await before();
      await saveByRename('a.txt', 'two');
      await world.rescan();
      await world.pass(3_000);
      await move('a.txt', 'b.txt');
      await world.restart();
      await rm(world.inbox.join('a.txt.meta.json'));
      await seen();
      expect([[...world.docIds()], modes()]).toEqual([[['b.txt', docId]], { 'b.txt': 'NONE' }]);
    },
  );
});
