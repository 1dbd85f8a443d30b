import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

const isPrivate = '{"shareInfo":{"mode":"NONE"}}';
const everyone = { name: 'inbox', path: './inbox', metadata: { shareInfo: { mode: 'EVERYONE' } } };

it('a pattern that ignores *.json leaves sidecars in force', async () => {
  place = await installationWithService({ more: { folders: [everyone] } });
  const write = (name: string, text: string) => writeFile(join(place.inbox, name), text);
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

describe('I17: documents, their attachments and their sidecars come one by one, for longer than a file settles', () => {
  const settleMs = 1_000;
  const everyMs = 40;
  const count = 20;

  beforeEach(async () => {
    place = await installationWithService({
      more: { folders: [everyone], timing: { settleMs }, service: { requestsPerMinute: 100_000 } },
    });
  });

  /** In this order, however long it takes. */
  const names = [
    ...Array.from({ length: count }, (_, index) => `figure-${index}.csv`),
    ...Array.from({ length: count }, (_, index) => `report-${index}.txt`),
    ...Array.from({ length: count }, (_, index) => `report-${index}.txt.meta.json`),
  ];

  function contentOf(name: string): string {
    if (!name.endsWith('.json')) return `content of ${name}`;
    const number = /\d+/.exec(name)?.[0];
    return JSON.stringify({ shareInfo: { mode: 'NONE' }, attachments: [`figure-${number}.csv`] });
  }

  it.each<readonly [string, (from: string, to: string) => Promise<void>]>([
    ['moved in', rename],
    ['copied in', copyFile],
  ])(
    '%s: none is shared with everyone, and no attachment is a document',
    async (_, bring) => {
      const outside = place.home.join('outside');
      await mkdir(outside);
      for (const name of names) await writeFile(join(outside, name), contentOf(name));
      await delay(2 * settleMs);
      const daemon = await place.start();
      await daemon.idle();
      await mkdir(join(place.inbox, 'project'));
      for (const name of names) {
        await bring(join(outside, name), join(place.inbox, 'project', name));
        await delay(everyMs);
      }
      await daemon.idle(({ totals }) => totals.uploaded === count);
      expect(place.service.requests).toHaveLength(count);
      for (const request of place.service.requests) expect(request.text()).toContain('"mode":"NONE"');
    },
    60_000,
  );
});

it('a directory to which files come all the time sends them all the same', async () => {
  const settleMs = 200;
  place = await installationWithService({ more: { folders: [everyone], timing: { settleMs } } });
  const daemon = await place.start();
  let isEnough = false;
  for (let index = 0; !isEnough; index += 1) {
    await writeFile(join(place.inbox, `${index}.txt`), `document ${index}`);
    await delay(settleMs / 4);
    isEnough = (await daemon.status()).totals.uploaded > 0;
  }
  expect(place.service.requests[0]?.text()).toContain('"mode":"EVERYONE"');
}, 60_000);
