import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { stateDirectory } from '../../src/config/find-places.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

describe('the state directory', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  const chosen = () => stateDirectory({ written: folder.join('state'), directory: '/', env: {} });

  it('is the one that is written, there or not', async () => {
    expect(chosen()).toBe(folder.join('state'));
    await mkdir(folder.join('state'), { mode: 0o777 });
    expect(chosen()).toBe(folder.join('state'));
  });

  it('S4: in a volume of another owner is one of its own, unless a ledger is there', async () => {
    // Only root can give a directory away.
    if (process.getuid?.() !== 0) return;
    await mkdir(folder.join('state'));
    await chmod(folder.join('state'), 0o777);
    await chown(folder.join('state'), 1001, 1001);
    expect(chosen()).toBe(folder.join('state/ingestd'));
    await writeFile(folder.join('state/ledger.json'), '');
    expect(chosen()).toBe(folder.join('state'));
    await rm(folder.join('state/ledger.json'));
    expect(chosen()).toBe(folder.join('state/ingestd'));
  });

  it("S4: is not inside another user's directory that is closed to others, which root could write to", async () => {
    if (process.getuid?.() !== 0) return;
    await mkdir(folder.join('state'), { mode: 0o700 });
    await chown(folder.join('state'), 1001, 1001);
    expect(chosen()).toBe(folder.join('state'));
    // Of a version that made one there.
    await mkdir(folder.join('state/ingestd'));
    await writeFile(folder.join('state/ingestd/ledger.used'), '');
    expect(chosen()).toBe(folder.join('state/ingestd'));
  });
});
