import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

it('a pattern that ignores *.json leaves sidecars in force', async () => {
  const folder = { name: 'inbox', path: './inbox', metadata: { shareInfo: { mode: 'EVERYONE' } } };
  place = await installationWithService({ more: { folders: [folder] } });
  const write = (name: string, text: string) => writeFile(join(place.inbox, name), text);
  const isPrivate = '{"shareInfo":{"mode":"NONE"}}';
  await write('a.txt.meta.json', isPrivate);
  await write('a.txt', 'one');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  await write('.ingestignore', '*.json\n');
  await write('b.txt.meta.json', isPrivate);
  await write('b.txt', 'two');
  await write('c.json', '{}');
  await daemon.idle(({ totals }) => totals.uploaded === 2);
  expect(place.service.requests).toHaveLength(2);
  for (const request of place.service.requests) expect(request.text()).toContain('"mode":"NONE"');
}, 60_000);
