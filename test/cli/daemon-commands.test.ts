import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { chmod, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { localTime } from '../../src/lib/text/amounts.ts';
import { connectDaemon } from '../../src/commands/daemon-client.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  LedgerUnwritableError,
} from '../../src/model/errors.ts';
import type { Status } from '../../src/model/report/status.ts';
import { asUser } from '../support/processes/as-user.ts';
import { aFailure, aFolder, aStatus } from '../status/support/fake-control.ts';
import { openStatusWorld } from '../status/support/status-world.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const status: Partial<Status> = {
  state: 'working',
  reasons: [{ code: 'watch-limit', message: 'too few watches' }],
  folders: [aFolder({ synced: 10, pending: 1, waiting: 1, failed: 1, skipped: 1 })],
  queue: { pending: 1, inFlight: 0, waiting: 1, etaSeconds: 12 },
  rate: { limit: 50, used: 7, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
  failures: [aFailure('a.b.pdf\x1b[2J', 'double-extension', 'two dots')],
  failuresTotal: 1,
  skipped: [{ folder: 'inbox', path: 'x.exe', code: 'unsupported-type', message: 'not a type' }],
  skippedTotal: 1,
  held: [{ folder: 'inbox', count: 2, since: '2026-01-01T00:00:00Z', reason: 'many at once', paths: ['p'] }],
};

const folder = ofEachTest(() => trialFolder());
/** The daemon, as far as it speaks with commands. */
const world = ofEachTest(() => openStatusWorld({ status }));

beforeEach(() => nameDaemon(world.socketPath));

async function nameDaemon(socket: string): Promise<void> {
  const address = { pid: 4711, socket, http: 'http://127.0.0.1:7420' };
  await folder.write('state/daemon.json', JSON.stringify(address));
}

const run = (...args: string[]) => folder.run(...args);

