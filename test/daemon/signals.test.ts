import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const scriptFound = spawnSync('script', ['--version']).status === 0;

const folder = ofEachTest(() => trialFolder());

beforeEach(async () => {
  await folder.write('inbox/.keep', '');
});

describeWhere(scriptFound ? null : 'script (bsdutils)', 'a daemon on a terminal', () => {
  it('reads the configuration again at SIGHUP, and stops where its terminal was closed', async () => {
    const command = `exec '${process.execPath}' '${join(process.cwd(), 'dist/main.js')}' run`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], HOME: folder.path, TERM: 'xterm', SHELL: '/bin/sh' },
    });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const closed = once(terminal, 'close');
    const address = folder.join('state/daemon.json');
    const isListening = () => existsSync(address);
    await eventually(isListening);
    const { pid } = JSON.parse(await readFile(address, 'utf8')) as { pid: number };
    try {
      await eventually(() => shown.includes('watching folder'));
      // What is the default is no other setting.
      await appendFile(folder.join('ingestd.yaml'), '\nsafety: {maxDeleteCount: 10}\n');
      process.kill(pid, 'SIGHUP');
      await eventually(() => shown.includes('configuration unchanged'));
      expect(isListening()).toBe(true);
      terminal.kill('SIGKILL');
      await closed;
      await eventually(() => !isListening());
      await eventually(() => spawnSync('kill', ['-0', String(pid)]).status !== 0);
    } finally {
      spawnSync('kill', ['-9', String(pid)]);
    }
  });
});
