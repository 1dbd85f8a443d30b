import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import type { RunningDaemon } from '../support/processes/daemon-process.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { steps } from '../support/services/scripted-service.ts';

const fast = { requestsPerMinute: 100_000, concurrency: 4 };
/** So long a request is under way. */
const answerMs = 40;
/** A request that starts within this after the answer to `pause` is one that was under way. */
const startsWithinMs = 1_000;
/** So long nothing goes out afterwards. */
const quietMs = 2_500;

const place = ofEachTest(() => installationWithService({ more: { service: fast } }));
let uploads: number;

beforeEach(() => {
  uploads = 0;
  place.service.always(async (request) => {
    await request.body();
    await delay(answerMs);
    uploads += 1;
    await steps.accept(`doc-${uploads}`)(request);
  });
});

async function fill(folder: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await place.home.write(`${folder}/report-${index}.txt`, `report ${index}`);
}

async function twoFolders(): Promise<void> {
  await place.home.write('scans/.keep', '');
  await place.configure({
    service: fast,
    folders: [
      { name: 'inbox', path: './inbox' },
      { name: 'scans', path: './scans' },
    ],
  });
}

/** Fails where anything goes out from a second after now. */
async function expectQuiet(): Promise<number> {
  await delay(startsWithinMs);
  const sent = place.service.requests.length;
  await delay(quietMs);
  expect(place.service.requests.length).toBe(sent);
  return sent;
}

async function run(...words: string[]): Promise<string> {
  const { code, out, err } = await place.run(...words);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const paused = /^sending is paused for inbox, since .*, on the command line/im;

async function allIn(daemon: RunningDaemon, count: number): Promise<void> {
  await daemon.idle((status) => status.folders.every(({ synced }) => synced === count), 120_000);
}

it('holds a backlog of 1,000 within a second, over a kill as well, and loses nothing', async () => {
  await fill('inbox', 1_000);
  let daemon = await place.start();
  await eventually(() => (place.service.requests.length > 40 ? true : null));
  expect(await run('pause')).toBe('Paused: inbox, until you run ingestd resume.\n');
  const sent = await expectQuiet();
  expect(sent).toBeLessThan(1_000);
  await eventuallyHolds(async () =>
    expect(await daemon.status()).toMatchObject({
      state: 'paused',
      health: 'attention',
      paused: ['inbox'],
      reasons: expect.arrayContaining([{ code: 'paused', message: expect.stringMatching(paused) }]),
      folders: [{ synced: uploads, onDisk: 1_000, pending: 1_000 - uploads }],
    }),
  );

  await daemon.end('SIGKILL');
  daemon = await place.start();
  expect(await daemon.status()).toMatchObject({ health: 'attention', paused: ['inbox'] });
  await place.home.write('inbox/while-paused.txt', 'counted and not sent');
  await eventually(async () => ((await daemon.status()).folders[0]?.onDisk === 1_001 ? true : null));
  expect(place.service.requests.length).toBe(sent);
  // Until it has settled, that is what it waits for.
  const why = async () => (await place.run('why', 'inbox/while-paused.txt')).out;
  await eventually(async () => ((await why()).includes('when you run ingestd resume') ? true : null));

  expect(await run('resume')).toBe('Nothing is paused any more.\n');
  await allIn(daemon, 1_001);
  expect(place.service.requests.length).toBe(1_001);
  await daemon.settled((status) => expect(status).toMatchObject({ health: 'ok', paused: [] }));
});

it('keeps back what sync finds, says so, and ends', async () => {
  await twoFolders();
  await fill('inbox', 3);
  await fill('scans', 2);
  expect(await run('pause', 'inbox')).toBe(
    'Paused: inbox, from the next start on, until you run ingestd resume inbox.\n',
  );
  expect(JSON.parse((await place.run('plan', '--json')).out)).toMatchObject({ paused: ['inbox'] });
  expect((await place.run('plan')).out).toMatch(paused);
  await eventuallyHolds(async () =>
    expect((await place.run('why', 'inbox/report-0.txt')).out).toContain('ingestd resume inbox'),
  );
  const { code, out } = await place.run('sync');
  expect(code).toBe(4);
  expect(out).toMatch(paused);
  expect(out).toContain('3 documents left for the next pass.');
  expect(place.service.requests.length).toBe(2);
  await run('pause', 'inbox', '--for', '1h');
  for (const told of ['status', 'plan', 'check'])
    expect((await place.run(told)).out).toMatch(/^.*sending is paused.*, on the command line, until \d/im);
  for (const told of ['status', 'sync', 'plan', 'check'])
    expect((await place.run(told)).out).toContain('Resume with ingestd resume inbox.');
  const why = async () => (await place.run('why', 'inbox/report-0.txt')).out;
  expect(await why()).toMatch(
    /when the pause ends at \d.*resume inbox \(paused since \d.*, on the command line\)$/m,
  );
  await run('pause');
  expect((await place.run('plan')).out).toContain('Resume with ingestd resume.');
  expect(await why()).toMatch(
    /it is uploaded when you run ingestd resume inbox \(paused since [^,]*, on the command line\)$/m,
  );
  expect(await run('resume')).toBe('Nothing is paused any more.\n');
  expect((await place.run('sync')).code).toBe(0);
  expect(place.service.requests.length).toBe(5);
});

it('scans on request, and finds what nobody reported', async () => {
  const { err, code } = await place.run('rescan');
  expect(code).toBe(2);
  expect(err).toContain('ingestd is not running');
  await place.configure({
    service: fast,
    folders: [{ name: 'inbox', path: './inbox', watch: 'polling' }],
    timing: { settleMs: 50, removeGraceMs: 100, pollSeconds: 3_600, rescanMinutes: 600 },
  });
  const daemon = await place.start();
  await daemon.idle();
  await writeFile(join(place.inbox, 'new.txt'), 'nobody tells of it');
  expect(await run('rescan', 'inbox')).toBe('Scanning inbox.\n');
  await allIn(daemon, 1);
});
