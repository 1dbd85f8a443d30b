import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import type { Why } from '../../src/model/report/command-reports.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

/** The directory's own name is in NFD on disk. */
const onDisk = (name: string) => join(place.inbox, 're\u0301p', name);
const place = ofEachTest(() => installationWithService());

beforeEach(async () => {
  await mkdir(onDisk(''));
  await writeFile(onDisk('caf\u00e9.txt'), 'stands');
  await writeFile(onDisk('cafe\u0301.txt'), 'its twin');
});

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
