import { once } from 'node:events';
import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { connectDaemon } from '../../src/commands/daemon-client.ts';
import { eventually } from '../support/eventually.ts';
import { startIngestd } from '../support/processes/ingestd.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder({ timing: { settleMs: 0, removeGraceMs: 50 } }));

beforeEach(async () => {
  await folder.write('inbox/a.txt', 'a');
});

const on = (file: string, ...words: string[]) => folder.run(...words, '--config', folder.join(file));

it('a command for another configuration of the same state directory names it, and does nothing', async () => {
  await copyFile(folder.join('ingestd.yaml'), folder.join('b.yaml'));
  expect((await on('ingestd.yaml', 'sync')).code).toBe(0);
  const ledger = () => readFile(folder.join('state/ledger.json'), 'utf8');
  const before = await ledger();
  await folder.write('inbox/b.txt', 'b');
  const commands = [
    'status',
    'check',
    'plan',
    'sync',
    'run',
    'log',
    'pause',
    'approve',
    'retry',
    'ledger verify',
  ];
  for (const command of [...commands, 'why inbox/a.txt', 'keep', 'auth login']) {
    const { code, stdout, stderr } = await on('b.yaml', ...command.split(' '));
    expect([command, code, stdout]).toEqual([command, 2, '']);
    expect(stderr).toContain(`that of another configuration, ${folder.join('ingestd.yaml')}`);
    expect(stderr).toContain('state.dir of its own');
    // It has that already.
    expect(stderr).not.toContain('dir: ./state');
  }
  expect(await ledger()).toBe(before);

  // The other one is gone: the state directory is used on, and that is said.
  await rm(folder.join('ingestd.yaml'));
  const adopted = await on('b.yaml', 'sync');
  expect([adopted.code, adopted.stderr]).toEqual([0, expect.stringContaining('configuration that is gone')]);
  expect((await on('b.yaml', 'sync')).stderr).not.toContain('configuration that is gone');
  expect((await on('b.yaml', 'log')).stdout.match(/warning .*configuration that is gone/g)).toHaveLength(1);
  await writeFile(folder.join('ingestd.yaml'), await readFile(folder.join('b.yaml')));
  expect((await on('ingestd.yaml', 'status')).stderr).toContain(folder.join('b.yaml'));
});

it('a configuration that was edited to another state directory than its daemon has starts no second one', async () => {
  const text = await readFile(folder.join('ingestd.yaml'), 'utf8');
  const daemon = startIngestd(['run'], { cwd: folder.path });
  const ended = once(daemon, 'close');
  try {
    await eventually(async () => (await connectDaemon(folder.join('state'))) !== null);
    await folder.write('ingestd.yaml', text.replace('./state', './other'));
    const message = `${folder.join('other')} is another directory than ${folder.join('state')}, which the running ingestd (process ${daemon.pid}) has`;
    for (const command of ['run', 'sync', 'plan', 'check', 'ledger verify'])
      expect([command, await folder.run(...command.split(' '))]).toEqual([
        command,
        { code: 2, stdout: '', stderr: expect.stringContaining(message) },
      ]);
    const told = await folder.run('status');
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining(`pid ${daemon.pid}`)]);
    expect(told.stderr).toContain(message);
  } finally {
    daemon.kill('SIGTERM');
    await ended;
  }
  expect(await readdir(folder.join('.local/state/ingestd-running'))).toEqual([]);
  await rename(folder.join('state'), folder.join('other'));
  expect((await folder.run('status')).stderr).toBe('');
});
