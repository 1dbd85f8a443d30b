import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { folderOfAllTests } from '../support/folder-of-each-test.ts';
import { npmArchive } from './support/made-packages.ts';

describe('the archive of npm pack, installed for all users where no registry answers', () => {
  const folder = folderOfAllTests();
  let prefix: string;

  /** As on a machine that has Node and npm and nothing of this one's settings. */
  const run = (command: string, ...words: string[]) =>
    spawnSync(command, words, {
      cwd: folder.join('work'),
      encoding: 'utf8',
      env: {
        PATH: `${prefix}/bin:${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: folder.path,
        npm_config_registry: 'http://127.0.0.1:9',
        npm_config_fetch_retries: '0',
        npm_config_prefix: prefix,
      },
    });
  const inside = (...names: string[]) => folder.join('prefix/lib/node_modules/ingestd', ...names);

  beforeAll(async () => {
    prefix = folder.join('prefix');
    await mkdir(folder.join('work/inbox'), { recursive: true });
    const { status, stderr } = run('npm', 'install', '--global', await npmArchive());
    if (status !== 0) throw new Error(stderr);
  }, 240_000);

  it('leaves package.json as it was', async () => {
    expect(JSON.parse(await readFile('package.json', 'utf8'))).toHaveProperty('scripts.build');
  });

  it('brings the program, man page, completion and licences, and nothing that builds it or runs at installation', async () => {
    for (const name of [
      'completions/ingestd',
      'completions/_ingestd',
      'completions/ingestd.fish',
      'config/trial.yaml',
      'docs/operations.md',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/sbom.cdx.json',
      'systemd/ingestd.service',
      'LICENSE',
    ])
      expect([name, (await stat(inside(name))).size > 0]).toEqual([name, true]);
    expect((await stat(folder.join('prefix/share/man/man1/ingestd.1'))).size).toBeGreaterThan(0);

    const manifest = JSON.parse(await readFile(inside('package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(manifest).not.toHaveProperty('dependencies');
    const entries = await readdir(inside());
    expect(entries.filter((name) => ['src', 'node_modules'].includes(name))).toEqual([]);
  });

  it('says its version', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(run('ingestd', '--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  it('delivers on the trial', async () => {
    await copyFile('fixtures/documents/note.pdf', folder.join('work/inbox/note.pdf'));
    const sync = run('ingestd', 'sync');
    expect(sync).toMatchObject({ status: 0, stdout: expect.stringContaining('1 upload') });
    expect(run('ingestd', 'ledger', 'export').stdout).toContain('note.pdf');
  });

  it('is removed without a trace, but for what it was given to keep', async () => {
    expect(run('npm', 'uninstall', '--global', 'ingestd')).toMatchObject({ status: 0 });
    const left = (await readdir(prefix, { recursive: true })).filter((name) => name.includes('ingestd'));
    expect(left).toEqual([]);
    expect(await readdir(folder.join('work'))).toEqual(['inbox', 'state']);
  });
});
