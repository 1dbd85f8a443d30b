import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../support/eventually.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

/** One document, delivered from a folder whose path is a link to the inbox. */
async function deliveredByLink() {
  place = await installationWithService({ more: { folders: [{ name: 'inbox', path: './linked' }] } });
  const linked = place.home.join('linked');
  await symlink('inbox', linked);
  await writeFile(join(place.inbox, 'a.txt'), 'one');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  return { linked, daemon };
}

describe('a folder whose path is a symbolic link', () => {
  it.each(['auto', 'native', 'polling'])('is watched as any other, watch: %s', async (watch) => {
    place = await installationWithService({
      more: {
        folders: [{ name: 'inbox', path: './linked', watch }],
        timing: { settleMs: 150, removeGraceMs: 400, pollSeconds: 1 },
      },
    });
    await symlink('inbox', place.home.join('linked'));
    await mkdir(join(place.inbox, 'd'));
    await writeFile(join(place.inbox, 'a.txt'), 'one');
    await writeFile(join(place.inbox, 'd', 'b.txt'), 'two');
    await writeFile(join(place.inbox, 'a.txt.meta.json'), '{"attachments":["x.csv"]}');
    await writeFile(join(place.inbox, 'x.csv'), '1,2');
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 2);

    await writeFile(join(place.inbox, 'a.txt'), 'edited');
    await writeFile(join(place.inbox, 'new.txt'), 'new');
    await rename(join(place.inbox, 'd', 'b.txt'), join(place.inbox, 'b.txt'));
    await daemon.idle(({ totals }) => totals.uploaded === 3 && totals.modified >= 1 && totals.moved === 1);
    await rm(join(place.inbox, 'new.txt'));
    await daemon.idle(({ totals }) => totals.deleted === 1);
    expect((await place.run('check')).out).toContain('No problems found');
  });

  it('is available again when the link is back, though a change is seen before that is looked at', async () => {
    const { linked, daemon } = await deliveredByLink();
    await rm(linked);
    await eventually(async () => (await daemon.status()).folders[0]?.state === 'unavailable');
    await symlink('inbox', linked);
    await writeFile(join(place.inbox, 'b.txt'), 'two');
    await daemon.idle(({ totals, folders }) => totals.uploaded === 2 && folders[0]?.state === 'watching');
  });

  it('F33: holds deletions when the link leads to another directory', async () => {
    const { linked, daemon } = await deliveredByLink();
    await mkdir(place.home.join('other'));
    await symlink('other', place.home.join('new-link'));
    await rename(place.home.join('new-link'), linked);
    await daemon.idle(({ folders }) => folders[0]?.held === 1);
    expect((await place.run('check')).out).toMatch(
      /inbox: 1 deletion held since 20.*not the same directory.*\n {2}.*ingestd approve/,
    );
    await symlink('inbox', place.home.join('new-link'));
    await rename(place.home.join('new-link'), linked);
    await daemon.idle(({ folders }) => folders[0]?.held === 0 && folders[0].synced === 1);
    expect(place.service.requests.map(({ method }) => method)).toEqual(['POST']);
  });
});
