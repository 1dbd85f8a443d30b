import { describe, expect, it } from '@jest/globals';

import type { RootIdentity } from '../../src/model/ports/ledger-port.ts';
import { createScheduler } from '../../src/scan/scheduler.ts';
import type { ScanOutcome, ScanReport, ScanRequest } from '../../src/scan/worker/protocol.ts';
import { manualClock } from '../support/manual-clock.ts';

const report: ScanReport = {
  directories: 1,
  watches: 1,
  backend: 'native',
  polled: false,
  eventlessFileSystem: null,
  withoutEvents: false,
  unwatched: 0,
  unreadable: [],
  unreadableTotal: 0,
  attached: 0,
};
const root: RootIdentity = { path: '/inbox', dev: 1, ino: 1 };

type Scanned = Extract<ScanOutcome, { kind: 'scanned' }>;

/** Scheduler whose scans take `sweepMs` each and say what they are told to. */
function roundsWorld({ sweepMs = 10, ...said }: { sweepMs?: number } & Partial<Scanned> = {}) {
  const clock = manualClock();
  const requests: (ScanRequest & { readonly at: number })[] = [];
  const timing = {
    settleMs: 2_000,
    removeGraceMs: 5_000,
    rescanMinutes: 15,
    pollSeconds: 30,
    stopSeconds: 30,
  };
  const scheduler = createScheduler({
    clock,
    timing,
    scan: (request) =>
      new Promise((resolve) => {
        requests.push({ ...request, at: clock.monotonic() });
        clock.after(sweepMs, () =>
          resolve({
            kind: 'scanned',
            full: request.targets === 'all',
            root,
            changed: [],
            fresh: [],
            again: [],
            late: false,
            outgrown: false,
            report,
            ...said,
          }),
        );
      }),
    done: () => {},
  });
  const causes = () => requests.map(({ cause, targets, at }) => `${at} ${cause} ${String(targets)}`);
  return { clock, scheduler, requests, causes };
}

describe('scheduler of scans', () => {
  it('F43: scans everything once when the watcher lost count, and not again for ten seconds', async () => {
    const { clock, scheduler, causes } = roundsWorld();
    for (let flood = 0; flood < 5; flood += 1) scheduler.lost(false);
    await clock.advance(5_000);
    for (let flood = 0; flood < 5; flood += 1) scheduler.lost(false);
    expect(causes()).toEqual(['0 overflow all']);
    await clock.advance(60_000);
    expect(causes()).toEqual(['0 overflow all', '10000 overflow all']);
  });

  it('scans a directory with an event at once, also right after a long first scan', async () => {
    const { clock, scheduler, causes } = roundsWorld({ sweepMs: 700 });
    void scheduler.everything('start', true);
    await clock.advance(1_000);
    scheduler.changed(['a']);
    expect(causes()).toEqual(['0 start all', '1000 event a']);
  });

  it('gathers events while a scan of events rests, so that a busy directory takes no more than a part', async () => {
    const { clock, scheduler, requests } = roundsWorld({ sweepMs: 100 });
    for (let ms = 0; ms < 10_000; ms += 10) {
      scheduler.changed(['a']);
      await clock.advance(10);
    }
    expect(requests.length).toBeGreaterThan(10);
    expect(requests.length).toBeLessThanOrEqual(21);
  });

  it('looks into a directory once more when what changed in it has had time to settle', async () => {
    const { clock, scheduler, causes } = roundsWorld({ changed: ['a'] });
    scheduler.changed(['a']);
    await clock.advance(2_000);
    expect(causes()).toEqual(['0 event a']);
    await clock.advance(100);
    expect(causes()).toEqual(['0 event a', '2060 event a']);
    scheduler.close();
  });

  it('F11: rescans every quarter of an hour', async () => {
    const { clock, scheduler, causes } = roundsWorld();
    await clock.advance(31 * 60_000);
    scheduler.close();
    expect(causes()).toEqual([`${15 * 60_000} rescan all`, `${30 * 60_000} rescan all`]);
  });

  it('F44: scans what reports no events every pollSeconds, and events first', async () => {
    const { clock, scheduler, causes } = roundsWorld({ report: { ...report, withoutEvents: true } });
    void scheduler.everything('start', true);
    await clock.advance(60_100);
    scheduler.close();
    expect(causes()).toEqual(['0 start all', '30010 poll withoutEvents', '60020 poll withoutEvents']);
  });

  it('scans again when watches were set after the reading, and those who wait wait for that', async () => {
    const outcomes = { late: true };
    const { clock, scheduler, causes } = roundsWorld(outcomes);
    let done = false;
    void scheduler.everything('start', true).then(() => (done = true));
    await clock.advance(15);
    expect(done).toBe(false);
    expect(causes()).toEqual(['0 start all', '10 start all']);
    scheduler.close();
  });

  it('lets nobody wait for a folder that is closed', async () => {
    const { clock, scheduler } = roundsWorld();
    const waiting = scheduler.everything('start', true);
    const next = scheduler.everything('rescan', false);
    scheduler.close();
    await clock.advance(100);
    await expect(Promise.race([Promise.all([waiting, next]).then(() => 'done'), after()])).resolves.toBe(
      'done',
    );
  });
});

function after(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => resolve('still waiting')));
}
