import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { formsOf, plantedCredentials } from '../../support/planted-secrets.ts';
import { steps } from '../../support/services/scripted-service.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function open(options?: Parameters<typeof installationWithService>[0]) {
  const place = await installationWithService(options);
  opened.push(place.remove);
  return { service: place.service, place };
}

const shell = (script: string): readonly string[] => ['sh', '-c', script, 'sh'];

/** Has the program fail on a signal the way a mistake in it would. */
const fail = (how: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => ${how})`)}`,
});

const withSecret = `new Error('boom ' + process.env.INGESTD_PASSWORD)`;

describe('P15: a mistake in the program', () => {
  it.each([
    ['an exception', `{ throw ${withSecret}; }`],
    ['a rejection that nobody handles', `{ Promise.reject(${withSecret}); }`],
  ])('(%s) ends it with exit code 1, said without secrets, and nothing is lost', async (_name, how) => {
    const { service, place } = await open({ environment: fail(how) });
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    const first = await place.start();
    await first.idle(({ totals }) => totals.uploaded === 1);
    const { code, err } = await first.end('SIGUSR2');
    expect(code).toBe(1);
    expect(err).toMatch(/ingestd: boom .*\ningestd: Error: boom/);
    for (const form of formsOf(plantedCredentials.password)) expect(err).not.toContain(form);
    expect((await place.run('sync')).code).toBe(0);
    expect(service.requests).toHaveLength(1);
  });
});

it('P15: a scanning thread that the system does not give at once costs a start nothing', async () => {
  const refuseOnce = `
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(...given) {
        threads.Worker = Worker;
        syncBuiltinESMExports();
        throw new Error('EAGAIN');
        super(...given);
      }
    };
    syncBuiltinESMExports();`;
  const { place } = await open({
    environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(refuseOnce)}` },
  });
  await writeFile(join(place.inbox, 'a.txt'), 'a');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
});

describe('P18: output that nobody takes', () => {
  it.each([
    ['its reader goes away', {}],
    ['its disk is full', { through: shell('exec "$@" >/dev/full 2>/dev/full') }],
  ])('stops nothing when %s', async (_, options) => {
    const { place } = await open(options);
    const daemon = await place.start();
    if (!('through' in options)) daemon.hangUp();
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });
});

it('P19: in a Turkish locale and a far time zone the same types are known and the same instants are sent', async () => {
  const { service, place } = await open({
    environment: { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', LANGUAGE: 'tr' },
  });
  const names = ['INDIR.PDF', 'iki.TXT', 'İŞ.MSG', 'DIGITS.HTML', 'LIST.ODS'];
  const instant = new Date('2026-03-29T00:30:00Z');
  for (const name of names) {
    await writeFile(join(place.inbox, name), name);
    await utimes(join(place.inbox, name), instant, instant);
  }
  await writeFile(join(place.inbox, 'INDIR.PDF.meta.json'), '{"title":"İndir"}');
  expect((await place.run('sync')).code).toBe(0);
  const heads = service.requests.map(({ text }) => text());
  expect(heads).toHaveLength(names.length);
  for (const text of heads) expect(text).toContain('2026-03-29T00:30:00');
  expect(heads.filter((text) => text.includes('"İndir"'))).toHaveLength(1);
});

it('P20, S4: whatever the umask, nobody but the owner can read a byte of the state, and it holds no secret', async () => {
  const { place } = await open({ through: shell('umask 000; exec "$@"') });
  await writeFile(join(place.inbox, 'a.txt'), 'a');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  const dir = place.home.join('state');
  expect((await lstat(dir)).mode & 0o777).toBe(0o700);
  const names = await readdir(dir, { recursive: true });
  expect(names).toEqual(expect.arrayContaining(['daemon.json', 'daemon.sock', 'ledger.json', 'lock']));
  for (const name of names) {
    const stats = await lstat(join(dir, name));
    const mode = (stats.mode & 0o777).toString(8);
    expect([name, mode]).toEqual([name, stats.isDirectory() ? '700' : '600']);
  }
});

it('P21: frozen and woken again it finds what happened meanwhile, and renews a token that ran out', async () => {
  // One after the other: no second request is under way with the token that the first is refused with.
  const { service, place } = await open({ more: { service: { concurrency: 1 } } });
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(place.inbox, name), name);
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 2);
  daemon.signal('SIGSTOP');
  await writeFile(join(place.inbox, 'c.txt'), 'c');
  await rm(join(place.inbox, 'a.txt'));
  service.script(steps.json(401, { message: 'expired' }));
  daemon.signal('SIGCONT');
  await daemon.settled((status) =>
    expect(status).toMatchObject({
      totals: { uploaded: 3, deleted: 1 },
      possibleDuplicates: 0,
      reasons: [],
    }),
  );
  const tokens = service.requests.map(({ headers }) => headers['authorization']);
  expect(tokens.slice(0, 3)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1']);
  expect(new Set(tokens.slice(3))).toEqual(new Set(['Bearer token-2']));
});

it('P16: with 128 MB of heap and 20,000 files to send it stays healthy, and counts them all', async () => {
  const { service, place } = await open({ environment: { NODE_OPTIONS: '--max-old-space-size=128' } });
  const count = 20_000;
  for (let from = 0; from < count; from += 1_000) {
    const one = (_: unknown, index: number) => writeFile(join(place.inbox, `${from + index}.txt`), 'x');
    await Promise.all(Array.from({ length: 1_000 }, one));
  }
  service.always(steps.answer(503, ''));
  const daemon = await place.start();
  await eventuallyHolds(
    async () => {
      const [inbox] = (await daemon.status()).folders;
      expect((inbox?.pending ?? 0) + (inbox?.waiting ?? 0)).toBe(count);
      expect(inbox).toMatchObject({ onDisk: count, synced: 0, failed: 0 });
    },
    { withinMs: 90_000 },
  );
  expect((await daemon.fetch('/healthz')).status).toBe(200);
  await eventually(() => service.requests.length > 0);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
});

it('F38: what cannot be read for want of descriptors waits, and goes out when there are some again', async () => {
  const { service, place } = await open({
    more: { timing: { settleMs: 150, removeGraceMs: 400, pollSeconds: 1 } },
  });
  const daemon = await place.start();
  await daemon.idle();
  const inUse = (await readdir(`/proc/${daemon.pid}/fd`)).length;
  const allow = (count: number) =>
    promisify(execFile)('prlimit', ['--pid', String(daemon.pid), `--nofile=${count}:`]);
  await allow(inUse + 14);
  for (let index = 0; index < 12; index += 1) {
    await mkdir(join(place.inbox, `${index}.pdf.attachments`));
    for (let child = 0; child < 10; child += 1)
      await writeFile(join(place.inbox, `${index}.pdf.attachments/${child}.csv`), `${index} ${child}`);
    await writeFile(join(place.inbox, `${index}.pdf`), `document ${index}`);
  }
  await eventually(async () => (await daemon.status()).folders[0]?.onDisk !== 0);
  await allow(inUse + 200);
  await daemon.idle(({ totals, failures }) => totals.uploaded === 12 && failures.length === 0);
  expect(service.requests.filter((request) => request.complete())).toHaveLength(12);
  await daemon.end('SIGTERM');
});
