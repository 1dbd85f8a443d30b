import { spawnSync } from 'node:child_process';
import { readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { folderOfAllTests } from '../support/folder-of-each-test.ts';

describe('npm run release, in a clone without a network', () => {
  const folder = folderOfAllTests();

  const inClone = (command: string, ...words: string[]) =>
    spawnSync(command, words, {
      cwd: folder.join('clone'),
      encoding: 'utf8',
      env: {
        ...process.env,
        npm_config_registry: 'http://127.0.0.1:9',
        npm_config_fetch_retries: '0',
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'user.name',
        GIT_CONFIG_VALUE_0: 'test',
        GIT_CONFIG_KEY_1: 'user.email',
        GIT_CONFIG_VALUE_1: 'test@example.org',
      },
    });
  const release = (...words: string[]) =>
    inClone('npm', 'run', '--silent', 'release', '--', '--no-deb', ...words);

  beforeAll(async () => {
    const { status, stderr } = spawnSync(
      'git',
      ['clone', '--quiet', '--no-tags', '.', folder.join('clone')],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(stderr);
    await symlink(resolve('node_modules'), folder.join('clone/node_modules'));
    // A link to the packages is none of the clone's changes.
    await writeFile(folder.join('clone/.git/info/exclude'), 'node_modules\n');
  });

  it('refuses what is no version and a tree with changes', async () => {
    expect(release('next')).toMatchObject({ status: 1, stderr: expect.stringContaining('no version') });
    await writeFile(folder.join('clone/LICENSE'), 'changed');
    expect(release('9.8.7')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('commit or remove'),
    });
    inClone('git', 'checkout', '--quiet', 'LICENSE');
  });

  it('dates the changelog, sets the version everywhere, commits, tags and makes files with checksums', async () => {
    const { status, stderr } = release('9.8.7');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const read = (name: string) => readFile(folder.join('clone', name), 'utf8');
    expect(JSON.parse(await read('package.json'))).toMatchObject({ version: '9.8.7' });
    expect(JSON.parse(await read('package-lock.json'))).toMatchObject({ version: '9.8.7' });
    expect(await read('CHANGELOG.md')).toMatch(
      /^## \[Unreleased\]\n\n## \[9\.8\.7\] - \d{4}-\d\d-\d\d\n\n(?:(?!## ).*\n)*### /m,
    );
    expect(inClone('git', 'status', '--porcelain').stdout).toBe('');
    expect(inClone('git', 'describe', '--exact-match').stdout.trim()).toBe('v9.8.7');
    const files = await readdir(folder.join('clone/release'));
    expect(files.sort()).toEqual(['SHA256SUMS', 'ingestd-9.8.7.tgz', 'ingestd.sbom.cdx.json']);
    const check = spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], {
      cwd: folder.join('clone/release'),
    });
    expect(check.status).toBe(0);
  }, 240_000);

  it('makes no version twice', () => {
    expect(release('9.8.7')).toMatchObject({ status: 1, stderr: expect.stringContaining('there already') });
  });
});
