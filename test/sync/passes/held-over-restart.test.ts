import { rm } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

let world: SyncedFolder;

afterEach(() => world.close());

it('deletions that were held before a restart are held as soon as everything was scanned', async () => {
  world = await syncedFolder();
  const paths = Array.from({ length: 12 }, (_, index) => `${index}.txt`);
  for (const path of paths) await world.inbox.write(path, path);
  await world.sync();
  for (const path of paths) await rm(world.inbox.join(path));
  await world.sync();
  expect(world.engine().holds.tasks('inbox')).toHaveLength(paths.length);
  await world.restart();
  await world.rescan('start');
  // Sooner than their grace period is over again.
  await world.pass(500);
  expect(world.engine().holds.tasks('inbox')).toHaveLength(paths.length);
});
