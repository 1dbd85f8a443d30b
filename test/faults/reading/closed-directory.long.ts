import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from '@jest/globals';

import { nobody } from '../../support/processes/as-user.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';

/** Root may list what is closed to everybody: as root, the program runs as somebody else. */
const isRoot = process.getuid?.() === 0;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

let place: InstallationWithService;

afterEach(() => place.remove());

describe('a directory that could not be listed', () => {
  it.each(['at the start', 'for a while'])('is watched when it can be: %s', async (when) => {
    place = await installationWithService({
      through: isRoot ? asNobody : [],
      more: { timing: { settleMs: 150, removeGraceMs: 400, pollSeconds: 1, rescanMinutes: 60 } },
    });
    const directory = join(place.inbox, 'd');
    await mkdir(directory);
    await writeFile(join(directory, 'a.txt'), 'one');
    if (isRoot) await chownAll(place.home.path);
    if (when === 'at the start') await chmod(directory, 0);
    const daemon = await place.start();
    if (when === 'for a while') {
      await daemon.idle(({ totals }) => totals.uploaded === 1);
      await chmod(directory, 0);
    }
    await daemon.idle(({ reasons }) => reasons.length === 1);
    await chmod(directory, 0o755);
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    // By an event: nothing polls a directory that can be listed, and the rescan is an hour away.
    await writeFile(join(directory, 'b.txt'), 'two');
    await daemon.idle(({ totals, folders }) => totals.uploaded === 2 && folders[0]?.missedByWatcher === 0);
  });
});

async function chownAll(path: string): Promise<void> {
  await chown(path, nobody, nobody);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await chown(join(entry.parentPath, entry.name), nobody, nobody);
}
