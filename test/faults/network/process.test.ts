import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { SyncReport } from '../../../src/daemon/run-sync.ts';
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

  it.each([
    ['the address is wrong', steps.redirect('https://login.hotel.example/'), false],
    ['something else answers', steps.html(200), true],
  ])(
    'a pass that gives up, as %s, calls nothing failed, and counts each document once',
    async (_, step, lost) => {
      place = await installation(service);
      for (let index = 0; index < 12; index += 1)
        await writeFile(join(place.inbox, `${index}.txt`), `${index}`);
      service.always(step);
      const { code, out } = await place.run('sync', '--json');
      const { failed, failures, unsent, inDoubt } = JSON.parse(out) as SyncReport;
      expect([code, failed, failures, unsent + inDoubt, inDoubt > 0]).toEqual([4, 0, [], 12, lost]);
      const apart = (doubts: string) => (lost ? `, ${inDoubt} ${doubts}` : '');
      for (const command of ['status', 'check'])
        expect((await place.run(command)).out).toMatch(`${unsent} to send${apart('in doubt')}`);
      expect((await place.run('plan')).out).toMatch(
        `${unsent} uploads${apart('uploads in doubt')}: 12 requests`,
      );
    },
  );

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
