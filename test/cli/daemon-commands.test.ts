import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { chmod, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localTime } from '../../src/lib/text/amounts.ts';
import { connectDaemon } from '../../src/commands/daemon-client.ts';
import type { Status } from '../../src/model/report/status.ts';
import { asUser } from '../support/processes/as-user.ts';
import { aFolder, aStatus } from '../status/support/fake-control.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

const inbox = aFolder({
  watches: 3,
  onDisk: 14,
  synced: 10,
  pending: 1,
  waiting: 1,
  failed: 1,
  skipped: 1,
  held: 2,
  oldestUnsyncedSeconds: 3,
});

const status = aStatus({
  version: '0.1.0',
  state: 'working',
  reasons: [{ code: 'watch-limit', message: 'too few watches' }],
  folders: [inbox],
  queue: { pending: 1, inFlight: 0, waiting: 1, etaSeconds: 12 },
  rate: { limit: 50, used: 7, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
  auth: { state: 'ok', expiresAt: null },
  totals: { uploaded: 1, modified: 2, deleted: 3, moved: 4, requests: 5, bytesSent: 6 },
  failures: [
    {
      folder: 'inbox',
      path: 'a.b.pdf\x1b[2J',
      code: 'double-extension',
      message: 'two dots',
      attempts: 1,
      retryAt: null,
    },
  ],
  failuresTotal: 1,
  skipped: [{ folder: 'inbox', path: 'x.exe', code: 'unsupported-type', message: 'not a type' }],
  skippedTotal: 1,
  held: [{ folder: 'inbox', count: 2, since: '2026-01-01T00:00:00Z', reason: 'many at once', paths: ['p'] }],
});

const why = {
  folder: 'inbox',
  path: 'a.pdf',
  verdict: { kind: 'document', code: 'document', message: 'It is a document' },
  sidecar: null,
  sources: {},
  metadata: { title: 'a' },
  attachments: [],
  decisions: [],
  narrower: null,
  docId: 'doc-1',
  sha256: null,
  uploadedAt: '2026-01-01T00:00:00Z',
  modifiedAt: null,
  deletedAt: null,
  possibleDuplicates: 0,
  attempts: [{ at: '2026-01-01T00:00:00Z', operation: 'upload', code: 'accepted', message: 'taken' }],
  notes: ['the title stays'],
  fix: null,
  imported: false,
  sentAs: null,
  next: 'Nothing',
  nextAt: null,
};

let folder: TrialFolder;
let daemon: Server;
let calls: string[];
let answer: (request: IncomingMessage, body: string) => { readonly status: number; readonly body: unknown };

beforeEach(async () => {
  folder = await trialFolder();
  calls = [];
  answer = () => ({ status: 200, body: status });
  await folder.write(
    'state/daemon.json',
    JSON.stringify({ pid: 4711, socket: folder.join('s.sock'), http: 'http://127.0.0.1:7420' }),
  );
  daemon = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => daemon.listen(folder.join('s.sock'), resolve));
});

