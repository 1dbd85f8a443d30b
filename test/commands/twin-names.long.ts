import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { PlanReport, Why } from '../../src/model/report/command-reports.ts';
import type { Activity } from '../../src/model/report/status.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

const [nfc, nfd] = ['r\u00e9p/caf\u00e9.txt', 'r\u00e9p/cafe\u0301.txt'];
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
const said = async (path: string) => (await json<Activity[]>('log', path)).map(({ what }) => what);

it('F19: a twin is failed under its real path, and every command knows it by that', async () => {
  const { operations } = await json<PlanReport>('plan');
  expect(new Map(operations.map(({ kind, path }) => [kind, path]))).toEqual(
    new Map([
      ['failed', nfd],
      ['upload', nfc],
    ]),
  );
  expect([await kindOf(`inbox/${nfd}`), await kindOf(`inbox/${nfc}`)]).toEqual(['unfit', 'document']);

  const daemon = await place.start();
  const { failures } = await daemon.idle(({ totals }) => totals.uploaded === 1);
  expect(failures.map(({ path }) => path)).toEqual([nfd]);
  for (const [text, kind, activities] of [
    [`inbox/${nfd}`, 'unfit', ['failed']],
    [onDisk('cafe\u0301.txt'), 'unfit', ['failed']],
    [`inbox/${nfc}`, 'document', ['uploaded']],
    [onDisk('caf\u00e9.txt'), 'document', ['uploaded']],
  ] as const) {
    expect([text, await kindOf(text), await said(text)]).toEqual([text, kind, activities]);
  }
  expect(await place.run('retry', `inbox/${nfd}`)).toMatchObject({ code: 0, err: '' });
  await daemon.idle();
  expect(await said(`inbox/${nfd}`)).toEqual(['failed', 'retried', 'failed']);
  expect((await place.run('status')).out).toContain(String.raw`cafe\u{301}.txt`);
});

it('F19: what was a twin takes over when the other goes, and is not sent as another document', async () => {
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  await rm(onDisk('caf\u00e9.txt'));
  const { folders, totals } = await daemon.idle(({ totals }) => totals.modified === 1);
  expect(folders).toMatchObject([{ synced: 1, failed: 0, onDisk: 1 }]);
  expect(totals).toMatchObject({ uploaded: 1, deleted: 0 });
  expect(await kindOf(onDisk('cafe\u0301.txt'))).toBe('document');
});
