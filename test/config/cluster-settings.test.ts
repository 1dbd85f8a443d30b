import { describe, expect, it } from '@jest/globals';

import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const good =
  'service: {authUrl: https://a.example, ingestUrl: https://b.example}\nfolders: [{name: inbox, path: inbox}]\n';

describe('cluster in the configuration', () => {
  const folder = folderOfEachTest();
  const load = async (text: string, env: Readonly<Record<string, string>> = {}) => {
    await folder.write('ingestd.yaml', text);
    const { settings } = await loadConfiguration({
      file: 'ingestd.yaml',
      env: { INGESTD_TRUST_CONFIG: '1', ...env },
      cwd: folder.path,
    });
    return settings.cluster;
  };

  it('is null where it is left out: one host', async () => {
    expect(await load(good)).toBeNull();
    expect(await load(`${good}cluster:\n`)).toBeNull();
  });

  it('comes from the file', async () => {
    const cluster = await load(
      `${good}cluster: {redisUrl: 'redis://cache', account: press, host: one, standBy: true}\n`,
    );
    expect(cluster).toMatchObject({ account: 'press', host: 'one', standBy: true });
    expect(cluster?.redis.nodes).toEqual([{ host: 'cache', port: 6379 }]);
  });

  it('comes from INGESTD_REDIS_URL, a file that it names, or the .env, with a password', async () => {
    const url = 'rediss://ingestd:planted-redis-password@cache:6380';
    for (const env of [
      { INGESTD_REDIS_URL: url },
      { INGESTD_REDIS_URL_FILE: await folder.write('url', `${url}\n`) },
    ]) {
      const cluster = await load(good, env);
      expect(cluster?.redis).toMatchObject({ tls: true, password: 'planted-redis-password' });
      expect(cluster?.standBy).toBe(false);
    }
    await folder.write('.env', `INGESTD_REDIS_URL=${url}\n`);
    expect((await load(`${good}cluster: {standBy: true}\n`))?.redis.username).toBe('ingestd');
  });

  it.each([
    [
      'a password in the file',
      "{redisUrl: 'redis://:planted-redis-password@cache'}",
      /is a secret and must not be in the configuration file/,
    ],
    ['no address', '{standBy: true}', /cluster\.redisUrl is missing.*INGESTD_REDIS_URL/],
    ['another address', "{redisUrl: 'http://cache'}", /cluster\.redisUrl: it is not an address of Redis/],
    ['a name with a space', "{redisUrl: 'redis://cache', host: 'a b'}", /cluster\.host/],
    ['an unknown key', "{redisUrl: 'redis://cache', shares: 1}", /cluster\.shares/],
  ])('does not take %s', async (_name, cluster, words) => {
    const refused = load(`${good}cluster: ${cluster}\n`);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow(/planted-redis-password/);
  });

  it('does not take the embedded service, or a bad address in the environment, and shows no password', async () => {
    const trial = 'service: {mode: embedded}\nfolders: [{name: inbox, path: inbox}]\n';
    await expect(load(`${trial}cluster: {redisUrl: 'redis://cache'}\n`)).rejects.toThrow(/mode remote/);
    const bad = load(good, { INGESTD_REDIS_URL: 'redis//:planted-redis-password@cache' });
    await expect(bad).rejects.toThrow(/INGESTD_REDIS_URL: cluster.redisUrl: it is not an address of Redis/);
    await expect(bad).rejects.not.toThrow(/planted-redis-password/);
  });
});
