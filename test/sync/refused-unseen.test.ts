import { afterEach, expect, it } from '@jest/globals';

import type { FolderListener, FolderPort } from '../../src/model/ports/folder-port.ts';
import { engineWorld } from '../support/worlds/engine-world.ts';
import type { EngineWorld } from '../support/worlds/engine-world.ts';
import { simulatedFolder } from '../support/worlds/simulated-folder.ts';
import type { SimulatedFolder } from '../support/worlds/simulated-folder.ts';

let world: EngineWorld;
let folder: SimulatedFolder | null = null;
let isListable = true;

afterEach(() => world.close());

/** A folder of which some directory may be entered and not listed: what one names there can be looked at. */
function unlistable(port: SimulatedFolder): FolderPort {
  return {
    ...port,
    start: (listener: FolderListener) =>
      port.start({
        ...listener,
        directory: (scan) => listener.directory(isListable ? scan : { ...scan, entries: [] }),
      }),
  };
}

it('what was refused is not sent again with each start because its directory cannot be listed any more', async () => {
  let inode = 10;
  world = await engineWorld({
    port: (clock) => {
      folder ??= simulatedFolder({ name: 'inbox', clock, settleMs: 2_000, nextInode: () => (inode += 1) });
      return unlistable(folder);
    },
  });
  world.service.failNext({ kind: 'rejected', code: 'http-422', message: 'no' });
  folder?.write('a.txt', 'refused');
  folder?.scan();
  await world.quiesce();
  isListable = false;
  await world.restart();
  await world.quiesce();
  expect(world.service.calls).toEqual(['upload']);
  expect(world.engine().tasks.counts('inbox').failed).toBe(1);
  await world.engine().retry(null);
  await world.quiesce();
  expect(world.service.calls).toEqual(['upload', 'upload']);
});

it('what could not be read for want of rights is looked at again with each scan (7.37)', async () => {
  let isBarred = true;
  const barred = { kind: 'unknown', code: 'unreadable', message: 'permission denied' } as const;
  let rescan = () => {};
  world = await engineWorld({
    port: (clock) => {
      const port = simulatedFolder({ name: 'inbox', clock, settleMs: 2_000, nextInode: () => 10 });
      port.write('a.txt', 'a');
      rescan = () => port.scan('rescan');
      return { ...port, inspect: async (path) => (isBarred ? barred : port.inspect(path)) };
    },
  });
  await world.clock.advance(60_000);
  expect(world.service.calls).toEqual([]);
  isBarred = false;
  rescan();
  await world.pass(400);
  expect(world.service.calls).toEqual(['upload']);
});

it('what is found while its retry is written down is sent', async () => {
  world = await engineWorld();
  world.service.failNext({ kind: 'rejected', code: 'http-422', message: 'no' });
  world.folder.write('a.txt', 'refused');
  await world.sync();
  await world.restart(() => world.folder.setAway(true));
  const retried = world.engine().retry(null);
  world.folder.setAway(false);
  world.folder.scan('start');
  await retried;
  await world.quiesce();
  expect(world.service.calls).toEqual(['upload', 'upload']);
});
