import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, expect, it } from '@jest/globals';

import { aliveMs } from '../../src/cluster/fleet-times.ts';
import type { FleetStatus } from '../../src/model/report/fleet.ts';
import type { Status } from '../../src/model/report/status.ts';
import { startHoldingService } from '../support/services/holding-service.ts';
import { installation } from '../support/processes/daemon-process.ts';
import type { Installation } from '../support/processes/daemon-process.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wait } from './support/fleet-host.ts';
import { missingRedis, settle as settleFleet, startRedis } from './support/redis-server.ts';

const password = 'planted-redis-password-73';

/** What the log says of the fleet's pause, without the times. */
function pausesOf(log: string): readonly string[] {
  return Array.from(log.matchAll(/ (problem|recovered) +ingestd: (.*fleet.*paused)/gm), ([, what, words]) =>
    [what, words].join(' '),
  );
}

describeWhere(missingRedis, 'real processes with one account', () => {
  const redis = ofEachTest(() => startRedis({ more: ['--requirepass', password], password }));
  const service = ofEachTest(() => startHoldingService());
  const places: Installation[] = [];
  afterEach(() => Promise.all(places.splice(0).map((place) => place.remove())));

  const host = async (
    name: string,
    documents: number,
    cluster: object = {},
    user = `:${password}`,
    more: object = {},
    environment: Readonly<Record<string, string>> = {
      INGESTD_REDIS_URL: `redis://${user}@127.0.0.1:${redis.port}`,
    },
  ) => {
    const place = await installation({
      ...service,
      more: {
        service: { requestsPerMinute: 6 },
        cluster: { account: 'real', host: name, ...cluster },
        ...more,
      },
      environment,
    });
    places.push(place);
    for (let index = 0; index < documents; index += 1)
      await writeFile(join(place.inbox, `${name}-${index}.txt`), `${name} ${index}`);
    return place;
  };
  const settle = () => settleFleet(redis, 'real');

  it('send no more than one minute holds between them, and say what it is waiting for', async () => {
    settle();
    const [first, second] = [await host('one', 5), await host('two', 5)];
    const daemons = await Promise.all([first.start(), second.start()]);
    await eventually(() => service.requests.length >= 6);
    await wait(3_000);
    expect(service.requests).toHaveLength(6);
    // It hears of what the other has used with the next sign of life.
    await eventuallyHolds(async () =>
      expect(await daemons[0]?.status()).toMatchObject({ rate: { limit: 6, used: 6 }, reasons: [] }),
    );
    await eventuallyHolds(async () => {
      const statuses = await Promise.all(daemons.map((daemon) => daemon.status()));
      expect(Math.max(...statuses.map(({ queue }) => queue.etaSeconds ?? 0))).toBeGreaterThan(30);
    });
    for (const daemon of daemons) expect((await daemon.end('SIGTERM')).code).toBe(0);
    const alive = String(Date.now() - aliveMs);
    expect(redis.command('ZCOUNT', 'ingestd:{real}:hosts', alive, '+inf')).toBe('0');
    expect(redis.command('ZCARD', 'ingestd:{real}:permits')).toBe('6');
  });

  it('give up a sync with exit code 4 while Redis is away, or the fleet is paused, and say why', async () => {
    settle();
    const place = await host('one', 1, {}, `:${password}`, {
      timing: { settleMs: 100, removeGraceMs: 100, stopSeconds: 2 },
    });
    expect((await place.run('pause', '--fleet')).code).toBe(0);
    const paused = await place.run('sync');
    expect([paused.code, paused.out]).toEqual([
      4,
      expect.stringContaining('all hosts of the fleet were paused'),
    ]);
    expect(paused.out.match(/paused/gi)).toHaveLength(2);
    // Without a daemon Redis is asked.
    expect((await place.run('why', 'inbox/one-0.txt')).out).toContain('ingestd resume --fleet');
    const asked = JSON.parse((await place.run('status', '--json')).out) as Status;
    expect(asked).toMatchObject({ state: 'stopped', paused: ['inbox'] });
    expect(asked.reasons.map(({ code }) => code)).toContain('fleet-paused');
    expect((await place.run('resume', '--fleet')).code).toBe(0);
    await redis.kill();
    // Without Redis it is not known whose the folder is: it is not even counted what is left.
    const away = await place.run('sync');
    expect([away.code, away.out]).toEqual([
      4,
      expect.stringMatching(/^Nothing was sent\.\nRedis cannot be reached/),
    ]);
    const json = JSON.parse((await place.run('sync', '--json')).out) as { gaveUp: { code: string } };
    expect(json.gaveUp.code).toBe('redis-unavailable');
    expect(service.requests).toEqual([]);
  });

  it('are told when Redis wants another password, and show theirs nowhere', async () => {
    const place = await host('one', 0);
    redis.command('CONFIG', 'SET', 'requirepass', 'another-one-altogether');
    const daemon = await place.start();
    const reason = await eventually(async () => {
      const { reasons } = await daemon.status();
      return reasons.find(
        ({ code, message }) =>
          code === 'redis-unavailable' &&
          message.includes('it does not accept the user and password of its address'),
      );
    });
    const { out, err } = await daemon.end('SIGTERM');
    const kept = await readdir(place.home.join('state'));
    const files = await Promise.all(
      kept.map((name) => readFile(place.home.join('state', name), 'utf8').catch(() => '')),
    );
    expect([out, err, JSON.stringify(reason), ...files].join('\n')).not.toContain(password);
  });

  it('change over to another password of Redis at SIGHUP, while it takes both', async () => {
    const folder = await temporaryFolder();
    const address = (secret: string) => `redis://ingestd:${secret}@127.0.0.1:${redis.port}`;
    const file = await folder.write('redis-url', address('the-old-one'));
    const user = (...words: string[]) => redis.command('ACL', 'SETUSER', 'ingestd', ...words);
    expect(user('on', '>the-old-one', '~ingestd:*', '&ingestd:*', '+@all')).toBe('OK');
    settle();
    const place = await host('one', 0, {}, '', {}, { INGESTD_REDIS_URL_FILE: file });
    const daemon = await place.start();
    user('>the-new-one');
    await writeFile(file, address('the-new-one'));
    daemon.signal('SIGHUP');
    await eventually(() => /the new configuration is in effect/.test(daemon.log()));
    user('<the-old-one');
    redis.command('CLIENT', 'KILL', 'USER', 'ingestd');
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    await daemon.idle(({ totals, reasons }) => totals.uploaded === 1 && reasons.length === 0);
    await daemon.end('SIGTERM');
    await folder.remove();
  });

  it('are shown together, the one that needs a person first, and those that are gone', async () => {
    settle();
    const [first, second] = [await host('one', 1), await host('two', 0)];
    await first.home.write('inbox/two.dots.txt', 'refused');
    const [one, two] = await Promise.all([first.start(), second.start()]);
    const fleet = async () => {
      const { out, err } = await second.run('status', '--fleet', '--json');
      if (out === '') throw new Error(err);
      return JSON.parse(out) as FleetStatus;
    };
    await eventuallyHolds(
      async () => {
        const found = await fleet();
        expect(found).toMatchObject({
          health: 'attention',
          account: 'real',
          paused: false,
          rate: { used: 1 },
          hosts: [
            { host: 'one', presence: 'here', failuresTotal: 1, used: 1 },
            { host: 'two', presence: 'here' },
          ],
        });
        expect(JSON.stringify(found)).not.toContain('two.dots');
      },
      { everyMs: 500 },
    );
    const metrics = await eventually(async () => {
      const page = await (await two.fetch('/metrics')).text();
      return page.includes('ingestd_fleet_hosts 2') ? page : null;
    });
    // What all have used, this host hears with its next sign of life.
    expect(metrics).toMatch(/ingestd_rate_used_requests [01]\n/);
    await eventuallyHolds(async () => expect((await two.status()).fleet).toEqual({ host: 'two', hosts: 2 }));
    const text = await second.run('status', '--fleet');
    expect(text.out).toMatch(/1 host needs attention/);
    expect(text.out).toMatch(/^one +1 document failed, 1 failed, 1 request this minute, /m);
    expect((await second.run('status', '--fleet', '--check')).code).toBe(1);
    await one.end('SIGKILL');
    await two.end('SIGTERM');
    await eventually(
      async () => {
        const gone = (await fleet()).hosts.map(({ host, presence }) => `${host} ${presence}`);
        return gone.join() === 'one gone,two stopped';
      },
      { everyMs: 1_000 },
    );
  });

  it('are paused together, over restarts, until they are resumed', async () => {
    settle();
    const [first, second] = [await host('one', 1), await host('two', 1)];
    const paused = await first.run('pause', '--fleet');
    expect([paused.code, paused.out]).toEqual([
      0,
      'All hosts of the fleet are paused. Resume with ingestd resume --fleet.\n',
    ]);
    const daemons = await Promise.all([first.start(), second.start()]);
    for (const daemon of daemons)
      await eventuallyHolds(async () =>
        expect(await daemon.status()).toMatchObject({
          health: 'attention',
          state: 'paused',
          paused: ['inbox'],
          queue: { pending: 1, etaSeconds: null },
          reasons: [{ code: 'fleet-paused', message: expect.stringMatching('were paused on one; run') }],
        }),
      );
    await wait(1_500);
    expect(service.requests).toEqual([]);
    const [daemon] = daemons;
    const metrics = await (await daemon?.fetch('/metrics'))?.text();
    expect(metrics).toContain('ingestd_state{state="paused"} 1\n');
    expect(metrics).toContain('ingestd_folder_paused{folder="inbox"} 1\n');
    const out = async (...words: string[]) => (await first.run(...words)).out;
    const status = await out('status');
    expect(status).toMatch(/^The whole fleet is paused\. [^]*1 to send/);
    expect(status).not.toContain('left');
    expect(await out('why', 'inbox/one-0.txt')).toContain(
      'it is uploaded when you run ingestd resume --fleet (all hosts of the fleet are paused)',
    );
    const way = 'All hosts of the fleet were paused on one; run ingestd resume --fleet to send again.';
    expect(await out('plan')).toContain(way);
    // A pause of this host alone is another thing.
    expect(await out('pause')).toBe('Paused: inbox, until you run ingestd resume.\n');
    expect((await daemon?.status())?.reasons.map(({ code }) => code)).toEqual(['fleet-paused', 'paused']);
    const goesOn = 'Still paused: all hosts of the fleet. Resume them with ingestd resume --fleet.';
    expect(await out('resume')).toBe(`${goesOn}\n`);
    expect((await second.run('resume', '--fleet')).code).toBe(0);
    await Promise.all(daemons.map((daemon) => daemon.idle(({ totals }) => totals.uploaded === 1)));
    await first.run('pause', '--fleet');
    for (const place of [first, second]) {
      const log = () => place.run('log').then(({ out }) => out);
      await eventuallyHolds(async () =>
        expect(pausesOf(await log())).toEqual([
          'problem The whole fleet is paused: all hosts of the fleet were paused',
          'recovered The whole fleet is paused',
          'problem The whole fleet is paused: all hosts of the fleet were paused',
        ]),
      );
    }
    for (const daemon of daemons) await daemon.end('SIGTERM');
  });

  it('sign in once, and once more when their token was revoked', async () => {
    settle();
    const [first, second] = [await host('one', 1), await host('two', 1)];
    const daemons = await Promise.all([first.start(), second.start()]);
    await Promise.all(daemons.map((daemon) => daemon.idle(({ totals }) => totals.uploaded === 1)));
    const grants = () => service.tokenRequests.filter(({ url }) => url === '/oauth/auth').length;
    expect(grants()).toBe(1);
    expect((await first.run('auth', 'revoke')).code).toBe(0);
    expect(service.tokenRequests.filter(({ url }) => url.endsWith('/revoke'))).toHaveLength(1);
    for (const place of [first, second]) await place.home.write('inbox/more.txt', 'more');
    await Promise.all(daemons.map((daemon) => daemon.idle(({ totals }) => totals.uploaded === 2)));
    expect(grants()).toBe(2);
    for (const daemon of daemons) await daemon.end('SIGTERM');
  });

  it('work with a user that has only the rights that the documentation names', async () => {
    const text = await readFile('docs/fleet.md', 'utf8');
    const rule = /^user ingestd .*$/m.exec(text)?.[0] ?? '';
    const words = rule.replace('PASSWORD', 'acl-pass').split(' ').slice(1);
    expect(redis.command('ACL', 'SETUSER', ...words)).toBe('OK');
    settle();
    const place = await host('one', 2, {}, 'ingestd:acl-pass');
    const daemon = await place.start();
    await daemon.idle(({ totals, reasons }) => totals.uploaded === 2 && reasons.length === 0);
    await daemon.end('SIGTERM');
  });
});
