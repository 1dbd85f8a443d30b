import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Status } from '../../../src/model/report/status.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../../support/processes/daemon-process.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';

let daemon: RunningDaemon;

const safety = { maxDeletePercent: 100, maxDeleteCount: 100 };
const inboxAt = (path: string) => [{ name: 'inbox', path }];

afterEach(() => daemon.end('SIGTERM'));
const place = ofEachTest(() => installationWithService({ more: { safety } }));

async function fill(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(place.home.path, path, '..'), { recursive: true });
    await writeFile(place.home.join(path), `content of ${path}`);
  }
}

/** The address is another one after a reload. Null: it does not answer, or is not idle. */
async function idleStatus(): Promise<Status | null> {
  const file = JSON.parse(await readFile(place.home.join('state/daemon.json'), 'utf8')) as { http: string };
  const status = (await (await fetch(`${file.http}/api/status`)).json()) as Status;
  return status.state === 'idle' ? status : null;
}

/** Another configuration, and everything that follows from it. */
async function reload(folders: readonly { name: string; path: string }[]): Promise<void> {
  await place.configure({ safety, folders });
  daemon.signal('SIGHUP');
  const paths = folders.map(({ name, path }) => `${name} ${place.home.join(path)}`);
  await eventually(async () => {
    const status = await idleStatus();
    const shown = status?.folders.map(({ name, path }) => `${name} ${path}`);
    return String(shown) === String(paths) ? status : null;
  });
  // Longer than the grace period.
  await delay(1_000);
  await eventually(idleStatus);
}

async function docIds(): Promise<Readonly<Record<string, string>>> {
  const { out } = await place.run('ledger', 'export', '--json');
  const { documents } = JSON.parse(out) as { documents: { folder: string; path: string; docId: string }[] };
  return Object.fromEntries(documents.map(({ folder, path, docId }) => [`${folder}/${path}`, docId]));
}

const sent = () => place.service.requests.map(({ method, url }) => `${method} ${url}`);
const five = Array.from({ length: 5 }, (_, index) => `${index}.txt`);

describe('folders of the configuration as views of directories', () => {
  it('I4: splits, merges, renames, narrows and widens without a request', async () => {
    await fill([...five.map((name) => `inbox/a/${name}`), ...five.map((name) => `inbox/b/${name}`)]);
    daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 10);
    const before = await docIds();
    const requests = place.service.requests.length;

    await reload([
      { name: 'first', path: './inbox/a' },
      { name: 'second', path: './inbox/b' },
    ]);
    const split = await docIds();
    expect(sent().slice(requests)).toEqual([]);
    for (const name of five) {
      expect(split[`first/${name}`]).toBe(before[`inbox/a/${name}`]);
      expect(split[`second/${name}`]).toBe(before[`inbox/b/${name}`]);
    }

    await reload([{ name: 'both', path: './inbox' }]);
    const merged = await docIds();
    expect(Object.keys(merged)).toHaveLength(10);
    for (const name of five) expect(merged[`both/b/${name}`]).toBe(before[`inbox/b/${name}`]);

    await reload([{ name: 'both', path: './inbox/a' }]);
    const narrowed = await docIds();
    expect(Object.keys(narrowed)).toHaveLength(10);
    for (const name of five) expect(narrowed[`both/${name}`]).toBe(before[`inbox/a/${name}`]);

    await reload(inboxAt('./inbox'));
    expect(await docIds()).toEqual(before);
    expect(sent().slice(requests)).toEqual([]);
  });

  it('I3, I11: keeps and counts what lies outside of a folder that is narrowed, whatever signals come', async () => {
    await fill([...five.map((name) => `inbox/sub/${name}`), ...five.map((name) => `inbox/${name}`)]);
    daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 10);
    const before = await docIds();
    const requests = place.service.requests.length;
    await reload(inboxAt('./inbox/sub'));
    daemon.signal('SIGHUP');
    await delay(1_000);
    daemon.signal('SIGHUP');
    await delay(1_500);
    await eventuallyHolds(async () =>
      expect(await idleStatus()).toMatchObject({
        folders: [{ name: 'inbox', synced: 5 }],
        unconfigured: [{ name: 'inbox (outside)', documents: 5 }],
      }),
    );
    expect(sent().slice(requests)).toEqual([]);
    const after = await docIds();
    expect(Object.values(after).sort()).toEqual(Object.values(before).sort());
    expect((await place.run('status')).out).toMatch(/inbox \(outside\) +5 kept .*not in the configuration/);
  });
});

describe('I5: an attachment whose document is in another folder since the configuration changed', () => {
  const folderAt = (name: string, path: string) => ({ name, path, attachments: 'folder' });
  const split = [folderAt('a', './inbox/a'), folderAt('b', './inbox/b')];
  const uploads = () => sent().filter((request) => request.includes('upload'));

  beforeEach(async () => {
    await fill(['inbox/a/report.txt', 'inbox/b/salaries.csv']);
    await writeFile(
      place.home.join('inbox/a/report.txt.meta.json'),
      JSON.stringify({ attachments: ['../b/salaries.csv'] }),
    );
    await place.configure({ safety, folders: [folderAt('inbox', './inbox')] });
    daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
  });

  async function saveAgain(): Promise<void> {
    await writeFile(place.home.join('inbox/saved'), 'saved as an editor does');
    await rename(place.home.join('inbox/saved'), place.home.join('inbox/b/salaries.csv'));
    await delay(2_500);
    await eventually(idleStatus);
  }

  it.each([
    ['the folder was split', [split]],
    ['the folder of its document was taken out', [[split[1]]]],
  ])('is not sent by itself when %s and it is saved again', async (_, configurations) => {
    for (const folders of configurations) await reload(folders as ReturnType<typeof folderAt>[]);
    await saveAgain();
    expect(uploads()).toHaveLength(1);
  });

  it('is sent by itself when the sidecar of its document no longer lists it', async () => {
    await reload(split);
    await saveAgain();
    await writeFile(place.home.join('inbox/a/report.txt.meta.json'), '{}');
    await eventually(() => uploads().length === 2);
  });
});
