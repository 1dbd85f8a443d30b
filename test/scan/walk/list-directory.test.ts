import { realpath, rename, symlink } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createTimeSlice } from '../../../src/lib/time/time-slice.ts';
import { listDirectory } from '../../../src/scan/walk/list-directory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';

describe('a directory that is listed', () => {
  let folder: TemporaryFolder;
  let root: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await folder.write('root/a/b/own.pdf', 'x');
    await folder.write('outside/b/secret.pdf', 'x');
    root = await realpath(folder.join('root'));
  });
  afterEach(() => folder.remove());

  const names = async (place: string | null) => {
    const { entries } = await listDirectory(`${root}/a/b`, place, createTimeSlice(32));
    return entries.map(({ name }) => name);
  };

  it('names what is in it', async () => {
    expect(await names(`${root}/a/b`)).toEqual(['own.pdf']);
  });

  it('F32: names nothing from outside when a directory above it has become a link', async () => {
    await rename(folder.join('root/a'), folder.join('root/was'));
    await symlink(folder.join('outside'), folder.join('root/a'));
    await expect(names(`${root}/a/b`)).rejects.toMatchObject({ code: 'ELOOP' });
    // Where links are followed it is what the user asked for.
    expect(await names(null)).toEqual(['secret.pdf']);
  });

  it('is gone when it has been removed, and not elsewhere', async () => {
    await rename(folder.join('root/a'), folder.join('moved'));
    await expect(names(`${root}/a/b`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
