import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { loadCredentials } from '../../src/config/secrets/load-secrets.ts';
import { type InitAnswers, askAnswers, givenAnswers } from '../../src/cli/setup/init-answers.ts';
import { writeInitFiles } from '../../src/cli/setup/init-files.ts';
import type { Prompter } from '../../src/cli/setup/prompter.ts';
import { eventually } from '../support/eventually.ts';
import { systemClock } from '../../src/daemon/system-clock.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { recordOf } from '../support/core-fixtures.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { type Ran, ingestd } from '../support/ingestd.ts';
import { describeWhere } from '../support/needs.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

const secrets = {
  INGESTD_API_KEY: 'the-api-key',
  INGESTD_CLIENT_ID: 'the-client',
  INGESTD_CLIENT_SECRET: 'the "secret" #1',
  INGESTD_USERNAME: 'me@example.com',
  INGESTD_PASSWORD: "it's $HOME",
};
const addresses = { INGESTD_AUTH_URL: 'https://auth.invalid', INGESTD_INGEST_URL: 'https://ingest.invalid/' };

const scriptFound = spawnSync('script', ['--version']).status === 0;

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(() => folder.remove());

function init(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return ingestd(['init', ...args], { cwd: folder.path, env: { ...secrets, ...addresses, ...env } });
}

/** What is read again from the files that were written. */
async function written(file = 'ingestd.yaml') {
  const { settings, secretSources, warnings } = await loadConfiguration({ file, env: {}, cwd: folder.path });
  return { settings, warnings, credentials: await loadCredentials(secretSources) };
}

describe('init without a terminal', () => {
  it('says everything that is missing and how to give it', async () => {
    const { code, stderr, stdout } = await ingestd(['init'], { cwd: folder.path });
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

  it('says that the usual state directory holds a ledger already, which may be of another configuration', async () => {
    const usual = folder.join('.local/state/ingestd');
    const ledger = await openLedger({ dir: usual, clock: systemClock, log: recordedLog() });
    await ledger.commit([{ kind: 'put', ref: { folder: 'inbox', path: 'a.pdf' }, record: recordOf() }]);
    await ledger.close();
    const { code, stdout } = await init(['--no-login', '--folder', 'inbox']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`In ${usual} there is a ledger already, with 1 document.`),
    ]);
    expect(stdout).toContain('state: { dir: ./state }');
    const { stdout: apart } = await init(['--no-login', '--folder', 'inbox', '--force'], {
      INGESTD_STATE__DIR: 'own',
    });
    expect(apart).not.toContain('ledger already');
  });

  it('writes the file that --config names, and makes its directory', async () => {
    const { code } = await init(['--no-login', '--folder', 'inbox', '--config', 'etc/deep/my.yaml']);
    expect(code).toBe(0);
    expect((await written('etc/deep/my.yaml')).settings.folders[0]?.path).toBe(folder.join('inbox'));
    expect((await stat(folder.join('etc/deep/.env'))).mode & 0o777).toBe(0o600);
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
    [['--name', 'a/b'], '--name: "a/b" is not a folder name'],
  ])('refuses %j before anything is written', async (args, words) => {
    const { code, stderr } = await init(['--no-login', '--folder', 'inbox', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    await expect(stat(folder.join('ingestd.yaml'))).rejects.toThrow('ENOENT');
  });
});

describe('init with a person', () => {
  it('asks for what is not known, secrets hidden, and overwrites only after a yes', async () => {
    const asked: string[] = [];
    const answers: Record<string, string> = {
      'Base address of the token endpoints': 'https://auth.invalid/',
      'Client ID': 'the-client',
      'User name (e-mail)': 'me@example.com',
      'Directory to watch': './inbox',
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
      confirm: async (message) => {
        asked.push(message);
        return message.includes('ingestd.yaml');
      },
    };
    const file = await folder.write('ingestd.yaml', 'old');
    const given = await givenAnswers({
      flags: {},
      env: {},
      cwd: folder.path,
      environmentFile: folder.join('.env'),
    });
    const complete: InitAnswers = await askAnswers(given, prompter);
    await writeInitFiles(complete, { file, prompter, force: false });
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
      `${file} exists. Overwrite it?`,
    ]);
    const { settings, credentials } = await written();
    expect(settings.service.ingestUrl).toBe('https://auth.invalid');
    expect(settings.folders[0]?.metadata).toEqual({ shareInfo: { mode: 'EVERYONE' } });
    expect(credentials.password).toBe('secret-of-Password');
  });
});

describeWhere(scriptFound ? null : 'script (bsdutils)', 'init on a real terminal', () => {
  it('never shows a secret that is typed, and goes on at Enter', async () => {
    const command = `'${process.execPath}' '${join(process.cwd(), 'dist/main.js')}' init --no-login --folder inbox --share NONE`;
    const { INGESTD_PASSWORD: password, ...others } = { ...secrets, ...addresses };
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], HOME: folder.path, TERM: 'xterm', ...others },
    });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const ended = once(terminal, 'close');
    await eventually(() => shown.includes('Password'));
    terminal.stdin.write(`${password}\r`);
    await eventually(() => shown.includes('A name for it'));
    terminal.stdin.write('\r');
    expect((await ended)[0]).toBe(0);
    expect(shown).toContain('•••');
    expect(shown).not.toContain(password);
    expect((await written()).credentials.password).toBe(password);
  });
});

describe('the login that init tries', () => {
  it('is told to be impossible where nothing listens, and the files stand', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { code, stderr } = await init(['--folder', 'inbox'], {
      INGESTD_AUTH_URL: `http://127.0.0.1:${port}`,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('could not be checked') });
    expect((await written()).credentials.apiKey).toBe('the-api-key');
  });

  it('is exit code 3 where the credentials are refused, and the files stand', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { code, stderr } = await init(['--folder', 'inbox'], {
        INGESTD_AUTH_URL: `http://127.0.0.1:${port}`,
      });
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('correct them in') });
      for (const secret of Object.values(secrets)) expect(stderr).not.toContain(secret);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    expect((await written()).credentials.apiKey).toBe('the-api-key');
  });
});
