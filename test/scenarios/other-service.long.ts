import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';

import type { CheckFinding } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { eventually } from '../support/eventually.ts';
import { plantedCredentials } from '../support/planted-secrets.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { steps } from '../support/services/scripted-service.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const names = ['a.txt', 'b.txt', 'c.txt'];
const refusal =
  /the ledger in .*state belongs to http:\/\/localhost \(any port\) \(3 documents\).*would count as delivered/;
/** It has no address. */
const embedded = { mode: 'embedded', authUrl: undefined, ingestUrl: undefined };

const place = ofEachTest(() => installationWithService());

beforeEach(async () => {
  for (const name of names) await writeFile(join(place.inbox, name), name);
});

async function deliver(): Promise<void> {
  expect(await place.run('sync')).toMatchObject({ code: 0 });
}

/** From now on the configuration names this address. */
function name(ingestUrl: string, more: object = {}): Promise<void> {
  return place.configure({ service: { ingestUrl }, ...more });
}

function requestLines(from = 0): string[] {
  return place.service.requests.slice(from).map(({ method, url }) => `${method} ${url}`);
}

async function json<T>(...words: string[]): Promise<T> {
  return JSON.parse((await place.run(...words, '--json')).out) as T;
}

describe('a ledger that meets another service', () => {
  it('stays as it is and nothing is sent: exit code 2, both addresses and the fixes, of every command that would', async () => {
    await deliver();
    const exported = await json<{ documents: unknown[] }>('ledger', 'export');
    const sent = place.service.requests.length;
    const tokens = place.service.tokenRequests.length;
    await writeFile(join(place.inbox, 'a.txt'), 'edited');
    await rm(join(place.inbox, 'b.txt'));
    await writeFile(join(place.inbox, 'd.txt'), 'new');
    await name(`${place.service.ingestUrl}/production`);
    const plans = Promise.all([place.run('plan'), place.run('plan', '--json')]);
    for (const { code, out, err } of [await place.run('sync'), await place.run('run'), ...(await plans)]) {
      expect([code, out, err]).toEqual([2, '', expect.stringMatching(refusal)]);
      expect(err).toContain(`service.ingestUrl is ${place.service.ingestUrl}/production`);
      expect(err).toMatch(/set another state\.dir.*ingestd ledger service-moved/);
    }
    const { findings } = await json<{ findings: CheckFinding[] }>('check');
    expect(findings.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        subject: 'state.dir',
        code: 'other-service',
        message: expect.stringMatching(/^the ledger in/),
      }),
    ]);
    const { reasons, folders } = await json<Status>('status');
    expect(folders).toMatchObject([{ onDisk: 3, synced: 1, pending: 2 }]);
    expect(findings).toContainEqual(
      expect.objectContaining({ level: 'info', message: expect.stringContaining('1 delivered, 2 to send') }),
    );
    expect(reasons).toContainEqual({ code: 'other-service', message: expect.stringMatching(refusal) });
    const { out } = await place.run('status');
    expect([out.match(new RegExp(refusal, 'g')), out.match(/run ingestd ledger service-moved/g)]).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ]);
    expect((await json<{ next: string }>('why', 'inbox/c.txt')).next).toMatch(/^nothing; .*belongs to/);
    const verified = await place.run('ledger', 'verify');
    expect([verified.code, verified.out]).toEqual([
      0,
      expect.stringContaining('3 documents of http://localhost'),
    ]);
    expect([place.service.requests.length, place.service.tokenRequests.length]).toEqual([sent, tokens]);

    await name(place.service.ingestUrl);
    expect(await json('ledger', 'export')).toEqual(exported);
    await deliver();
    const methods = new Set(requestLines(sent).map((line) => line.split(' ')[0]));
    expect([requestLines(sent).length, methods]).toEqual([3, new Set(['DELETE', 'POST', 'PUT'])]);
  });

  it('and holds nothing of it takes nothing for refused that the other one refused', async () => {
    place.service.script(...names.map(() => steps.refuse('not in this account', 422)));
    expect((await place.run('sync')).code).toBe(4);
    const sent = place.service.requests.length;
    expect((await place.run('sync')).code).toBe(4);
    expect(requestLines(sent)).toEqual([]);
    await name(`${place.service.ingestUrl}/right`);
    await deliver();
    expect(requestLines(sent)).toEqual(
      names.map(() => expect.stringMatching(/^POST \/right\/.*\/upload-document$/)),
    );
  });

  it('is of the configured one after a person said that it has moved, and its documents keep their docIds', async () => {
    await deliver();
    const sent = place.service.requests.length;
    await name(`${place.service.ingestUrl}/new`);
    const moved = await place.run('ledger', 'service-moved');
    expect([moved.code, moved.out]).toEqual([
      0,
      'The ledger’s 3 documents now belong to http://localhost/new (any port), and no longer to http://localhost (any port).\n',
    ]);
    await rm(join(place.inbox, 'b.txt'));
    await deliver();
    expect(requestLines(sent)).toEqual([
      expect.stringMatching(/^DELETE \/new\/.*\/delete-document\/doc-\d$/),
    ]);
    expect((await place.run('ledger', 'service-moved')).out).toMatch(/^Nothing to do/);
    await name(place.service.ingestUrl);
    expect((await place.run('plan')).code).toBe(2);
    await name(place.service.ingestUrl, { state: { dir: './empty' } });
    expect((await place.run('ledger', 'service-moved')).out).toMatch(/^The empty ledger now belongs to /);
  });

  it('from a trial is not taken for that of the real service, and the embedded one has no other address', async () => {
    await place.configure({ service: embedded });
    await deliver();
    await name(place.service.ingestUrl);
    const { code, err } = await place.run('sync');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('belongs to the embedded service (3 documents)'),
    ]);
    expect(err).not.toContain('service-moved');
    const moved = await place.run('ledger', 'service-moved');
    expect([moved.code, moved.out]).toEqual([2, '']);
    expect(moved.err).toMatch(/belongs to the embedded service.*Set another state\.dir/);
    expect(place.service.requests).toHaveLength(0);
    await place.configure({ service: embedded });
    expect((await place.run('ledger', 'service-moved')).out).toMatch(/^Nothing to do/);
    await deliver();
  });

  it('on SIGHUP: the daemon goes on with the service before and says why', async () => {
    const daemon = await place.start();
    await daemon.idle(({ totals }) => totals.uploaded === 3);
    expect((await place.run('ledger', 'service-moved')).code).toBe(5);
    await name(`${place.service.ingestUrl}/production`);
    daemon.signal('SIGHUP');
    // It came back on another port: the command line finds it.
    const reason = await eventually(
      async () => {
        const { reasons } = await json<Status>('status');
        return reasons.find(({ code }) => code === 'configuration-refused');
      },
      { withinMs: 20_000 },
    );
    expect(reason.message).toMatch(refusal);
    const sent = place.service.requests.length;
    await writeFile(join(place.inbox, 'd.txt'), 'still delivered');
    await eventually(() => place.service.requests.length > sent);
    expect(requestLines(sent)).toEqual([expect.not.stringContaining('/production')]);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });
});

