import { chmod, mkdir, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { errorMessage } from '../../src/model/errors.ts';
import {
  folderSettingsOf,
  safetySettingsOf,
  serviceSettingsOf,
} from '../support/fixtures/default-settings.ts';
import { nobody } from '../support/processes/as-user.ts';
import { ingestd } from '../support/processes/ingestd.ts';
import { copyProgram } from '../support/processes/program.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const service = 'service: {authUrl: "https://auth.example/v1/", ingestUrl: "http://127.0.0.1:8080"}\n';
const folders = 'folders:\n  - name: inbox\n    path: ./inbox\n';
const good = service + folders;

const folder = folderOfEachTest();

function load(env: Record<string, string> = {}) {
  return loadConfiguration({ env: { XDG_STATE_HOME: folder.join('xdg'), ...env }, cwd: folder.path });
}

/** The words of a configuration that is refused, exit code and all. */
async function refused(yaml: string, env: Record<string, string> = {}): Promise<string> {
  await folder.write('ingestd.yaml', yaml);
  try {
    await load(env);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigurationError', exitCode: 2 });
    return errorMessage(error);
  }
  throw new Error('was not refused');
}

async function refuses(_name: string, yaml: string, words: readonly string[]): Promise<void> {
  const message = await refused(yaml);
  for (const word of words) expect(message).toContain(word);
}

describe('a good configuration', () => {
  it('gets every default of the contract', async () => {
    await folder.write('ingestd.yaml', good);
    const { settings, trial, warnings } = await load();
    expect({ trial, warnings }).toEqual({ trial: false, warnings: [] });
    expect(settings).toEqual({
      file: folder.join('ingestd.yaml'),
      service: serviceSettingsOf({
        authUrl: 'https://auth.example/v1',
        ingestUrl: 'http://127.0.0.1:8080',
      }),
      folders: [folderSettingsOf(folder.join('inbox'))],
      state: { dir: folder.join('xdg', 'ingestd'), mustExist: false },
      timing: {
        settleMs: 2000,
        removeGraceMs: 5000,
        rescanMinutes: 15,
        pollSeconds: 30,
        stopSeconds: 30,
        incompleteMinutes: 10,
      },
      safety: safetySettingsOf(),
      http: { host: '127.0.0.1', port: 7420 },
      notify: { command: [], afterMinutes: 5 },
      cluster: null,
      log: { level: 'info', format: 'auto', keepDays: 30, keepMegabytes: 64 },
    });
  });

  it('takes a key without a value for a key left out', async () => {
    await folder.write('ingestd.yaml', `${good}state:\n  dir:\ntiming:\n`);
    const { settings } = await load();
    expect(settings.state.dir).toBe(folder.join('xdg', 'ingestd'));
    expect(settings.timing.settleMs).toBe(2000);
  });

  it('resolves paths against the file, not the working directory', async () => {
    await folder.write('etc/ingestd.yaml', `${good}state: {dir: ../state}\n`);
    const { settings } = await loadConfiguration({ file: 'etc/ingestd.yaml', env: {}, cwd: folder.path });
    expect(settings.folders[0]?.path).toBe(folder.join('etc', 'inbox'));
    expect(settings.state.dir).toBe(folder.join('state'));
  });

  it('knows ~/ as the home directory', async () => {
    await folder.write('ingestd.yaml', `${service}folders: [{name: a, path: ~/papers}]\n`);
    expect((await load({ HOME: folder.path })).settings.folders[0]?.path).toBe(folder.join('papers'));
    expect((await load()).settings.folders[0]?.path).toBe(join(homedir(), 'papers'));
  });

  it('takes the first state directory that systemd gives', async () => {
    await folder.write('ingestd.yaml', good);
    const { settings } = await load({ STATE_DIRECTORY: '/var/lib/one:/var/lib/two' });
    expect(settings.state.dir).toBe('/var/lib/one');
  });

  it('asks no addresses of the embedded service', async () => {
    await folder.write('ingestd.yaml', `service: {mode: embedded}\n${folders}`);
    expect((await load()).settings.service).toMatchObject({ mode: 'embedded', authUrl: '', ingestUrl: '' });
  });
});

describe('the search for the file', () => {
  it.each([
    ['the --config option', { file: 'd/a.yaml' }, 'd/a.yaml'],
    ['$INGESTD_CONFIG', { env: 'd/b.yaml' }, 'd/b.yaml'],
    ['./ingestd.yaml', {}, 'ingestd.yaml'],
  ])('takes %s', async (_name, { file, env }: { file?: string; env?: string }, expected) => {
    for (const name of ['d/a.yaml', 'd/b.yaml', 'ingestd.yaml', 'xdg/ingestd/ingestd.yaml']) {
      await folder.write(name, good);
    }
    const { settings } = await loadConfiguration({
      file,
      env: { XDG_CONFIG_HOME: folder.join('xdg'), ...(env === undefined ? {} : { INGESTD_CONFIG: env }) },
      cwd: folder.path,
    });
    expect(settings.file).toBe(folder.join(expected));
  });

  it("takes the user's file where the working directory has none", async () => {
    await folder.write('xdg/ingestd/ingestd.yaml', good);
    const { settings } = await load({ XDG_CONFIG_HOME: folder.join('xdg'), XDG_STATE_HOME: '/state' });
    expect(settings.file).toBe(folder.join('xdg/ingestd/ingestd.yaml'));
  });

  it("takes the user's file where the working directory is closed to this user", async () => {
    // Nothing is closed to root, who alone can be somebody else.
    if (process.getuid?.() !== 0) return;
    await folder.write('closed/ingestd.yaml', 'not ours');
    await folder.write('closed/.env', 'not ours');
    await folder.write('user/ingestd/ingestd.yaml', `${good}state: {dir: ../state}\n`);
    await folder.write('user/ingestd/inbox/a.txt', 'a');
    await chmod(folder.path, 0o755);
    await chmod(folder.join('closed'), 0o700);
    const program = await copyProgram(folder.join('program'));
    const options = { cwd: folder.join('closed'), uid: nobody, program };
    const env = { XDG_CONFIG_HOME: folder.join('user') };
    const { code, stdout } = await ingestd(['plan', '--json'], { ...options, env });
    expect(code).toBe(0);
    expect(stdout).toContain('a.txt');
  });

  it('ends at the trial configuration, whose paths are in the working directory', async () => {
    const { settings, trial } = await load({ XDG_CONFIG_HOME: folder.join('none') });
    expect(trial).toBe(true);
    expect(settings.service.mode).toBe('embedded');
    expect(settings.folders.map(({ path }) => path)).toEqual([folder.join('inbox')]);
    expect(settings.state.dir).toBe(folder.join('state'));
  });

  it('does not look further when the named file is missing', async () => {
    await folder.write('ingestd.yaml', good);
    await expect(loadConfiguration({ file: 'gone.yaml', env: {}, cwd: folder.path })).rejects.toThrow(
      /gone\.yaml does not exist; .*init/,
    );
  });
});

describe('a bad configuration', () => {
  it.each([
    ['an unknown key', `${good}timming: {settleMs: 5}\n`, ['timming', 'did you mean timing?', ':5:1']],
    [
      'an unknown metadata field',
      `${service}folders: [{name: a, path: c, metadata: {titel: x}}]\n`,
      ['folders[0].metadata.titel', 'title?'],
    ],
    [
      'a number that is a text',
      `${good}timing: {settleMs: "50"}\n`,
      ['timing.settleMs', '"50"', 'without quotes: 50'],
    ],
    [
      'a number below its range',
      good.replace('service: {', 'service: {requestsPerMinute: 0, '),
      ['service.requestsPerMinute', '0', 'from 1'],
    ],
    [
      'a choice that does not exist',
      `${good}safety: {inDoubt: holds}\n`,
      ['safety.inDoubt', '"holds"', 'retry, hold', 'did you mean hold?'],
    ],
    ['true for a port', `${good}http: {port: true}\n`, ['http.port', 'true', '65535 or false']],
    ['a host with a port in it', `${good}http: {host: "a b"}\n`, ['http.host', '"a b"']],
    [
      'a public address with a query',
      `${good}http: {publicUrl: "https://a.example/?x"}\n`,
      ['http.publicUrl', '"https://a.example/?x"', 'https://host.example/ingestd'],
    ],
    [
      'an empty list of folders',
      `${service}folders: []\n`,
      ['folders is empty', 'write a list of { name: …, path: … }'],
    ],
    [
      'a slash in a folder name',
      `${service}folders: [{name: a/b, path: c}]\n`,
      ['folders[0].name', '"a/b"', 'without "/"'],
    ],
    [
      'a control character in a folder name',
      `${service}folders: [{name: "a\\u001b[2J", path: c}]\n`,
      ['folders[0].name', 'control characters'],
    ],
    [
      'one name for two folders',
      `${service}folders: [{name: é, path: b}, {name: "e\\u0301", path: c}]\n`,
      ['folders[1].name', 'folders[0]', 'name of its own'],
    ],
    [
      'a sharing mode in lower case',
      `${service}folders: [{name: a, path: c, metadata: {shareInfo: {mode: none}}}]\n`,
      ['folders[0].metadata.shareInfo.mode', '"none"', 'did you mean NONE?'],
    ],
    [
      'no addresses',
      folders,
      ['service.authUrl is missing', 'INGESTD_AUTH_URL', 'service.ingestUrl is missing'],
    ],
    [
      'http to another host',
      good.replace('http://127.0.0.1:8080', 'http://ingest.example'),
      ['service.ingestUrl', 'http://ingest.example', 'use https'],
    ],
    [
      'a host that only looks like loopback',
      good.replace('127.0.0.1:8080', '127.0.0.1.evil.example'),
      ['service.ingestUrl', 'use https'],
    ],
    ['another protocol', good.replace('https://auth', 'ftp://auth'), ['service.authUrl', 'ftp://', 'https']],
    [
      'an address that is none',
      good.replace('https://auth.example/v1/', 'auth.example'),
      ['service.authUrl', '"auth.example"', 'https://'],
    ],
    ['a query in an address', good.replace('/v1/', '/v1?x=1'), ['service.authUrl', 'starts with ?']],
    [
      'patterns that include nothing',
      `${good}    include: ["!*.tmp"]\n`,
      ['folders[0].include: ', 'the patterns include nothing'],
    ],
    [
      'a pattern with many stars',
      `${good}    include: ["**/a/**/b/**/c.pdf"]\n`,
      ['folders[0].include[0]: ', 'more than 2 "**"'],
    ],
    ['an empty pattern', `${good}    include: [""]\n`, ['folders[0].include[0]']],
    ['a list for the file', '- a\n', ['a list is not an object of keys and values']],
    ['an empty file', '', ['folders is missing; add it: a list of { name: …, path: … }']],
    ['YAML that is broken', 'service: {authUrl: "x\n', ['ingestd.yaml:2:1', 'not valid YAML']],
    ['an unknown key without a value', `foo:\n${good}`, ['foo is not a known key; remove it']],
    [
      'an unknown field without a value',
      `${good}    metadata: {titel: }\n`,
      ['did you mean folders[0].metadata.title?'],
    ],
    [
      'a secret without a value',
      `service: {mode: embedded, password: }\n${folders}`,
      ['service.password is a secret'],
    ],
    [
      'the address of the webhook',
      `${good}notify: {webhook: "https://hooks.example/1"}\n`,
      ['notify.webhook is a secret', 'as INGESTD_NOTIFY_WEBHOOK=…'],
    ],
    [
      'the token of the page',
      `${good}http: {token: x}\n`,
      ['http.token is a secret', 'INGESTD_HTTP_TOKEN=…'],
    ],
    ['a prototype', `__proto__: {polluted: true}\n${good}`, ['__proto__', 'not a known key']],
    ['a constructor', `${good}constructor: {a: 1}\n`, ['constructor', 'not a known key']],
    [
      'an empty text for a path',
      `${service}folders: [{name: a, path: ''}]\n`,
      ['folders[0].path is empty; write a string'],
    ],
    ['an empty text for the file', '""\n', [': the file is empty; write an object']],
    ['an empty list for the file', '[]\n', [': the file: a list is not an object of keys and values']],
  ])('refuses %s with key, value and fix', refuses);

  it('names what keys demand of each other once each of them is valid', async () => {
    await mkdir(folder.join('in/deep'), { recursive: true });
    await folder.write('in/file', '');
    const text = `service: {authUrl: "https://auth.example", ingestUrl: "https://a.example"}
folders:
  - {name: a, path: in}
  - {name: a, path: in/deep}
  - {name: d, path: in/file}
cluster: {redisUrl: "redis://r", standBy: true}
`;
    const lines = (await refused(text)).split('\n').map((line) => line.replace(/^\S+ingestd\.yaml:/, ''));
    expect(lines).toEqual(
      [
        '4:6: folders[1].name: "a" is the name of folders[0] too',
        '4:15: folders[1].path (',
        '5:15: folders[2].path: ',
        '5:15: folders[2].path (',
      ].map((start) => expect.stringContaining(start)),
    );
  });

  it.each([
    ['what one value breaks in several ways', `${good}timing: {settleMs: 1e99}\n`, 'settleMs'],
    ['a mode that decides what else is needed', `service: {mode: embeded}\n${folders}`, 'mean embedded?'],
  ])('says %s once, and blames no other key for it', async (_name, yaml, words) => {
    expect((await refused(yaml)).split('\n')).toEqual([expect.stringContaining(words)]);
  });

  it('ends an alias bomb', async () => {
    const levels = 'abcdefghi'.split('').map((name, index, all) => {
      const inner = index === 0 ? 'x' : `*${all[index - 1]}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(', ')}]\n`;
    });
    expect(await refused(levels.join(''))).toContain('alias');
  });

  it('does not read what is not UTF-8, or a directory', async () => {
    const file = await folder.write('ingestd.yaml', Uint8Array.from([0xff, 0xfe, 0x61, 0x00]));
    await expect(load()).rejects.toThrow('is not UTF-8');
    await rm(file);
    await mkdir(file);
    await expect(load()).rejects.toThrow('is a directory');
  });
});

describe('a secret in the file', () => {
  it.each([
    ['password: hunter2hunter2\n', 'INGESTD_PASSWORD'],
    ['apiKey: hunter2hunter2\n', 'INGESTD_API_KEY'],
    ['API_KEY: hunter2hunter2\n', 'INGESTD_API_KEY'],
    ['clientId: hunter2hunter2\n', 'INGESTD_CLIENT_ID'],
    ['auth: {client-secret: hunter2hunter2}\n', 'INGESTD_CLIENT_SECRET'],
    ['INGESTD_CLIENT_SECRET: hunter2hunter2\n', 'INGESTD_CLIENT_SECRET'],
    ['username: hunter2hunter2\n', 'INGESTD_USERNAME'],
    ['folders2: [{a: {Password: hunter2hunter2}}]\n', 'INGESTD_PASSWORD'],
  ])('is refused and not shown: %j', async (line, variable) => {
    const message = await refused(good + line);
    expect(message).toContain('must not be in the configuration file');
    expect(message).toContain(variable);
    expect(message).not.toContain('hunter2');
  });

  it.each(['pwd: hunter2\n', 'accessToken: hunter2\n', 'credentials: {user: hunter2}\n'])(
    'is refused under any other name, and not shown: %j',
    async (line) => {
      const message = await refused(good + line);
      expect(message).toMatch(/ingestd\.yaml:\d+:1: \w+ is not a known key/);
      expect(message).not.toContain('hunter2');
    },
  );

  it.each(['https://me:hunter2@auth.example', 'https://me:hunter2@au th'])(
    'is refused in an address, and not shown: %s',
    async (address) => {
      const message = await refused(good.replace('https://auth.example', address));
      expect(message).toContain('service.authUrl');
      expect(message).not.toContain('hunter2');
    },
  );
});

describe('F41: directories that would feed on each other', () => {
  it.each([
    [
      'a folder inside a folder',
      `${service}folders: [{name: a, path: a}, {name: b, path: a/b}]\n`,
      ['folders[1].path', 'folders[0].path', 'is inside'],
    ],
    [
      'a folder around a folder',
      `${service}folders: [{name: a, path: a/b}, {name: b, path: a}]\n`,
      ['folders[0].path', 'is inside', 'folders[1].path'],
    ],
    [
      'one directory twice',
      `${service}folders: [{name: a, path: a}, {name: b, path: ./a/}]\n`,
      ['same directory'],
    ],
    [
      'the state inside a folder',
      `${good}state: {dir: inbox/state}\n`,
      ['state.dir', 'is inside', 'folders[0].path'],
    ],
    [
      'a folder inside the state',
      `${service}folders: [{name: a, path: state/in}]\nstate: {dir: state}\n`,
      ['folders[0].path', 'is inside', 'state.dir'],
    ],
    ['state and folder in one', `${good}state: {dir: inbox}\n`, ['same directory']],
    ['the root of everything', `${service}folders: [{name: a, path: /}]\n`, ['is inside']],
  ])('refuses %s and names both', refuses);

  it('sees through links', async () => {
    await mkdir(folder.join('inbox/deep'), { recursive: true });
    await symlink(folder.join('inbox/deep'), folder.join('elsewhere'));
    expect(await refused(`${good}state: {dir: elsewhere/state}\n`)).toContain(
      folder.join('inbox/deep/state'),
    );
  });

  it('refuses a root that is a file', async () => {
    await folder.write('inbox', 'x');
    expect(await refused(good)).toContain('is not a directory');
  });

  it('does not take neighbours with like names for nested', async () => {
    await folder.write(
      'ingestd.yaml',
      `${service}folders: [{name: a, path: in}, {name: b, path: in2}, {name: c, path: ..in}]\n`,
    );
    expect((await load()).settings.folders).toHaveLength(3);
  });
});
