import { describe, expect, it } from '@jest/globals';
import { createDeliveryHistory } from '../../src/status/metrics/delivery-history.ts';
import type { Clock } from '../../src/lib/time/clock.ts';
import type { Activity } from '../../src/model/report/status.ts';
import { manualClock } from '../support/manual-clock.ts';

const activity = (clock: Pick<Clock, 'now'>, what: string, documents = 1): Activity => ({
  at: new Date(clock.now()).toISOString(),
  folder: 'inbox',
  path: 'a.pdf',
  what,
  docId: null,
  message: null,
  documents,
});

const minutes = (count: number) => count * 60_000;

describe('the history of deliveries', () => {
  it('counts documents by what was done and when, the newest last', async () => {
    const clock = manualClock();
    const history = createDeliveryHistory(clock);
    history.record(activity(clock, 'uploaded'));
    await clock.advance(minutes(40));
    history.record(activity(clock, 'modified', 7));
    history.record(activity(clock, 'warning'));
    const report = history.report();
    expect(report.bucketSeconds).toBe(1200);
    expect(report.start).toBe('2025-12-31T01:00:00.000Z');
    expect(report.uploaded.at(-3)).toBe(1);
    expect(report.modified.at(-1)).toBe(7);
    expect(report.failed.every((count) => count === 0)).toBe(true);
  });

  it('counts a document that failed once, and no more when that is over', async () => {
    const clock = manualClock();
    const history = createDeliveryHistory(clock);
    const failed = () => history.report().failed.reduce((sum, count) => sum + count);
    history.record(activity(clock, 'failed'));
    await clock.advance(minutes(10));
    history.record(activity(clock, 'failed'));
    expect(failed()).toBe(1);
    history.record({ ...activity(clock, 'uploaded'), path: 'b.pdf' });
    expect(failed()).toBe(1);
    history.record({ ...activity(clock, 'recovered'), after: 'failed' });
    expect(failed()).toBe(0);
    history.record(activity(clock, 'failed'));
    history.record({ ...activity(clock, 'moved'), path: 'c.pdf', from: 'inbox/a.pdf' });
    expect(failed()).toBe(0);
  });

  it('forgets after a day, however much happens', async () => {
    const clock = manualClock();
    const history = createDeliveryHistory(clock);
    for (let hour = 0; hour < 48; hour += 1) {
      history.record(activity(clock, 'uploaded'));
      await clock.advance(minutes(60));
    }
    const { uploaded } = history.report();
    expect(uploaded).toHaveLength(72);
    expect(uploaded.reduce((sum, count) => sum + count)).toBe(23);
  });

  it('survives a wall clock that is set back or forward', () => {
    const clock = manualClock();
    const history = createDeliveryHistory(clock);
    history.record(activity(clock, 'uploaded'));
    clock.jump(-minutes(600));
    history.record(activity(clock, 'uploaded'));
    expect(history.report().uploaded.at(-1)).toBe(1);
    clock.jump(minutes(60 * 24 * 365));
    expect(history.report().uploaded.every((count) => count === 0)).toBe(true);
  });
});
