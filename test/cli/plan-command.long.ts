import { rename, writeFile } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import type { PlanReport, Why } from '../../src/model/report/command-reports.ts';
import { recordOf } from '../support/fixtures/model-fixtures.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() =>
  trialFolder({
    timing: { settleMs: 0 },
    folders: ['here', 'gone'].map((name) => ({ name, path: `./${name}` })),
  }),
);

beforeEach(async () => {
  await folder.write('here/report.txt', 'a report');
});

it('a folder that is gone is named in the plan, beside what the others need; the exit code is that of sync', async () => {
  const ledger = await folder.openLedger();
  await ledger.commit([{ kind: 'put', ref: { folder: 'gone', path: 'a.pdf' }, record: recordOf() }]);
  await ledger.close();
  const { code, stdout } = await folder.run('plan');
  expect(code).toBe(4);
  expect((await folder.run('plan', '--json')).code).toBe(4);
  expect((await folder.run('sync')).code).toBe(4);
  expect(stdout).toMatch(/^upload +here\/report\.txt \(sharing DEFAULT\)$/m);
  expect(stdout).toContain(`gone is left out: ${folder.path}/gone does not exist
`);
});

it('a file that was moved and edited comes from where it was, in the plan and in why', async () => {
  await folder.write('gone/other.txt', 'another');
  expect((await folder.run('sync')).code).toBe(0);
  await rename(folder.join('here/report.txt'), folder.join('here/moved.txt'));
  await writeFile(folder.join('here/moved.txt'), 'the same file with other content');
  const { operations } = JSON.parse((await folder.run('plan', '--json')).stdout) as PlanReport;
  expect(operations.find(({ kind }) => kind === 'move')).toMatchObject({
    path: 'moved.txt',
    from: 'here/report.txt',
  });
  const { verdict, next } = JSON.parse((await folder.run('why', 'here/report.txt', '--json')).stdout) as Why;
  expect([verdict.message, next]).toEqual([
    'the file was moved to here/moved.txt, and its document with it',
    'nothing',
  ]);
  await folder.run('sync');
  expect((await folder.run('log')).stdout).toMatch(
    /moved +here\/moved\.txt \S+: from here\/report\.txt, edited$/m,
  );
});

it('says with which sharing mode and which attachments a document would be sent', async () => {
  await folder.write('gone/other.txt', 'another');
  await folder.write('here/report.txt.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
  await folder.write('here/report.txt.attachments/x.csv', '1');
  const planned = async () =>
    (JSON.parse((await folder.run('plan', '--json')).stdout) as PlanReport).operations
      .filter(({ path }) => path === 'report.txt')
      .map(({ kind, sharing, attachments }) => ({ kind, sharing, attachments }));
  const line = async () => /^.*here\/report.*$/m.exec((await folder.run('plan')).stdout)?.[0];
  expect(await planned()).toEqual([{ kind: 'upload', sharing: 'EVERYONE', attachments: ['x.csv'] }]);
  expect(await line()).toBe('upload      here/report.txt (sharing EVERYONE, attachment x.csv)');
  expect((await folder.run('sync')).code).toBe(0);

  await folder.write('here/report.txt', 'an edited report');
  expect(await planned()).toEqual([{ kind: 'modify', sharing: null, attachments: null }]);
  await folder.write('here/report.txt.meta.json', '{"shareInfo": {"mode": "NONE"}}');
  await folder.write('here/report.txt.attachments/y.csv', '2');
  expect(await planned()).toEqual([{ kind: 'modify', sharing: 'NONE', attachments: ['x.csv', 'y.csv'] }]);
  expect(await line()).toBe('modify      here/report.txt (content, sharing NONE, attachments x.csv, y.csv)');
}, 60_000);
