import { mkdir, rename } from 'node:fs/promises';

import { beforeEach, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import type { Status } from '../../src/model/report/status.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder());

beforeEach(async () => {
  for (const path of ['data/inbox/a', 'data/inbox/b']) await mkdir(folder.join(path), { recursive: true });
});

async function configure(
  folders: readonly { readonly name: string; readonly path: string }[],
): Promise<void> {
  const configuration = {
    service: { mode: 'embedded' },
    folders,
    state: { dir: './state' },
    http: { port: false },
    timing: { settleMs: 150 },
  };
  await folder.write('ingestd.yaml', stringify(configuration));
}

async function docIds(): Promise<readonly string[]> {
  const { stdout } = await folder.run('ledger', 'export', '--json');
  const { documents } = JSON.parse(stdout) as { documents: { docId: string }[] };
  return documents.map(({ docId }) => docId).toSorted();
}

const inboxAt = (path: string) => [{ name: 'inbox', path }];

it.each([
  { change: 'renamed', folders: [{ name: 'renamed', path: './data/inbox' }] },
  { change: 'split', folders: ['a', 'b'].map((name) => ({ name, path: `./data/inbox/${name}` })) },
  { change: 'narrowed', folders: inboxAt('./data/inbox/a'), outside: 1 },
  { change: 'widened', folders: inboxAt('./data') },
  { change: 'moved', folders: inboxAt('./data/moved') },
])('I4: without a daemon, too, no request follows from a folder that was $change', async (world) => {
  await configure(inboxAt('./data/inbox'));
  for (const path of ['a/1.txt', 'a/2.txt', 'b/1.txt']) await folder.write(`data/inbox/${path}`, path);
  expect(await folder.run('sync')).toMatchObject({ code: 0 });
  const before = await docIds();
  expect(before).toHaveLength(3);
  if (world.change === 'moved') await rename(folder.join('data/inbox'), folder.join('data/moved'));
  await configure(world.folders);
  const plan = JSON.parse((await folder.run('plan', '--json')).stdout) as { operations: { kind: string }[] };
  expect(plan.operations.filter(({ kind }) => kind !== 'move')).toEqual([]);
  const status = JSON.parse((await folder.run('status', '--json')).stdout) as Status;
  const { outside = 0 } = world;
  expect(status.folders.reduce((sum, { synced }) => sum + synced, 0)).toBe(3 - outside);
  expect((status.unconfigured ?? []).reduce((sum, one) => sum + one.documents, 0)).toBe(outside);
  expect(await folder.run('sync')).toMatchObject({ code: 0 });
  expect(await docIds()).toEqual(before);
});
