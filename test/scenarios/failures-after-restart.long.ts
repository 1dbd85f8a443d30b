import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import type { Activity, Status } from '../../src/model/report/status.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { eventuallyHolds } from '../support/eventually.ts';
import { steps } from '../support/services/scripted-service.ts';
import type { Step } from '../support/services/scripted-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const place = ofEachTest(() => installationWithService());

const log = async () => JSON.parse((await place.run('log', '--json')).out) as Activity[];
const logged = async () =>
  (await log()).filter(({ path }) => path !== '').map(({ what, path }) => `${what} ${path}`);
const failed = ({ failures }: Status) => failures.map(({ path }) => path).sort();

it('what failed before a restart is failed after it where nothing has changed, and nowhere else', async () => {
  const write = (name: string, text: string) => writeFile(join(place.inbox, name), text);
  await write('taken-back.txt', 'as it was');
  const first = await place.start();
  await first.idle(({ totals }) => totals.uploaded === 1);
  place.service.always(steps.refuse('no', 422));
  await write('taken-back.txt', 'edited');
  for (const name of ['same.txt', 'gone.txt', 'fixed.txt', 'ignored.txt']) await write(name, 'refused');
  const all = ['fixed.txt', 'gone.txt', 'ignored.txt', 'same.txt', 'taken-back.txt'];
  expect(failed(await first.idle(({ failuresTotal }) => failuresTotal === 5))).toEqual(all);
  expect((await first.end('SIGTERM')).code).toBe(0);

  await rm(join(place.inbox, 'gone.txt'));
  await write('fixed.txt', 'accepted');
  await write('taken-back.txt', 'as it was');
  await write('.ingestignore', 'ignored.txt\n');
  place.service.always(steps.accept('another'));
  const second = await place.start();
  await second.settled((now) => expect([now.totals.uploaded, failed(now)]).toEqual([2, ['same.txt']]));
  expect((await second.end('SIGTERM')).code).toBe(0);
  const offline = JSON.parse((await place.run('status', '--json')).out) as Status;
  expect(offline.reasons).toMatchObject([{ code: 'not-running' }]);
  expect(failed(offline)).toEqual(['same.txt']);
});

it('what keeps a file here is in the log once, over restarts too, until something else happens to it', async () => {
  const run = async (act: () => Promise<unknown>, ready: (status: Status) => boolean) => {
    await act();
    const daemon = await place.start();
    await daemon.idle(ready);
    return (await daemon.end('SIGTERM')).err;
  };
  const twin = join(place.inbox, 'a.b.txt');
  const isFailed = ({ failuresTotal }: Status) => failuresTotal === 1;
  expect(await run(() => writeFile(twin, 'two dots'), isFailed)).toContain('a.b.txt');
  expect(await run(() => writeFile(twin, 'still two dots'), isFailed)).not.toContain('a.b.txt');
  expect(await logged()).toEqual(['failed a.b.txt']);

  await rm(twin);
  const daemon = await place.start();
  await eventuallyHolds(async () => expect(await logged()).toEqual(['failed a.b.txt', 'ended a.b.txt']));
  await writeFile(twin, 'another');
  await daemon.idle(isFailed);
  await daemon.end('SIGTERM');
  expect(await logged()).toEqual(['failed a.b.txt', 'ended a.b.txt', 'failed a.b.txt']);

  const sidecar = join(place.inbox, 'c.txt.meta.json');
  await writeFile(join(place.inbox, 'c.txt'), 'c');
  const areTwo = ({ failuresTotal }: Status) => failuresTotal === 2;
  await run(() => writeFile(sidecar, '{"titel": "C"}'), areTwo);
  await run(
    () => writeFile(sidecar, '{"title": "C"}'),
    ({ totals }) => totals.uploaded === 1,
  );
  await run(() => writeFile(sidecar, '{"titel": "C"}'), areTwo);
  expect((await logged()).slice(3)).toEqual(['failed c.txt', 'uploaded c.txt', 'failed c.txt']);
});

it('an outage has recovered in the log when the service has answered, not when nothing is left to ask it', async () => {
  await place.configure({ safety: { inDoubt: 'hold' }, service: { concurrency: 1 } });
  const service = async () =>
    (await log()).filter(({ code }) => code === 'service-unavailable').map(({ what }) => what);
  place.service.always(steps.resetAfterBody());
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(place.inbox, name), name);
  const first = await place.start();
  // As `status` says of it no more.
  await first.idle(({ inDoubtTotal, reasons }) => inDoubtTotal === 3 && reasons.length === 0);
  await eventuallyHolds(async () => expect(await service()).toEqual(['problem', 'ended']));
  await writeFile(join(place.inbox, 'd.txt'), 'd');
  await first.idle(({ inDoubtTotal }) => inDoubtTotal === 4);
  place.service.always(steps.accept('taken'));
  await writeFile(join(place.inbox, 'e.txt'), 'e');
  await first.idle(({ totals }) => totals.uploaded === 1);
  await eventuallyHolds(async () => expect((await service()).at(-1)).toBe('recovered'));
});

it('a wrong address of the tokens, and then a wrong password, are over in the log when each is corrected, whatever is found next', async () => {
  await writeFile(join(place.inbox, 'a.txt'), 'a');
  const found = async () =>
    (await log()).flatMap(({ what, code }) => (code === undefined ? [] : [`${what} ${code}`]));
  const told: string[] = [];
  const mistakes: readonly (readonly [code: string, tokens: Step, others?: Step])[] = [
    ['auth-not-found', steps.html(404)],
    ['credentials-refused', steps.json(401, { error: 'wrong user name or password' })],
    ['not-the-service', steps.token({ access_token: 'token' }), steps.html(404)],
  ];
  for (const [code, tokens, others] of mistakes) {
    place.service.alwaysTokens(tokens);
    if (others !== undefined) place.service.always(others);
    const daemon = await place.start();
    told.push(`problem ${code}`);
    await eventuallyHolds(async () => expect((await found()).toSorted()).toEqual(told.toSorted()));
    await daemon.end('SIGTERM');
    told.push(`recovered ${code}`);
  }
});

it('what was refused is not sent again because its folder was away for a while', async () => {
  await writeFile(join(place.inbox, 'taken.txt'), 'taken');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  place.service.always(steps.refuse('no', 422));
  await writeFile(join(place.inbox, 'refused.txt'), 'refused');
  await daemon.idle(({ failuresTotal }) => failuresTotal === 1);
  const sent = place.service.requests.length;

  const away = place.home.join('away');
  await rename(place.inbox, away);
  await mkdir(place.inbox);
  await daemon.idle(({ folders }) => folders[0]?.onDisk === 0 && folders[0].held === 1);
  await rmdir(place.inbox);
  await rename(away, place.inbox);
  await daemon.settled((now) => expect([now.folders[0]?.onDisk, failed(now)]).toEqual([2, ['refused.txt']]));
  expect(place.service.requests.length).toBe(sent);
});
