import { afterEach, expect, it } from '@jest/globals';

import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

let world: SyncedFolder;

afterEach(() => world.close());

it.each(['two', 'two, and longer'])(
  'a document that is saved by renaming a new file over it, and renamed before that is sent, keeps its docId: %s',
  async (text) => {
    world = await syncedFolder();
    await world.inbox.write('a.txt', 'one');
    await world.sync();
    const before = world.docIds().get('a.txt');
    world.engine().setPaused(['inbox']);
    await world.save('a.txt', text);
    await world.rescan();
    await world.until(() => world.engine().tasks.in('ready').size === 1);
    await world.move('a.txt', 'b.txt');
    await world.rescan();
    await world.until(
      () => world.engine().tasks.get({ folder: 'inbox', path: 'b.txt' })?.state.kind === 'ready',
    );
    world.engine().setPaused([]);
    await world.sync();
    expect([...world.docIds()]).toEqual([['b.txt', before]]);
    expect(world.held()).toEqual({ 'b.txt': text });
    expect(world.service.calls).toEqual(['upload', 'modify']);
  },
);