afterEach(async () => {
  daemon.closeAllConnections();
  await new Promise((resolve) => daemon.close(resolve));
  await folder.remove();
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.url !== '/healthz') calls.push([request.method, request.url, text].filter(Boolean).join(' '));
  const { status, body } = answer(request, text);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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

  it('status is coloured where that is asked for', async () => {
    const { stdout } = await ingestd(['status'], { cwd: folder.path, env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('\x1b[31m');
    const plain = await ingestd(['status'], { cwd: folder.path, env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain('\x1b');
  });

  it('status --json passes on what the daemon says, one value and nothing else', async () => {
    answer = () => ({ status: 200, body: { ...status, verdict: 'fine', more: 1 } });
    const { stdout, stderr } = await run('status', '--json');
    expect(JSON.parse(stdout)).toEqual({ ...status, verdict: 'fine', more: 1 });
    expect(stderr).toBe('');
  });

  it.each([
    ['ok', 0],
    ['attention', 1],
    ['error', 2],
  ] as const)('status --check with the health %s is exit code %i', async (health, code) => {
    answer = () => ({ status: 200, body: { ...status, health } });
    const ran = await run('status', '--check');
    expect(ran).toMatchObject({ code, stderr: '' });
    expect(ran.stdout).toMatch(new RegExp(`^${health}: .+\n$`));
    const json = await run('status', '--check', '--json');
    expect({ code: json.code, health: (JSON.parse(json.stdout) as Status).health }).toEqual({ code, health });
  });

  it('status --check without a daemon, or with one that does not answer, is exit code 2', async () => {
    answer = () => ({ status: 500, body: { message: 'broken' } });
    expect(await run('status', '--check')).toMatchObject({ code: 2, stdout: '' });
    await rm(folder.join('state/daemon.json'));
    expect(await run('status', '--check')).toMatchObject({ code: 2 });
    expect((await run('status', '--check')).stdout).toMatch(/^error: /);
  });

  it('retry sends paths as the daemon takes them', async () => {
    answer = () => ({ status: 200, body: { retried: 2 } });
    const { code, stdout } = await run('retry', 'inbox/a.pdf', './inbox/b.pdf', 'c.pdf');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Retrying 2 documents now.\n' });
    expect(calls).toEqual([
      `POST /api/retry ${JSON.stringify({ paths: ['inbox/a.pdf', folder.join('inbox/b.pdf'), 'c.pdf'], all: false })}`,
    ]);
  });

  it('resolve has the daemon do it, in one of three ways', async () => {
    answer = () => ({ status: 200, body: {} });
    expect((await run('resolve', 'inbox/a.pdf', '--doc-id', 'd-1')).stdout).toContain(
      'belongs to the document d-1',
    );
    expect((await run('resolve', 'inbox/a.pdf', '--again')).code).toBe(0);
    expect((await run('resolve', 'inbox/a.pdf', '--dismiss')).code).toBe(0);
    const path = 'inbox/a.pdf';
    expect(calls).toEqual([
      `POST /api/resolve ${JSON.stringify({ path, action: 'adopt', docId: 'd-1' })}`,
      `POST /api/resolve ${JSON.stringify({ path, action: 'again' })}`,
      `POST /api/resolve ${JSON.stringify({ path, action: 'dismiss' })}`,
    ]);
  });

  it('approve releases one folder or all', async () => {
    answer = () => ({ status: 200, body: { approved: 2 } });
    expect(await run('approve', 'inbox', '--yes')).toMatchObject({
      code: 0,
      stdout: '2 deletions released, to be sent now.\n',
    });
    expect(await run('approve', '--yes')).toMatchObject({ code: 0 });
    expect(calls).toEqual(['POST /api/approve {"folder":"inbox"}', 'POST /api/approve {"folder":null}']);
  });

  it('pause names what was paused', async () => {
    answer = ({ method }) => ({ status: 200, body: method === 'GET' ? status : { paused: ['inbox'] } });
    const rest = 'until you run ingestd resume.\n';
    expect(await run('pause', 'inbox')).toMatchObject({ code: 0, stdout: `Paused: inbox, ${rest}` });
    expect(await run('pause')).toMatchObject({ code: 0, stdout: `Paused: all folders, ${rest}` });
  });

  it('pause says the end that comes true, which is not the one that was asked for while all are paused', async () => {
    const ends = { inbox: '2026-01-31T14:00:00.000Z' };
    const end = localTime(ends.inbox);
    const paused = ['inbox', 'scans'];
    answer = ({ method }) => ({ status: 200, body: method === 'GET' ? status : { paused, ends } });
    const rest = ', or until you run ingestd resume.\n';
    expect((await run('pause', 'inbox', '--for', '1h')).stdout).toBe(`Paused: inbox, until ${end}${rest}`);
    expect((await run('pause', '--for', '1h')).stdout).toBe(`Paused: all folders, inbox until ${end}${rest}`);
    expect((await run('pause', 'scans', '--for', '1h')).stdout).toBe(
      'Paused: scans, until you run ingestd resume.\n',
    );
  });

  it.each([
    [[], 'Nothing is paused any more.'],
    [['scans'], 'Still paused: scans.'],
  ])('resume says what is still paused: %j', async (paused, words) => {
    answer = () => ({ status: 200, body: { paused } });
    expect(await run('resume', 'inbox')).toMatchObject({ code: 0, stdout: `${words}\n` });
  });

  it('auth revoke has the daemon do it', async () => {
    answer = () => ({ status: 200, body: {} });
    expect(await run('auth', 'revoke', '--all')).toMatchObject({ code: 0 });
    expect(calls).toEqual(['POST /api/revoke {"all":true}']);
  });

  it('auth revoke is exit code 3 when the daemon is refused', async () => {
    answer = () => ({ status: 502, body: { code: 'credentials-refused', message: 'no' } });
    expect(await run('auth', 'revoke')).toEqual({ code: 3, stdout: '', stderr: 'ingestd: no\n' });
  });

  it('why tells the story', async () => {
    answer = () => ({ status: 200, body: why });
    const { code, stdout } = await run('why', 'inbox/ä b.pdf');
    expect(code).toBe(0);
    expect(calls).toEqual([`GET /api/why?path=${encodeURIComponent('inbox/ä b.pdf')}`]);
    for (const words of [
      'inbox/a.pdf',
      'It is a document',
      'doc-1',
      'upload: taken',
      'the title stays',
      'Nothing',
    ])
      expect(stdout).toContain(words);
    expect(JSON.parse((await run('why', 'a.pdf', '--json')).stdout)).toEqual(why);
  });

  it('health is the exit code', async () => {
    expect(await run('health')).toEqual({ code: 0, stdout: '', stderr: '' });
    answer = ({ url }) => ({ status: url === '/healthz' ? 503 : 200, body: {} });
    expect(await run('health')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ingestd: the daemon is not making progress; see its log, or restart it\n',
    });
  });
});

describe('a command beside a daemon that hangs', () => {
  beforeEach(() => {
    daemon.removeAllListeners('request');
  });

  it('ends within ten seconds, says so, and hands it nothing to do that it would do when it goes on', async () => {
    daemon.on('request', ({ url }: IncomingMessage) => calls.push(url ?? ''));
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
    daemon.close();
    expect(await connectDaemon(folder.join('state'))).toBeNull();
    expect(await connectDaemon(folder.join('nowhere'))).toBeNull();
    await rm(folder.join('state/daemon.json'));
    await folder.write('state/daemon.json', '{"pid": 1');
    expect(await connectDaemon(folder.join('state'))).toBeNull();
    expect(await run('health')).toMatchObject({ code: 1 });
  });

  it.each([
    [400, { message: 'no such folder' }, 'ConfigurationError', 'no such folder'],
    [500, { code: 'ledger-unwritable', message: 'disk full' }, 'IngestdError', 'disk full'],
    [500, 'nonsense', 'IngestdError', 'status 500'],
  ])('gives the words of a refusal %d %j', async (status, body, name, message) => {
    answer = () => ({ status, body });
    const client = await connectDaemon(folder.join('state'));
    await expect(client?.rawStatus()).rejects.toMatchObject({ name, message });
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
