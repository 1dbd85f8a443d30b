import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import { loadCredentials } from '../../../src/config/secrets/read-secrets.ts';
import { initAnswers } from '../../../src/cli/setup/init-answers.ts';
import { unitText } from '../../../src/cli/setup/user-service.ts';
import { writeInitFiles } from '../../../src/cli/setup/init-files.ts';
import type { Prompter } from '../../../src/cli/prompter.ts';
import { eventually } from '../../support/eventually.ts';
import { nobody } from '../../support/processes/as-user.ts';
import { inProcess } from '../../support/processes/in-process.ts';
import { ingestd } from '../../support/processes/ingestd.ts';
import type { Ran } from '../../support/processes/ingestd.ts';
import { copyProgram } from '../../support/processes/program.ts';
import { describeWhere } from '../../support/needs.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { startScriptedService, steps } from '../../support/services/scripted-service.ts';

const secrets = {
  INGESTD_API_KEY: 'the-api-key',
  INGESTD_CLIENT_ID: 'the-client',
  INGESTD_CLIENT_SECRET: 'the "secret" #1',
  INGESTD_USERNAME: 'me@example.com',
  INGESTD_PASSWORD: "it's $HOME",
};
const addresses = { INGESTD_AUTH_URL: 'https://auth.invalid', INGESTD_INGEST_URL: 'https://ingest.invalid/' };

const missingScript = spawnSync('script', ['--version']).status === 0 ? null : 'script (bsdutils)';

const folder = folderOfEachTest();

function init(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return inProcess(['init', ...args], { cwd: folder.path, env: { ...secrets, ...addresses, ...env } });
}

const service = ofEachTest(() => startScriptedService());
const refused = steps.json(401, {});

/** `init` with these flags and this environment, as somebody types it. */
function onTerminal(
  flags: string,
  env: Readonly<Record<string, string>>,
  {
    program = join(process.cwd(), 'dist/main.js'),
    ...user
  }: { program?: string; uid?: number; gid?: number } = {},
) {
  const terminal = spawn(
    'script',
    ['-qec', `'${process.execPath}' '${program}' init ${flags}`, '/dev/null'],
    {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], HOME: folder.path, TERM: 'xterm', SHELL: '/bin/sh', ...env },
      ...user,
    },
  );
  let shown = '';
  let answered = 0;
  terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = once(terminal, 'close').then(([code]) => code as number | null);
  return {
    ended,
    shown: () => shown,
    /** Types when it is asked this, after all that was asked before. */
    answer: async (question: string, typed: string): Promise<void> => {
      await eventually(() => shown.includes(question, answered));
      answered = shown.length;
      terminal.stdin.write(typed);
    },
  };
}

/** What is read again from the files that were written. */
async function written(file = 'ingestd.yaml') {
  const { settings, secretSources, warnings } = await loadConfiguration({ file, env: {}, cwd: folder.path });
  return { settings, warnings, credentials: await loadCredentials(secretSources) };
}

