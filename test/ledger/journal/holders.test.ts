import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';

import { claimFence } from '../../../src/ledger/lock-state-directory.ts';
import type { WriteLease } from '../../../src/ledger/lock-state-directory.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { readLedger } from '../../../src/ledger/read-ledger.ts';
import { verifyLedger } from '../../../src/ledger/verify-ledger.ts';
import type { LedgerPort } from '../../../src/model/ports/ledger-port.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { recordingDisk } from '../support/recording-disk.ts';
import { contentOf, put, recordOf } from '../support/samples.ts';
import { layOut } from '../support/state-image.ts';

const folder = folderOfEachTest();
const open: LedgerPort[] = [];
afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((ledger) => ledger.close()));
});

/** A lease as its holder knows it: one that was frozen does not know yet that it is over. */
function leaseOf(fence: number, { isLost = (): boolean => false, fleet = 'ingestd:{a}' } = {}): WriteLease {
  return {
    fence,
    fleet,
    holds: () => !isLost(),
    confirm: async () => {
      if (isLost()) throw new Error('the lease is lost');
    },
  };
}

/** Each a minute after the one before: a holder may be a command that is done in a moment only at first. */
async function openAs(lease: WriteLease | null, dir = folder.join('state')): Promise<LedgerPort> {
  const clock = manualClock(open.length * 60_000);
  const ledger = await openLedger({ dir, clock, log: recordedLog(), lease });
  open.push(ledger);
  return ledger;
}

const documents = (ledger: { readonly count: (folder: string) => number }) => ledger.count('inbox');

