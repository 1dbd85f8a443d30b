import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

const secret = '{"shareInfo": {"mode": "NONE"}}';
let world: SyncedFolder;

beforeEach(async () => {
  world = await syncedFolder({ settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } } });
  await world.inbox.write('a.txt', 'one');
  await world.inbox.write('a.txt.meta.json', secret);
  await world.sync();
  expect(modes()).toEqual(['NONE']);
});

afterEach(() => world.close());

const at = (name: string) => world.inbox.join(name);
const failures = () => [...world.engine().tasks.in('failed')].map((task) => reasonOf(task)?.code);
const modes = () => [...world.service.documents.values()].map(({ metadata }) => metadata.shareInfo?.mode);

describe.each(['A.txt', 'b.txt', 'a.docx'])(
  'I15: a private document that is renamed to %s without its sidecar',
  (name) => {
    beforeEach(async () => {
      await rename(at('a.txt'), at(name));
      await world.sync();
    });

    it('stays private, and fails, over a restart too', async () => {
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
      await world.restart();
      await world.sync();
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
    });

    it('gets its new content all the same, and stays private', async () => {
      await writeFile(at(name), 'two, and longer');
      await world.sync();
      expect(world.held()[name]).toBe('two, and longer');
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
      await world.restart();
      await world.sync();
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
    });

    it('is in order when the sidecar is renamed after it', async () => {
      await rename(at('a.txt.meta.json'), at(`${name}.meta.json`));
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['NONE']]);
    });

    it('is shown to everyone when the sidecar is removed', async () => {
      await rm(at('a.txt.meta.json'));
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['EVERYONE']]);
    });
  },
);

describe.each(['a.txt', 'b.txt'])(
  'I15: a private document that is moved to another directory, as %s, without its sidecar',
  (name) => {
    beforeEach(async () => {
      await mkdir(at('sub'));
      await rename(at('a.txt'), at(`sub/${name}`));
      await world.sync();
    });

    it('stays private, and fails, over a restart too', async () => {
      expect([failures(), modes(), [...world.docIds().keys()]]).toEqual([
        ['sidecar-left-behind'],
        ['NONE'],
        [`sub/${name}`],
      ]);
      await world.restart();
      await world.sync();
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
    });

    it('is in order when the sidecar is moved after it', async () => {
      await rename(at('a.txt.meta.json'), at(`sub/${name}.meta.json`));
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['NONE']]);
    });

    it('is shown to everyone when the sidecar is removed where it was', async () => {
      await rm(at('a.txt.meta.json'));
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['EVERYONE']]);
    });

    it('stays private when it is moved on', async () => {
      await mkdir(at('deep'));
      await rename(at(`sub/${name}`), at('deep/c.txt'));
      await world.sync();
      expect([failures(), modes(), [...world.docIds().keys()]]).toEqual([
        ['sidecar-left-behind'],
        ['NONE'],
        ['deep/c.txt'],
      ]);
      await rename(at('a.txt.meta.json'), at('deep/c.txt.meta.json'));
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['NONE']]);
    });

    it('gets its new content all the same, and stays private', async () => {
      await writeFile(at(`sub/${name}`), 'two, and longer');
      await world.sync();
      expect(world.held()[`sub/${name}`]).toBe('two, and longer');
      await world.restart();
      await world.sync();
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
    });

    it('stays private when another document takes its sidecar, until it has one of its own', async () => {
      await world.inbox.write('a.txt', 'another');
      await world.sync();
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE', 'NONE']]);
      await world.inbox.write(`sub/${name}.meta.json`, '{"shareInfo": {"mode": "EVERYONE"}}');
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['EVERYONE', 'NONE']]);
    });

    it('stays private when it moves on by way of a directory that is private itself', async () => {
      await world.inbox.write('safe/.meta.json', secret);
      await rename(at(`sub/${name}`), at('safe/c.txt'));
      await world.sync();
      expect([failures(), modes()]).toEqual([[], ['NONE']]);
      await world.restart();
      await rename(at('safe/c.txt'), at('sub/d.txt'));
      await world.sync();
      expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
    });
  },
);

