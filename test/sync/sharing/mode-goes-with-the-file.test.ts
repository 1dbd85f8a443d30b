import { renameSync, writeFileSync } from 'node:fs';
import { copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import { ofEachTest } from '../../support/of-each-test.ts';

const modeText = (mode: string) => `{"shareInfo": {"mode": "${mode}"}}`;
const secret = modeText('NONE');
const world = ofEachTest(() => syncedFolder({ settings: { metadata: { shareInfo: { mode: 'EVERYONE' } } } }));

beforeEach(async () => {
  await world.inbox.write('a.txt', 'old');
  await world.inbox.write('a.txt.meta.json', secret);
  await mkdir(at('sub'));
  await world.sync();
  expect(shared()).toEqual({ old: 'NONE' });
});

const at = (name: string) => world.inbox.join(name);
/** Content → sharing mode at the service. */
const shared = () =>
  Object.fromEntries(
    [...world.service.documents.values()].map(({ content, metadata }) => [content, metadata.shareInfo?.mode]),
  );
const failed = () => [...world.engine().tasks.in('failed')].map(({ key }) => key);

/** As a program that keeps a backup, or a rotation, does. */
async function rotate(to: string, content: string): Promise<void> {
  await rename(at('a.txt'), at(to));
  await writeFile(at('a.txt'), content);
}

/** Each request goes out, and the process dies before the next one. */
async function killAfterEach(requests: number): Promise<void> {
  for (let count = world.service.calls.length; requests > 0; requests -= 1, count += 1) {
    await world.rescan();
    await world.until(() => world.service.calls.length > count);
    await world.restart();
  }
  await world.sync();
}

describe.each([
  ['in its directory', 'a-old.txt'],
  ['in another directory', 'sub/a.txt'],
  ['in place of another document', 'b.txt'],
])('A1: the old version of a private document that is put aside %s', (_, to) => {
  beforeEach(async () => {
    await world.inbox.write('b.txt', 'open');
    await world.sync();
    expect(shared()).toEqual({ old: 'NONE', open: 'EVERYONE' });
  });

  const rest = to === 'b.txt' ? {} : { open: 'EVERYONE' };

  it.each<readonly [string, () => Promise<unknown>]>([
    ['at once', () => rotate(to, 'new')],
    [
      'when it was put aside while nobody looked',
      () =>
        world.restart(() => {
          renameSync(at('a.txt'), at(to));
          writeFileSync(at('a.txt'), 'new');
        }),
    ],
    [
      'when the process dies after each request',
      async () => {
        await rotate(to, 'new');
        await killAfterEach(2);
      },
    ],
  ])('stays private %s', async (_when, putAside) => {
    await putAside();
    await world.sync();
    expect([shared(), failed()]).toEqual([{ ...rest, old: 'NONE', new: 'NONE' }, []]);
  });

  it('is shared when a sidecar of its own comes that states so', async () => {
    await rotate(to, 'new');
    await world.sync();
    await writeFile(at(`${to}.meta.json`), '{"title": "a title"}');
    await world.sync();
    expect(shared()).toEqual({ ...rest, old: 'NONE', new: 'NONE' });
    await writeFile(at(`${to}.meta.json`), modeText('DEFAULT'));
    await world.sync();
    expect(shared()).toEqual({ ...rest, old: 'DEFAULT', new: 'NONE' });
  });
});

describe.each<readonly [string, () => Promise<unknown>]>([
  ['while the process runs', () => world.rescan()],
  ['over a restart', () => world.restart(() => renameSync(at('c.txt'), at('d.txt')))],
])(
  'A1: what is saved before it could be sent is as private as what it was saved in place of, %s',
  (_, then) => {
    async function save(to: string): Promise<void> {
      await world.rescan();
      await world.clock.advance(3_000);
      await world.save(to, 'edited');
      await world.rescan();
      await world.clock.advance(3_000);
    }

    it('a version that was put aside while all is paused', async () => {
      world.engine().setPaused(['inbox']);
      await rotate('c.txt', 'new');
      await save('c.txt');
      await then();
      world.engine().setPaused([]);
      await world.sync();
      expect(shared()).toEqual({ new: 'NONE', edited: 'NONE' });
    });
  },
);

it('A1: a hard link of a private document is private, and its copy another file', async () => {
  await link(at('a.txt'), at('link.txt'));
  await copyFile(at('a.txt'), at('copy.txt'));
  await writeFile(at('copy.txt'), 'copy');
  await world.sync();
  const modes = [...world.service.documents.values()].map(
    ({ content, metadata }) => `${content} ${metadata.shareInfo?.mode}`,
  );
  expect([modes.sort(), failed()]).toEqual([['copy EVERYONE', 'old NONE', 'old NONE'], []]);
});

describe('A1: attachments of a private document', () => {
  beforeEach(async () => {
    await world.inbox.write('x.csv', 'jane,100');
    await world.inbox.write('a.txt.attachments/y.csv', 'joe,200');
    await world.inbox.write('a.txt.meta.json', '{"attachments": ["x.csv"], "shareInfo": {"mode": "NONE"}}');
    await world.sync();
    expect([...world.service.documents.values()].map(({ attachments }) => attachments.length)).toEqual([2]);
  });

  it('that are no longer listed are private, until a sidecar of their own says something else', async () => {
    await world.inbox.write('a.txt.meta.json', secret);
    await world.sync();
    expect(shared()).toEqual({ old: 'NONE', 'jane,100': 'NONE' });
    await world.inbox.write('x.csv.meta.json', modeText('EVERYONE'));
    await world.sync();
    expect(shared()).toEqual({ old: 'NONE', 'jane,100': 'EVERYONE' });
  });
});

describe('an upload in doubt is sent again as private as it was sent first, over a restart', () => {
  it.each([
    ['in its place', () => Promise.resolve()],
    ['when its file was renamed', () => rename(at('b.txt'), at('c.txt'))],
  ])('%s', async (_, happens) => {
    const answer = world.service.holdNext();
    await writeFile(at('b.txt.meta.json'), secret);
    await writeFile(at('b.txt'), 'doubtful');
    await world.rescan();
    await world.until(() => world.service.calls.length === 2);
    await rm(at('b.txt.meta.json'));
    await happens();
    await world.restart();
    answer();
    await world.sync();
    const copies = [...world.service.documents.values()].filter(({ content }) => content === 'doubtful');
    expect(copies.map(({ metadata }) => metadata.shareInfo?.mode)).toEqual(['NONE', 'NONE']);
  });
});