describe('init without a terminal', () => {
  it('says everything that is missing and how to give it', async () => {
    const { code, stderr, stdout } = await inProcess(['init'], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const name of [
      '--auth-url (or INGESTD_AUTH_URL)',
      '--ingest-url',
      '--folder',
      ...Object.keys(secrets),
    ]) {
      expect(stderr).toContain(name);
    }
  });

  it('says what alone is missing', async () => {
    const { stderr } = await init(['--no-login', '--folder', 'inbox'], { INGESTD_PASSWORD: '' });
    expect(stderr).toContain('missing: INGESTD_PASSWORD (or INGESTD_PASSWORD_FILE);');
  });

  it('writes a configuration and a .env that are read as they were meant', async () => {
    const { code, stdout, stderr } = await init(['--no-login', '--folder', 'inbox', '--share', 'NONE']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Wrote ${folder.join('ingestd.yaml')}`);
    const { settings, credentials, warnings } = await written();
    expect(warnings).toEqual([]);
    expect(settings.service).toMatchObject({
      authUrl: 'https://auth.invalid',
      ingestUrl: 'https://ingest.invalid',
    });
    expect(settings.folders).toMatchObject([
      { name: 'inbox', path: folder.join('inbox'), metadata: { shareInfo: { mode: 'NONE' } } },
    ]);
    expect(Object.values(credentials)).toEqual(Object.values(secrets));
    expect((await stat(folder.join('.env'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder.join('inbox'))).isDirectory()).toBe(true);
    expect(await readFile(folder.join('ingestd.yaml'), 'utf8')).toContain('path: ./inbox');
    for (const secret of Object.values(secrets)) expect(stdout).not.toContain(secret);
  });

  it('writes the file that --config names, and makes its directory', async () => {
    const words = ['--no-login', '--folder', 'inbox', '--config', 'etc/deep/my.yaml'];
    const { code, stdout } = await init(words, { npm_command: 'exec' });
    expect(code).toBe(0);
    expect(stdout).toContain('Next: npx ingestd check --config etc/deep/my.yaml, then npx ingestd run ');
    expect((await written('etc/deep/my.yaml')).settings.folders[0]?.path).toBe(folder.join('inbox'));
    expect((await stat(folder.join('etc/deep/.env'))).mode & 0o777).toBe(0o600);
  });

  it('gives a second configuration of a user a state directory of its own', async () => {
    await folder.write('.local/state/ingestd/configuration', `${await folder.write('first.yaml', '')}\n`);
    const { code, stdout } = await init(['--no-login', '--folder', 'inbox', '--config', 'etc/b.yaml']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('is that of another configuration')]);
    expect((await written('etc/b.yaml')).settings.state.dir).toBe(folder.join('etc/ingestd-state'));
  });

  it('takes everything from flags and files too', async () => {
    await folder.write('pw', 'from file\n');
    const { code } = await init(
      [
        '--no-login',
        '--auth-url',
        'https://a.invalid',
        '--ingest-url',
        'https://b.invalid',
        '--folder',
        'in',
        '--name',
        'Papers',
      ],
      { INGESTD_AUTH_URL: '', INGESTD_PASSWORD: '', INGESTD_PASSWORD_FILE: 'pw' },
    );
    expect(code).toBe(0);
    const { settings, credentials } = await written();
    expect(settings).toMatchObject({
      service: { authUrl: 'https://a.invalid' },
      folders: [{ name: 'Papers' }],
    });
    expect(credentials.password).toBe('from file');
  });

  it.each([
    ['auth.invalid/v1', 'https://auth.invalid/v1'],
    ['127.0.0.1:8701', 'http://127.0.0.1:8701'],
    ['localhost:8701', 'http://localhost:8701'],
    ['[::1]:8701', 'http://[::1]:8701'],
  ])('reads the address %s as %s', async (typed, meant) => {
    await init(['--no-login', '--folder', 'inbox', '--auth-url', typed]);
    expect((await written()).settings.service.authUrl).toBe(meant);
  });

  it('never overwrites by itself', async () => {
    await folder.write('ingestd.yaml', 'mine');
    const { code, stderr } = await init(['--no-login', '--folder', 'inbox']);
    expect(code).toBe(2);
    expect(stderr).toContain('already exists and was not changed');
    expect(await readFile(folder.join('ingestd.yaml'), 'utf8')).toBe('mine');
    await expect(stat(folder.join('.env'))).rejects.toThrow('ENOENT');
    expect((await init(['--no-login', '--folder', 'inbox', '--force'])).code).toBe(0);
    expect((await written()).settings.folders).toHaveLength(1);
  });

  it('keeps what else a .env holds, and never replaces a secret by itself', async () => {
    await folder.write('.env', 'OTHER=1\n');
    expect((await init(['--no-login', '--folder', 'inbox'])).code).toBe(0);
    expect(await readFile(folder.join('.env'), 'utf8')).toMatch(/^OTHER=1\nINGESTD_API_KEY=/);
    const again = await init(['--no-login', '--folder', 'inbox', '--config', 'b.yaml'], {
      INGESTD_API_KEY: 'another',
    });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('.env already exists');
  });

  it.each([
    [
      ['--auth-url', 'http://auth.example'],
      '--auth-url: "http://auth.example" would send passwords unencrypted',
    ],
    [['--name', 'a/b'], '--name: "a/b": it is not a folder name'],
  ])('refuses %j before anything is written', async (args, words) => {
    const { code, stderr } = await init(['--no-login', '--folder', 'inbox', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    await expect(stat(folder.join('ingestd.yaml'))).rejects.toThrow('ENOENT');
  });
});

describe('the file that init writes', () => {
  it('names the schema for editors, which is there', async () => {
    await init(['--no-login', '--folder', 'inbox']);
    const [line = ''] = (await readFile(folder.join('ingestd.yaml'), 'utf8')).split('\n');
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(line) ?? [];
    const { properties } = JSON.parse(await readFile(new URL(schema), 'utf8')) as { properties: object };
    expect(Object.keys(properties)).toContain('folders');
  });
});

describe('the user service that init installs', () => {
  const unitFile = () => folder.join('.config/systemd/user/ingestd.service');
  const calls = () => readFile(folder.join('calls'), 'utf8');

  /** A systemd that takes note of what it is told. */
  async function withSystemctl(exitCode: number, when = 'true'): Promise<Readonly<Record<string, string>>> {
    const script = `#!/bin/sh\necho "$@" >> "${folder.join('calls')}"\nif ${when}; then\necho no manager >&2\nexit ${exitCode}\nfi\n`;
    await chmod(await folder.write('bin/systemctl', script), 0o755);
    return { PATH: `${folder.join('bin')}:${process.env['PATH'] ?? ''}` };
  }

  it('runs this program with this configuration, and says how to remove it', async () => {
    const env = await withSystemctl(0);
    const words = ['--no-login', '--folder', 'inbox', '--user-service', '--config', 'my $HOME 100%/a.yaml'];
    const { code, stdout, stderr } = await ingestd(['init', ...words], {
      cwd: folder.path,
      env: { ...secrets, ...addresses, ...env },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`systemctl --user disable --now ingestd && rm ${unitFile()}`);
    expect(await calls()).toBe(
      '--user daemon-reload\n--user enable ingestd.service\n--user restart ingestd.service\n',
    );
    const unit = await readFile(unitFile(), 'utf8');
    const program = join(process.cwd(), 'dist/main.js');
    expect(unit).toContain(`\nExecStart=:/usr/bin/env "${process.execPath}" "${program}" "run"\n`);
    expect(unit).toContain(`"INGESTD_CONFIG=${folder.join('my $HOME 100%%/a.yaml')}"`);
    expect(unit).toMatch(/^Type=notify$/m);
    expect(unit).not.toMatch(/%h|Documentation/);
    // A second time nobody has to be asked.
    expect(await init([...words, '--force'], env)).toMatchObject({ code: 0, stderr: '' });
  });

  it('never overwrites a unit of another making by itself', async () => {
    const env = await withSystemctl(0);
    await folder.write('.config/systemd/user/ingestd.service', '[Service]\nExecStart=/bin/true\n');
    const { code, stderr } = await init(['--no-login', '--folder', 'inbox', '--user-service'], env);
    expect([code, stderr]).toEqual([
      2,
      `ingestd: ${unitFile()} already exists and was not changed; use --force to overwrite it, or leave out --user-service\n`,
    ]);
    await expect(calls()).rejects.toThrow('ENOENT');
    await expect(stat(folder.join('.env'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['does not answer', 'true', 'once it answers, run systemctl --user daemon-reload && '],
    ['does not start it', '[ $2 = restart ]', 'see: journalctl --user -u ingestd\n'],
  ])('is exit code 1, with what was written and the next step, where systemd %s', async (_, when, fix) => {
    const env = await withSystemctl(1, when);
    const { code, stdout, stderr } = await init(['--no-login', '--folder', 'inbox', '--user-service'], env);
    const refusal = `ingestd: systemd does not start ingestd (no manager); ${fix}`;
    expect([code, stderr]).toEqual([1, expect.stringContaining(refusal)]);
    expect(stdout).toContain(`Wrote ${unitFile()}\nNext: ingestd check, then ingestd run\n`);
  });

  it('without --share keeps documents private, and says so in its help', async () => {
    expect(await init(['--no-login', '--folder', 'inbox'])).toMatchObject({ code: 0 });
    expect((await written()).settings.folders[0]?.metadata).toEqual({ shareInfo: { mode: 'NONE' } });
    expect((await init(['--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain('(default: NONE, private)');
  });

  it('is neither installed nor asked for without a terminal', async () => {
    const env = await withSystemctl(0);
    const { code, stdout } = await init(['--no-login', '--folder', 'inbox'], env);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Next: ingestd check')]);
    await expect(stat(unitFile())).rejects.toThrow('ENOENT');
  });

  describeWhere(missingScript, 'on a terminal', () => {
    it('is offered to whoever is not root, and Enter installs it', async () => {
      const env = { ...secrets, ...addresses, ...(await withSystemctl(0)) };
      const isRoot = process.getuid?.() === 0;
      if (isRoot) for (const path of ['', 'bin']) await chown(folder.join(path), nobody, nobody);
      const program = await copyProgram(folder.join('program'));
      const flags = '--no-login --folder inbox --name in --share NONE';
      const { answer, ended, shown } = onTerminal(flags, env, {
        program,
        ...(isRoot && { uid: nobody, gid: nobody }),
      });
      await answer('Run ingestd now and whenever you log in', '\r');
      expect(await ended).toBe(0);
      expect(shown()).toContain('To remove it: systemctl --user disable --now ingestd');
      expect(await calls()).toMatch(/^--user show-environment\n--user daemon-reload\n/);
      expect(await readFile(unitFile(), 'utf8')).toContain(`INGESTD_CONFIG=${folder.join('ingestd.yaml')}`);
    });
  });

  const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  describeWhere(analyze ? null : 'systemd-analyze', 'as systemd reads it', () => {
    it('has nothing wrong with it, wherever program and configuration lie', async () => {
      const odd = folder.join('a "b" $c 100% \\d');
      const program = await folder.write('a "b" $c 100% \\d/node', '#!/bin/sh\n');
      await chmod(program, 0o755);
      const template = await readFile('systemd/user/ingestd.service', 'utf8');
      const unit = await folder.write(
        'ingestd.service',
        unitText(template, {
          command: [program, join(odd, 'main.js'), 'run'],
          configuration: join(odd, 'x'),
        }),
      );
      const { stdout, stderr, status } = spawnSync(
        'systemd-analyze',
        ['--user', '--man=no', 'verify', unit],
        { encoding: 'utf8', env: { ...process.env, XDG_RUNTIME_DIR: folder.path } },
      );
      expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
    });
  });
});

describe('init with a person', () => {
  it('says what is wrong with an answer that was given before it asks for the others', async () => {
    const ask = () => Promise.reject(new Error('asked'));
    const prompter: Prompter = { text: ask, secret: ask, choose: ask, confirm: ask };
    const sources = { flags: { ingestUrl: 'http://ingest.invalid' }, env: { HOME: folder.path }, cwd: '/' };
    await expect(initAnswers(sources, prompter, ask)).rejects.toThrow('--ingest-url');
  });

  it('asks for what is not known, secrets hidden, and takes an address without https:// and a ~ as they are meant', async () => {
    const asked: string[] = [];
    const answers: Record<string, string> = {
      'Base address of the token endpoints': 'auth.invalid/',
      'Client ID': 'the-client',
      'User name (e-mail)': 'me@example.com',
      'Directory to watch': '~/inbox',
      'A name for it': 'inbox',
    };
    const prompter: Prompter = {
      text: async ({ message, suggestion }) => {
        asked.push(message);
        return answers[message] ?? suggestion ?? '';
      },
      secret: async ({ message, judge }) => {
        asked.push(`hidden ${message}`);
        expect(judge?.('') ?? null).not.toBeNull();
        return `secret-of-${message.replace(' ', '-')}`;
      },
      choose: async () => 'EVERYONE',
      confirm: async () => true,
    };
    const file = folder.join('ingestd.yaml');
    const sources = { flags: {}, env: { HOME: folder.path }, cwd: '/' };
    const answered = await initAnswers(sources, prompter, () => Promise.resolve());
    await writeInitFiles(answered, { file, env: {} });
    expect(asked).toEqual([
      'Base address of the token endpoints',
      'Base address of the ingestion operations',
      'hidden API key',
      'Client ID',
      'hidden Client secret',
      'User name (e-mail)',
      'hidden Password',
      'Directory to watch',
      'A name for it',
    ]);
    const { settings, credentials } = await written();
    expect(settings.service.ingestUrl).toBe('https://auth.invalid');
    expect(settings.folders[0]?.metadata).toEqual({ shareInfo: { mode: 'EVERYONE' } });
    expect(credentials.password).toBe('secret-of-Password');
  });
});

describeWhere(missingScript, 'init on a real terminal', () => {
  const flags = '--no-login --folder inbox --share NONE';
  const { INGESTD_PASSWORD: password, ...others } = { ...secrets, ...addresses };

  it('never shows a secret that is typed, and goes on at Enter', async () => {
    const { answer, ended, shown } = onTerminal(flags, others);
    await answer('Password', `${password}\r`);
    await answer('A name for it', '\r');
    expect(await ended).toBe(0);
    expect(shown()).toContain('•••');
    expect(shown()).not.toContain(password);
    expect((await written()).credentials.password).toBe(password);
  });

  it.each([
    ['ingestd.yaml', 'mine'],
    ['.env', 'INGESTD_PASSWORD=mine'],
  ])('asks first whether %s that is there may be overwritten', async (name, text) => {
    await folder.write(name, text);
    const { answer, ended, shown } = onTerminal(flags, others);
    await answer(`${folder.join(name)} exists. Overwrite it?`, 'n\r');
    expect(await ended).toBe(2);
    expect(shown()).not.toContain('Password');
    expect(await readFile(folder.join(name), 'utf8')).toBe(text);
  });

  it('makes no directory that was not meant', async () => {
    await mkdir(folder.join('papers'));
    const { answer, ended } = onTerminal('--no-login --share NONE', { ...secrets, ...addresses });
    await answer('Directory to watch', 'papres\r');
    await answer(`${folder.join('papres')} does not exist. Make it?`, '\r');
    await answer('Directory to watch', 'papers\r');
    await answer('A name for it', '\r');
    expect(await ended).toBe(0);
    expect((await written()).settings.folders[0]?.path).toBe(folder.join('papers'));
    await expect(stat(folder.join('papres'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['the input ends (Ctrl+D), with an error', '\u0004', 1, /ingestd: cancelled/],
    ['a person ends it (Ctrl+C), as by a signal and without a word', '\u0003', 130, /Password\S*\s*\S*$/],
  ])('ends where %s, and writes nothing', async (_, typed, code, said) => {
    const { answer, ended, shown } = onTerminal(flags, others);
    await answer('Password', typed);
    expect([await ended, shown()]).toEqual([code, expect.stringMatching(said)]);
    await expect(stat(folder.join('.env'))).rejects.toThrow('ENOENT');
  });

  const five = ['API key (Enter keeps it)', 'Client ID', 'Client secret', 'User name', 'Password'];
  it.each<readonly [string, object, string, readonly string[]]>([
    ['all where the service does not say which', {}, 'the service does not say which', five],
    ['those that the service refuses', { error: 'invalid_grant' }, 'user name or password', five.slice(3)],
  ])('asks again for wrong credentials, %s, until they are right', async (_, why, words, asked) => {
    const { authUrl, ingestUrl, tokenRequests } = service;
    service.alwaysTokens(async (request) => {
      await request.body();
      const password = new URLSearchParams(request.received.text()).get('password');
      const right = password === 'the right one';
      await (right ? steps.token({ access_token: 'token' }) : steps.json(401, why))(request);
    });
    const { answer, ended, shown } = onTerminal('--folder inbox --name in --share NONE --no-user-service', {
      ...secrets,
      INGESTD_AUTH_URL: authUrl,
      INGESTD_INGEST_URL: ingestUrl,
      INGESTD_PASSWORD: 'a wrong one',
    });
    await answer('again?', '\r');
    for (const one of asked) await answer(one, one === 'Password' ? 'the right one\r' : '\r');
    expect([await ended, shown()]).toEqual([0, expect.stringContaining(words)]);
    expect(shown()).toContain('The service accepts the credentials');
    expect(tokenRequests).toHaveLength(2);
    expect((await written()).credentials).toMatchObject({
      apiKey: 'the-api-key',
      clientId: 'the-client',
      clientSecret: secrets.INGESTD_CLIENT_SECRET,
      password: 'the right one',
    });
  });
});

describe('the login that init tries', () => {
  it('is told to be impossible where nothing listens, and the files stand', async () => {
    await service.away();
    const { code, stderr } = await init(['--folder', 'inbox'], { INGESTD_AUTH_URL: service.authUrl });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('could not be checked') });
    expect((await written()).credentials.apiKey).toBe('the-api-key');
  });

  it('is exit code 3 where the credentials are refused, and the files stand', async () => {
    service.alwaysTokens(refused);
    const { code, stderr } = await init(['--folder', 'inbox'], { INGESTD_AUTH_URL: service.authUrl });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('correct them in') });
    for (const secret of Object.values(secrets)) expect(stderr).not.toContain(secret);
    expect((await written()).credentials.apiKey).toBe('the-api-key');
  });
});
