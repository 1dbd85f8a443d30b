import { describe, expect, it } from '@jest/globals';

import type { RootIdentity } from '../../src/model/ports/ledger-port.ts';
import { createScheduler } from '../../src/scan/scheduler.ts';
import type { ScanOutcome, ScanRequest } from '../../src/scan/walk/scan-request.ts';
import { timingSettingsOf } from '../support/fixtures/default-settings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { scanReportOf } from './support/scan-report.ts';

const report = scanReportOf();
const timing = timingSettingsOf();
const root: RootIdentity = { path: '/inbox', dev: 1, ino: 1 };

type Scanned = Extract<ScanOutcome, { kind: 'scanned' }>;

/** A scan that found nothing. */
function found({ targets }: ScanRequest): Scanned {
  return {
    kind: 'scanned',
    full: targets === 'all',
    root,
    unreadable: [],
    changed: [],
    report,
  };
}

type Other = Exclude<ScanOutcome, { kind: 'scanned' }>;
type Said = Partial<Scanned> | Other;
const isOther = (said: Said): said is Other => said.kind === 'moved' || said.kind === 'unavailable';

/** Each scan takes `scanMs`; what the next ones say is given, and after that all say what else is given. */
function scheduled(
  { scanMs = 10, ...always }: { scanMs?: number } & Partial<Scanned> = {},
  ...said: readonly Said[]
) {
  const clock = manualClock();
  const left = [...said];
  const requests: string[] = [];
  const outcomes: string[] = [];
  let cause = '';
  const scheduler = createScheduler({
    clock,
    timing,
    scan: (request) => {
      cause = request.cause;
      requests.push(
        `${clock.monotonic()} ${request.cause} ${String(request.targets)}${request.fromScratch ? ' from scratch' : ''}`,
      );
      const next = left.shift() ?? always;
      const outcome: ScanOutcome = isOther(next) ? next : { ...found(request), ...next };
      return new Promise((resolve) => clock.after(scanMs, () => resolve(outcome)));
    },
    done: ({ kind }) => outcomes.push(`${kind} ${cause}`),
  });
  return { clock, scheduler, requests, outcomes };
}

describe('scheduler of scans', () => {
  it('F43: scans everything once when the watcher lost count, and not again for ten seconds', async () => {
    const { clock, scheduler, requests } = scheduled();
    for (let flood = 0; flood < 5; flood += 1) scheduler.lost(false);
    await clock.advance(5_000);
    for (let flood = 0; flood < 5; flood += 1) scheduler.lost(false);
    expect(requests).toEqual(['0 overflow all']);
    await clock.advance(60_000);
    scheduler.lost(false);
    expect(requests).toEqual(['0 overflow all', '10000 overflow all', '65000 overflow all']);
  });

  it('scans what changed while it rested as soon as it has, though nothing else happens', async () => {
    const { clock, scheduler, requests } = scheduled({ scanMs: 100 });
    scheduler.changed(['a']);
    await clock.advance(150);
    scheduler.changed(['a']);
    scheduler.changed(['b']);
    await clock.advance(10_000);
    expect(requests).toEqual(['0 event a', '500 event a,b']);
  });

  it('F11: rescans every quarter of an hour', async () => {
    const { clock, scheduler, requests } = scheduled();
    await clock.advance(31 * 60_000);
    scheduler.close();
    expect(requests).toEqual([`${15 * 60_000} rescan all`, `${30 * 60_000} rescan all`]);
  });

  it('F44: scans what reports no events soon after the start, then every pollSeconds, whatever events come', async () => {
    const { clock, scheduler, requests } = scheduled({ report: { ...report, withoutEvents: true } });
    void scheduler.everything('start', true);
    await clock.advance(20_000);
    scheduler.changed(['d']);
    await clock.advance(40_100);
    scheduler.close();
    expect(requests).toEqual([
      '0 start all from scratch',
      '2060 poll withoutEvents',
      '20000 event d',
      '32070 poll withoutEvents',
    ]);
  });

  it('lets nobody wait for a folder that is closed', async () => {
    const { clock, scheduler } = scheduled();
    const waiting = scheduler.everything('start', true);
    const next = scheduler.everything('rescan', false);
    scheduler.close();
    await clock.advance(100);
    await expect(Promise.race([Promise.all([waiting, next]).then(() => 'done'), after()])).resolves.toBe(
      'done',
    );
  });
});