it.each([
  ['in its directory', 'b.txt'],
  ['to another directory', 'sub/a.txt'],
])(
  'I15: the attachments of a private document that is moved %s without its sidecar stay its own',
  async (_, to) => {
    await world.inbox.write('fig.csv', 'jane,100');
    await world.inbox.write('a.txt.meta.json', '{"attachments": ["fig.csv"], "shareInfo": {"mode": "NONE"}}');
    await mkdir(at('sub'));
    await world.sync();
    await rename(at('a.txt'), at(to));
    await world.sync();
    await world.restart();
    await world.sync();
    expect([[...world.docIds().keys()], modes()]).toEqual([[to], ['NONE']]);
    await rename(at('a.txt.meta.json'), at(`${to}.meta.json`));
    if (to.startsWith('sub')) await rename(at('fig.csv'), at('sub/fig.csv'));
    await world.sync();
    expect([failures(), [...world.docIds().keys()], modes()]).toEqual([[], [to], ['NONE']]);
  },
);

it('I15: a private document that is moved without its sidecar before it is sent waits for it', async () => {
  world.engine().setPaused(['inbox']);
  await world.inbox.write('from/b.txt', 'two');
  await world.inbox.write('from/b.txt.meta.json', secret);
  await mkdir(at('to'));
  await world.rescan();
  await rename(at('from/b.txt'), at('to/c.txt'));
  await world.rescan();
  world.engine().setPaused([]);
  await world.sync();
  expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE']]);
  await rename(at('from/b.txt.meta.json'), at('to/c.txt.meta.json'));
  await world.sync();
  expect([failures(), modes()]).toEqual([[], ['NONE', 'NONE']]);
});

it('I15: a private document stays private when the directory in which it left its sidecar is renamed', async () => {
  await world.inbox.write('from/b.txt', 'two');
  await world.inbox.write('from/b.txt.meta.json', secret);
  await mkdir(at('to'));
  await world.sync();
  await rename(at('from/b.txt'), at('to/c.txt'));
  await world.sync();
  await rename(at('from'), at('deep'));
  await world.sync();
  expect([failures(), modes()]).toEqual([['sidecar-left-behind'], ['NONE', 'NONE']]);
  await rm(at('deep/b.txt.meta.json'));
  await world.sync();
  expect([failures(), modes()]).toEqual([[], ['NONE', 'EVERYONE']]);
});

it('I15: a private document waits for no full scan when the sidecar that it left behind is removed', async () => {
  await world.close();
  world = await syncedFolder({
    settings: { watch: 'native', metadata: { shareInfo: { mode: 'EVERYONE' } } },
  });
  await mkdir(at('from'));
  await mkdir(at('to'));
  await world.inbox.write('from/a.txt.meta.json', secret);
  await world.inbox.write('from/a.txt', 'one');
  await world.until(() => modes().length === 1);
  await rename(at('from/a.txt'), at('to/a.txt'));
  await world.until(() => failures().length === 1);
  await rm(at('from/a.txt.meta.json'));
  const since = world.clock.monotonic();
  await world.until(() => failures().length === 0);
  expect(world.clock.monotonic() - since).toBeLessThan(60_000);
  await world.until(() => modes()[0] === 'EVERYONE');
}, 60_000);

it('I15: a private document that was renamed without its sidecar, and that the service lost, is private again', async () => {
  await world.close();
  world = await syncedFolder({
    settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } },
    service: { onMissing: 'upload' },
  });
  await world.inbox.write('a.txt', 'one');
  await world.inbox.write('a.txt.meta.json', secret);
  await world.sync();
  await rename(at('a.txt'), at('b.txt'));
  await world.sync();
  world.service.failNext({ kind: 'missing', status: 404, message: 'unknown', isOwnWord: true });
  await writeFile(at('b.txt'), 'two, and longer');
  await world.sync();
  // The one that it says it lost, and the one in its place.
  const both = (mode: string) => [['NONE', mode], 'two, and longer'];
  const held = () => [modes(), world.held()['b.txt']];
  expect([failures(), held()]).toEqual([['sidecar-left-behind'], both('NONE')]);
  await world.restart();
  await world.sync();
  expect([failures(), held()]).toEqual([['sidecar-left-behind'], both('NONE')]);
  await rm(at('a.txt.meta.json'));
  await world.sync();
  expect([failures(), held()]).toEqual([[], both('EVERYONE')]);
});
