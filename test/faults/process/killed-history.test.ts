import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';

import type { Activity, Status } from '../../../src/model/report/status.ts';
import { eventually } from '../../support/eventually.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';

let place: InstallationWithService;

afterEach(() => place.remove());

it('P1: a kill takes nothing from the log and the totals of what was delivered until then', async () => {
  place = await installationWithService({ more: { timing: { settleMs: 0 } } });
  const daemon = await place.start();
  await daemon.idle();
  const names = ['a.txt', 'b.txt', 'c.txt'];
  for (const name of names) await writeFile(join(place.inbox, name), name);
  await eventually(async () => {
    const { activities } = (await (await daemon.fetch('/api/activity')).json()) as { activities: Activity[] };
    return activities.filter(({ what }) => what === 'uploaded').length === names.length;
  });
  await daemon.end('SIGKILL');

  const json = async <T>(...words: string[]) => JSON.parse((await place.run(...words, '--json')).out) as T;
  const logged = await json<Activity[]>('log');
  const documents = logged.filter(({ path }) => path !== '');
  expect(documents.map(({ what, path }) => `${what} ${path}`).toSorted()).toEqual(
    names.map((name) => `uploaded ${name}`),
  );
  expect((await json<Status>('status')).totals).toMatchObject({ uploaded: 3, requests: 3 });
}, 60_000);
