import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { Activity, Status } from '../../../src/model/report/status.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { steps } from '../../support/services/scripted-service.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';

const service = ofEachTest(() => startHoldingService());
const secrets = folderOfEachTest();
let place: Installation;

afterEach(() => place.remove());

describe('the real process', () => {
  it('A7: a login page of the network, even over a restart, is an outage that ends by itself', async () => {
    place = await installation(service);
    await writeFile(join(place.inbox, 'first.txt'), 'first');
    expect((await place.run('sync')).code).toBe(0);
    const login = steps.redirect('https://login.hotel.example/');
    service.alwaysTokens(login);
    service.always(login);
    await writeFile(join(place.inbox, 'second.txt'), 'second');
    const daemon = await place.start();
    await eventuallyHolds(async () =>
      expect(await daemon.status()).toMatchObject({
        state: 'degraded',
        reasons: [{ code: 'redirect', message: expect.stringContaining('redirects (307)') }],
      }),
    );
    service.fix();
    service.alwaysTokens(steps.token({ access_token: 'token' }));
    await daemon.idle(({ totals }) => totals.uploaded === 2);
  });

  it('N1: an outage whose cause turns out to be another one is not said to be over', async () => {
    place = await installation(service);
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'first.txt'), 'first');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await service.away();
    for (const name of ['a.txt', 'b.txt']) await writeFile(join(place.inbox, name), name);
    const hasFound = async (code: string) => (await daemon.status()).reasons.some((one) => one.code === code);
    await eventually(() => hasFound('service-unavailable'));
    service.always(steps.html(404));
    await service.back();
    await eventually(() => hasFound('not-the-service'));
    const lines = JSON.parse((await place.run('log', '--json')).out) as readonly Activity[];
    const told = lines.filter(({ what, path }) => path === '' && what !== 'started');
    expect(told.map(({ what, code }) => `${what} ${code}`)).toEqual([
      'problem service-unavailable',
      'ended service-unavailable',
      'problem not-the-service',
    ]);
  });

  it('N13: finds a secret that was put in the place of a refused one, without a signal', async () => {
    const file = await secrets.write('password', 'old\n');
    place = await installation({
      ...service,
      environment: { INGESTD_PASSWORD: undefined, INGESTD_PASSWORD_FILE: file },
    });
    service.alwaysTokens(async (request) => {
      await request.body();
      const isNew = new URLSearchParams(request.received.text()).get('password') === 'new';
      await (isNew ? steps.token({ access_token: 'good' }) : steps.json(401, {}))(request);
    });
    await writeFile(join(place.inbox, 'a.txt'), 'text');
    const daemon = await place.start();
    await eventually(async () => (await daemon.status()).auth.state === 'refused');
    // A document has come to the refusal too: it is one reason all the same.
    await eventually(async () => (await daemon.status()).failures.length === 1);
    const { reasons } = (await (await daemon.fetch('/readyz')).json()) as Pick<Status, 'reasons'>;
    expect(reasons.filter(({ code }) => code === 'credentials-refused')).toHaveLength(1);
    await writeFile(file, 'new\n');
    await daemon.settled((status) =>
      expect(status).toMatchObject({
        auth: { state: 'ok' },
        reasons: [],
        failures: [],
        totals: { uploaded: 1 },
      }),
    );
    expect(daemon.log()).not.toMatch(/\b(old|new)\b/);
  });
});
