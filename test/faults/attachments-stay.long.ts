import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../support/processes/daemon-process.ts';
import { eventually } from '../support/eventually.ts';
import { ofEachTest } from '../support/of-each-test.ts';

/** A folder whose documents go to everyone, and one document that goes to nobody, with its attachment. */
const folder = { name: 'inbox', path: './inbox', metadata: { shareInfo: { mode: 'EVERYONE' } } };
const graceMs = 1_500;
const timing = { settleMs: 150, removeGraceMs: graceMs };
/** What is away for a moment only is back within this, on a busy machine too. */
const longGraceMs = 6_000;
const longGrace = { ...timing, removeGraceMs: longGraceMs };
const secret = JSON.stringify({ attachments: ['salaries.csv'], shareInfo: { mode: 'NONE' } });

const place = ofEachTest(() =>
  installationWithService({
    more: { folders: [folder], timing },
  }),
);
let daemon: RunningDaemon;

const at = (name: string) => join(place.inbox, name);

async function synced(documents: number): Promise<void> {
  daemon = await place.start();
  await daemon.idle(({ folders }) => folders[0]?.synced === documents);
}

async function privateReport(): Promise<void> {
  await writeFile(at('salaries.csv'), 'jane,100');
  await writeFile(at('report.docx.meta.json'), secret);
  await writeFile(at('report.docx'), 'report');
  await synced(1);
}

async function killAndStart(): Promise<void> {
  await daemon.end('SIGKILL');
  daemon = await place.start();
}

/** A reload gives it another address. */
async function statusNow(): Promise<Status> {
  const { http } = JSON.parse(await readFile(place.home.join('state/daemon.json'), 'utf8')) as {
    readonly http: string;
  };
  return (await (await fetch(`${http}/api/status`)).json()) as Status;
}

const isSynced = ({ state, folders }: Status) => state === 'idle' && folders[0]?.synced === 1;

/** Urls of the requests that asked for everyone to see something. */
const published = () =>
  place.service.requests.filter((request) => request.text().includes('EVERYONE')).map(({ url }) => url);

describe('I5: the attachment of a private document is not sent by itself', () => {
  it('while the deletion of its document is held, over a restart; it is private as a document of its own afterwards', async () => {
    await place.configure({ folders: [folder], timing, safety: { maxDeletePercent: 1, maxDeleteCount: 0 } });
    await privateReport();
    await rm(at('report.docx'));
    await rm(at('report.docx.meta.json'));
    await daemon.idle(({ held }) => held[0]?.count === 1);
    await delay(graceMs);
    await killAndStart();
    await daemon.idle(({ held }) => held[0]?.count === 1);
    await delay(2 * graceMs);
    expect(published()).toEqual([]);
    expect((await place.run('approve', '--yes')).code).toBe(0);
    await daemon.idle(({ folders }) => folders[0]?.synced === 1);
    expect(place.service.requests.some(({ method }) => method === 'DELETE')).toBe(true);
    expect(published()).toEqual([]);
  });
});

describe('I6: a document that goes to nobody is not shown to everyone', () => {
  const restarts: readonly (readonly [string, () => Promise<void>])[] = [
    ['the process is killed and starts again', killAndStart],
    [
      'the configuration is read again',
      async () => {
        await place.configure({ folders: [{ ...folder, title: 'none' }], timing: longGrace });
        daemon.signal('SIGHUP');
        await eventually(() => (daemon.log().match(/watching/g)?.length ?? 0) > 1);
      },
    ],
  ];

  it.each(
    ['report.docx.meta.json', '.meta.json'].flatMap((name) =>
      restarts.map(([what, restart]) => [name, what, restart] as const),
    ),
  )('while %s is away for a moment, in which %s', async (name, _, restart) => {
    await place.configure({ folders: [folder], timing: longGrace });
    await writeFile(at(name), '{"shareInfo": {"mode": "NONE"}}');
    await writeFile(at('report.docx'), 'report');
    await synced(1);
    await rename(at(name), place.home.join('away'));
    await restart();
    await delay(graceMs / 2);
    await rename(place.home.join('away'), at(name));
    await delay(longGraceMs);
    await eventually(async () => isSynced(await statusNow()), { withinMs: 20_000 });
    expect(published()).toEqual([]);
  });
});
