import { chmod } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { settingKeys } from '../../scripts/docs/setting-keys.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const yaml = `
service: {authUrl: "https://a.example", ingestUrl: "https://b.example"}
folders: [{name: inbox, path: ./inbox, metadata: {title: t}}]
`;

const folder = folderOfEachTest();

beforeEach(async () => {
  await folder.write('ingestd.yaml', yaml);
});

function load(env: Record<string, string>) {
  return loadConfiguration({ env, cwd: folder.path });
}

/** A value other than the default for every key, as the environment spells it and as it is read. */
const others: Readonly<Record<string, readonly [string, unknown]>> = {
  'service.mode': ['embedded', 'embedded'],
  'service.authUrl': ['https://x.example/a/', 'https://x.example/a'],
  'service.ingestUrl': ['https://y.example/', 'https://y.example'],
  'service.documentUrl': ['https://d.example/{docId}', 'https://d.example/{docId}'],
  'service.requestsPerMinute': ['7', 7],
  'service.concurrency': ['2', 2],
  'service.sendApiKey': ['true', true],
  'service.revokeOnStop': ['TRUE', true],
  'service.onMissing': ['upload', 'upload'],
  'service.connectSeconds': ['1.5', 1.5],
  'service.idleSeconds': ['2', 2],
  'service.responseSeconds': ['3', 3],
  'service.maxFileMegabytes': ['0.5', 0.5],
  'service.maxKilobytesPerSecond': ['250', 250],
  'service.documentOwner': ['always', 'always'],
  'folders[].name': ['other', 'other'],
  'folders[].path': ['/srv/other', '/srv/other'],
  'folders[].metadata': ['{"shareInfo": {"mode": "NONE"}}', { shareInfo: { mode: 'NONE' } }],
  'folders[].sidecar': ['required', 'required'],
  'folders[].title': ['none', 'none'],
  'folders[].createdTimestamp': ['none', 'none'],
  'folders[].names': ['rewrite', 'rewrite'],
  'folders[].onRemove': ['keep', 'keep'],
  'folders[].ignore': ['["*.bak", "drafts/"]', ['*.bak', 'drafts/']],
  'folders[].include': ['["*.pdf"]', ['*.pdf']],
  'folders[].attachments': ['folder', 'folder'],
  'folders[].sidecarOwner': ['same', 'same'],
  'folders[].followSymlinks': ['true', true],
  'folders[].watch': ['polling', 'polling'],
  'state.dir': ['/srv/state', '/srv/state'],
  'state.mustExist': ['true', true],
  'timing.settleMs': ['50', 50],
  'timing.removeGraceMs': ['60', 60],
  'timing.rescanMinutes': ['0.05', 0.05],
  'timing.pollSeconds': ['1', 1],
  'timing.incompleteMinutes': ['30', 30],
  'timing.stopSeconds': ['0', 0],
  'safety.maxDeletePercent': ['12.5', 12.5],
  'safety.maxDeleteCount': ['3', 3],
  'safety.inDoubt': ['hold', 'hold'],
  'http.host': ['::1', '::1'],
  'http.port': ['false', false],
  'http.publicUrl': ['https://x.example/a/', 'https://x.example/a'],
  'log.level': ['debug', 'debug'],
  'log.format': ['json', 'json'],
  'log.keepDays': ['7', 7],
  'log.keepMegabytes': ['16', 16],
  'notify.command': ['["logger", "-t", "ingestd"]', ['logger', '-t', 'ingestd']],
  'notify.afterMinutes': ['0.5', 0.5],
  'cluster.redisUrl': ['redis://redis.example:7000/2', undefined],
  'cluster.account': ['desk-7', 'desk-7'],
  'cluster.host': ['host-3', 'host-3'],
  'cluster.standBy': ['true', true],
};

/** What a key of `cluster` needs beside it. */
const redis = { INGESTD_REDIS_URL: 'redis://localhost' };

function valueAt(settings: object, key: string): unknown {
  let value: unknown = settings;
  for (const part of key.replace('[]', '.0').split('.')) value = Reflect.get(Object(value), part);
  return value;
}

describe('a key from the environment', () => {
  it('is tried for every key there is', () => {
    expect(Object.keys(others).sort()).toEqual(
      settingKeys()
        .map(({ key }) => key)
        .sort(),
    );
  });

  it.each(settingKeys().map((row) => [row.key, row.environment] as const))(
    'sets %s by %s',
    async (key, variable) => {
      const [text, value] = others[key] ?? ['', undefined];
      const { settings } = await load({ ...(key.startsWith('cluster.') ? redis : {}), [variable]: text });
      expect(valueAt(settings, key)).toEqual(value);
    },
  );

  it('takes the address of Redis', async () => {
    const { settings } = await load({ INGESTD_CLUSTER__REDIS_URL: 'redis://redis.example:7000/2' });
    expect(settings.cluster?.redis).toMatchObject({ nodes: [{ host: 'redis.example', port: 7000 }] });
  });

  it('knows the short names of the two addresses', async () => {
    const { settings } = await load({
      INGESTD_AUTH_URL: 'https://c.example',
      INGESTD_INGEST_URL: 'http://localhost:1',
    });
    expect(settings.service).toMatchObject({ authUrl: 'https://c.example', ingestUrl: 'http://localhost:1' });
  });

  it('takes all folders as JSON, and places after that', async () => {
    const { settings } = await load({
      INGESTD_FOLDERS: '[{"name": "a", "path": "a"}]',
      INGESTD_FOLDERS__1__NAME: 'b',
      INGESTD_FOLDERS__1__PATH: 'b',
    });
    expect(settings.folders.map(({ name, path }) => [name, path])).toEqual([
      ['a', folder.join('a')],
      ['b', folder.join('b')],
    ]);
  });

  it('counts an empty text as not set', async () => {
    expect((await load({ INGESTD_TIMING__SETTLE_MS: '' })).settings.timing.settleMs).toBe(2000);
  });

  it.each([
    [
      { INGESTD_TIMING__SETTLE_MS: 'soon' },
      ['INGESTD_TIMING__SETTLE_MS', 'timing.settleMs', '"soon"', '2000'],
    ],
    [
      { INGESTD_TIMING__SETLE_MS: '5' },
      ['INGESTD_TIMING__SETLE_MS', 'did you mean INGESTD_TIMING__SETTLE_MS?'],
    ],
    [
      { INGESTD_TIMNG__SETTLE_MS: '5' },
      ['INGESTD_TIMNG__SETTLE_MS', 'did you mean INGESTD_TIMING__SETTLE_MS?'],
    ],
    [{ INGESTD_FOLDER__1__NAM: 'a' }, ['did you mean INGESTD_FOLDERS__1__NAME?']],
    [{ INGESTD_TIMNG__X__Y: '5' }, ['INGESTD_TIMNG__X__Y: unknown key; remove it']],
    [{ INGESTD_TIMING__X__Y: '5' }, ['INGESTD_TIMING__X__Y', 'unknown key']],
    [{ INGESTD_FOLDERS__5__NAME: 'x' }, ['INGESTD_FOLDERS__5__NAME', 'cannot be applied']],
    [{ INGESTD_FOLDERS: '[1' }, ['INGESTD_FOLDERS', 'JSON']],
    [
      { INGESTD_SERVICE__SEND_API_KEY: 'maybe' },
      ['INGESTD_SERVICE__SEND_API_KEY', 'service.sendApiKey', '"maybe"', 'true or false'],
    ],
    [
      { INGESTD_FOLDERS__0__METADATA: '{"password": "hunter2hunter2"}' },
      ['INGESTD_FOLDERS__0__METADATA', 'secret'],
    ],
    [{ INGESTD_INGEST_URL: 'http://b.example' }, ['INGESTD_INGEST_URL', 'service.ingestUrl', 'use https']],
  ])('is refused in words: %j', async (env, words) => {
    for (const word of words) await expect(load(env)).rejects.toThrow(word);
  });

  it('warns of a name that is nearly one', async () => {
    const { warnings } = await load({
      INGESTD_TIMING_SETTLE_MS: '5',
      INGESTD_PASWORD: 'x',
      INGESTD_SERVICE_HOST: '10.0.0.1',
      INGESTD_SERVICE_PORT_HTTP: '80',
    });
    expect(warnings).toEqual([
      'INGESTD_PASWORD is not used; did you mean INGESTD_PASSWORD?',
      'INGESTD_TIMING_SETTLE_MS is not used; did you mean INGESTD_TIMING__SETTLE_MS?',
    ]);
  });
});

describe('the .env beside the file', () => {
  it('gives keys, the environment wins over it, and the process is left as it is', async () => {
    await chmod(
      await folder.write('.env', 'INGESTD_TIMING__SETTLE_MS=1\nINGESTD_LOG__LEVEL=warn\nOTHER=x\n'),
      0o600,
    );
    const { settings, secretSources, warnings } = await load({ INGESTD_LOG__LEVEL: 'debug' });
    expect(settings.timing.settleMs).toBe(1);
    expect(settings.log.level).toBe('debug');
    expect(secretSources.environmentFile.values).not.toHaveProperty('OTHER');
    expect(process.env).not.toHaveProperty('INGESTD_TIMING__SETTLE_MS');
    expect(warnings).toEqual([]);
  });
});
