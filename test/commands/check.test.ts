import { chmod, chown, mkdir } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { CheckFinding } from '../../src/model/report/command-reports.ts';
import { checkFolders } from '../../src/commands/check/check-folders.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import type { DaemonClient } from '../../src/commands/daemon-client.ts';
import { emptyLedger } from '../../src/ledger/read-ledger.ts';
import { check as checkAll, checkAddress, harmless } from '../../src/commands/check/check.ts';
import { checkLedger, checkStateDirectory } from '../../src/commands/check/check-ledger.ts';
import { describeWhere } from '../support/needs.ts';
import { aStatus } from '../status/support/fake-control.ts';
import { asUser, closedProgram, nobody } from '../support/processes/as-user.ts';
import { inProcess } from '../support/processes/in-process.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { startScriptedService, steps } from '../support/services/scripted-service.ts';

const folder = folderOfEachTest();

const remote = 'service: {authUrl: "https://a.invalid", ingestUrl: "https://b.invalid"}\n';
const embedded = 'service: {mode: embedded}\n';
const inbox = 'folders: [{name: inbox, path: inbox}]\nstate: {dir: state}\n';

interface Checked {
  readonly code: number | null;
  readonly ok: boolean;
  readonly findings: readonly CheckFinding[];
}

async function check(yaml: string): Promise<Checked> {
  await folder.write('ingestd.yaml', yaml);
  const { code, stdout, stderr } = await inProcess(['check', '--json'], { cwd: folder.path });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: CheckFinding[] };
  return { code, ok, findings };
}

function codes({ findings }: Checked, level: CheckFinding['level']): Record<string, string> {
  return Object.fromEntries(
    findings.filter((each) => each.level === level).map(({ subject, code }) => [subject, code]),
  );
}

