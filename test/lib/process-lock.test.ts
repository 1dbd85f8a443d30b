import { mkdir, readdir, readFile, rm, watch, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import { isStateFree } from '../../src/ledger/lock-state-directory.ts';
import { ownIdentity, takeProcessLock } from '../../src/lib/process/process-lock.ts';
import type { ProcessLock } from '../../src/lib/process/process-lock.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

async function taken(): Promise<ProcessLock> {
  const attempt = await takeProcessLock(folder.join('lock'), { since: '2026-01-01T00:00:00.000Z' });
  if (attempt.kind !== 'taken') throw new Error('the lock is held');
  return attempt.lock;
}

/** The names that come to the folder until one does. */
async function namesUntil(last: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { filename } of watch(folder.path)) {
    if (filename === last) break;
    names.add(filename ?? '');
  }
  return [...names];
}

describe('P4: a lock file', () => {
  it('is held by one, who is named to others, until it is released', async () => {
    const lock = await taken();
    const second = await takeProcessLock(folder.join('lock'), { since: '2026-01-02T00:00:00.000Z' });
    expect(second).toMatchObject({
      kind: 'held',
      isCertain: true,
      holder: { pid: process.pid, since: '2026-01-01T00:00:00.000Z' },
    });
    expect([lock.isHeld(), await readdir(folder.path)]).toEqual([true, ['lock']]);
    await lock.release();
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('that cannot be read is an error, and passes for nobody’s in no way', async () => {
    await mkdir(folder.join('lock'));
    await expect(taken()).rejects.toMatchObject({ code: 'EISDIR' });
    expect([await isStateFree(folder.path), await readdir(folder.path)]).toEqual([false, ['lock']]);
  });

  it('is taken after the power was lost twice, while it was held and while it was taken over', async () => {
    await writeFile(folder.join('lock'), '');
    const names = namesUntil('ended');
    await (await taken()).release();
    await writeFile(folder.join('ended'), '');
    const left = (await names).filter((name) => name.startsWith('lock') && !name.endsWith('.tmp'));
    expect(left.length).toBeGreaterThan(1);
    for (const name of left) await writeFile(folder.join(name), '');
    await (await taken()).release();
  });

  it('is all that is left when it is taken, of processes that were killed while they took it', async () => {
    const running = JSON.stringify(await ownIdentity('2026-01-01T00:00:00.000Z'));
    const killed = JSON.stringify({ ...(await ownIdentity('2026-01-01T00:00:00.000Z')), start: '1' });
    for (const name of ['lock.7.0a.tmp', 'lock.take-0a', 'ledger.json'])
      await writeFile(folder.join(name), killed);
    await writeFile(folder.join('lock.8.0b.tmp'), running);
    const lock = await taken();
    expect((await readdir(folder.path)).toSorted()).toEqual(['ledger.json', 'lock', 'lock.8.0b.tmp']);
    await lock.release();
  });

  it('of a successor is never removed by the release of the one before, and never passes for it', async () => {
    // Again and again: file systems give the next new file the inode number of the last removed one.
    for (let round = 0; round < 20; round += 1) {
      const first = await taken();
      await rm(folder.join('lock'));
      const successor = await taken();
      expect([first.isHeld(), successor.isHeld()]).toEqual([false, true]);
      await first.release();
      expect(successor.isHeld()).toBe(true);
      expect(JSON.parse(await readFile(folder.join('lock'), 'utf8'))).toMatchObject({ pid: process.pid });
      await successor.release();
      expect(await readdir(folder.path)).toEqual([]);
    }
  });
});
