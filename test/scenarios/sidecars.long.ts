import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

const isPrivate = '{"shareInfo":{"mode":"NONE"}}';
const everyone = { name: 'inbox', path: './inbox', metadata: { shareInfo: { mode: 'EVERYONE' } } };

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

  it('none is shared with everyone, and no attachment is a document', async () => {
    const outside = place.home.join('outside');
    await mkdir(outside);
    for (const name of names) await writeFile(join(outside, name), contentOf(name));
    await delay(2 * settleMs);
    const daemon = await place.start();
    await daemon.idle();
    await mkdir(join(place.inbox, 'project'));
    for (const name of names) {
      await rename(join(outside, name), join(place.inbox, 'project', name));
      await delay(everyMs);
    }
    await daemon.idle(({ totals }) => totals.uploaded === count);
    expect(place.service.requests).toHaveLength(count);
    for (const request of place.service.requests) expect(request.text()).toContain('"mode":"NONE"');
  });
});

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
    await next.idle(({ folders: [inbox] }) => inbox?.synced === count + 1);
    const modes = place.service.requests.map((request) => /"mode":"\w+"/.exec(request.text())?.[0]);
    expect(modes).toEqual(Array.from({ length: count + 1 }, () => '"mode":"NONE"'));
  });
});
