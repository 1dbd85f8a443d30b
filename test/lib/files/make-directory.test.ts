import { execFileSync } from 'node:child_process';
import { stat, symlink } from 'node:fs/promises';

import { expect, it } from '@jest/globals';

import { makeDirectory } from '../../../src/lib/files/make-directory.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

it('makes what is missing with the mode, and gives the first', async () => {
  await expect(makeDirectory(folder.join('a/b/c'), 0o700)).resolves.toBe(folder.join('a'));
  await expect(makeDirectory(folder.join('a/b/d'), 0o700)).resolves.toBe(folder.join('a/b/d'));
  await expect(makeDirectory(folder.join('a/b'))).resolves.toBeUndefined();
  expect((await stat(folder.join('a/b/c'))).mode & 0o777).toBe(0o700);
});

it('takes a link to a directory for one', async () => {
  await makeDirectory(folder.join('real'));
  await symlink('real', folder.join('link'));
  await expect(makeDirectory(folder.join('link'))).resolves.toBeUndefined();
  await expect(makeDirectory(folder.join('link/new'))).resolves.toBe(folder.join('link/new'));
});

it('fails where a file or a dangling link stands in the way', async () => {
  await folder.write('file', '');
  await symlink('nowhere', folder.join('dangling'));
  await expect(makeDirectory(folder.join('file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(folder.join('file/new'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(makeDirectory(folder.join('dangling/new'))).rejects.toMatchObject({ code: 'EEXIST' });
});

it('fails where no directory can be made, as in /proc', async () => {
  await expect(makeDirectory('/proc/ingestd/state')).rejects.toMatchObject({ code: 'ENOENT' });
});

it('makes what another process has begun to make meanwhile', async () => {
  const made = makeDirectory(folder.join('a/b'));
  execFileSync('mkdir', [folder.join('a')]);
  await expect(made).resolves.toBe(folder.join('a/b'));
});
