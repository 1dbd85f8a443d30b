import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { offlineDecisions } from '../../src/commands/offline/offline-actions.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import type { Status } from '../../src/model/report/status.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

const documents = 20;
const tooMany = /20 deletions are held by now, more than the 19 that you were shown, so none was released/;

beforeEach(async () => {
  place = await installationWithService();
});

afterEach(() => place.remove());

const held = ({ folders }: Status) => folders[0]?.held;
const deletions = () => place.service.requests.filter(({ method }) => method === 'DELETE').length;

/** Documents that are at the service and whose files are gone: held, in a daemon that has ended. */
async function holdAll(): Promise<void> {
  await mkdir(join(place.inbox, 'd'));
  for (let one = 0; one < documents; one += 1)
    await writeFile(join(place.inbox, 'd', `${one}.txt`), `${one}`);
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === documents);
  await rename(join(place.inbox, 'd'), place.home.join('away'));
  await daemon.idle((status) => held(status) === documents);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
}

const putBack = () => rename(place.home.join('away'), join(place.inbox, 'd'));

it('I3: what was approved while nothing ran is asked again once the files have been back', async () => {
  await holdAll();
  expect((await place.run('approve', 'inbox')).out).toContain(`${documents} deletions released`);
  await putBack();
  const second = await place.start();
  await second.idle(({ folders }) => folders[0]?.synced === documents);
  await rm(join(place.inbox, 'd'), { recursive: true });
  await second.idle((status) => held(status) === documents);
  expect(deletions()).toBe(0);
}, 60_000);

it('a hold whose files have come back while nothing ran ends with the next scan', async () => {
  await holdAll();
  await putBack();
  const second = await place.start();
  await second.idle((status) => status.folders[0]?.synced === documents && status.held.length === 0);
  await rm(join(place.inbox, 'd', '1.txt'));
  await second.idle(({ totals }) => totals.deleted === 1);
  expect(deletions()).toBe(1);
}, 60_000);

it.each([
  ['beside a daemon', true],
  ['without one', false],
])(
  'more deletions than were shown to a person are not released: %s',
  async (_, isRunning) => {
    await holdAll();
    if (!isRunning) {
      const { settings } = await loadConfiguration({ env: {}, cwd: place.home.path });
      const { approve } = offlineDecisions({ settings, username: '' });
      await expect(approve('inbox', documents - 1)).rejects.toThrow(tooMany);
      expect(await approve('inbox', documents)).toEqual({ approved: documents });
      return;
    }
    const daemon = await place.start();
    await daemon.idle((status) => held(status) === documents);
    const token = ((await (await daemon.fetch('/api/token')).json()) as { token: string }).token;
    const approve = async (most: number) => {
      const headers = { 'x-ingestd-token': token, 'content-type': 'application/json' };
      const body = JSON.stringify({ folder: 'inbox', most });
      return (await daemon.fetch('/api/approve', { method: 'POST', headers, body })).text();
    };
    expect(await approve(documents - 1)).toMatch(tooMany);
    expect(deletions()).toBe(0);
    expect(await approve(documents)).toContain(`"approved":${documents}`);
  },
  60_000,
);
