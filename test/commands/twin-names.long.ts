import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Why } from '../../src/model/report/command-reports.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

/** The directory's own name is in NFD on disk. */
const onDisk = (name: string) => join(place.inbox, 're\u0301p', name);
let place: InstallationWithService;

beforeEach(async () => {
  place = await installationWithService();
  await mkdir(onDisk(''));
  await writeFile(onDisk('caf\u00e9.txt'), 'stands');
  await writeFile(onDisk('cafe\u0301.txt'), 'its twin');
});

afterEach(() => place.remove());

async function json<T>(...words: string[]): Promise<T> {
  return JSON.parse((await place.run(...words, '--json')).out) as T;
}

const kindOf = async (path: string) => (await json<Why>('why', path)).verdict.kind;

it('F19: what was a twin takes over when the other goes, and is not sent as another document', async () => {
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  await rm(onDisk('caf\u00e9.txt'));
  const { folders, totals } = await daemon.idle(({ totals }) => totals.modified === 1);
  expect(folders).toMatchObject([{ synced: 1, failed: 0, onDisk: 1 }]);
  expect(totals).toMatchObject({ uploaded: 1, deleted: 0 });
  expect(await kindOf(onDisk('cafe\u0301.txt'))).toBe('document');
});
