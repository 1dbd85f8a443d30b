import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import type { RunningDaemon } from '../support/processes/daemon-process.ts';
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

  it.each<readonly [string, (from: string, to: string) => Promise<void>]>([['moved in', rename]])(
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

it('I17: a directory of old documents is moved in, and their sidecars follow', async () => {
  const settleMs = 300;
  place = await installationWithService({ more: { folders: [everyone], timing: { settleMs } } });
  const apart = join(place.home.path, 'apart');
  await mkdir(apart);
  const names = ['a.txt', 'b.txt', 'c.txt'];
  for (const name of names) await writeFile(join(apart, name), name);
  const daemon = await place.start();
  await daemon.idle(() => true);
  // Longer than a new file waits for its sidecar.
  await delay(11 * settleMs);
  await rename(apart, join(place.inbox, 'moved'));
  await delay(settleMs / 2);
  for (const name of names) await writeFile(join(place.inbox, 'moved', `${name}.meta.json`), isPrivate);
  await daemon.idle(({ totals }) => totals.uploaded === names.length);
  const modes = place.service.requests.map((request) => /"mode":"\w+"/.exec(request.text())?.[0]);
  expect(modes).toEqual(names.map(() => '"mode":"NONE"'));
}, 60_000);

describe('I19: where documents have sidecars, many documents come before all of theirs', () => {
  const settleMs = 500;
  const count = 40;
  const documents = Array.from({ length: count }, (_, index) => `report-${index}.txt`);

  beforeEach(async () => {
    place = await installationWithService({
      more: { folders: [everyone], timing: { settleMs }, service: { requestsPerMinute: 100_000 } },
    });
    await mkdir(join(place.inbox, 'before'));
    await writeFile(join(place.inbox, 'before/one.txt.meta.json'), isPrivate);
    await writeFile(join(place.inbox, 'before/one.txt'), 'one');
  });

  /** A few of them are large. It takes longer than ten settle times. */
  async function copyDocuments(to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    for (const [index, name] of documents.entries()) {
      for (let part = 0; part < (index % 10 === 9 ? 10 : 1); part += 1) {
        await appendFile(join(to, name), `${name} ${part}`);
        await delay(settleMs / 5);
      }
    }
  }

  async function copySidecars(to: string): Promise<void> {
    for (const name of documents) {
      await writeFile(join(to, `${name}.meta.json`), isPrivate);
      await delay(settleMs / 10);
    }
  }

  function expectAllSentPrivate(): void {
    const modes = place.service.requests.map((request) => /"mode":"\w+"/.exec(request.text())?.[0]);
    expect(modes).toEqual(Array.from({ length: count + 1 }, () => '"mode":"NONE"'));
  }

  async function expectAllPrivate(daemon: RunningDaemon): Promise<void> {
    await daemon.idle(({ folders: [inbox] }) => inbox?.synced === count + 1);
    expectAllSentPrivate();
  }

  it('and ingestd is killed between: they wait on', async () => {
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    const to = join(place.inbox, 'project');
    await copyDocuments(to);
    const killed = daemon.end('SIGKILL');
    const copied = copySidecars(to);
    await killed;
    const next = await place.start();
    await copied;
    await expectAllPrivate(next);
  }, 60_000);

  it('and it is sync that sends them: they wait, too', async () => {
    const to = join(place.inbox, 'project');
    await copyDocuments(to);
    const [ran] = await Promise.all([place.run('sync'), copySidecars(to)]);
    expect(ran.code).toBe(0);
    expectAllSentPrivate();
  }, 60_000);
});

describe('I15: a private document is moved to another folder and renamed, without its sidecar', () => {
  const removeGraceMs = 1_500;
  const left = () => join(place.home.path, 'private/one/a.txt.meta.json');
  const moved = () => join(place.inbox, 'two/b.txt');
  const isPublished = () => place.service.requests.some((request) => request.text().includes('EVERYONE'));
  const isFollowed = ({ folders: [inbox], failures }: Status) => inbox?.synced === 1 && failures.length === 0;

  let daemon: RunningDaemon;

  beforeEach(async () => {
    const folders = [everyone, { name: 'private', path: './private' }];
    place = await installationWithService({ more: { folders, timing: { settleMs: 200, removeGraceMs } } });
    await mkdir(join(place.home.path, 'private/one'), { recursive: true });
    await mkdir(join(place.inbox, 'two'));
    await writeFile(left(), isPrivate);
    await writeFile(join(place.home.path, 'private/one/a.txt'), 'one');
    daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await rename(join(place.home.path, 'private/one/a.txt'), moved());
    await daemon.idle(isFollowed);
    expect((await daemon.status()).totals).toMatchObject({ uploaded: 1, moved: 1, deleted: 0 });
    await daemon.end('SIGKILL');
  });

  it('it stays private, whatever becomes of that, until one of its own says something else', async () => {
    daemon = await place.start();
    await daemon.idle(isFollowed);
    expect((await place.run('why', moved())).out).toContain('kept private: its former sidecar said NONE');
    await rm(left());
    await place.run('rescan');
    await daemon.idle(isFollowed);
    expect(isPublished()).toBe(false);
    await writeFile(`${moved()}.meta.json`, isPrivate.replace('NONE', 'EVERYONE'));
    await daemon.idle(isPublished);
  }, 60_000);
});