describe('check', () => {
  it('finds no problem where files are merely skipped, as status --check does', async () => {
    await folder.write('inbox/program.exe', 'x');
    await folder.write('inbox/report.pdf ', 'x');
    const result = await check(embedded + inbox);
    expect(result).toMatchObject({ code: 0, ok: true });
    expect(codes(result, 'warning')).toEqual({
      'inbox/program.exe': 'unsupported-type',
      'inbox/report.pdf ': 'hidden-character',
    });
  });

  it('takes missing credentials and folders for findings', async () => {
    const result = await check(remote + inbox);
    expect(result.code).toBe(4);
    expect(codes(result, 'error')).toEqual({
      INGESTD_API_KEY: 'credential-missing',
      INGESTD_CLIENT_ID: 'credential-missing',
      INGESTD_CLIENT_SECRET: 'credential-missing',
      INGESTD_USERNAME: 'credential-missing',
      INGESTD_PASSWORD: 'credential-missing',
      inbox: 'folder-missing',
    });
    await mkdir(folder.join('inbox'));
    const planned = await inProcess(['plan'], { cwd: folder.path });
    expect(planned.stdout).toMatch(/^Nothing is sent at present: started from here, .* no credentials: /m);
  });

  it('takes secrets that cannot be read for findings', async () => {
    await folder.write('inbox/a.pdf', 'x');
    await folder.write('ingestd.yaml', remote + inbox);
    const env = {
      INGESTD_API_KEY: 'key-1',
      INGESTD_CLIENT_ID: 'two words',
      INGESTD_CLIENT_SECRET: 'secret-1',
      INGESTD_USERNAME: 'me@example.com',
      INGESTD_USERNAME_FILE: 'name',
      INGESTD_PASSWORD_FILE: 'gone',
      INGESTD_HTTP_TOKEN_FILE: 'gone',
      INGESTD_NOTIFY_WEBHOOK_FILE: 'gone',
    };
    const { code, stdout } = await inProcess(['check', '--json'], { cwd: folder.path, env });
    const { findings } = JSON.parse(stdout) as { findings: CheckFinding[] };
    const errors = findings.filter(({ level }) => level === 'error');
    const unreadable = `${folder.join('gone')} cannot be read (ENOENT); name a readable file that holds the secret`;
    expect([code, errors.map((error) => [error.subject, error.code, error.message])]).toEqual([
      4,
      [
        ['INGESTD_CLIENT_ID', 'credential-missing', expect.stringMatching(/^its value contains a space/)],
        [
          'INGESTD_USERNAME',
          'credential-missing',
          expect.stringMatching(/are both set.*; keep one of them$/),
        ],
        ['INGESTD_PASSWORD', 'credential-missing', unreadable],
        ['INGESTD_HTTP_TOKEN', 'http-token', unreadable],
        ['INGESTD_NOTIFY_WEBHOOK', 'configuration', unreadable],
      ],
    ]);
    for (const { message, fix } of errors) expect(`${message}; ${fix}`).toMatch(/; \w+ [\s\S]*\w/);
    expect((await inProcess(['plan'], { cwd: folder.path, env })).code).toBe(0);
    expect((await inProcess(['sync'], { cwd: folder.path, env })).code).toBe(2);
  });

  it('says what to do where a file has come in the place of a folder since the configuration was read', async () => {
    await folder.write('ingestd.yaml', embedded + inbox);
    const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
    await folder.write('inbox', 'a file');
    const findings = await checkFolders(settings, emptyLedger(), []);
    expect(findings).toEqual([
      {
        level: 'error',
        subject: 'inbox',
        code: 'folder-unavailable',
        message: expect.stringMatching(/inbox is not a directory$/),
        fix: expect.stringContaining('folders[].path'),
      },
    ]);
  });

  it.each([
    ['S10: an address open to others without a token', '0.0.0.0', '', 'http.host'],
    ['a token that is too short', '127.0.0.1', 'INGESTD_HTTP_TOKEN=short\n', 'INGESTD_HTTP_TOKEN'],
  ])('finds what `run` would refuse: %s', async (_name, host, env, subject) => {
    await folder.write('inbox/a.pdf', 'x');
    await chmod(await folder.write('.env', env), 0o600);
    const result = await check(`${embedded}${inbox}http: {host: ${host}}\n`);
    expect([result.code, codes(result, 'error')]).toEqual([4, { [subject]: 'http-token' }]);
  });

  it('warns of a .env that others can read, and of nothing else', async () => {
    await mkdir(folder.join('inbox'));
    await chmod(await folder.write('.env', 'INGESTD_API_KEY=x\n'), 0o644);
    const result = await check(embedded + inbox);
    expect({ code: result.code, warnings: codes(result, 'warning') }).toEqual({
      code: 0,
      warnings: { configuration: 'configuration' },
    });
  });

  it('warns of attachments without their document, unless a rule leaves them out', async () => {
    await folder.write('inbox/a.pdf.attachments/x.csv', '1');
    await folder.write('inbox/sub/b.pdf.attachments/x.csv', '1');
    await folder.write('inbox/sub/.ingestignore', 'b.pdf.attachments/\n');
    await folder.write('inbox/c.pdf.attachments/x.csv', '1');
    await folder.write('inbox/c.pdf', 'x');
    const result = await check(embedded + inbox);
    expect([result.code, codes(result, 'warning')]).toEqual([
      0,
      { 'inbox/a.pdf.attachments': 'orphan-attachments' },
    ]);
    // A directory is no file that is skipped.
    const told = async (...args: string[]) => (await inProcess(args, { cwd: folder.path })).stdout;
    expect(await told('plan')).toContain('1 directory of attachments without a document');
    expect(await told('status')).toContain('inbox/a.pdf.attachments: its document is not there');
    const status: unknown = JSON.parse(await told('status', '--json'));
    expect(status).toMatchObject({ skipped: [], skippedTotal: 0, folders: [{ onDisk: 1 }] });
  });

  describeWhere(closedProgram(), 'as another user', () => {
    it('warns of them once, though their directory is listed again because another one cannot be read', async () => {
      await folder.write('inbox/a.pdf.attachments/x.csv', '1');
      await folder.write('ingestd.yaml', embedded + inbox);
      await mkdir(folder.join('inbox/closed'), { mode: 0 });
      for (const path of ['', 'inbox', 'inbox/a.pdf.attachments']) await chmod(folder.join(path), 0o755);
      const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
      const found = await asUser(() => checkFolders(settings, emptyLedger(), []));
      expect(found.map(({ code }) => code).toSorted()).toEqual([
        'documents',
        'orphan-attachments',
        'unreadable-directory',
      ]);
    });
  });

  it('warns of a documentUrl that nobody can follow, which is sent as it stands', async () => {
    await folder.write('inbox/a.pdf', 'x');
    await folder.write('inbox/a.pdf.meta.json', '{"documentUrl": "intranet/a"}');
    await folder.write('inbox/b.pdf', 'x');
    await folder.write('inbox/b.pdf.meta.json', '{"documentUrl": "https://example.com/b"}');
    const result = await check(embedded + inbox);
    expect([result.code, codes(result, 'warning')]).toEqual([0, { 'inbox/a.pdf': 'document-url' }]);
  });

  it('names a few of which the same is said, with the fix below the last', async () => {
    for (let index = 1; index <= 7; index += 1) await folder.write(`inbox/${index}.png`, 'x');
    await folder.write('ingestd.yaml', embedded + inbox);
    const { stdout } = await inProcess(['check'], { cwd: folder.path });
    expect(stdout.match(/^! inbox\/\d\.png: /gm)).toHaveLength(5);
    expect(stdout).toMatch(
      /\n {2}and 2 more, which ingestd check --json lists\n {2}Save the file as another type/,
    );
    expect(stdout).toContain('No problems, 7 warnings.');
  });

  it('says it in words, with the fix below', async () => {
    await folder.write('inbox/two.dots.pdf', 'x');
    await folder.write('ingestd.yaml', embedded + inbox);
    await folder.write('inbox/program.exe', 'x');
    const { stdout } = await inProcess(['check'], { cwd: folder.path });
    expect(stdout).toMatch(/! inbox\/program\.exe: .+\n {2}.+\n/);
    expect(stdout).toContain('1 problem found.');
    // Of two dots the message says all there is to say.
    expect(stdout).toMatch(/✘ inbox\/two\.dots\.pdf: .+rename the file, or set names: rewrite/);
    expect(stdout.match(/rename the file/gi)).toHaveLength(1);
  });
});

