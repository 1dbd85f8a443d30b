import { chmod, chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventuallyHolds } from '../../support/eventually.ts';
import { nobody } from '../../support/processes/as-user.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';

/** Root may list what is closed to everybody: as root, the program runs as somebody else. */
const isRoot = process.getuid?.() === 0;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

let place: InstallationWithService;

afterEach(() => place.remove());

describe('a directory that could not be listed', () => {
  it('I2: holds a deletion until it can be, over restarts and while the root cannot be read, and no longer', async () => {
    const directory = await install('a.txt', 'b.txt', 'd/c.txt');
    const first = await place.start();
    await first.idle(({ totals }) => totals.uploaded === 3);
    await chmod(directory, 0);
    await rm(join(place.inbox, 'a.txt'));
    const reason = expect.stringContaining('inbox/d, where something cannot be read');
    await first.settled(({ held }) => expect(held).toMatchObject([{ count: 1, reason }]));
    await first.end('SIGKILL');
    await chmod(place.inbox, 0);
    const second = await place.start();
    await eventuallyHolds(async () =>
      expect(await second.status()).toMatchObject({
        held: [{ count: 1 }],
        folders: [{ state: 'unavailable', held: 1 }],
      }),
    );
    await chmod(place.inbox, 0o755);
    await second.idle((status) => status.held[0]?.count === 1 && status.folders[0]?.state === 'watching');
    await chmod(directory, 0o755);
    await second.idle(({ totals, held }) => totals.deleted === 1 && held.length === 0);
  });

  it('holds it no longer when that directory is gone, with what was in it', async () => {
    const directory = await install('a.txt', 'b.txt', 'd/c.txt');
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 3);
    await chmod(directory, 0);
    await rm(join(place.inbox, 'a.txt'));
    await daemon.idle((status) => status.held[0]?.count === 1);
    if (!isRoot) await chmod(directory, 0o700);
    await rm(directory, { recursive: true });
    await daemon.idle(({ totals, held }) => totals.deleted === 2 && held.length === 0);
  });

  it('keeps holding it while a new rule leaves that directory out', async () => {
    const directory = await install('a.txt', 'b.txt', 'd/c.txt');
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 3);
    // What may be moved into it cannot be seen there.
    await chmod(directory, isRoot ? 0 : 0o300);
    await rename(join(place.inbox, 'a.txt'), join(directory, 'a.txt'));
    await daemon.idle((status) => status.held[0]?.count === 1);
    await writeFile(join(place.inbox, '.ingestignore'), 'd/\n');
    await daemon.idle(({ folders }) => folders[0]?.kept === 1);
    await place.run('rescan');
    expect((await daemon.idle()).held[0]?.count).toBe(1);
    await daemon.end('SIGTERM');
    expect((await place.run('sync')).code).toBe(4);
    await rm(join(place.inbox, '.ingestignore'));
    await chmod(directory, 0o755);
    expect((await place.run('sync')).code).toBe(0);
    expect(place.service.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });

  it.each(['at the start', 'for a while'])('is watched when it can be: %s', async (when) => {
    const directory = await install('d/a.txt');
    if (when === 'at the start') await chmod(directory, 0);
    const daemon = await place.start();
    if (when === 'for a while') {
      await daemon.idle(({ totals }) => totals.uploaded === 1);
      await chmod(directory, 0);
    }
    await daemon.idle(({ reasons }) => reasons.length === 1);
    await chmod(directory, 0o755);
    await daemon.idle(({ totals, reasons }) => totals.uploaded === 1 && reasons.length === 0);
    // By an event: nothing polls a directory that can be listed, and the rescan is an hour away.
    await writeFile(join(directory, 'b.txt'), 'two');
    await daemon.idle(({ totals, folders }) => totals.uploaded === 2 && folders[0]?.missedByWatcher === 0);
  });
});

it('check and status say the same of a closed state directory while the daemon can write what it has open', async () => {
  await install('a.txt');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  await chmod(place.home.join('state'), 0o500);
  expect((await place.run('status', '--check')).code).toBe(0);
  const out = expect.stringMatching(/cannot be written \(EACCES\)/);
  expect(await place.run('check')).toMatchObject({ code: 0, out });
  await chmod(place.home.join('state'), 0o700);
});

/** With these files in its folder. Gives the directory `d` of it. */
async function install(...files: readonly string[]): Promise<string> {
  place = await installationWithService({
    through: isRoot ? asNobody : [],
    more: { timing: { settleMs: 150, removeGraceMs: 400, pollSeconds: 1, rescanMinutes: 60 } },
  });
  const directory = join(place.inbox, 'd');
  await mkdir(directory);
  for (const path of files) await writeFile(join(place.inbox, path), path);
  if (isRoot) await chownAll(place.home.path);
  return directory;
}

async function chownAll(path: string): Promise<void> {
  await chown(path, nobody, nobody);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await chown(join(entry.parentPath, entry.name), nobody, nobody);
}