describe('a ledger that meets its own service', () => {
  it('is told apart by no account: a wrong one is exit code 3, and none is written down', async () => {
    const own = await installationWithService({ environment: { INGESTD_USERNAME: undefined } });
    try {
      await own.home.write('.env', `INGESTD_USERNAME=${plantedCredentials.username}\n`);
      await writeFile(join(own.inbox, 'a.txt'), 'a');
      expect((await own.run('sync')).code).toBe(0);
      const state = own.home.join('state');
      const files = (await readdir(state)).filter((file) => file.startsWith('ledger'));
      const texts = await Promise.all(files.map((file) => readFile(join(state, file), 'utf8')));
      expect(texts.join()).toContain('http://localhost');
      for (const secret of Object.values(plantedCredentials)) expect(texts.join()).not.toContain(secret);

      await own.home.write('.env', 'INGESTD_USERNAME=nobody@example.com\n');
      await writeFile(join(own.inbox, 'a.txt'), 'edited');
      own.service.alwaysTokens(steps.answer(401, '{"error":"invalid_grant"}'));
      expect((await own.run('sync')).code).toBe(3);
    } finally {
      await own.remove();
    }
  });

  it('for the first time, being of an older ingestd, is taken over and is of that one from then on', async () => {
    const dir = place.home.join('state');
    const ledger = await openLedger({ dir, clock: systemClock, log: recordedLog() });
    const ref = { folder: 'inbox', path: 'a.txt' };
    await ledger.commit([{ kind: 'put', ref, record: recordOf({ docId: 'doc-old' }) }]);
    await ledger.close();
    await deliver();
    expect(requestLines().filter((line) => line.startsWith('PUT'))).toEqual([
      expect.stringContaining('doc-old'),
    ]);
    await name('https://ingest.invalid');
    expect((await place.run('sync')).code).toBe(2);
  });

  it('while it holds nothing, follows every change of the address', async () => {
    for (const file of names) await rm(join(place.inbox, file));
    await name(`${place.service.ingestUrl}/mistyped`);
    await deliver();
    await name(place.service.ingestUrl);
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    await deliver();
    await name(`${place.service.ingestUrl}/mistyped`);
    expect((await place.run('sync')).code).toBe(2);
  });
});

describe('an import', () => {
  it('takes no export of another service, and adopts nothing into another service’s ledger', async () => {
    await deliver();
    const exported = (await place.run('ledger', 'export', '--json')).out;
    const file = place.home.join('export.json');
    await writeFile(file, exported);
    const production = `${place.service.ingestUrl}/production`;
    await name(production, { state: { dir: './production' } });
    const refused = await place.run('ledger', 'import', file);
    expect([refused.code, refused.out]).toEqual([2, '0 documents adopted.\n']);
    expect(refused.err).toMatch(/"service": .*http:\/\/localhost \(any.*http:\/\/localhost\/production/);

    const { service: _service, ...anybodys } = JSON.parse(exported) as Record<string, unknown>;
    await writeFile(file, JSON.stringify(anybodys));
    expect(await place.run('ledger', 'import', file)).toMatchObject({
      code: 0,
      out: '3 documents adopted.\n',
    });
    expect(await json('ledger', 'export')).toMatchObject({ service: 'http://localhost/production' });

    await name(place.service.ingestUrl, { state: { dir: './production' } });
    await writeFile(place.home.join('more.csv'), 'path,docId\nd.txt,doc-77\n');
    const csv = await place.run('ledger', 'import', place.home.join('more.csv'));
    expect([csv.code, csv.err]).toEqual([
      2,
      expect.stringContaining('belongs to http://localhost/production'),
    ]);
  });
});
