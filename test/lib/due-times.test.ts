import { describe, expect, test } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, integer, oneof, record } from 'fast-check';

import { createDueTimes } from '../../src/lib/time/due-times.ts';
import { manualClock } from '../support/manual-clock.ts';

function world() {
  const clock = manualClock();
  const taken: { readonly key: string; readonly at: number }[] = [];
  const times = createDueTimes<string>(clock, () => {
    for (const key of times.take()) taken.push({ key, at: clock.monotonic() });
  });
  return { clock, times, taken };
}

describe('due times', () => {
  test('announce each key when it is due, the earliest first', async () => {
    const { clock, times, taken } = world();
    times.set('late', 300);
    times.set('early', 100);
    await clock.advance(1_000);
    expect(taken).toEqual([
      { key: 'early', at: 100 },
      { key: 'late', at: 300 },
    ]);
    expect(times.size()).toBe(0);
  });

  test('wait longer than a timer can', async () => {
    const { clock, times, taken } = world();
    const month = 30 * 86_400_000;
    times.set('next month', month);
    await clock.advance(month - 1);
    expect(taken).toEqual([]);
    await clock.advance(1);
    expect(taken).toEqual([{ key: 'next month', at: month }]);
  });

  test('say nothing more once they are cleared', async () => {
    const { clock, times, taken } = world();
    times.set('one', 100);
    times.clear();
    expect(clock.untilNext()).toBeNull();
    await clock.advance(1_000);
    expect(taken).toEqual([]);
  });

  test('keep no trace of settings that were replaced', async () => {
    const { clock, times, taken } = world();
    for (let at = 1; at <= 50_000; at += 1) times.set('busy', 1_000_000 + at);
    times.set('first', 10);
    await clock.advance(10);
    expect(taken).toEqual([{ key: 'first', at: 10 }]);
    await clock.advance(1_050_000);
    expect(taken).toHaveLength(2);
  });

  test('agree with a plain list, whatever is set, deleted and waited for', async () => {
    const step = oneof(
      record({ set: constantFrom('a', 'b', 'c', 'd'), in: integer({ min: 0, max: 50 }) }),
      record({ delete: constantFrom('a', 'b', 'c', 'd') }),
      record({ wait: integer({ min: 0, max: 40 }) }),
    );
    await assert(
      asyncProperty(array(step, { maxLength: 30 }), async (steps) => {
        const { clock, times, taken } = world();
        const model = new Map<string, number>();
        const expected: string[] = [];
        for (const next of steps) {
          if ('set' in next) {
            times.set(next.set, clock.monotonic() + next.in);
            model.set(next.set, clock.monotonic() + next.in);
          } else if ('delete' in next) {
            times.delete(next.delete);
            model.delete(next.delete);
          } else {
            await clock.advance(next.wait);
            const now = clock.monotonic();
            for (const [key, at] of [...model].sort((x, y) => x[1] - y[1])) {
              if (at > now) continue;
              expected.push(`${key} ${at}`);
              model.delete(key);
            }
          }
        }
        const told = taken.map(({ key, at }) => `${key} ${at}`);
        expect([...told].sort()).toEqual([...expected].sort());
        expect(times.size()).toBe(model.size);
      }),
      { numRuns: 200 },
    );
  });
});