describe('the state directory', () => {
  it('may be missing, and is judged by what is above it', async () => {
    expect(await checkStateDirectory(folder.join('a/b/c'))).toEqual([]);
  });

  it('is not to be replaced by another one where it is in use', async () => {
    const proc = await checkStateDirectory('/proc');
    expect(proc[0]?.fix).not.toContain('another state.dir');
    expect((await checkStateDirectory('/proc/new'))[0]?.fix).toContain('another state.dir');
  });

  describeWhere(closedProgram(), 'as another user', () => {
    it('whose ledger this user cannot read is a problem, and names the file', async () => {
      await chmod(folder.path, 0o755);
      await mkdir(folder.join('state'), { mode: 0o700 });
      await folder.write('state/ledger.json', '{}');
      await chmod(folder.join('state/ledger.json'), 0);
      if (process.getuid?.() === 0)
        for (const path of ['state', 'state/ledger.json']) await chown(folder.join(path), nobody, nobody);
      await folder.write('ingestd.yaml', embedded + inbox);
      const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
      const { findings } = await asUser(() => checkLedger(settings));
      await mkdir(folder.join('inbox'), { recursive: true });
      if (process.getuid?.() === 0) await chown(folder.join('state'), 0, 0);
      // Nothing is said of pauses, a daemon or permissions that this user cannot see.
      const nothing = { daemon: Promise.resolve(null), findings: [], signIn: null, online: false };
      const all = await asUser(() => checkAll({ settings, ...nothing }));
      expect(all.filter(({ level }) => level === 'error')).toMatchObject([{ code: 'state-unwritable' }]);
      if (process.getuid?.() === 0) expect(all[0]?.message).toContain('(sudo -u root ingestd …)');
      expect(findings).toMatchObject([{ level: 'error', code: 'state-unwritable' }]);
      expect(findings[0]?.message).toContain(`${folder.join('state/ledger.json')} cannot be read`);
    });
  });

  it('is warned of when others can read it, and refused as a start does when others can write in it', async () => {
    await mkdir(folder.join('state'), { mode: 0o755 });
    expect(await checkStateDirectory(folder.join('state'))).toMatchObject([
      { code: 'state-open', level: 'warning' },
    ]);
    if (process.getuid?.() !== 0) return;
    await folder.write('state/not-ours', '');
    await chmod(folder.join('state'), 0o777);
    expect(await checkStateDirectory(folder.join('state'))).toMatchObject([
      { code: 'state-refused', level: 'error', message: expect.stringMatching(/^other users can write to/) },
    ]);
  });
});

