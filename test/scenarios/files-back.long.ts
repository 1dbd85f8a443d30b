import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import { offlineDecisions } from '../../src/commands/offline/offline-actions.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { errorMessage } from '../../src/model/errors.ts';
import type { Given } from '../../src/model/ports/control-port.ts';
import type { Status } from '../../src/model/report/status.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());

const documents = 20;
const unseen = /20 deletions are held by now, and you were not shown 1 of them, so none was approved/;

const held = ({ folders }: Status) => folders[0]?.held;
const names = ({ held }: Status) => held.flatMap(({ paths }) => paths);
const deletions = () => place.service.requests.filter(({ method }) => method === 'DELETE').length;

/**
 * Documents that are at the service and whose files are gone: held, in a daemon that has ended. `kept`: another, whose file
 * is there.
 */
async function holdAll(kept?: string): Promise<void> {
  await mkdir(join(place.inbox, 'd'));
  for (let one = 0; one < documents; one += 1)
    await writeFile(join(place.inbox, 'd', `${one}.txt`), `${one}`);
  if (kept !== undefined) await writeFile(join(place.inbox, kept), kept);
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === documents + (kept === undefined ? 0 : 1));
  await rename(join(place.inbox, 'd'), place.home.join('away'));
  await daemon.idle((status) => held(status) === documents);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
}

const putBack = () => rename(place.home.join('away'), join(place.inbox, 'd'));

it('I3: what was approved while nothing ran is asked again once the files have been back', async () => {
  await holdAll();
  expect((await place.run('approve', 'inbox', '--yes')).out).toContain(`${documents} deletions approved`);
  await putBack();
  const second = await place.start();
  await second.idle(({ folders }) => folders[0]?.synced === documents);
  await rm(join(place.inbox, 'd'), { recursive: true });
  await second.idle((status) => held(status) === documents);
  expect(deletions()).toBe(0);
});

it.each([
  ['beside a daemon', true],
  ['without one', false],
])('deletions that were not shown to a person are not released: %s', async (_, isRunning) => {
  await holdAll('kept.txt');
  const daemon = isRunning ? await place.start() : null;
  await daemon?.idle((status) => held(status) === documents);
  const approve = await approver(daemon);
  const paths = Array.from({ length: documents }, (_each, index) => `inbox/d/${index}.txt`);
  expect(await approve({ most: documents - 1, paths: [] })).toMatch(unseen);
  expect(await approve({ most: documents - 1, paths: paths.slice(1) })).toMatch(unseen);
  // As many as were shown, but another.
  await mkdir(join(place.inbox, 'd'));
  await rename(place.home.join('away/0.txt'), join(place.inbox, 'd/0.txt'));
  await rm(join(place.inbox, 'kept.txt'));
  await daemon?.idle((status) => held(status) === documents && names(status).includes('kept.txt'));
  expect(await approve({ most: documents, paths })).toMatch(unseen);
  expect(deletions()).toBe(0);
  // Not all were named.
  expect(await approve({ most: documents, paths: paths.slice(2) })).toBe(`{"approved":${documents}}`);
});

type Shown = Omit<Given<'approve'>, 'folder'>;
type Running = Awaited<ReturnType<typeof place.start>>;

/** Approves as the page of a daemon does, or the command line without one. Gives the answer, or what is wrong. */
async function approver(daemon: Running | null) {
  if (daemon === null) {
    const { settings } = await loadConfiguration({ env: {}, cwd: place.home.path });
    const { approve } = offlineDecisions({ settings, username: '' });
    return async (shown: Shown) => {
      try {
        return JSON.stringify(await approve({ folder: 'inbox', ...shown }));
      } catch (error) {
        return errorMessage(error);
      }
    };
  }
  const { token } = (await (await daemon.fetch('/api/token')).json()) as { token: string };
  const headers = { 'x-ingestd-token': token, 'content-type': 'application/json' };
  return async (shown: Shown) => {
    const body = JSON.stringify({ folder: 'inbox', ...shown });
    return (await daemon.fetch('/api/approve', { method: 'POST', headers, body })).text();
  };
}

it('held deletions are kept while the setting that a person chose for it stands, and held again after that', async () => {
  await holdAll();
  const daemon = await place.start();
  await daemon.idle((status) => held(status) === documents);
  const choose = async (setting: object, isSo: (status: Status) => boolean) => {
    await place.configure({ folders: [{ name: 'inbox', path: './inbox', ...setting }] });
    daemon.signal('SIGHUP');
    await daemon.idle(isSo);
  };
  const areKept = (status: Status) => held(status) === 0 && status.folders[0]?.kept === documents;
  for (const setting of [{ ignore: ['d/'] }, { onRemove: 'keep' }]) {
    await choose(setting, areKept);
    await choose({}, (status) => held(status) === documents);
  }
  // Other files are deleted all the same.
  await choose({ ignore: ['d/'] }, areKept);
  await writeFile(join(place.inbox, 'other.txt'), 'other');
  await daemon.idle(({ folders }) => folders[0]?.synced === 1);
  await rm(join(place.inbox, 'other.txt'));
  await daemon.idle(({ folders }) => folders[0]?.synced === 0);
  expect(deletions()).toBe(1);
});
