import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { readLeaseTraces, takeStateLock } from '../../../src/ledger/lock-state-directory.ts';
import { ledgerPaths } from '../../../src/ledger/ledger-files.ts';
import { ownIdentity } from '../../../src/lib/process/process-lock.ts';
import type { ProcessIdentity } from '../../../src/lib/process/process-lock.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const fence = 7;
const folder = folderOfEachTest();
let dir: string;

beforeEach(async () => {
  dir = folder.join('state');
  await mkdir(dir);
  await writeFile(ledgerPaths(dir, fence).claim, '');
});

const writeLock = async (more: Partial<ProcessIdentity>): Promise<void> => {
  const identity = { ...(await ownIdentity('2026-01-01T00:00:00.000Z')), fence, ...more };
  await writeFile(join(dir, 'lock'), JSON.stringify(identity));
};

/** The number of a process that has just ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  return child.pid ?? 0;
}

describe('what a state directory says of those who had its lease', () => {
  it('is not that its holder has ended while it runs, or when it has stopped by itself', async () => {
    expect(await readLeaseTraces(dir)).toEqual({ highestFence: fence, endedFence: 0 });
    const lock = await takeStateLock(dir, manualClock(), { lease: { fence, fleet: 'ingestd:{a}' } });
    expect(await readLeaseTraces(dir)).toEqual({ highestFence: fence, endedFence: 0 });
    await lock.release();
    expect(await readLeaseTraces(dir)).toEqual({ highestFence: fence, endedFence: 0 });
  });

  it('is that its holder has ended, where that was a process of this machine as it runs now', async () => {
    await writeLock({ pid: await endedPid(), start: '1' });
    expect(await readLeaseTraces(dir)).toEqual({ highestFence: fence, endedFence: fence });
    // Another process has its number.
    await writeLock({ start: '1' });
    expect((await readLeaseTraces(dir)).endedFence).toBe(fence);
  });

  it.each<[string, Partial<ProcessIdentity>]>([
    ['on a machine that was started again, or another one', { boot: 'another' }],
    ['in another container', { namespace: 'pid:[1]' }],
    ['where the system does not say when processes begin', { start: null }],
  ])('is not that its holder has ended %s', async (_where, more) => {
    await writeLock({ pid: await endedPid(), start: '1', ...more });
    expect(await readLeaseTraces(dir)).toMatchObject({ endedFence: 0 });
  });

  it('is not that its holder has ended where another has had it since', async () => {
    await writeLock({ pid: await endedPid(), start: '1' });
    await writeFile(ledgerPaths(dir, fence + 1).claim, '');
    expect(await readLeaseTraces(dir)).toEqual({ highestFence: fence + 1, endedFence: 0 });
  });

  it('is nothing where the lock is of an ingestd that shares with nobody', async () => {
    await writeLock({ fence: undefined, pid: await endedPid(), start: '1' });
    expect(await readLeaseTraces(dir)).toEqual({ highestFence: fence, endedFence: 0 });
  });
});
