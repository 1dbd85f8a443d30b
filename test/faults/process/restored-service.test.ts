import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import type { Status } from '../../../src/model/report/status.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';

const service = ofEachTest(() => startHoldingService());
const place = ofEachTest(() => installation({ ...service, more: { service: { onMissing: 'upload' } } }));
/** Requests before the service lost anything. */
let delivered: number;

beforeEach(async () => {
  await writeFile(join(place.inbox, 'a.txt'), 'one');
  await writeFile(join(place.inbox, 'a.txt.meta.json'), '{"title": "A", "shareInfo": {"mode": "NONE"}}');
  await mkdir(join(place.inbox, 'a.txt.attachments'));
  await writeFile(join(place.inbox, 'a.txt.attachments', 'x.csv'), 'x');
  await writeFile(join(place.inbox, 'b.txt'), 'two');
  expect((await place.run('sync')).code).toBe(0);
  expect(service.documents.size).toBe(2);
  delivered = service.requests.length;
});

const sent = () =>
  service.requests.slice(delivered).map((request) => ({
    what: request.url.replace(/^.*\/v1\//, '').replace(/\/.*$/, ''),
    parts: request.parts().map(({ name }) => name),
    metadata: JSON.parse(
      request
        .parts()
        .find(({ name }) => name === 'metadata')
        ?.body.toString() ?? '{}',
    ) as unknown,
  }));

it('retry of a delivered document sends all of it again, though nothing has changed here', async () => {
  const daemon = await place.start();
  expect((await place.run('retry', 'inbox/a.txt')).out).toBe('Retrying 1 document as soon as possible.\n');
  await daemon.idle(({ totals }) => totals.modified === 1);
  expect(sent()).toMatchObject([
    {
      what: 'modify-document',
      parts: expect.arrayContaining(['file', 'attachments', 'metadata']),
      metadata: { title: 'A', shareInfo: { mode: 'NONE' } },
    },
  ]);
  expect((await place.run('retry', 'inbox/never.txt')).code).toBe(2);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
  expect((await place.run('sync')).code).toBe(0);
  expect(sent()).toHaveLength(1);
});

it('a folder of a service that was restored from a backup is sent again after a question', async () => {
  service.documents.delete('doc-2');
  const refused = await place.run('retry', '--all', 'inbox');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --yes')]);
  expect((await place.run('retry', '--all', 'nowhere')).err).toContain(
    'the folder "nowhere" is not configured',
  );
  expect((await place.run('retry', '--all', 'inbox', '--yes')).out).toBe(
    'Retrying 2 documents when ingestd runs.\n',
  );
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.modified === 1 && totals.uploaded === 3);
  expect(service.documents.size).toBe(2);
  const before = service.requests.length;
  expect((await place.run('retry', '--all', 'inbox', '--yes')).out).toBe(
    'Retrying 2 documents as soon as possible.\n',
  );
  await daemon.idle(({ totals }) => totals.modified === 3);
  expect(service.requests).toHaveLength(before + 2);
  const { failuresTotal } = JSON.parse((await place.run('status', '--json')).out) as Status;
  expect(failuresTotal).toBe(0);
});
