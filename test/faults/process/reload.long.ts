import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Status } from '../../../src/model/report/status.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { environmentOf, plantedCredentials } from '../../support/planted-secrets.ts';
import { program } from '../../support/processes/program.ts';
import { ingestd } from '../../support/processes/ingestd.ts';
import { describeWhere } from '../../support/needs.ts';
import { missingForNotify, startNotifyReceiver } from '../../support/processes/notify-receiver.ts';
import { steps } from '../../support/services/scripted-service.ts';

const place = ofEachTest(() => installationWithService());
const status = async () => JSON.parse((await place.run('status', '--json')).out) as Status;

describe('P3: a reload', () => {
  it('with another state directory is refused: its ledger knows none of the documents', async () => {
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'a.txt'), 'delivered');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await place.configure({ state: { dir: './elsewhere' } });
    daemon.signal('SIGHUP');
    await daemon.idle(({ reasons }) =>
      reasons.some(({ message }) => /state\.dir: .*elsewhere.*second time/.test(message)),
    );
    await place.configure({});
    daemon.signal('SIGHUP');
    await daemon.idle(({ reasons, folders }) => reasons.length === 0 && folders[0]?.synced === 1);
    expect(place.service.requests).toHaveLength(1);
  });

  const everyone = { shareInfo: { mode: 'EVERYONE' } };
  const inbox = { name: 'inbox', path: './inbox' };
  const modes = () => place.service.requests.map((request) => /(NONE|EVERYONE)/.exec(request.text())?.[0]);

  it.each(['a file', 'an attachment'])(
    'forgets nothing of %s that was private and could not be sent (7.27)',
    async (what) => {
      await place.configure({ folders: [{ ...inbox, metadata: everyone }] });
      const list = what === 'a file' ? {} : { attachments: ['b.txt'] };
      await writeFile(
        join(place.inbox, 'a.txt.meta.json'),
        JSON.stringify({ shareInfo: { mode: 'NONE' }, ...list }),
      );
      for (const name of what === 'a file' ? ['a'] : ['a', 'b'])
        await writeFile(join(place.inbox, `${name}.txt`), 'private');
      place.service.always(steps.answer(400, '{"error": {"message": "no"}}'));
      const daemon = await place.start();
      await daemon.idle(({ folders }) => folders[0]?.failed === 1);
      const path = join(place.inbox, 'a.txt.meta.json');
      await (what === 'a file' ? rm(path) : writeFile(path, '{'));
      await place.run('rescan');
      await daemon.idle();
      await place.configure({ folders: [{ ...inbox, metadata: everyone }], log: { keepDays: 29 } });
      daemon.signal('SIGHUP');
      await eventually(() => daemon.log().includes('the new configuration is in effect'));
      await place.run('rescan');
      await place.run('retry');
      await daemon.idle();
      expect(new Set(modes())).toEqual(new Set(['NONE']));
    },
  );

  it('lets no request begin with what the configuration before stated (7.30)', async () => {
    await place.configure({ folders: [{ ...inbox, metadata: everyone }] });
    let answer = () => {};
    const isAsked = new Promise<void>((asked) =>
      place.service.scriptTokens(async (request) => {
        asked();
        await new Promise<void>((resolve) => (answer = resolve));
        await steps.token({ access_token: 'late' })(request);
      }),
    );
    const daemon = await place.start();
    await writeFile(join(place.inbox, 'a.txt'), 'private');
    await isAsked;
    await eventually(async () => (await daemon.status()).queue.inFlight === 1);
    await place.configure({ folders: [{ ...inbox, metadata: { shareInfo: { mode: 'NONE' } } }] });
    daemon.signal('SIGHUP');
    await eventually(() => daemon.log().includes('configuration changed'));
    answer();
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    expect(modes()).toEqual(['NONE']);
  });

  it('of a file that is gone is refused, also where another would be found by now', async () => {
    await place.home.write('elsewhere/ingestd/ingestd.yaml', 'folders: [{name: private, path: /}]\n');
    const daemon = spawn(process.execPath, [program, 'run'], {
      cwd: place.home.path,
      env: {
        PATH: process.env['PATH'],
        ...environmentOf(plantedCredentials),
        XDG_CONFIG_HOME: place.home.join('elsewhere'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    daemon.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    try {
      await eventually(() => log.includes('watching folder'));
      await rm(place.home.join('ingestd.yaml'));
      daemon.kill('SIGHUP');
      await eventually(() => log.includes('the previous one stays in effect'));
      expect(log).toMatch(/ingestd\.yaml/);
      expect(log).not.toContain('configuration changed');
    } finally {
      daemon.kill('SIGKILL');
    }
  });

  it('keeps the address of the page where any port will do', async () => {
    const daemon = await place.start();
    await place.configure({ timing: { settleMs: 100 } });
    daemon.signal('SIGHUP');
    await eventually(() => daemon.log().match(/"status page"/g)?.length === 2);
    await eventuallyHolds(async () => expect((await daemon.fetch('/healthz')).status).toBe(200));
  });

  it('of a file that is wrong keeps the configuration before, says so in log and status, and goes on', async () => {
    const daemon = await place.start();
    await daemon.idle();
    await place.configure({ timing: { settleMs: 'soon' } });
    daemon.signal('SIGHUP');
    await daemon.settled(({ reasons }) =>
      expect(reasons).toEqual([
        {
          code: 'configuration-refused',
          message: expect.stringMatching(
            new RegExp(`timing\\.settleMs.*soon[^]*then run kill -HUP ${daemon.pid}`),
          ),
        },
      ]),
    );
    await eventuallyHolds(() =>
      expect(daemon.log()).toMatch(/"level":"error".*timing\.settleMs.*the previous one stays/),
    );
    expect(daemon.log().match(/watching/g)).toHaveLength(1);
    expect((await daemon.fetch('/readyz')).status).toBe(200);
    await writeFile(join(place.inbox, 'a.txt'), 'still delivered');
    await daemon.idle(({ totals }) => totals.uploaded === 1);

    // What tells of the daemon finds it all the same, and says that the file is wrong.
    const shown = await place.run('status', '--json');
    expect([shown.code, JSON.parse(shown.out)]).toEqual([0, expect.objectContaining({ pid: daemon.pid })]);
    expect(shown.err).toMatch(/timing\.settleMs.*\n.*the configuration file is invalid/);
    const story = await place.run('why', join(place.inbox, 'a.txt'));
    expect([story.code, story.out]).toEqual([0, expect.stringContaining('doc-1')]);
    expect(await place.run('health')).toEqual({ code: 0, out: '', err: '' });
    const decided = [await place.run('pause'), await place.run('resume', 'inbox'), await place.run('rescan')];
    expect(decided.map(({ code, out }) => [code, out])).toEqual([
      [0, expect.stringContaining('Paused: inbox')],
      [0, 'Nothing is paused any more.\n'],
      [0, 'Scanning inbox.\n'],
    ]);
    await place.home.write('ingestd.yaml', `state: {dir: ./state}\nfolders: [\n`);
    expect((await place.run('status')).out).toContain(`pid ${daemon.pid}`);
    await place.home.write('other.yaml', `state: {dir: ./state}\nfolders: [\n`);
    expect((await ingestd(['status', '--config', 'other.yaml'], { cwd: place.home.path })).code).toBe(2);

    await place.configure({});
    daemon.signal('SIGHUP');
    await daemon.idle(({ reasons }) => reasons.length === 0);
    await daemon.end('SIGTERM');
    await place.configure({ timing: { settleMs: 'soon' } });
    expect((await place.run('status')).code).toBe(2);
  });

  describe('while an upload is under way that takes longer than stopSeconds', () => {
    let answer: () => void;
    let daemon: Awaited<ReturnType<typeof place.start>>;

    beforeEach(async () => {
      const answered = new Promise<void>((resolve) => (answer = resolve));
      place.service.script(async (request) => {
        await answered;
        await steps.accept('doc-1')(request);
      });
      await place.configure({ timing: { stopSeconds: 0.2 } });
      daemon = await place.start();
      await writeFile(join(place.inbox, 'a.txt'), 'large');
      await eventually(() => place.service.requests.length === 1);
      await place.configure({ timing: { stopSeconds: 0.2 }, log: { level: 'debug' } });
      daemon.signal('SIGHUP');
      await eventually(() => daemon.log().includes('when requests under way have ended'));
    });

    afterEach(() => answer());

    it('waits for its end, and says so: nothing is sent twice', async () => {
      await eventuallyHolds(async () =>
        expect(await status()).toMatchObject({ reasons: [{ code: 'reloading' }] }),
      );
      // Longer than stopSeconds: the request would have been cut by now.
      await delay(1_000);
      expect(daemon.log()).not.toContain('the new configuration is in effect');
      answer();
      await eventually(() => daemon.log().includes('the new configuration is in effect'));
      // The process goes on: a log that says otherwise is read by somebody who looks for why it has ended.
      expect(daemon.log()).not.toMatch(/"(?:stopping|stopped)"/);
      await eventuallyHolds(async () =>
        expect(await status()).toMatchObject({
          folders: [{ synced: 1 }],
          possibleDuplicates: 0,
          inDoubt: [],
        }),
      );
      expect(place.service.requests).toHaveLength(1);
    });

    it('stops when it is asked to, without waiting for its end', async () => {
      expect((await daemon.end('SIGTERM')).code).toBe(0);
      expect(place.service.requests).toHaveLength(1);
    });
  });

  it('of one that can be read but not run goes back to the one before, with the reason', async () => {
    const daemon = await place.start();
    await place.configure({ folders: [{ name: 'other', path: './nowhere' }] });
    daemon.signal('SIGHUP');
    const reason = { code: 'configuration-refused', message: expect.stringContaining('nowhere') as unknown };
    await eventuallyHolds(async () =>
      expect(await status()).toMatchObject({ pid: daemon.pid, reasons: [reason] }),
    );
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });
});

describeWhere(missingForNotify(), 'a reload under a service manager', () => {
  it('is a reload and no stop: a manager would end what says that it stops', async () => {
    const receiver = await startNotifyReceiver(place.home.path);
    const managed = await installationWithService({
      environment: { NOTIFY_SOCKET: receiver.socket },
    });
    try {
      const daemon = await managed.start();
      await daemon.idle();
      await managed.configure({ timing: { settleMs: 100 } });
      const told = () =>
        receiver.messages.map((text) => text.split('=')[0]).filter((word) => word !== 'STATUS');
      daemon.signal('SIGHUP');
      await eventuallyHolds(() => expect(told()).toEqual(['READY', 'RELOADING', 'READY']));
      await daemon.end('SIGTERM');
      await eventuallyHolds(() => expect(told()).toEqual(['READY', 'RELOADING', 'READY', 'STOPPING']));
    } finally {
      await managed.remove();
      await receiver.close();
    }
  });
});