describe('a scheduler says', () => {
  const scripted = (...said: readonly Said[]) => scheduled({}, ...said);
  const away: Said = { kind: 'unavailable', code: 'folder-missing', message: 'it is away' };
  const moved: Said = { kind: 'moved' };
  /** What has settled when a scan begins at this time. */
  const covered = (ms: number) => ms - 2_050;

  it('what has been scanned, and once more when it had settled', async () => {
    const { clock, scheduler } = scripted();
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([-Infinity, false]);
    const done = scheduler.everything('start', true);
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([-Infinity, true]);
    await clock.advance(1_000);
    await done;
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([clock.monotonic(), false]);
    scheduler.changed(['d']);
    await clock.advance(5);
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([covered(0), true]);
    await clock.advance(5);
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([clock.monotonic(), false]);
    scheduler.changed(['d']);
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([covered(1_000), true]);
  });

  it('that nothing is covered by a folder that is away, or while everything is to be scanned', async () => {
    const { clock, scheduler, requests } = scripted({}, {}, away);
    void scheduler.everything('start', true);
    await clock.advance(100);
    scheduler.changed(['d']);
    void scheduler.everything('rescan', false);
    await clock.advance(5);
    expect([requests.at(-1), scheduler.coveredUntil()]).toEqual(['100 event d', covered(0)]);
    await clock.advance(10);
    expect([requests.at(-1), scheduler.coveredUntil()]).toEqual(['110 rescan all', covered(0)]);
  });

  it('that what reports no events is covered until it was polled last', async () => {
    const polled = { report: { ...report, eventless: true, withoutEvents: true } };
    const { clock, scheduler, requests } = scripted(polled, polled, polled, {});
    void scheduler.everything('start', true);
    await clock.advance(2_000);
    expect([scheduler.coveredUntil(), scheduler.busy()]).toEqual([0, false]);
    await clock.advance(1_000);
    expect([requests.at(-1), scheduler.coveredUntil()]).toEqual(['2060 poll withoutEvents', 2_060]);
    scheduler.changed(['d']);
    await clock.advance(100);
    expect([requests.at(-1), scheduler.coveredUntil()]).toEqual(['3000 event d', 2_060]);
    // Nothing is without events any more.
    await clock.advance(30_000);
    expect(scheduler.coveredUntil()).toBe(clock.monotonic());
  });

  it('that all that changed is scanned once more when it has settled, whoever found it', async () => {
    const { clock, scheduler, requests } = scripted({ changed: ['a'] }, { changed: ['b'] });
    void scheduler.everything('rescan', false);
    await clock.advance(100);
    scheduler.changed(['b']);
    await clock.advance(10_000);
    expect(requests).toEqual(['0 rescan all', '100 event b', '2060 event a', '2160 event b']);
  });

  it('nothing more of a folder that is away, and its waiters go on', async () => {
    const { clock, scheduler, requests, outcomes } = scripted(
      { changed: ['d'], report: { ...report, withoutEvents: true } },
      away,
    );
    void scheduler.everything('rescan', false);
    await clock.advance(1_000);
    scheduler.changed(['e']);
    const done = scheduler.everything('rescan', true);
    scheduler.changed(['f']);
    await clock.advance(60_000);
    await done;
    expect(requests).toEqual(['0 rescan all', '1000 event e', '1010 rescan all from scratch']);
    expect([outcomes[1], scheduler.busy()]).toEqual(['unavailable event', false]);
  });

  it('that a folder with another root is scanned from scratch, and its waiters wait for that', async () => {
    const { clock, scheduler, requests } = scripted(moved);
    let isDone = false;
    void scheduler.everything('rescan', false).then(() => (isDone = true));
    await clock.advance(15);
    expect(isDone).toBe(false);
    await clock.advance(15);
    expect([isDone, requests]).toEqual([true, ['0 rescan all', '10 start all from scratch']]);
  });

  it('that events go before a rescan, and not before a scan from scratch, which finds them', async () => {
    const { clock, scheduler, requests } = scripted();
    void scheduler.everything('start', true);
    scheduler.changed(['a']);
    void scheduler.everything('rescan', false);
    await clock.advance(100);
    scheduler.changed(['b']);
    scheduler.changed(['c']);
    void scheduler.everything('start', true);
    await clock.advance(100);
    expect(requests).toEqual([
      '0 start all from scratch',
      '10 event a',
      '20 rescan all',
      '100 event b',
      '110 start all from scratch',
    ]);
  });

  it('nothing once it is closed', async () => {
    const { clock, scheduler, requests, outcomes } = scripted({ changed: ['d'] });
    void scheduler.everything('start', true);
    await clock.advance(5);
    scheduler.close();
    scheduler.changed(['a']);
    scheduler.lost(true);
    await scheduler.everything('rescan', false);
    await clock.advance(3_600_000);
    expect([requests.length, outcomes]).toEqual([1, []]);
  });
});

function after(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => resolve('still waiting')));
}
