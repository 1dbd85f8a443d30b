import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

let world: SyncedFolder;

afterEach(() => world.close());

/** What changed is seen, a minute passes, and what follows from that is sent. */
async function afterwards(): Promise<void> {
  await world.sync();
  await world.pass(60_000);
  await world.sync();
}

it('a document that is kept because its file cannot be sent is kept where that is, for what is saved there, and goes with it', async () => {
  // By events: a scan of everything inspects what is kept anyhow.
  world = await syncedFolder({ settings: { watch: 'native' } });
  const at = (path: string) => world.inbox.join(path);
  await mkdir(at('sub'));
  await world.inbox.write('a.txt', 'one');
  await world.until(() => world.docIds().has('a.txt'));
  await world.inbox.write('sub/b.txt.meta.json', 'not valid');
  const kept = 'sub/b.txt';
  await rename(at('a.txt'), at(kept));
  await world.until(() => world.docIds().has(kept));
  await world.inbox.write('sub/.new', 'edited');
  await rename(at('sub/.new'), at(kept));
  await world.pass(60_000);
  expect([...world.docIds().keys()]).toEqual([kept]);
  await rm(at('sub/b.txt'));
  await world.until(() => world.docIds().size === 0);
  expect(world.service.calls).toEqual(['upload', 'delete']);
});

it.each([
  ['is ignored by name', '.ingestignore', 'a.txt\n', ['upload', 'delete']],
  ['is an attachment', 'b.txt.meta.json', '{"attachments": ["a.txt"]}', ['upload', 'upload', 'delete']],
  // What lies in it is not listed.
  ['is in an ignored directory', '.ingestignore', 'sub/\n', ['upload']],
])('one that is kept where its file stands goes with it as well: it %s', async (what, rule, text, calls) => {
  world = await syncedFolder();
  const path = what.includes('directory') ? 'sub/a.txt' : 'a.txt';
  await world.inbox.write(path, 'one');
  if (what.includes('attachment')) await world.inbox.write('b.txt', 'two');
  await world.sync();
  await world.inbox.write(rule, text);
  for (const step of ['kept', 'gone']) {
    if (step === 'gone') await rm(world.inbox.join(path));
    await world.restart();
    await afterwards();
    if (step === 'kept') expect([...world.docIds().keys()]).toContain(path);
  }
  expect(world.service.calls.filter((call) => call !== 'modify')).toEqual(calls);
});

it.each<readonly [string, (at: (path: string) => string) => Promise<unknown>]>([
  ['is ignored', (at) => writeFile(at('.ingestignore'), 'b.txt\n')],
  ['is renamed without it', (at) => rename(at('b.txt'), at('c.txt'))],
  ['is removed', (at) => rm(at('b.txt'))],
])(
  'one whose file is in a directory of attachments is kept when the document of that %s',
  async (_, change) => {
    world = await syncedFolder();
    const at = (path: string) => world.inbox.join(path);
    await world.inbox.write('b.txt', 'two');
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    await mkdir(at('b.txt.attachments'));
    await rename(at('a.txt'), at('b.txt.attachments/a.txt'));
    await world.sync();
    await change(at);
    for (let step = 0; step < 2; step += 1) {
      await world.sync();
      await world.pass(60_000);
      expect([...world.docIds().keys()]).toContain('b.txt.attachments/a.txt');
      await world.restart();
    }
    await rm(at('b.txt.attachments/a.txt'));
    await world.sync();
    expect([...world.docIds().keys()]).not.toContain('b.txt.attachments/a.txt');
  },
);

it.each([
  ['is ignored by name', '.ingestignore', 'a.txt\n'],
  ['is an attachment', 'b.txt.meta.json', '{"attachments": ["a.txt"]}'],
])(
  'one that is kept where its file %s is kept for what is saved there, and for where that goes',
  async (_, rule, text) => {
    world = await syncedFolder();
    const at = (path: string) => world.inbox.join(path);
    await mkdir(at('sub'));
    await world.inbox.write('a.txt', 'one');
    await world.inbox.write('b.txt', 'two');
    await world.sync();
    await world.inbox.write(rule, text);
    await world.sync();
    await world.save('a.txt', 'saved');
    await world.sync();
    await rename(at('a.txt'), at('sub/a.txt'));
    if (rule !== '.ingestignore') await world.inbox.write(rule, '{"attachments": ["sub/a.txt"]}');
    await afterwards();
    expect([...world.docIds().keys()]).toContain('sub/a.txt');
    await rm(at('sub/a.txt'));
    await world.sync();
    expect([...world.docIds().keys()]).not.toContain('sub/a.txt');
  },
);