describe("the service's address, and its clock,", () => {
  const waits = { connectSeconds: 5, idleSeconds: 5, responseSeconds: 5 };
  const service = ofEachTest(() => startScriptedService());

  it.each([
    [0, [{ code: 'service-reachable' }]],
    [-3_600_000, [{}, { code: 'clock', message: expect.stringMatching(/3,(600|601|599) seconds ahead/) }]],
    [3_600_000, [{}, { code: 'clock', message: expect.stringMatching(/3,(600|601|599) seconds behind/) }]],
  ])('%d ms beside ours', async (offset, expected) => {
    service.always(steps.answer(404, '', { Date: new Date(Date.now() + offset).toUTCString() }));
    expect(await checkAddress(service.ingestUrl, waits)).toMatchObject(expected);
    const asked = service.requests.map(({ method, headers }) => [method, headers['authorization']]);
    expect(asked).toEqual([['HEAD', undefined]]);
  });

  it.each([
    ['not-the-service', steps.html(404)],
    ['not-the-service', steps.html(405)],
    ['not-the-service', steps.html(501)],
    ['not-the-service', steps.json(404, { status: 404, error: 'Not Found' })],
    ['not-the-service', steps.html(403)],
    ['redirect', steps.redirect('https://elsewhere.test/')],
    ['service-unavailable', steps.html(503)],
    ['service-unavailable', steps.html(200)],
    ['service-reachable', steps.xml(401)],
    ['service-reachable', steps.refuse('no such document', 404)],
    ['service-reachable', steps.html(429)],
  ])('goes with %s, by what it answers to a request that can change nothing', async (code, step) => {
    service.script(step);
    expect(await checkAddress(service.ingestUrl, waits, harmless)).toMatchObject([{ code }]);
    expect(service.requests).toMatchObject([{ method: 'PUT' }]);
    expect(service.requests[0]?.url).toMatch(/\/modify-document\/ingestd.check$/);
    expect(service.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is an error where nobody answers', async () => {
    await service.away();
    const findings = await checkAddress(service.ingestUrl, waits);
    expect(findings).toMatchObject([{ level: 'error', code: 'service-unreachable' }]);
  });

  it('is one problem with an outage that the daemon tells of', async () => {
    await service.away();
    const { authUrl, ingestUrl } = service;
    await folder.write(
      'ingestd.yaml',
      `service: {authUrl: "${authUrl}", ingestUrl: "${ingestUrl}"}\n${inbox}`,
    );
    await mkdir(folder.join('inbox'));
    const { settings } = await loadConfiguration({ env: {}, cwd: folder.path });
    const reasons = [{ code: 'service-unavailable', message: 'the connection was refused' }];
    const daemon = Promise.resolve({ status: () => Promise.resolve(aStatus({ reasons })) } as DaemonClient);
    const findings = await checkAll({ settings, daemon, findings: [], signIn: null, online: true });
    expect(findings.filter(({ level }) => level === 'error')).toMatchObject([
      { code: 'service-unreachable' },
    ]);
  });

  it('is an error where a connection is taken and nothing answers, without the patience of a delivery', async () => {
    service.always(steps.silence());
    const patient = { ...waits, connectSeconds: 0.2, responseSeconds: 3_600 };
    const findings = await checkAddress(service.ingestUrl, patient);
    expect(findings).toMatchObject([{ level: 'error', code: 'service-unreachable' }]);
  });
});
