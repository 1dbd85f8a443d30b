import { rename } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { FolderListener } from '../../src/model/ports/folder-port.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { openFolder } from '../../src/scan/folder.ts';
import type { Folder } from '../../src/scan/folder.ts';
import { folderSettingsOf, timingSettingsOf } from '../support/fixtures/default-settings.ts';
import { eventually } from '../support/eventually.ts';
import { recordedLog } from '../support/recorded-log.ts';
import type { RecordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { scannedPaths } from './support/folder-world.ts';

describe('a folder that is scanned before anybody listens', () => {
  let home: TemporaryFolder;
  let folder: Folder;
  let log: RecordedLog;
  const calls: string[] = [];
  const listener: FolderListener = {
    directory: (scan) => {
      calls.push(`${scan.directory}: ${scannedPaths(scan).join()}`);
    },
    scanned: () => calls.push('scanned'),
    changed: () => {},
  };

  beforeEach(async () => {
    calls.length = 0;
    log = recordedLog();
    home = await temporaryFolder();
    const timing = timingSettingsOf({ settleMs: 10, removeGraceMs: 10, rescanMinutes: 60, pollSeconds: 60 });
    folder = openFolder(folderSettingsOf(home.join('inbox'), { watch: 'native' }), {
      settings: { timing, service: { maxFileMegabytes: 1 }, state: { dir: home.join('state') } },
      clock: systemClock,
      log,
      watcher: 'native',
    });
  });
  afterEach(async () => {
    await folder.close();
    await home.remove();
  });

  it('tells the one who comes later of everything, once', async () => {
    await home.write('inbox/a.pdf', 'a');
    await home.write('inbox/d/b.pdf', 'b');
    folder.prepare();
    await folder.rootNow();
    expect([calls, folder.health().state]).toEqual([[], 'scanning']);
    await folder.start(listener);
    expect(calls).toEqual([': a.pdf', 'd: d/b.pdf', 'scanned']);
    expect(folder.health().state).toBe('watching');
  });

  it('tells what changed meanwhile as well', async () => {
    await home.write('inbox/a.pdf', 'a');
    folder.prepare();
    // When this is answered the scan has begun.
    await eventually(async () => (await folder.inspect('a.pdf')).kind === 'document');
    await home.write('inbox/late.pdf', 'late');
    await folder.start(listener);
    await eventually(() => calls.some((call) => call.includes('late.pdf')));
  });

  it('tells of a change only where it is', async () => {
    await home.write('inbox/a.pdf', 'a');
    await home.write('inbox/d/b.pdf', 'b');
    await folder.start(listener);
    await eventually(() => !folder.health().busy);
    calls.length = 0;
    await home.write('c.pdf', 'c');
    // Written in its place it could be listed while it is still empty: then there are two changes.
    await rename(home.join('c.pdf'), home.join('inbox/d/c.pdf'));
    await eventually(() => calls.length > 0 && !folder.health().busy);
    expect(new Set(calls)).toEqual(new Set(['d: d/b.pdf,d/c.pdf']));
  });

  it('ends without ever having been listened to', async () => {
    await home.write('inbox/a.pdf', 'a');
    folder.prepare();
    await folder.rootNow();
    await folder.close();
    expect(calls).toEqual([]);
  });
});
