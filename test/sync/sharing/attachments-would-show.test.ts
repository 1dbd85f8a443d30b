import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { resolveDoubt } from '../../../src/daemon/control/resolve-doubt.ts';
import { widerMode } from '../../../src/model/metadata/held-mode.ts';
import { reasonOf } from '../../../src/sync/tasks/task.ts';
import { syncedFolder } from '../../scan/support/synced-folder.ts';
import type { SyncedFolder } from '../../scan/support/synced-folder.ts';

const ref = { folder: 'inbox', path: 'a.pdf' };
const long = new Date(Date.now() - 86_400_000);
let world: SyncedFolder;

afterEach(() => world.close());

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(world.inbox.join(path)), { recursive: true });
  await writeFile(world.inbox.join(path), content);
  await utimes(world.inbox.join(path), long, long);
}

const share = (mode: string) => put('a.pdf.meta.json', JSON.stringify({ shareInfo: { mode } }));
const dropAttachments = () => rm(world.inbox.join('a.pdf.attachments'), { recursive: true });
/** Codes of what failed, and of what is held more narrowly than is stated. */
const failures = () => [
  ...[...world.engine().tasks.in('failed')].map((task) => reasonOf(task)?.code),
  ...[...world.ledger().entries()].filter(({ record }) => widerMode(record) !== null).map(() => 'narrower'),
];
const modes = () => [...world.service.documents.values()].map(({ metadata }) => metadata.shareInfo?.mode);

async function adopt(): Promise<void> {
  const docId = [...world.service.documents.keys()].at(-1) ?? '';
  const sources = { ref, port: world.port(), ledger: world.ledger() };
  await world.engine().decide(ref, await resolveDoubt(sources, { action: 'adopt', docId }));
  await world.sync();
}

it('a document whose attachments went is sent again by a person’s word as widely as it is held', async () => {
  world = await syncedFolder();
  await put('a.pdf', 'one');
  await put('a.pdf.attachments/rates.csv', 'x');
  await share('EVERYONE');
  await world.sync();
  await dropAttachments();
  await world.sync();
  const requests = world.service.calls.length;
  await world.engine().retry([ref]);
  await world.sync();
  expect([failures(), modes(), world.service.calls.length - requests]).toEqual([[], ['EVERYONE'], 1]);
});

describe('a private document whose attachments went', () => {
  beforeEach(async () => {
    world = await syncedFolder();
    await put('a.pdf', 'one');
    await put('a.pdf.attachments/salaries.csv', 'x');
    await share('NONE');
    await world.sync();
    await dropAttachments();
    await share('EVERYONE');
    await world.sync();
  });

  it('stays private', () => {
    expect([failures(), modes()]).toEqual([['narrower'], ['NONE']]);
  });

  it('gets its new content and title all the same, and stays private over a restart too', async () => {
    await put('a.pdf', 'two, and longer');
    await put('a.pdf.meta.json', JSON.stringify({ title: 'New', shareInfo: { mode: 'EVERYONE' } }));
    await world.sync();
    const titles = () => [...world.service.documents.values()].map(({ metadata }) => metadata.title);
    const now = () => [failures(), modes(), titles(), world.held()['a.pdf']];
    const expected = [['narrower'], ['NONE'], ['New'], 'two, and longer'];
    expect(now()).toEqual(expected);
    const requests = world.service.calls.length;
    await world.restart();
    await world.sync();
    expect([...now(), world.service.calls.length]).toEqual([...expected, requests]);
  });

  it('is sent as a new one where the service turns out to have lost it', async () => {
    world.service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
    await rm(world.inbox.join('a.pdf'));
    await world.rescan();
    await world.pass(10_000);
    expect(world.service.documents.size).toBe(0);
    await put('a.pdf', 'one');
    await world.sync();
    expect([failures(), modes(), world.held()['a.pdf']]).toEqual([[], ['EVERYONE'], 'one']);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['it has other attachments', () => put('a.pdf.attachments/figures.csv', 'y'), 'EVERYONE'],
    ['its mode is stated again', () => share('NONE'), 'NONE'],
  ])('is sent when %s', async (_, act, mode) => {
    await put('a.pdf', 'two');
    await act();
    await world.sync();
    expect([failures(), modes(), world.held()['a.pdf']]).toEqual([[], [mode], 'two']);
  });
});

describe('an upload whose answer was lost, and that is adopted', () => {
  beforeEach(async () => {
    world = await syncedFolder({ safety: { inDoubt: 'hold' } });
    world.service.failNext({ kind: 'unknown', code: 'no-answer', message: 'lost' }, { taken: true });
    await put('a.pdf', 'one');
  });

  it.each([false, true])(
    'stays private with attachments that went meanwhile, adopted first: %s',
    async (isFirst) => {
      await put('a.pdf.attachments/salaries.csv', 'x');
      await share('NONE');
      await world.sync();
      await dropAttachments();
      if (isFirst) await adopt();
      await share('EVERYONE');
      await world.sync();
      if (!isFirst) await adopt();
      expect([failures(), modes()]).toEqual([['narrower'], ['NONE']]);
    },
  );

  it('is shared as its sidecar says where it had none, edited or not', async () => {
    await share('NONE');
    await world.sync();
    await put('a.pdf', 'two, and longer');
    await share('EVERYONE');
    await world.sync();
    await adopt();
    expect([failures(), modes(), world.held()['a.pdf']]).toEqual([[], ['EVERYONE'], 'two, and longer']);
  });
});
