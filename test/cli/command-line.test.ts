import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inProcess } from '../support/processes/in-process.ts';
import { ingestd, startIngestd } from '../support/processes/ingestd.ts';
import type { Ran } from '../support/processes/ingestd.ts';
import { folderOfAllTests } from '../support/folder-of-each-test.ts';

const folder = folderOfAllTests();

function run(...args: string[]): Promise<Ran> {
  return inProcess(args, { cwd: folder.path });
}

const commands = [
  'run',
  'sync',
  'plan',
  'check',
  'doctor',
  'status',
  'retry',
  'approve',
  'pause',
  'resume',
  'rescan',
  'folder add',
  'folder remove',
  'notify test',
  'auth login',
  'auth revoke',
  'why',
  'ledger export',
  'ledger verify',
  'ledger import',
  'service',
  'init',
  'health',
  'completion',
];

describe('help', () => {
  it('lists every command of the contract on standard output', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of commands) expect(stdout).toContain(`  ${command.split(' ')[0]}`);
    expect(stdout).toContain('--config <FILE>');
  });

  it('of every command has its usage and what it does', async () => {
    for (const command of commands) {
      const { code, stdout } = await run(...command.split(' '), '--help');
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: ingestd ${command}`);
      expect(stdout).toMatch(/^Usage: .*\n\n\w.*\n/);
      expect((await run('help', ...command.split(' '))).stdout).toBe(stdout);
    }
  });

  it('of a group of commands does not have the headings of the program', async () => {
    expect((await run('folder', '--help')).stdout).not.toContain('Set-up and scripts:');
    expect((await run('--help')).stdout).toMatch(/Set-up and scripts:[^]*\n  help \[command\][^]*\nFleets /);
  });

  it('is what a group of commands says without a word more, as a usage error', async () => {
    const { code, stdout, stderr } = await run('auth');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: ingestd auth');
  });
});

it('tells its version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  expect(await ingestd(['--version'], { cwd: folder.path })).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

describe('a usage error is exit code 2, in one line on standard error', () => {
  it.each([
    [['staus'], '"staus" is not a command; did you mean status?'],
    [['elephant'], '"elephant" is not a command; ingestd --help lists them'],
    [['--config', 'x.yaml', 'staus'], 'did you mean status?'],
    [['help', 'staus'], 'did you mean status?'],
    [['sync', '--jsn'], "unknown option '--jsn' (Did you mean --json?); for usage run ingestd sync --help"],
    [['status', 'extra'], "too many arguments for 'status'"],
    [['why'], "missing required argument 'path'; for usage run ingestd why --help"],
    [['check', '--config'], "option '-c, --config <FILE>' argument missing"],
    [['auth', 'logn'], "unknown command 'logn' (Did you mean login?)"],
    [['service', '--port', '70000'], "'70000' is invalid. Give a port from 0 to 65535"],
    [['log', '--since', 'often'], "'often' is invalid. Give a time"],
    [['init', '--share', 'all'], "'all' is invalid. Allowed choices are NONE, DEFAULT, EVERYONE"],
    [['check', '--log-level', 'loud'], "'loud' is invalid. Allowed choices are trace, debug, info, warn"],
    [['check', '-q', '--log-level', 'info'], "'-q, --quiet' cannot be used with option '--log-level"],
    [['completion', 'tcsh'], "'tcsh' is invalid"],
  ])('%j', async (args, words) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ingestd: .*\n$/);
    expect(stderr).toContain(words);
  });
});

it('names commands as they are to be typed, with npx and --config where it was called so, and no file so', async () => {
  const env = { npm_command: 'exec' };
  const { stdout } = await inProcess(['log', 'ingestd run.pdf'], { cwd: folder.path, env });
  expect(stdout).toMatch(/^ingestd run\.pdf is unknown/);
  const { stderr } = await inProcess(['frob'], { cwd: folder.path, env });
  expect(stderr).toBe('ingestd: "frob" is not a command; npx ingestd --help lists them\n');
  await folder.write('a b/c.yaml', await readFile(resolve('config/trial.yaml'), 'utf8'));
  const { stdout: paused } = await run('pause', '--config', 'a b/c.yaml');
  expect(paused).toContain("until you run ingestd resume --config 'a b/c.yaml'.");
  const missing = await inProcess(['-c', 'none.yaml', 'auth', 'login'], { cwd: folder.path, env });
  expect(missing.stderr).toContain('create it with npx ingestd init --config none.yaml, or');
});

describe('a configuration error is exit code 2', () => {
  it.each(['run', 'check', 'auth login'])(
    'of %s, whether the option stands before or behind',
    async (command) => {
      await folder.write('bad.yaml', 'folders: [{name: a, path: b}]\ntiming: {settleMs: soon}\n');
      const words = command.split(' ');
      const [before, behind] = await Promise.all([
        run('--config', 'bad.yaml', ...words),
        run(...words, '--config', 'bad.yaml'),
      ]);
      expect(before).toEqual(behind);
      expect(before).toMatchObject({ code: 2, stdout: '' });
      expect(before.stderr).toContain('bad.yaml:2:10: timing.settleMs: "soon" is not a whole number');
    },
  );

  it('names the missing credentials', async () => {
    await folder.write(
      'remote.yaml',
      'service: {authUrl: "https://a.invalid", ingestUrl: "https://b.invalid"}\nfolders: [{name: a, path: b}]\n',
    );
    for (const command of [['run'], ['sync'], ['auth', 'login']]) {
      const { code, stderr } = await inProcess(['--config', 'remote.yaml', ...command], {
        cwd: folder.path,
        env: { INGESTD_API_KEY: 'some-key' },
      });
      expect(code).toBe(2);
      expect(stderr).toContain(
        'INGESTD_CLIENT_ID, INGESTD_CLIENT_SECRET, INGESTD_USERNAME, INGESTD_PASSWORD are missing',
      );
      expect(stderr).not.toContain('some-key');
    }
  });

  it('S10: refuses an open address without a token', async () => {
    await folder.write(
      'open.yaml',
      'service: {mode: embedded}\nhttp: {host: 0.0.0.0}\nfolders: [{name: a, path: b}]\n',
    );
    const { code, stderr } = await run('--config', 'open.yaml');
    expect({ code, said: stderr.includes('INGESTD_HTTP_TOKEN') }).toEqual({ code: 2, said: true });
  });
});

describe('without a configuration file', () => {
  const empty = folderOfAllTests();
  const there = (...args: string[]) => inProcess(args, { cwd: empty.path });
  const words =
    'ingestd: no configuration file found; using the built-in trial configuration (none of HOME/ingestd.yaml, HOME/.config/ingestd/ingestd.yaml, /etc/ingestd/ingestd.yaml exists)\n';
  const expected = () => words.replaceAll('HOME', empty.path);

  it('a command says in one line on standard error that it looks at the trial, until that has begun', async () => {
    expect(await there('check')).toMatchObject({ stderr: expected() });
    expect((await there('status')).stderr).toBe(expected());
    const plan = await there('plan', '--json');
    expect(plan.stderr).toBe(expected());
    expect(JSON.parse(plan.stdout)).toMatchObject({ requests: 0 });
    expect((await there('check', '-q')).stderr).toBe('');
    expect((await there('health')).stderr).not.toContain('trial');
    await mkdir(empty.join('state'), { mode: 0o700 });
    expect((await there('status')).stderr).toBe('');
    await rm(empty.join('state'), { recursive: true });
  });

  it('the first line of the log says so', async () => {
    const child = startIngestd(['run'], {
      cwd: empty.path,
      env: { INGESTD_HTTP__PORT: 'false', INGESTD_LOG__FORMAT: 'json' },
    });
    const [line] = (await once(child.stderr as Readable, 'data')) as [Buffer];
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(JSON.parse(line.toString().split('\n')[0] ?? '')).toMatchObject({
      msg: 'no configuration file found; using the built-in trial configuration',
      lookedFor: [
        empty.join('ingestd.yaml'),
        empty.join('.config/ingestd/ingestd.yaml'),
        '/etc/ingestd/ingestd.yaml',
      ],
    });
  });

  it('a trial that is asked for is not called one for want of a file', async () => {
    const { stderr } = await there('check', '--config', resolve('config/trial.yaml'));
    expect(stderr).toBe('');
  });
});

describe('the log of a command', () => {
  const configuration = `service: { mode: embedded }
state: { dir: ./state }
http: { port: false }
timing: { settleMs: 0, removeGraceMs: 0, stopSeconds: 1 }
folders: [{ name: inbox, path: ./inbox }]
log: { level: warn, format: json }
`;
  const levels = ({ stderr }: Ran) =>
    new Set(
      stderr
        .trim()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { level: string }).level])),
    );

  beforeAll(async () => {
    await folder.write('log.yaml', configuration);
    await folder.write('inbox/a.txt', 'a');
  });

  it('has the level of --log-level, before or behind the command, in the place of the configuration’s', async () => {
    const env = { INGESTD_LOG__LEVEL: 'error' };
    const options = { cwd: folder.path, env };
    expect(levels(await inProcess(['sync', '--config', 'log.yaml'], options))).toEqual(new Set());
    const debug = await inProcess(['--log-level', 'debug', 'sync', '--config', 'log.yaml'], options);
    expect(levels(debug).has('info')).toBe(true);
    const info = levels(await inProcess(['plan', '--config', 'log.yaml', '--log-level', 'info'], options));
    expect(info.has('debug')).toBe(false);
  });

  it('is of errors alone with -q, and sync says nothing of a success', async () => {
    const quiet = await run('sync', '-q', '--config', 'log.yaml');
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
    await folder.write('inbox/b.b.txt', 'two dots');
    const left = await run('sync', '-q', '--config', 'log.yaml');
    expect(left).toMatchObject({ code: 4, stdout: expect.stringContaining('inbox/b.b.txt'), stderr: '' });
    expect(await run('status', '--quiet', '--config', 'log.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('inbox'),
      stderr: '',
    });
  });
});