describe('a command beside a running daemon', () => {
  it('S8: status says the verdict first, then what matters, without control characters', async () => {
    const { code, stdout, stderr } = await run('status');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first] = stdout.split('\n');
    expect(first).toBe(
      '1 document failed, 2 deletions held. 10 of 13 documents delivered, about 10 seconds left',
    );
    for (const words of [
      '7 of 50 requests used',
      'too few watches',
      'pid 4711',
      'a.b.pdf\\x1b[2J: two dots',
      'x.exe',
      'many at once',
      'http://127.0.0.1:7420',
    ]) {
      expect(stdout).toContain(words);
    }
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('check tells what keeps the daemon back, which nobody else knows', async () => {
    const problem = async () => (await run('check')).stdout.match(/daemon: .*/)?.[0];
    expect(await problem()).toBeUndefined();
    world.control.change({ reasons: [{ code: 'credentials-refused', message: 'wrong password' }] });
    expect(await problem()).toBe('daemon: wrong password');
  });

  it('status is coloured where that is asked for', async () => {
    const { stdout } = await ingestd(['status'], { cwd: folder.path, env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('\x1b[31m');
    const plain = await ingestd(['status'], { cwd: folder.path, env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain('\x1b');
  });

  it('status --json passes on what the daemon says, one value and nothing else', async () => {
    world.control.change({ more: 1 } as Partial<Status>);
    const { stdout, stderr } = await run('status', '--json');
    const headline = expect.any(String) as unknown;
    expect(JSON.parse(stdout)).toEqual({ ...world.control.status(), more: 1, headline });
    expect(stderr).toBe('');
  });

  it.each([
    ['ok', 0],
    ['attention', 1],
    ['error', 2],
  ] as const)('status --check with the health %s is exit code %i', async (health, code) => {
    world.control.change({ health });
    const ran = await run('status', '--check');
    expect(ran).toMatchObject({ code, stderr: '' });
    expect(ran.stdout).toMatch(new RegExp(`^${health}: .+\n$`));
    const json = await run('status', '--check', '--json');
    expect({ code: json.code, health: (JSON.parse(json.stdout) as Status).health }).toEqual({ code, health });
  });

  it('status --check without a daemon, or with one that does not answer, is exit code 2', async () => {
    const broken = jest.spyOn(world.control, 'status').mockImplementation(() => {
      throw new Error('broken');
    });
    expect(await run('status', '--check')).toMatchObject({ code: 2, stdout: '' });
    broken.mockRestore();
    await rm(folder.join('state/daemon.json'));
    expect(await run('status', '--check')).toMatchObject({ code: 2 });
    expect((await run('status', '--check')).stdout).toMatch(/^error: /);
  });

  it('retry, resolve and approve have the daemon do it', async () => {
    expect(await run('retry', 'inbox/a.pdf', './inbox/b.pdf', 'c.pdf')).toMatchObject({
      code: 0,
      stdout: 'Retrying 3 documents as soon as possible.\n',
    });
    const path = 'inbox/a.pdf';
    const adopt = (...args: string[]) => run('resolve', path, '--doc-id', ...args);
    expect(await adopt('d-1')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/d-1 .*; add --yes$/m),
    });
    expect((await adopt(' d-1\n', '--yes')).stdout).toContain('belongs to the document d-1.');
    // What can be a docId the daemon says, in its own words.
    expect(await adopt(' ', '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('resolve', path, '--again')).code).toBe(0);
    expect((await run('resolve', path, '--dismiss')).code).toBe(0);
    expect(await run('approve', 'inbox', '--yes')).toMatchObject({
      code: 0,
      stdout: '2 deletions approved, to be sent as soon as possible.\n',
    });
    jest.spyOn(world.control, 'status').mockReturnValueOnce(aStatus({ paused: ['inbox'] }));
    expect((await run('approve', '--yes')).stdout).toContain('to be sent once sending is resumed.');
    expect(world.control.calls).toEqual([
      { retry: [path, folder.join('inbox/b.pdf'), 'c.pdf'] },
      { resolve: path, resolution: { action: 'adopt', docId: 'd-1', looks: true } },
      { resolve: path, resolution: { action: 'adopt', docId: 'd-1' } },
      { resolve: path, resolution: { action: 'adopt', docId: '' } },
      { resolve: path, resolution: { action: 'again' } },
      { resolve: path, resolution: { action: 'dismiss' } },
      { approve: 'inbox', paths: [] },
      { approve: null, paths: [] },
    ]);
    expect(new Set(world.control.deciders)).toEqual(new Set(['command line']));
  });

  it('pause says the end that comes true, which is not the one that was asked for while all are paused', async () => {
    const until = '2026-01-31T14:00:00.000Z';
    const end = localTime(until);
    const pauses = { inbox: { since: '2026-01-31T13:00:00Z', by: 'page' as const, until } };
    const paused = ['inbox', 'scans'];
    world.control.decide({ pause: async () => ({ paused, pauses }) });
    const said = async (...names: string[]) => (await run('pause', ...names, '--for', '1h')).stdout;
    const or = ', or until you run ingestd resume';
    expect(await said('inbox')).toBe(`Paused: inbox, until ${end}${or} inbox.\n`);
    expect(await said()).toBe(`Paused: all folders (inbox until ${end})${or}.\n`);
    expect(await said('scans')).toBe('Paused: scans, until you run ingestd resume scans.\n');
  });

  it.each([
    [[], 'Nothing is paused any more.'],
    [['scans'], 'Still paused: scans.'],
  ])('resume says what is still paused: %j', async (paused, words) => {
    world.control.decide({ resume: async () => ({ paused, pauses: {} }) });
    expect(await run('resume', 'inbox')).toMatchObject({ code: 0, stdout: `${words}\n` });
  });

  it('auth revoke has the daemon do it, and is exit code 3 when that is refused', async () => {
    expect(await run('auth', 'revoke', '--all')).toMatchObject({ code: 0 });
    expect(world.control.calls).toEqual([{ revoke: { all: true } }]);
    world.control.failWith(new CredentialsRefusedError('no'));
    expect(await run('auth', 'revoke')).toEqual({ code: 3, stdout: '', stderr: 'ingestd: no\n' });
  });

  it('why tells the story', async () => {
    const { code, stdout } = await run('why', 'inbox/ä b.pdf');
    expect(code).toBe(0);
    expect(world.control.calls).toEqual([{ why: 'inbox/ä b.pdf' }]);
    for (const words of [
      'inbox/ä b.pdf',
      ', shared with your default group',
      'd-1',
      'upload: away',
      'the title stays',
    ])
      expect(stdout).toContain(words);
    const told = await world.control.why('inbox/a.pdf');
    expect(JSON.parse((await run('why', 'inbox/a.pdf', '--json')).stdout)).toEqual(told);
  });

  it('health is the exit code', async () => {
    expect(await run('health')).toEqual({ code: 0, stdout: '', stderr: '' });
    world.control.sicken();
    expect(await run('health')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ingestd: the daemon is not making progress; see its log, or restart it\n',
    });
  });
});

describe('a command beside another daemon', () => {
  let daemon: Server;

  afterEach(async () => {
    daemon.closeAllConnections();
    await new Promise((resolve) => daemon.close(resolve));
  });

  async function listen(handle: RequestListener): Promise<void> {
    daemon = createServer(handle).listen(folder.join('s.sock'));
    await once(daemon, 'listening');
    await nameDaemon(folder.join('s.sock'));
  }

  it('gives the status of an answer that says nothing', async () => {
    await listen((_, response) => response.writeHead(500).end('"nonsense"'));
    const client = await connectDaemon(folder.join('state'));
    await expect(client?.rawStatus()).rejects.toThrow('status 500');
  });

  it('that hangs ends within ten seconds, says so, and hands it nothing to do that it would do when it goes on', async () => {
    const calls: (string | undefined)[] = [];
    await listen(({ url }) => calls.push(url));
    // Each in a process of its own: in this one they would wait one after the other.
    const begin = (...args: string[]) => ingestd(args, { cwd: folder.path });
    const [checked, shown, refused] = await Promise.all([
      begin('status', '--check'),
      begin('status'),
      begin('rescan', 'inbox'),
    ]);
    const words = (seconds: number) =>
      expect.stringContaining(
        `ingestd: the daemon does not answer: nothing came within ${seconds} seconds; it hangs`,
      );
    expect(checked).toEqual({ code: 2, stdout: '', stderr: words(7) });
    expect(shown).toEqual({ code: 1, stdout: '', stderr: words(7) });
    expect(refused).toEqual({ code: 1, stdout: '', stderr: words(5) });
    expect(calls).not.toContain('/api/rescan');
    expect(calls).toContain('/healthz');
  });
});

describe('the way to the daemon', () => {
  it('is none where a crash left its address behind', async () => {
    await world.stop();
    expect(await connectDaemon(folder.join('state'))).toBeNull();
    expect(await connectDaemon(folder.join('nowhere'))).toBeNull();
    await rm(folder.join('state/daemon.json'));
    await folder.write('state/daemon.json', '{"pid": 1');
    expect(await connectDaemon(folder.join('state'))).toBeNull();
    expect(await run('health')).toMatchObject({ code: 1 });
  });

  it.each([
    [new ConfigurationError('no such folder'), 'ConfigurationError', 'no such folder'],
    [new LedgerUnwritableError('disk full'), 'IngestdError', 'disk full'],
  ])('gives the words of a refusal: %s', async (error, name, message) => {
    world.control.failWith(error);
    const client = await connectDaemon(folder.join('state'));
    await expect(client?.revoke({ all: true })).rejects.toMatchObject({ name, message });
  });

  it('is forbidden to another user, which is said and is exit code 2', async () => {
    await chmod(folder.join('state'), 0o000);
    await expect(asUser(() => connectDaemon(folder.join('state')))).rejects.toMatchObject({
      message: expect.stringContaining('is not accessible to this user'),
      exitCode: 2,
    });
    await chmod(folder.join('state'), 0o700);
  });
});
