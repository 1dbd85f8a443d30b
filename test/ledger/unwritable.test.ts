import { mkdir, rename, rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

import type { LedgerPort } from '../../src/model/ports/ledger-port.ts';
import { realDisk } from '../../src/ledger/disk-operations.ts';
import type { Disk } from '../../src/ledger/disk-operations.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readLedger } from '../../src/ledger/read-ledger.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { contentOf, put, recordOf } from './support/samples.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const unwritable = { code: 'ledger-unwritable' };

const folder = folderOfEachTest();

function openIt(
  options: { dir?: string; disk?: Disk; compactAfterBytes?: number } = {},
): Promise<LedgerPort> {
  return openLedger({ dir: folder.join('state'), clock: manualClock(), log: recordedLog(), ...options });
}

/** A disk of which one kind of call fails while a test says so. */
function failingDisk(): Disk & {
  fail: null | 'write' | 'half a write' | 'sync' | 'truncate too' | 'rename';
  fullWhile: () => boolean;
} {
  const disk: ReturnType<typeof failingDisk> = {
    ...realDisk,
    fail: null,
    fullWhile: () => false,
    create: async (path) => watched(await realDisk.create(path)),
    open: async (path) => watched(await realDisk.open(path)),
    rename: async (from, to) => {
      if (disk.fail === 'rename') throw failure('EIO');
      await realDisk.rename(from, to);
    },
  };

  function watched(file: Awaited<ReturnType<Disk['open']>>): typeof file {
    return {
      ...file,
      write: async (bytes, position) => {
        if (disk.fail === 'write' || disk.fullWhile()) throw failure('ENOSPC');
        if (disk.fail === 'half a write' || disk.fail === 'truncate too') {
          await file.write(bytes.subarray(0, bytes.byteLength / 2), position);
          throw failure('EDQUOT');
        }
        await file.write(bytes, position);
      },
      sync: async () => {
        if (disk.fail === 'sync') throw failure('EIO');
        await file.sync();
      },
      truncate: async (size) => {
        if (disk.fail === 'truncate too') throw failure('EROFS');
        await file.truncate(size);
      },
    };
  }

  return disk;
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

describe('P10: a commit that the disk does not take', () => {
  it.each(['write', 'half a write', 'sync', 'truncate too'] as const)(
    'is rejected, changes nothing, and the next goes through (%s fails)',
    async (kind) => {
      const disk = failingDisk();
      const ledger = await openIt({ disk });
      await ledger.commit([put('a.pdf', recordOf(1))]);
      const before = contentOf(ledger);
      disk.fail = kind;
      const failed = ledger.commit([
        put('b-with-a-long-name-that-is-longer-than-the-next.pdf', recordOf(2)),
        { kind: 'drop', ref: { folder: 'inbox', path: 'a.pdf' } },
      ]);
      await expect(failed).rejects.toMatchObject(unwritable);
      await expect(failed).rejects.toThrow(/ledger\.journal\.1/);
      expect(contentOf(ledger)).toEqual(before);
      expect(contentOf(await readLedger(folder.join('state')))).toEqual(before);
      disk.fail = null;
      await ledger.commit([put('c.pdf', recordOf(3))]);
      const after = contentOf(ledger);
      await ledger.close();
      expect(contentOf(await readLedger(folder.join('state')))).toEqual(after);
    },
  );

  it('P11: is rejected when the state directory is gone, which is not made again', async () => {
    const ledger = await openIt({ compactAfterBytes: 600 });
    await ledger.commit([put('a.pdf', recordOf(1))]);
    await rename(folder.join('state'), folder.join('aside'));
    for (let number = 2; number < 6; number += 1) {
      await expect(ledger.commit([put(`${number}.pdf`, recordOf(number))])).rejects.toMatchObject(unwritable);
    }
    await expect(readLedger(folder.join('state'))).resolves.toMatchObject({});
    await rename(folder.join('aside'), folder.join('state'));
    await ledger.commit([put('b.pdf', recordOf(7))]);
    expect(ledger.count('inbox')).toBe(2);
    await rm(folder.join('state'), { recursive: true });
    await expect(ledger.commit([put('c.pdf', recordOf(8))])).rejects.toMatchObject(unwritable);
    await ledger.close();
    await expect(mkdir(folder.join('state'))).resolves.toBeUndefined();
  });
});

describe('a snapshot that cannot be written', () => {
  it('is said, and loses nothing', async () => {
    const disk = failingDisk();
    const log = recordedLog();
    const ledger = await openLedger({
      dir: folder.join('state'),
      clock: manualClock(),
      log,
      disk,
      compactAfterBytes: 1000,
    });
    disk.fail = 'rename';
    for (let number = 0; number < 12; number += 1)
      await ledger.commit([put(`${number}.pdf`, recordOf(number))]);
    const content = contentOf(ledger);
    await ledger.close();
    expect(log.lines.map(({ message }) => message)).toContain('ledger snapshot cannot be written');
    expect(contentOf(await readLedger(folder.join('state')))).toEqual(content);
    disk.fail = null;
    const again = await openIt({ disk, compactAfterBytes: 1 });
    expect(contentOf(again)).toEqual(content);
    await again.close();
    expect(contentOf(await readLedger(folder.join('state')))).toEqual(content);
  });
});
