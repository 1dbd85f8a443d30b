import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { Why } from '../../src/model/report/command-reports.ts';
import type { Activity } from '../../src/model/report/status.ts';
import { eventually } from '../support/eventually.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';
import { steps } from '../support/services/scripted-service.ts';

const byPerson = (log: string) =>
  (JSON.parse(log) as Activity[])
    .filter(({ by }) => by !== undefined)
    .map(({ what, folder, path, documents, by }) => [what, `${folder}/${path}`, documents, by]);

describe('what a person decides while a daemon starts', () => {
  let place: InstallationWithService;

  afterEach(() => place.remove());

  it('is carried out by it, as soon as it has read its ledger', async () => {
    place = await installationWithService();
    const first = await place.start();
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    await first.idle(({ totals }) => totals.uploaded === 1);
    await first.end('SIGTERM');
    // A ledger that takes as long to read as somebody wants.
    const snapshot = place.home.join('state/ledger.json');
    const text = await readFile(snapshot);
    await rm(snapshot);
    expect(spawnSync('mkfifo', ['-m', '600', snapshot]).status).toBe(0);
    const starting = place.start();
    await eventually(() => existsSync(place.home.join('state/lock')));
    const pausing = place.run('pause');
    await delay(1_000);
    await writeFile(snapshot, text);
    expect(await pausing).toMatchObject({ code: 0, err: '' });
    const second = await starting;
    expect((await second.status()).paused).toEqual(['inbox']);
    await second.end('SIGTERM');
  });
});

describe('what a person decided', () => {
  let folder: TrialFolder;

  afterEach(() => folder.remove());

  it('without a daemon is in the log, and in the story of its path', async () => {
    folder = await trialFolder({ safety: { inDoubt: 'hold' } });
    await folder.write('inbox/a.pdf', 'x');
    const ledger = await folder.openLedger();
    const ref = (path: string) => ({ folder: 'inbox', path });
    await ledger.commit([
      ...['gone.pdf', 'away.pdf'].map((path) => ({
        kind: 'put' as const,
        ref: ref(path),
        record: recordOf({ docId: path }),
      })),
      { kind: 'hold', folder: 'inbox', hold: { since: 1, reason: 'many' } },
      {
        kind: 'doubt',
        doubt: { id: 'd', ref: ref('a.pdf'), count: 1, since: 1, message: 'lost', holds: true },
      },
    ]);
    await ledger.close();
    for (const words of [
      ['pause'],
      ['pause'],
      ['resume', 'inbox'],
      ['resolve', 'inbox/a.pdf', '--dismiss'],
      ['retry', 'inbox/a.pdf'],
      ['approve', '--yes'],
    ])
      await folder.run(...words);
    const said = byPerson((await folder.run('log', '--json')).stdout);
    // Which of the two is looked at first is nobody's promise.
    const inOrder = [
      ...said.slice(0, 4),
      ...said.slice(4).toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    ];
    expect(inOrder).toEqual([
      ['paused', 'inbox/', 0, 'command line'],
      ['resumed', 'inbox/', 0, 'command line'],
      ['resolved', 'inbox/a.pdf', 1, 'command line'],
      ['retried', 'inbox/a.pdf', 1, 'command line'],
      ['approved', 'inbox/away.pdf', 1, 'command line'],
      ['approved', 'inbox/gone.pdf', 1, 'command line'],
    ]);
    const { decisions } = JSON.parse((await folder.run('why', 'inbox/a.pdf', '--json')).stdout) as Why;
    expect(decisions.map(({ what, message }) => [what, message])).toEqual([
      ['resolved', 'the doubt dismissed'],
      ['retried', null],
    ]);
    expect((await folder.run('why', 'inbox/a.pdf')).stdout).toMatch(
      /^2\S+ \S+ +resolved: the doubt dismissed, on the command line$/m,
    );
    expect((await folder.run('log')).stdout).toMatch(
      /approved +inbox\/gone.pdf: to be deleted at the service, on the command line$/m,
    );
  });
});

describe('what a person decides while a daemon runs', () => {
  let place: InstallationWithService;

  afterEach(() => place.remove());

  it('is in its log with the place where it was decided, and stays in the story of its path', async () => {
    place = await installationWithService({ more: { timing: { settleMs: 0, removeGraceMs: 0 } } });
    place.service.script(steps.refuse('no such owner', 422));
    await writeFile(join(place.inbox, 'a.txt'), 'one');
    const daemon = await place.start();
    await daemon.idle(({ failuresTotal }) => failuresTotal === 1);
    expect((await place.run('retry', 'inbox/a.txt')).code).toBe(0);
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    const { token } = (await (await daemon.fetch('/api/token')).json()) as { token: string };
    const headers = { 'x-ingestd-token': token, 'content-type': 'application/json' };
    const body = JSON.stringify({ folder: null });
    await daemon.fetch('/api/pause', { method: 'POST', headers, body });
    await place.run('resume');
    expect(byPerson((await place.run('log', '--json')).out)).toEqual([
      ['retried', 'inbox/a.txt', 1, 'command line'],
      ['paused', 'inbox/', 0, 'page'],
      ['resumed', 'inbox/', 0, 'command line'],
    ]);
    const why = async (path: string) => JSON.parse((await place.run('why', path, '--json')).out) as Why;
    expect((await why('inbox/a.txt')).decisions).toMatchObject([{ what: 'retried', by: 'command line' }]);

    await rename(join(place.inbox, 'a.txt'), join(place.inbox, 'b.txt'));
    await daemon.idle(({ totals }) => totals.moved === 1);
    await daemon.end('SIGTERM');
    expect((await why('inbox/a.txt')).verdict.message).toBe(
      'the file was moved to inbox/b.txt, and its document with it',
    );
  });

  it('is retried where that can help; of the rest it is told what does, and that it goes by itself then', async () => {
    place = await installationWithService();
    const fixes = { 'a.b.pdf': 'rename', 'bad.txt': 'Correct the file as', 'c.exe': 'Save the file' };
    place.service.always(steps.refuse('no such company'));
    for (const name of [...Object.keys(fixes), 'bad.txt.meta.json', 'refused.txt'])
      await place.home.write(`inbox/${name}`, '{');
    const daemon = await place.start();
    await daemon.idle(({ failuresTotal }) => failuresTotal === 3);
    for (const [name, fix] of Object.entries(fixes)) {
      const { code, err } = await place.run('retry', `inbox/${name}`);
      expect([code, err]).toEqual([2, expect.stringMatching(`${fix}[^]*It is sent by itself then`)]);
    }
    const { out } = await place.run('retry');
    expect(out).toMatch(
      /^Retrying 1 .*\.\nNot retried, .*: Invalid sidecar, More than one dot in the name\. /,
    );
  });

  it('is not asked for while an upload in doubt is being sent again', async () => {
    place = await installationWithService();
    place.service.script(steps.resetAfterBody(), steps.silence());
    await place.home.write('inbox/a.txt', 'a');
    const daemon = await place.start();
    await eventually(async () => (await daemon.status()).inDoubt[0]?.isSending);
    for (const command of ['check', 'plan']) {
      const { out } = await place.run(command);
      expect(out).toMatch(/it is being sent again now, and there is nothing to decide meanwhile\./i);
      expect(out).not.toContain('ingestd resolve');
    }
    daemon.signal('SIGKILL');
  });
});