it.each([
  ['of a name that is ignored', 'ignored.txt', false],
  ['of a name that is ignored, while ingestd does not run', 'ignored.txt', true],
  ['of a hidden name', '.a.txt', false],
  ['of a type that is not sent', 'a.bak', true],
  ['in a directory of attachments that is nobody’s', 'x.attachments/a.txt', false],
  ['in the directory of attachments of another document, whose it is then', 'b.txt.attachments/a.txt', true],
  ['of a name that is refused', 'two.dots.txt', true],
])(
  'one that is moved to a place %s, saved there and moved on keeps its docId, and is shared no more widely (7.25, 7.27)',
  async (_, place, isStopped) => {
    world = await syncedFolder();
    const at = (path: string) => world.inbox.join(path);
    for (const directory of ['x.attachments', 'b.txt.attachments']) await mkdir(at(directory));
    await world.inbox.write('.ingestignore', 'ignored.txt\n');
    await world.inbox.write('.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
    await world.inbox.write('b.txt', 'two');
    await world.inbox.write('a.txt.meta.json', '{"shareInfo": {"mode": "NONE"}}');
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    const docId = world.docIds().get('a.txt');
    await rename(at('a.txt'), at(place));
    await afterwards();
    await world.save(place, 'saved');
    if (isStopped) await world.restart();
    await afterwards();
    await rename(at(place), at('c.txt'));
    await afterwards();
    const isAnothers = place.startsWith('b.txt.attachments/');
    expect(Object.fromEntries(world.docIds())).toEqual({ 'b.txt': expect.anything(), 'c.txt': docId });
    expect(world.service.calls).not.toContain('delete');
    expect(world.service.documents.get(docId ?? '')).toMatchObject({
      content: isAnothers ? 'one' : 'saved',
      metadata: { shareInfo: { mode: 'NONE' } },
    });
  },
);

it.each([false, true])(
  'one in whose place a link to its new place stands keeps its docId, links followed: %s',
  async (followSymlinks) => {
    world = await syncedFolder({ settings: { followSymlinks } });
    await mkdir(world.inbox.join('store'));
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    const docId = world.docIds().get('a.txt');
    await rename(world.inbox.join('a.txt'), world.inbox.join('store/a.txt'));
    await symlink('store/a.txt', world.inbox.join('a.txt'));
    await afterwards();
    expect([[...world.docIds()], world.service.calls]).toEqual([[['store/a.txt', docId]], ['upload']]);
  },
);

it('a document whose file is saved empty, and goes on with content under another name, keeps its docId', async () => {
  world = await syncedFolder();
  await world.inbox.write('a.txt', 'one');
  await world.sync();
  const docId = world.docIds().get('a.txt');
  await world.save('a.txt', '');
  await world.sync();
  await world.move('a.txt', 'b.txt');
  await world.inbox.write('b.txt', 'two');
  await world.sync();
  expect([[...world.docIds()], world.held()]).toEqual([[['b.txt', docId]], { 'b.txt': 'two' }]);
});

it('one whose file has come to the place of an attachment is kept, and nothing waits without a reason', async () => {
  world = await syncedFolder();
  await world.inbox.write('b.txt', 'two');
  await world.inbox.write('t.csv', '1,2');
  await world.inbox.write('b.txt.meta.json', '{"attachments": ["t.csv"]}');
  await world.inbox.write('sub/a.txt', 'one');
  await world.sync();
  world.service.forget();
  await rm(world.inbox.join('b.txt.meta.json'));
  await rename(world.inbox.join('sub/a.txt'), world.inbox.join('t.csv'));
  await world.sync();
  await world.pass(60_000);
  const states = ['dormant', 'waiting', 'grace'] as const;
  expect(states.map((state) => [...world.engine().tasks.in(state)].map(({ ref }) => ref.path))).toEqual([
    ['t.csv'],
    [],
    [],
  ]);
  // It is not sent as the attachment.
  expect([world.service.calls, world.port().health().attached]).toEqual([[], 1]);
});

it.each([
  ['stays there', null, 'caf\u00e9/a.txt'],
  ['moves on', 'other/a.txt', 'other/a.txt'],
])(
  'one that moves into the twin of its directory is kept, the twin has failed, and nothing waits; then it %s',
  async (_, moved, path) => {
    world = await syncedFolder();
    const at = (place: string) => world.inbox.join(place);
    for (const directory of ['caf\u00e9', 'cafe\u0301', 'other']) await mkdir(at(directory));
    await world.inbox.write('caf\u00e9/a.txt', 'one');
    await world.sync();
    const docIds = [...world.docIds().values()];
    await rename(at('caf\u00e9/a.txt'), at('cafe\u0301/a.txt'));
    await world.sync();
    await world.pass(60_000);
    const { kept, failed, waiting } = world.engine().tasks.counts('inbox');
    expect({ kept, failed, waiting }).toEqual({ kept: 1, failed: 1, waiting: 0 });
    if (moved !== null) await rename(at('cafe\u0301/a.txt'), at(moved));
    await world.sync();
    await world.pass(60_000);
    expect([...world.docIds()]).toEqual([[path, docIds[0]]]);
    expect(world.service.calls).toEqual(['upload']);
  },
);
