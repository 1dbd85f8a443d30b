import { mkdir, rename, rm } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

let world: SyncedFolder;

afterEach(() => world.close());

it('a document that is kept because its file cannot be sent is kept for what is saved there, and goes with it', async () => {
  // By events: a scan of everything inspects what is kept anyhow.
  world = await syncedFolder({ settings: { watch: 'native' } });
  const at = (path: string) => world.inbox.join(path);
  await mkdir(at('sub'));
  await world.inbox.write('a.txt', 'one');
  await world.until(() => world.docIds().has('a.txt'));
  const dormant = () => world.engine().tasks.in('dormant').size;
  await rename(at('a.txt'), at('sub/two.dots.txt'));
  await world.until(() => dormant() === 1);
  await world.inbox.write('sub/.new', 'edited');
  await rename(at('sub/.new'), at('sub/two.dots.txt'));
  const since = world.clock.monotonic();
  await world.until(() => dormant() === 0);
  expect(world.clock.monotonic() - since).toBeLessThan(60_000);
  await rm(at('sub/two.dots.txt'));
  await world.until(() => world.docIds().size === 0);
  expect(world.service.calls).toEqual(['upload', 'delete']);
}, 60_000);
