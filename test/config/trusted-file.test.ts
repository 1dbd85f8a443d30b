import { chmod, chown, lchown, symlink } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { readEnvironmentFile } from '../../src/config/environment/environment-file.ts';
import { likelyStateDirectory } from '../../src/config/find-places.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { readSecret } from '../../src/config/secrets/read-secrets.ts';
import { distrust } from '../../src/config/trusted-file.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const yaml = 'service: {mode: embedded}\nfolders: [{name: a, path: ./a}]\nstate: {dir: ./written}\n';

const folder = folderOfEachTest();

const load = (env: Record<string, string> = {}) =>
  loadConfiguration({
    file: folder.join('ingestd.yaml'),
    env: { HOME: folder.path, ...env },
    cwd: folder.path,
  });

const trusting = { INGESTD_TRUST_CONFIG: '1' };

describe('a file that others can write', () => {
  it('is refused as configuration, with file, mode and fix', async () => {
    await chmod(await folder.write('ingestd.yaml', yaml), 0o666);
    await expect(load()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /ingestd\.yaml can be changed by others \(mode 0666, .*chmod go-w .*INGESTD_TRUST_CONFIG=1/,
      ),
    });
    expect((await load(trusting)).settings.folders[0]?.name).toBe('a');
  });

  it('is refused as .env, which cannot vouch for itself', async () => {
    await folder.write('ingestd.yaml', yaml);
    await chmod(await folder.write('.env', 'INGESTD_TRUST_CONFIG=1\nINGESTD_LOG__LEVEL=warn\n'), 0o602);
    await expect(load()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/\.env can be changed by others \(mode 0602/),
    });
    expect((await load(trusting)).settings.log.level).toBe('warn');
  });

  it('is refused as the file of a secret, in the environment and in .env', async () => {
    await chmod(await folder.write('password', 'secret'), 0o646);
    for (const [env, text] of [
      [{ INGESTD_PASSWORD_FILE: folder.join('password') }, ''],
      [{}, `INGESTD_PASSWORD_FILE=${folder.join('password')}\n`],
    ] as const) {
      await folder.write('.env', text);
      const environmentFile = await readEnvironmentFile(folder.path, env);
      const read = (more: object) =>
        readSecret('password', {
          configuration: '',
          env: { ...env, ...more },
          environmentFile,
          cwd: folder.path,
        });
      await expect(read({})).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/password can be changed by others \(mode 0646/),
      });
      expect(await read(trusting)).toBe('secret');
    }
  });

  it('is refused as a link that another user made', async () => {
    // Only root can make one for somebody else.
    if (process.getuid?.() !== 0) return;
    await symlink(await folder.write('elsewhere/ingestd.yaml', yaml), folder.join('ingestd.yaml'));
    expect((await load()).settings.folders[0]?.name).toBe('a');
    await lchown(folder.join('ingestd.yaml'), 1001, 1001);
    await expect(load()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /ingestd\.yaml is a link that another user made \(uid 1001;.*INGESTD_TRUST_CONFIG=1/,
      ),
    });
    expect((await load(trusting)).settings.folders[0]?.name).toBe('a');
  });

  it('says nothing about where a daemon may be', async () => {
    const search = { file: folder.join('ingestd.yaml'), env: { HOME: folder.path }, cwd: folder.path };
    await folder.write('ingestd.yaml', yaml);
    expect((await likelyStateDirectory(search)).dir).toBe(folder.join('written'));
    await chmod(folder.join('ingestd.yaml'), 0o666);
    expect((await likelyStateDirectory(search)).dir).not.toBe(folder.join('written'));
  });
});

describe('who may have written a file', () => {
  const me = 1000;
  it.each([
    ['this user', { uid: me, gid: 100, mode: 0o644 }, null],
    ['root', { uid: 0, gid: 0, mode: 0o444 }, null],
    [
      'root, in a group that may read (a secret of Docker, systemd or Kubernetes)',
      { uid: 0, gid: 7, mode: 0o440 },
      null,
    ],
    ["this user's private group (umask 002)", { uid: me, gid: me, mode: 0o664 }, null],
    ['another user', { uid: 1001, gid: 1001, mode: 0o600 }, /uid 1001; ingestd runs as uid 1000/],
    ['nobody of this user namespace', { uid: 65_534, gid: 65_534, mode: 0o444 }, /uid 65534/],
    ['a group of several users', { uid: me, gid: 100, mode: 0o664 }, /mode 0664, uid 1000, gid 100/],
    ['a group, though root owns it', { uid: 0, gid: 100, mode: 0o660 }, /mode 0660/],
    ['everybody', { uid: me, gid: me, mode: 0o602 }, /mode 0602/],
  ])('%s', (_name, stats, expected) => {
    const found = distrust('/etc/x', { ...stats, mode: 0o100_000 | stats.mode }, me);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatch(expected);
  });

  it('is not asked where there are no users', () => {
    expect(distrust('x', { uid: 0, gid: 0, mode: 0o666 }, undefined)).toBeNull();
  });

  it('decides about the real file, too', async () => {
    const file = await folder.write('ingestd.yaml', yaml);
    if (process.getuid?.() !== 0) return;
    await chown(file, 1234, 1234);
    const advice =
      /belongs to another user \(uid 1234; ingestd runs as uid 0\).*; run ingestd as that user \(sudo -u '#1234'/;
    await expect(load()).rejects.toThrow(advice);
    expect((await load(trusting)).settings.folders).toHaveLength(1);
  });
});
