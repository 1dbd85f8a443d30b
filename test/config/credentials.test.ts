import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { readEnvironmentFile } from '../../src/config/environment/environment-file.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { findCredentials, loadCredentials, loadHttpToken } from '../../src/config/secrets/read-secrets.ts';
import type { SecretSources } from '../../src/config/secrets/read-secrets.ts';
import { nobody } from '../support/processes/as-user.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { copyProgram, program } from '../support/processes/program.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

const all = {
  INGESTD_API_KEY: 'key-1',
  INGESTD_CLIENT_ID: 'client-1',
  INGESTD_CLIENT_SECRET: 'secret-1',
  INGESTD_USERNAME: 'me@example.com',
  INGESTD_PASSWORD: 'pass word',
};

async function sources(env: Record<string, string>): Promise<SecretSources> {
  const environmentFile = await readEnvironmentFile(folder.path, {});
  return { configuration: folder.join('ingestd.yaml'), env, environmentFile, cwd: folder.path };
}

const remote =
  'service: {authUrl: "http://127.0.0.1:1", ingestUrl: "http://127.0.0.1:1"}\nfolders: [{name: a, path: a}]\n';

describe('the five secrets', () => {
  it('come from the environment', async () => {
    expect(await loadCredentials(await sources(all))).toEqual({
      apiKey: 'key-1',
      clientId: 'client-1',
      clientSecret: 'secret-1',
      username: 'me@example.com',
      password: 'pass word',
    });
  });

  it('come from files that are named, without the line break at their end', async () => {
    await folder.write('pw', ' from file \r\n');
    const { INGESTD_PASSWORD: _, ...rest } = all;
    const found = await loadCredentials(await sources({ ...rest, INGESTD_PASSWORD_FILE: 'pw' }));
    expect(found.password).toBe(' from file ');
  });

  it('come from systemd credentials', async () => {
    for (const [name, value] of Object.entries(all)) await folder.write(`credentials/${name}`, `${value}\n`);
    const found = await loadCredentials(await sources({ CREDENTIALS_DIRECTORY: folder.join('credentials') }));
    expect(found).toMatchObject({ apiKey: 'key-1', password: 'pass word' });
  });

  it('are not called missing in a directory that is closed to this user', async () => {
    // Nothing is closed to root, who alone can be somebody else.
    if (process.getuid?.() !== 0) return;
    await folder.write('ingestd.yaml', `${remote}state: {dir: state}\n`);
    for (const [name, value] of Object.entries(all)) await folder.write(`credentials/${name}`, value);
    await folder.write('a/b.txt', 'b');
    await chmod(folder.path, 0o755);
    await chmod(folder.join('credentials'), 0o700);
    const options = {
      cwd: folder.path,
      env: { CREDENTIALS_DIRECTORY: folder.join('credentials'), INGESTD_PASSWORD: 'p' },
      uid: nobody,
      program: await copyProgram(folder.join('program')),
    };
    const why = `cannot be read, because the directory ${folder.join('credentials')} is closed to this user`;
    const fix = 'Let this user read the directory and what is in it, or run the command as a user who may';
    expect(await ingestd(['auth', 'login'], options)).toMatchObject({
      code: 2,
      stderr: `ingestd: INGESTD_API_KEY, INGESTD_CLIENT_ID, INGESTD_CLIENT_SECRET, INGESTD_USERNAME: ${why}. ${fix}\n`,
    });
    const { stdout } = await ingestd(['check'], options);
    expect(stdout).toContain(`, INGESTD_USERNAME: ${why}\n  ${fix}.\n`);
    expect(stdout.match(/INGESTD_USERNAME/g)).toHaveLength(1);
    // What reads no secret works.
    expect(await ingestd(['plan'], options)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['credentials', /there is no value in \S+\/credentials\. Write each into the file of its name there$/],
    [
      '/run/credentials/ingestd.service',
      /: there is no value in \/etc\/ingestd\/credentials\. Write each .* there, then restart the service$/,
    ],
    ['/run/credentials/ingestd@letters.service', /in \/etc\/ingestd\/letters\.credentials\./],
    ['/run/user/1000/credentials/other.service', /in the files that the unit names with LoadCredential\./],
    // Those of another configuration: the machine's.
    ['/etc/ingestd/credentials', /are missing; write INGESTD_API_KEY=… into \S+\.env/],
    ['/etc/ingestd/letters.credentials', /are missing; write/],
  ])('are missed in %s, with where to write them', async (directory, words) => {
    for (const name of Object.keys(all)) await folder.write(`credentials/${name}`, '');
    const given = await sources({ CREDENTIALS_DIRECTORY: directory });
    await expect(loadCredentials(given)).rejects.toThrow(words);
  });

  it('in /etc/ingestd are those of the configuration of their name there, however it is found', async () => {
    // Only who may mount has an /etc for a test alone.
    if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return;
    await folder.write('etc/a/b.txt', 'b');
    for (const name of ['ingestd', 'letters', 'other']) await folder.write(`etc/${name}.yaml`, remote);
    for (const [name, value] of Object.entries(all))
      for (const prefix of ['', 'letters.']) await folder.write(`etc/${prefix}credentials/${name}`, value);
    const check = (...words: string[]) => {
      const prepare = 'mount -t tmpfs none /etc && cp -r etc /etc/ingestd && exec "$@"';
      const args = ['--mount', 'sh', '-c', prepare, 'sh', process.execPath, program, 'check', ...words];
      const env = { PATH: process.env['PATH'], HOME: folder.join('home') };
      return spawnSync('unshare', args, { cwd: folder.path, env, encoding: 'utf8' }).stdout;
    };
    expect(check()).toContain('No problems found');
    expect(check('--config', '/etc/ingestd/ingestd.yaml')).toContain('No problems found');
    expect(check('--config=/etc/../etc/ingestd/letters.yaml')).toContain('No problems found');
    expect(check('--config', '/etc/ingestd/other.yaml')).toContain('INGESTD_API_KEY: is not set anywhere');
  });

  it('come from the .env beside the configuration, its files relative to it', async () => {
    await folder.write('.env', `INGESTD_API_KEY='k#1'\nINGESTD_PASSWORD_FILE=secrets/pw\n`);
    await folder.write('secrets/pw', 'deep');
    const { INGESTD_API_KEY: _a, INGESTD_PASSWORD: _p, ...rest } = all;
    const found = await loadCredentials({ ...(await sources(rest)), cwd: '/' });
    expect(found).toMatchObject({ apiKey: 'k#1', password: 'deep' });
  });

  it('are taken from the environment first, then systemd, then .env', async () => {
    await folder.write(
      '.env',
      'INGESTD_API_KEY=env-file\nINGESTD_CLIENT_ID=env-file\nINGESTD_USERNAME=env-file\n',
    );
    await folder.write('credentials/INGESTD_API_KEY', 'systemd');
    await folder.write('credentials/INGESTD_CLIENT_ID', 'systemd');
    const found = await loadCredentials(
      await sources({
        CREDENTIALS_DIRECTORY: folder.join('credentials'),
        INGESTD_API_KEY: 'environment',
        INGESTD_CLIENT_SECRET: 's',
        INGESTD_PASSWORD: 'p',
      }),
    );
    expect(found).toMatchObject({ apiKey: 'environment', clientId: 'systemd', username: 'env-file' });
  });

  it('are missed by name, with the ways to give them', async () => {
    const { INGESTD_PASSWORD: _, INGESTD_API_KEY: __, ...rest } = all;
    const given = await sources({ ...rest, INGESTD_PASSWORD: '' });
    await expect(loadCredentials(given)).rejects.toMatchObject({ exitCode: 2 });
    await expect(loadCredentials(given)).rejects.toThrow(
      /INGESTD_API_KEY, INGESTD_PASSWORD are missing; .*\.env \(mode 0600\).*INGESTD_API_KEY_FILE/,
    );
    const { credentials, missing } = await findCredentials(given);
    expect(credentials).toBeNull();
    expect(missing.map(({ variable }) => variable)).toEqual(['INGESTD_API_KEY', 'INGESTD_PASSWORD']);
  });

  it.each([
    ['both ways at once', { INGESTD_PASSWORD_FILE: 'pw' }, 'both set'],
    [
      'a file that is not there',
      { INGESTD_PASSWORD: '', INGESTD_PASSWORD_FILE: 'gone' },
      'gone cannot be read (ENOENT)',
    ],
    ['a directory', { INGESTD_PASSWORD: '', INGESTD_PASSWORD_FILE: '.' }, 'cannot be read (EISDIR)'],
    ['a line break in what goes into a header', { INGESTD_API_KEY: 'a\r\nx-evil: 1' }, 'INGESTD_API_KEY'],
    ['an empty file', { INGESTD_PASSWORD: '', INGESTD_PASSWORD_FILE: 'empty' }, 'empty is empty; put'],
    ['a huge file', { INGESTD_PASSWORD: '', INGESTD_PASSWORD_FILE: 'huge' }, 'larger than 64 KiB'],
  ])('refuse %s and never show a value', async (_name, env, words) => {
    await folder.write('pw', 'x');
    await folder.write('empty', '\n');
    await folder.write('huge', 'hunter2'.repeat(10_000));
    const attempt = loadCredentials(await sources({ ...all, ...env }));
    await expect(attempt).rejects.toThrow(words);
    await expect(attempt).rejects.not.toThrow(/hunter2|x-evil/);
  });
});

describe('the token of the HTTP address', () => {
  async function token(host: string, env: Record<string, string>, port = '1'): Promise<string | null> {
    await folder.write(
      'ingestd.yaml',
      `service: {mode: embedded}\nfolders: [{name: a, path: b}]\nhttp: {host: "${host}", port: ${port}}\n`,
    );
    const { settings, secretSources } = await loadConfiguration({ env, cwd: folder.path });
    return loadHttpToken(settings, secretSources);
  }

  it.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('is not needed on %s', async (host) => {
    expect(await token(host, {})).toBeNull();
  });

  it.each(['0.0.0.0', '::', '192.168.1.2'])('S10: is needed on %s', async (host) => {
    await expect(token(host, {})).rejects.toThrow(/http\.host.*INGESTD_HTTP_TOKEN/);
    expect(await token(host, { INGESTD_HTTP_TOKEN: '0123456789abcdef' })).toBe('0123456789abcdef');
  });

  it('S10: is needed behind a reverse proxy that shows the page to others', async () => {
    const env = { INGESTD_HTTP__PUBLIC_URL: 'https://docs.example/ingestd' };
    await expect(token('127.0.0.1', env)).rejects.toThrow(
      /http\.publicUrl: docs\.example.*INGESTD_HTTP_TOKEN/,
    );
    const given = { ...env, INGESTD_HTTP_TOKEN: '0123456789abcdef' };
    expect(await token('127.0.0.1', given)).toBe('0123456789abcdef');
    expect(await token('127.0.0.1', { INGESTD_HTTP__PUBLIC_URL: 'http://localhost:8080' })).toBeNull();
  });

  it('is not needed where there is no HTTP address', async () => {
    expect(await token('0.0.0.0', {}, 'false')).toBeNull();
  });

  it('is refused when it is short', async () => {
    await expect(token('127.0.0.1', { INGESTD_HTTP_TOKEN: 'short' })).rejects.toThrow('16 characters');
  });
});
