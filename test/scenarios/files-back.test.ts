import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Status } from '../../src/model/report/status.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService;

const documents = 20;

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
