import { spawn } from 'node:child_process';
import { chmod, open, readFile, rename } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Activity } from '../../src/model/report/status.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { startIngestd } from '../support/processes/ingestd.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder({ timing: { settleMs: 0, removeGraceMs: 100 } }));

beforeEach(async () => {
  await folder.write('inbox/a.txt', 'a');
  await folder.write('inbox/b.c.txt', 'b');
});

const run = (...args: string[]) => folder.run(...args);
const logged = async (...args: string[]) =>
  (JSON.parse((await run('log', '--json', ...args)).stdout) as Activity[]).map(
    ({ what, path }) => `${what} ${path}`,
  );

describe('log', () => {
  it('has no stop of what did not start', async () => {
    await folder.write('state/daemon.sock/x', '');
    await chmod(folder.join('state'), 0o700);
    expect((await run('run')).stderr).toContain('daemon.sock is not a socket');
    expect(await logged()).toEqual([]);
  });

  it('says what happened over starts, without a daemon, and filters it', async () => {
    expect((await run('log')).stdout).toBe('Nothing happened.\n');
    await run('sync');
    await folder.write('inbox/a.txt', 'changed');
    await run('sync');
    const all = await logged();
    expect(all).toContain('uploaded a.txt');
    expect(all.slice(-2)).toEqual(['modified a.txt', 'stopped ']);
    expect(new Set(await logged('--failed'))).toEqual(new Set(['failed b.c.txt']));
    for (const age of ['1h', '3600s']) expect(await logged('--since', age)).toEqual(all);
    expect(await logged('--since', '2999-01-01')).toEqual([]);
    const later = await run('log', 'inbox/a.txt', '--since', '2999-01-01');
    expect(later.stdout).toMatch(/^The log has nothing since then about \S+a\.txt;/);
    expect((await run('log')).stdout).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d uploaded {2}inbox\/a\.txt \S+$/m,
    );
    // What happens to all of a folder makes nothing known that was never there.
    await run('pause');
    for (const filter of ['--all', '--failed'])
      expect((await run('log', 'inbox/unknown.txt', filter)).stdout).toMatch(/^\S+ is unknown: neither the/);
    expect(await logged('inbox/unknown.txt')).toEqual([]);
    expect(await logged('inbox/a.txt')).toEqual(['uploaded a.txt', 'modified a.txt', 'paused ']);
    await run('resume');
    await rename(folder.join('inbox/a.txt'), folder.join('inbox/moved.txt'));
    await run('sync');
    // It was there, and is known by where it went.
    expect(await logged('inbox/a.txt')).toEqual(
      expect.arrayContaining(['modified a.txt', 'moved moved.txt']),
    );
    expect(await run('log', '/elsewhere')).toMatchObject({ code: 2 });
    expect(await run('log', '--since', 'soon')).toMatchObject({ code: 2 });
  });

  it('tells of an import', async () => {
    await folder.write('some.csv', 'folder,path,docId\ninbox,a.txt,doc-1\n');
    expect((await run('ledger', 'import', 'some.csv')).code).toBe(0);
    expect((await run('log')).stdout).toMatch(
      / imported {2}ingestd: 1 document from some\.csv, on the command line$/m,
    );
  });

  it('says when a document was shared more widely, and what said so; why does too', async () => {
    await run('sync');
    await folder.write('inbox/a.txt.meta.json', '{"shareInfo": {"mode": "EVERYONE"}}');
    const sharing = { before: 'DEFAULT', after: 'EVERYONE', source: 'a.txt.meta.json' };
    expect((await run('sync')).stderr).toContain(`"sharing":${JSON.stringify(sharing)}`);
    const [last] = (JSON.parse((await run('log', '--json', 'inbox/a.txt')).stdout) as Activity[]).slice(-1);
    expect(last).toMatchObject({ what: 'modified', path: 'a.txt', sharing });
    const words = 'sharing DEFAULT → EVERYONE';
    expect((await run('log', 'inbox/a.txt')).stdout).toContain(`${words} (its own sidecar)`);
    expect((await run('why', 'inbox/a.txt')).stdout).toContain(
      `modify: modified, ${words} (a.txt.meta.json)`,
    );
  });

  it('says in one line what happened to many documents of a directory, and in many with --verbose', async () => {
    // Nothing else comes in between.
    await run('sync');
    for (let index = 0; index < 7; index += 1) {
      await folder.write(`inbox/q3/${index}.txt`, String(index));
      await folder.write(`inbox/q3/${index}.txt.meta.json`, '{"shareInfo": {"mode": "NONE"}}');
    }
    await run('sync');
    for (let index = 0; index < 2; index += 1) await folder.write(`inbox/q4/${index}.txt`, String(index));
    await run('sync');
    const lines = async (...args: string[]) =>
      (await run('log', ...args)).stdout.split('\n').filter((line) => line.includes('inbox/q'));
    const gathered = await lines();
    expect(gathered.filter((line) => line.includes('q3'))).toEqual([
      expect.stringMatching(/ uploaded {2}inbox\/q3 \(7 documents\): sharing NONE \(its own sidecar\)$/),
    ]);
    expect(gathered).toHaveLength(3);
    expect(await lines('--verbose')).toHaveLength(9);
    expect(await lines('inbox/q3')).toHaveLength(1);
    expect(await lines('inbox/q3', '--verbose')).toHaveLength(7);
  });

  it('shows the last 50, and with --all or --since everything that is kept', async () => {
    // Two dots in a name: it fails, and needs no request.
    for (let index = 0; index < 60; index += 1) await folder.write(`inbox/${index}.c.txt`, String(index));
    await run('sync');
    expect(await logged()).toHaveLength(50);
    const all = await logged('--all');
    expect(all[0]).toBe('started ');
    expect(all.filter((line) => line.startsWith('failed'))).toHaveLength(61);
    expect(await logged('--since', '1d')).toEqual(all);
    expect(await logged()).toEqual(all.slice(-50));
  });

  it('says what happened to the daemon: a kill is noticed at the next start', async () => {
    const daemon = startIngestd(['run'], { cwd: folder.path });
    await eventually(async () => (await logged()).includes('uploaded a.txt'));
    daemon.kill('SIGKILL');
    await new Promise((resolve) => daemon.once('close', resolve));
    await run('sync');
    const starts = (JSON.parse((await run('log', '--json')).stdout) as Activity[]).filter(
      ({ what }) => what === 'started',
    );
    expect(starts.map(({ message }) => message)).toEqual([
      expect.not.stringContaining('killed'),
      expect.stringContaining('the run before was not stopped'),
    ]);
    await run('sync');
    expect((await run('log')).stdout.match(/was killed/g)).toHaveLength(1);
  });

  it('gives the lines of standard error their priority where the journal of systemd reads them', async () => {
    const file = await open(folder.join('journal'), 'w');
    const { dev, ino } = await file.stat();
    const env = { ...process.env, JOURNAL_STREAM: `${dev}:${ino}` };
    const command = ['dist/main.js', 'sync', '--config', folder.join('ingestd.yaml')];
    const sync = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', file.fd], env });
    await new Promise((resolve) => sync.once('close', resolve));
    await file.close();
    const lines = (await readFile(folder.join('journal'), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => line.startsWith('<6>{"level":"info"'))).not.toEqual([]);
    expect(lines.filter((line) => line.startsWith('<4>{"level":"warn"'))).not.toEqual([]);
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
  });

  it('follows a daemon, whose totals go on where the last one stopped', async () => {
    await run('sync');
    const daemon = startIngestd(['run'], { cwd: folder.path });
    const follower = startIngestd(['log', '--follow', '--json'], { cwd: folder.path });
    let seen = '';
    follower.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    try {
      await folder.write('inbox/new.txt', 'n');
      await eventually(() => seen.includes('"path":"new.txt"'));
      await eventuallyHolds(async () =>
        expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({ totals: { uploaded: 2 } }),
      );
    } finally {
      follower.kill('SIGINT');
      daemon.kill('SIGTERM');
      await new Promise((resolve) => daemon.once('close', resolve));
    }
  });
});
