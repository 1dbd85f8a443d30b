import { readFile } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { runNotifyCommand } from '../../../src/daemon/notify/notifier.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const { signal } = new AbortController();
const folder = folderOfEachTest();

afterEach(() => {
  delete process.env['INGESTD_PASSWORD'];
  delete process.env['CREDENTIALS_DIRECTORY'];
});

const read = (name: string) => readFile(folder.join(name), 'utf8');

function sh(script: string, ended = signal, longestMs?: number) {
  return runNotifyCommand(['sh', '-c', script], { text: 'hello' }, folder.path, ended, longestMs);
}

async function isGone(pid: number): Promise<boolean> {
  return eventually(() => {
    try {
      process.kill(pid, 0);
      return null;
    } catch {
      return true;
    }
  });
}

it('gives the event on standard input, and none of the secrets in the environment', async () => {
  process.env['INGESTD_PASSWORD'] = 'very-secret-word';
  process.env['CREDENTIALS_DIRECTORY'] = '/run/credentials/ingestd';
  await sh('cat > event.json; env > environment');
  expect(JSON.parse(await read('event.json'))).toEqual({ text: 'hello' });
  const environment = await read('environment');
  expect(environment).toContain('PATH=');
  expect(environment).not.toMatch(/INGESTD|CREDENTIALS_DIRECTORY|very-secret/);
});

it('runs no shell', async () => {
  await runNotifyCommand(['touch', '$(id)', 'a b;c'], {}, folder.path, signal);
  expect(await read('$(id)')).toBe('');
  expect(await read('a b;c')).toBe('');
});

it.each([
  ['exit 3', /^sh: exit code 3$/],
  ['echo "no route to the mail server" >&2; exit 1', /^sh: exit code 1: no route to the mail server$/],
  ['kill -9 $$', /^sh: ended by SIGKILL$/],
])('fails as %s does', async (script, message) => {
  await expect(sh(script)).rejects.toThrow(message);
});

it('fails where there is no such program', async () => {
  // Node keeps the timer of one that it cannot start: a long one would keep the process of the tests from its end.
  const started = runNotifyCommand(['/no/such/program'], {}, folder.path, signal, 100);
  await expect(started).rejects.toThrow(/cannot be run: .*ENOENT/);
});

it('takes one that does not read its input, and one that leaves something behind', async () => {
  await runNotifyCommand(['true'], { text: 'x'.repeat(1_000_000) }, folder.path, signal);
  await sh('sleep 3 & exit 0');
});

it('ends it, and what it started, when its time is up or ingestd stops', async () => {
  await expect(sh('sleep 600 & echo $! > pid; wait', signal, 500)).rejects.toThrow('ended by SIGKILL');
  expect(await isGone(Number(await read('pid')))).toBe(true);
  const stop = new AbortController();
  const running = sh('sleep 600 & echo $! > second; wait', stop.signal);
  const pid = await eventually(async () => Number(await read('second')) || null);
  stop.abort();
  await expect(running).rejects.toThrow('aborted');
  expect(await isGone(pid)).toBe(true);
});
