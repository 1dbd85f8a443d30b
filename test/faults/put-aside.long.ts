import { rename, rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import type { Why } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { eventually } from '../support/eventually.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const secret = '{"shareInfo": {"mode": "NONE"}}';
const metadata = { shareInfo: { mode: 'EVERYONE' } };

describe('A1: an old version of a private document that is put aside between two runs of sync', () => {
  const folder = ofEachTest(() =>
    trialFolder({
      folders: [{ name: 'inbox', path: './inbox', metadata }],
      timing: { settleMs: 200, removeGraceMs: 200 },
    }),
  );

  it('is private, and why says so', async () => {
    await folder.write('inbox/a.txt', 'version 1');
    await folder.write('inbox/a.txt.meta.json', secret);
    expect((await folder.run('sync')).code).toBe(0);
    await rename(folder.join('inbox/a.txt'), folder.join('inbox/a-old.txt'));
    await folder.write('inbox/a.txt', 'version 2');
    const asked = async () =>
      JSON.parse((await folder.run('why', 'inbox/a-old.txt', '--json')).stdout) as Why;
    const why = async () => {
      const { metadata: shown, sources, narrower, fix, notes } = await asked();
      return { shareInfo: shown?.shareInfo, source: sources['shareInfo'], narrower, fix, notes };
    };
    const message = 'kept private: its former sidecar said NONE';
    const expected = {
      shareInfo: { mode: 'NONE' },
      source: 'kept as it was',
      narrower: { sharing: 'EVERYONE', code: 'kept-private', message },
      fix: 'To share it, state a mode in a sidecar of its own, or run ingestd share inbox/a-old.txt --as stated.',
      notes: [message],
    };
    await eventually(async () => (await asked()).verdict.kind !== 'settling');
    expect(await why()).toEqual(expected);
    const plan = JSON.parse((await folder.run('plan', '--json')).stdout) as { operations: unknown[] };
    expect(plan.operations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'upload', path: 'a-old.txt', sharing: 'NONE' }),
      ]),
    );
    expect((await folder.run('sync')).code).toBe(0);
    expect(await why()).toEqual(expected);
    expect((await folder.run('check')).code).toBe(0);
    const ledger = await folder.openLedger();
    const modeOf = (path: string) => ledger.get({ folder: 'inbox', path })?.metadata.shareInfo;
    expect([modeOf('a.txt'), modeOf('a-old.txt')]).toEqual([{ mode: 'NONE' }, { mode: 'NONE' }]);
    await ledger.close();
    const narrower = async () => {
      const { folders } = JSON.parse((await folder.run('status', '--json')).stdout) as Status;
      return folders[0]?.narrower;
    };
    expect(await narrower()).toBe(1);
    expect((await folder.run('why', 'a-old.txt')).stdout).toMatch(/^narrower +EVERYONE is stated now$/m);
    for (const command of ['status', 'plan'])
      expect((await folder.run(command)).stdout).toMatch(
        /shared less widely than stated[^]*\n {2}inbox\/a-old\.txt: EVERYONE is stated now\n/i,
      );
    const sharing = ['share', 'inbox', '--as', 'stated'];
    expect(await folder.run(...sharing)).toMatchObject({ code: 2 });
    expect(await folder.run('share', 'inbox', '--as', 'NONE', '--yes')).toMatchObject({ code: 2 });
    expect(await folder.run(...sharing, '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Sharing 1 document as stated when ingestd runs: '),
    });
    expect((await folder.run('sync')).code).toBe(0);
    expect(await asked()).toMatchObject({
      metadata: { shareInfo: { mode: 'EVERYONE' } },
      narrower: null,
      decisions: [{ what: 'shared', message: 'as stated, with sharing mode EVERYONE' }],
    });
    expect(await narrower()).toBe(0);
    expect((await folder.run(...sharing)).stdout).toContain('Nothing there');
  });

  it('is not shared by a person’s word where attachments that the service keeps would show', async () => {
    const mode = (shared: string) => JSON.stringify({ shareInfo: { mode: shared } });
    await folder.write('inbox/a.txt', 'a');
    await folder.write('inbox/a.txt.attachments/b.csv', 'b');
    await folder.write('inbox/a.txt.meta.json', mode('NONE'));
    expect((await folder.run('sync')).code).toBe(0);
    await folder.write('inbox/gone.txt', 'gone');
    await folder.write('inbox/gone.txt.meta.json', mode('NONE'));
    expect((await folder.run('sync')).code).toBe(0);
    await rm(folder.join('inbox/a.txt.attachments'), { recursive: true });
    await folder.write('inbox/a.txt.meta.json', mode('EVERYONE'));
    await rm(folder.join('inbox/gone.txt.meta.json'));
    expect((await folder.run('sync')).code).toBe(0);
    await rm(folder.join('inbox/gone.txt'));
    const { code, stdout } = await folder.run('share', 'inbox', '--as', 'stated', '--yes');
    expect([code, stdout]).toEqual([
      2,
      '2 documents stay as they are: ingestd why PATH says why, and what helps.\n',
    ]);
    const why = JSON.parse((await folder.run('why', 'inbox/a.txt', '--json')).stdout) as Why;
    const decided = why.decisions.filter(({ by }) => by !== undefined);
    expect([why.narrower?.code, decided]).toEqual(['attachments-would-show', []]);
  });
});
