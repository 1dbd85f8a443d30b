import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() =>
  installationWithService({
    more: { timing: { settleMs: 100, removeGraceMs: 300 } },
  }),
);

const at = (...path: string[]) => join(place.inbox, ...path);

it('a file that is moved to where it cannot be sent keeps its document, and its docId once that is fixed', async () => {
  for (const name of ['named.txt', 'below.txt', 'gone.txt']) await writeFile(at(name), name);
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 3);
  await mkdir(at('sub'));
  await writeFile(at('sub', '.meta.json'), '{ "title": ');
  await rename(at('named.txt'), at('na.med.txt'));
  await rename(at('below.txt'), at('sub', 'below.txt'));
  await rename(at('gone.txt'), at('go.ne.txt'));
  const { folders, queue } = await daemon.idle(
    (status) => status.failuresTotal === 3 && status.folders[0]?.kept === 3,
  );
  // Each of the three files counts once.
  expect(folders).toMatchObject([{ onDisk: 3, synced: 0, waiting: 0, failed: 3 }]);
  expect(queue.waiting).toBe(0);
  expect((await place.run('why', at('named.txt'))).out).toContain('inbox/na.med.txt');

  await rm(at('go.ne.txt'));
  await daemon.idle(({ totals }) => totals.deleted === 1);
  await rename(at('na.med.txt'), at('renamed.txt'));
  await writeFile(at('sub', '.meta.json'), '{}');
  const after = await daemon.idle(({ totals, queue }) => totals.moved === 2 && queue.waiting === 0);
  expect(after.totals).toMatchObject({ uploaded: 3, deleted: 1 });
}, 60_000);
