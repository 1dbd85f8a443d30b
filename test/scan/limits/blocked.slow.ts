import { mkdirSync, writeFileSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { folderProcess } from '../support/folder-process.ts';

it.each(['chokidar', 'native'] as const)(
  'F42: 20,000 files that come while the main thread is blocked for five seconds are all found at once (%s)',
  async (watcher) => {
    const folder = await folderProcess({ watcher });
    const blocked = folder.blocked();
    const unblocked = folder.ask('block', { ms: 5_000 });
    await blocked;
    for (let directory = 0; directory < 20; directory += 1) {
      mkdirSync(folder.join(`d${directory}`));
      for (let at = 0; at < 1_000; at += 1) writeFileSync(folder.join(`d${directory}`, `${at}.txt`), 'x');
    }
    await unblocked;
    await eventually(async () => (await folder.ask('count')) === 20_000, { withinMs: 60_000 });
    expect(await folder.ask('causes')).not.toContain('rescan');
    await folder.close();
  },
  120_000,
);
