import { rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { engineTiming } from '../../support/worlds/engine-world.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

let world: SyncedFolder;

beforeEach(async () => {
  world = await syncedFolder();
  await world.inbox.write('f.txt', 'document');
  await world.inbox.write('f.txt.meta.json', '{"attachments": ["figure.csv"]}');
  await world.inbox.write('figure.csv', '1,2,3');
  await world.sync();
  expect([...world.docIds().keys()]).toEqual(['f.txt']);
});

afterEach(() => world.close());

const move = (from: string, to: string) => rename(world.inbox.join(from), world.inbox.join(to));

it.each<readonly [string, () => Promise<void>, string]>([
  [
    'is renamed to a type that is not sent',
    async () => {
      await move('f.txt', 'f.txt.bak');
      await rm(world.inbox.join('f.txt.meta.json'));
    },
    'figure.csv',
  ],
  [
    'changes places with it',
    async () => {
      await move('f.txt', 'part.csv');
      await move('figure.csv', 'g.txt');
      await world.inbox.write('g.txt.meta.json', '{"attachments": ["part.csv"]}');
      await rm(world.inbox.join('f.txt.meta.json'));
    },
    'g.txt',
  ],
])(
  'I18: what was an attachment of a document that %s and stays kept is sent when a sidecar says so',
  async (_, steps, sent) => {
    await steps();
    await world.sync();
    await world.pass(3 * engineTiming.removeGraceMs);
    await world.sync();
    expect(world.held()).not.toHaveProperty([sent]);
    await world.inbox.write('f.txt.meta.json', '{}');
    await world.sync();
    await world.pass(30_000);
    await world.sync();
    expect(world.held()).toHaveProperty([sent], '1,2,3');
    // What it was sent with before is kept: its file is there.
    expect([...world.engine().tasks.in('dormant')].map(({ ref }) => ref.path)).toEqual(['f.txt']);
    await world.restart();
    await world.sync();
    expect([...world.docIds().keys()].sort()).toEqual(['f.txt', sent]);
  },
);
