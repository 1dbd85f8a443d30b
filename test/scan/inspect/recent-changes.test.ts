import { expect, it } from '@jest/globals';

import { createRecentChanges } from '../../../src/scan/recent-changes.ts';
import { manualClock } from '../../support/manual-clock.ts';

it('directories in which something happened since a moment are told, for two minutes', async () => {
  const clock = manualClock();
  const happened = createRecentChanges(clock);
  happened.note(['a', 'b']);
  await clock.advance(1_000);
  const since = clock.monotonic();
  expect(happened.since(since)).toEqual([]);
  await clock.advance(1);
  happened.note(['b', 'c']);
  expect(happened.since(since)).toEqual(['b', 'c']);
  await clock.advance(120_001);
  happened.note(Array.from({ length: 1_000 }, (_, index) => `${index}`));
  expect(happened.since(0)).toHaveLength(1_000);
});

it('after events were lost nobody can say', async () => {
  const clock = manualClock();
  const happened = createRecentChanges(clock);
  const since = clock.monotonic();
  happened.noteLost();
  expect(happened.since(since)).toBeNull();
  await clock.advance(1);
  expect(happened.since(clock.monotonic())).toEqual([]);
});