describe('a ledger that several hosts share', () => {
  it('is not taken from a holder of another fleet, whose fences say nothing (H16)', async () => {
    const first = await openAs(leaseOf(1));
    await expect(openAs(leaseOf(2, { fleet: 'ingestd:{b}' }))).rejects.toThrow(
      /as part of another fleet \(ingestd:\{a\}, here ingestd:\{b\}\)/,
    );
    await first.commit([put('a.pdf', recordOf(1))]);
    await first.close();
    expect(documents(await openAs(leaseOf(2, { fleet: 'ingestd:{b}' })))).toBe(1);
  });

  it('is taken over with all that the holder before has committed, in files of its own', async () => {
    const first = await openAs(leaseOf(1));
    await first.commit([put('a.pdf', recordOf(1))]);
    const second = await openAs(leaseOf(2));
    expect(documents(second)).toBe(1);
    await second.commit([put('b.pdf', recordOf(2))]);
    expect(documents(await readLedger(folder.join('state')))).toBe(2);
    const names = (await readdir(folder.join('state'))).filter((name) => name.startsWith('ledger.'));
    expect(names.filter((name) => !name.startsWith('ledger.f2.'))).toEqual(['ledger.used']);
    expect(await verifyLedger(folder.join('state'))).toMatchObject({ ok: true, documents: 2 });
  });

  it('takes nothing more from a holder that does not know yet that another has taken over', async () => {
    const first = await openAs(leaseOf(1));
    await first.commit([put('a.pdf', recordOf(1))]);
    const second = await openAs(leaseOf(2));
    await expect(first.commit([put('late.pdf', recordOf(3))])).rejects.toMatchObject({
      code: 'ledger-unwritable',
    });
    await first.close();
    await second.commit([put('b.pdf', recordOf(2))]);
    await second.close();
    const third = await openAs(leaseOf(3));
    expect([...third.entries()].map(({ ref }) => ref.path)).toEqual(['a.pdf', 'b.pdf']);
  });

  it('ignores what an older holder appended after the takeover, and says so', async () => {
    const first = await openAs(leaseOf(4));
    await first.commit([put('a.pdf', recordOf(1))]);
    const dir = folder.join('state');
    const kept = new Map<string, Buffer>();
    await first.commit([put('late.pdf', recordOf(3))]);
    for (const name of await readdir(dir))
      if (name.startsWith('ledger.f4.')) kept.set(name, await readFile(folder.join('state', name)));
    await first.commit([{ kind: 'drop', ref: { folder: 'inbox', path: 'late.pdf' } }]);
    const second = await openAs(leaseOf(5));
    // As a machine that was frozen in the middle of it leaves them.
    for (const [name, bytes] of kept) await writeFile(folder.join('state', name), bytes);
    expect(documents(await readLedger(dir))).toBe(1);
    const report = await verifyLedger(dir);
    expect(report).toMatchObject({ ok: true, documents: 1 });
    expect(report.findings).toContainEqual({
      file: 'ledger.f4.journal.1',
      state: 'leftover',
      message: 'written by another holder of the ledger; not in use',
    });
    await second.close();
    expect(documents(await openAs(leaseOf(6)))).toBe(1);
    expect((await readdir(dir)).filter((name) => name.startsWith('ledger.f4.'))).toEqual([]);
  });

  it('takes no commit from a holder whose lease has lapsed', async () => {
    let isLost = false;
    const ledger = await openAs(leaseOf(1, { isLost: () => isLost }));
    await ledger.commit([put('a.pdf', recordOf(1))]);
    isLost = true;
    await expect(ledger.commit([put('b.pdf', recordOf(2))])).rejects.toThrow('the lease is lost');
    expect(documents(ledger)).toBe(1);
    expect(documents(await readLedger(folder.join('state')))).toBe(1);
  });

  it('is not opened with a fence that is used, nor with one below the last', async () => {
    const first = await openAs(leaseOf(3));
    await first.close();
    await expect(openAs(leaseOf(3))).rejects.toMatchObject({ code: 'state-locked' });
    await expect(openAs(leaseOf(2))).rejects.toThrow('another host has taken the ledger over');
    expect(documents(await openAs(leaseOf(4)))).toBe(0);
  });

  it('is not called taken by another host where the disk fails', async () => {
    const nowhere = folder.join('nowhere', 'fence');
    await expect(claimFence(nowhere)).rejects.toMatchObject({ code: 'ledger-unwritable' });
    const place = folder.join('fence');
    await claimFence(place);
    await expect(claimFence(place)).rejects.toMatchObject({ code: 'state-locked' });
  });

  it('is not taken from an ingestd that shares it with nobody', async () => {
    await openAs(null);
    await expect(openAs(leaseOf(1))).rejects.toMatchObject({ code: 'state-locked' });
  });

  it('is what it was when it is no longer shared, and when it is shared for the first time', async () => {
    const alone = await openAs(null);
    await alone.commit([put('a.pdf', recordOf(1))]);
    const content = contentOf(alone);
    await alone.close();
    const shared = await openAs(leaseOf(7));
    expect(contentOf(shared)).toEqual(content);
    await shared.commit([put('b.pdf', recordOf(2))]);
    await shared.close();
    const again = await openAs(null);
    expect(documents(again)).toBe(2);
    await again.commit([put('c.pdf', recordOf(3))]);
    await again.close();
    expect(documents(await openAs(leaseOf(8)))).toBe(3);
  });

  it('survives a damaged snapshot right after a takeover', async () => {
    const first = await openAs(leaseOf(1));
    await first.commit([put('a.pdf', recordOf(1))]);
    const second = await openAs(leaseOf(2));
    await second.commit([put('b.pdf', recordOf(2))]);
    await second.close();
    await writeFile(folder.join('state', 'ledger.f2.json'), 'not a ledger');
    expect(documents(await readLedger(folder.join('state')))).toBe(2);
    await rm(folder.join('state', 'ledger.f2.json'));
    expect(documents(await openAs(leaseOf(3)))).toBe(2);
  });

  it('is whole at the next takeover, wherever one before it was cut short', async () => {
    const disk = recordingDisk();
    const options = { dir: folder.join('live'), clock: manualClock(), log: recordedLog(), disk };
    const first = await openLedger({ ...options, lease: leaseOf(1) });
    await first.commit([put('a.pdf', recordOf(1))]);
    await first.close();
    const before = disk.moments.length;
    const second = await openLedger({ ...options, lease: leaseOf(2) });
    const during = disk.moments.slice(before);
    await second.close();
    expect(during.length).toBeGreaterThan(10);
    for (const [index, { step, killed, powerLost }] of during.entries()) {
      for (const image of [killed, powerLost]) {
        const dir = folder.join(`cut-${index}-${image === killed ? 'killed' : 'lost'}`);
        await layOut(dir, image);
        expect([step, documents(await readLedger(dir))]).toEqual([step, 1]);
        const next = await openAs(leaseOf(3), dir);
        expect([step, documents(next)]).toEqual([step, 1]);
        await next.close();
      }
    }
  });
});
