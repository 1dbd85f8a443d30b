import { beforeEach, describe, expect, it } from '@jest/globals';

import { LedgerUnwritableError } from '../../../src/model/errors.ts';
import type { Change } from '../../../src/model/ports/ledger-port.ts';
import { createLedgerCommits } from '../../../src/sync/send/ledger-commits.ts';
import type { LedgerCommits } from '../../../src/sync/send/ledger-commits.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { RecordedLog } from '../../support/recorded-log.ts';

const unwritable = new LedgerUnwritableError('no space left on device');
const change: Change = { kind: 'clear', ref: { folder: 'inbox', path: 'a.pdf' } };

let clock: ManualClock;
let log: RecordedLog;
let fails: Error | null;
let attempts: { at: number; what: string }[];
let changes: (string | null)[];
let disk: LedgerCommits;

beforeEach(() => {
  clock = manualClock();
  log = recordedLog();
  fails = null;
  attempts = [];
  changes = [];
  const commit = ([first]: readonly Change[]) => {
    attempts.push({ at: clock.monotonic(), what: first === undefined ? '' : nameOf(first) });
    return fails === null ? Promise.resolve() : Promise.reject(fails);
  };
  disk = createLedgerCommits({
    commit,
    clock,
    log,
    changed: () => changes.push(disk.trouble()?.code ?? null),
  });
});

const nameOf = (one: Change) => (one.kind === 'answered' ? 'probe' : one.kind);
const times = (what: string) => attempts.filter((one) => one.what === what).map(({ at }) => at);

describe('a commit while the disk takes nothing', () => {
  it('is tried again until it does, and what is wrong is shown meanwhile', async () => {
    fails = unwritable;
    let isDone = false;
    const done = disk.commit([change]).then(() => (isDone = true));
    await clock.advance(40_000);
    expect([isDone, disk.trouble()]).toEqual([
      false,
      { code: 'ledger-unwritable', message: 'no space left on device' },
    ]);
    expect(times('clear')).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 30_500]);
    fails = null;
    await clock.advance(15_000);
    await done;
    expect([disk.trouble(), changes[0], changes.at(-1)]).toEqual([null, 'ledger-unwritable', null]);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'ledger cannot be written; sending is paused'],
      ['info', 'ledger can be written again'],
    ]);
  });

  it('that must not wait fails, and the disk is tried by itself until it takes something', async () => {
    fails = unwritable;
    await expect(disk.commitOnce([change])).rejects.toBe(unwritable);
    await clock.advance(20_000);
    expect(times('clear')).toEqual([0]);
    expect(times('probe').length).toBeGreaterThan(2);
    fails = null;
    await clock.advance(15_000);
    expect(disk.trouble()).toBeNull();
    const before = attempts.length;
    await clock.advance(60_000);
    expect(attempts).toHaveLength(before);
  });

  it('ends with the process: nothing is committed any more', async () => {
    fails = unwritable;
    const waiting = disk.commit([change]);
    await clock.advance(100);
    disk.close();
    await expect(waiting).rejects.toMatchObject({ code: 'stopped' });
    await expect(disk.commit([change])).rejects.toMatchObject({ code: 'stopped' });
    await clock.advance(60_000);
    expect(attempts).toHaveLength(1);
  });
});
