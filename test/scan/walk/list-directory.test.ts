import { realpath, rename, symlink } from 'node:fs/promises';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { createTimeSlice } from '../../../src/lib/time/time-slice.ts';
import { listDirectory } from '../../../src/scan/walk/list-directory.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

describe('a directory that is listed', () => {
  const folder = folderOfEachTest();
  let root: string;
  beforeEach(async () => {
    await folder.write('root/a/b/own.pdf', 'x');
    await folder.write('outside/b/secret.pdf', 'x');
    root = await realpath(folder.join('root'));
  });
  const names = async () => {
    const { entries } = await listDirectory(`${root}/a/b`, createTimeSlice(32));
    return entries.map(({ name }) => name);
  };

  it('names what is in it', async () => {
    expect(await names()).toEqual(['own.pdf']);
  });

  it('F32: names nothing from outside when a directory above it has become a link', async () => {
    await rename(folder.join('root/a'), folder.join('root/was'));
    await symlink(folder.join('outside'), folder.join('root/a'));
    await expect(names()).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('is gone when it has been removed, and not elsewhere', async () => {
    await rename(folder.join('root/a'), folder.join('moved'));
    await expect(names()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
