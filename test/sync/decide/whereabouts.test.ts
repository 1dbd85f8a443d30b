import { describe, expect, it } from '@jest/globals';

import type { Inspection } from '../../../src/model/document.ts';
import { whereaboutsOf } from '../../../src/sync/decide/whereabouts.ts';
import { recordOf } from '../../support/core-fixtures.ts';

const minuteMs = 60_000;
const seenAt = Date.UTC(2026, 0, 1);

describe('a file that is found nowhere', () => {
  const whereabouts = (hasDirectory: boolean, changed: number, moved: number) =>
    whereaboutsOf(
      { ref: { folder: 'inbox', path: 'dir/a.txt' }, record: recordOf() },
      {
        search: {
          files: [],
          unreadable: [
            { folder: 'inbox', path: 'new/closed', changedMs: seenAt + changed, movedMs: seenAt + moved },
          ],
        },
        ledger: { get: () => undefined },
        tasks: { get: () => undefined },
        inspect: () => Promise.resolve(undefined),
        hash: () => Promise.resolve(null),
        seenAt,
        hasDirectory,
      },
    );

  it.each([
    ['changed since, and its own directory stands', true, minuteMs, minuteMs, 'hidden'],
    ['changed since, and its own directory is gone', false, minuteMs, minuteMs, 'hidden'],
    ['may have come with its own directory, which is gone', false, -2 * minuteMs, minuteMs, 'hidden'],
    ['may have moved, and its own directory stands', true, -2 * minuteMs, minuteMs, 'nowhere'],
    ['has neither changed nor moved since', false, -2 * minuteMs, -2 * minuteMs, 'nowhere'],
  ])(
    'is looked for in an unreadable directory that %s',
    async (_, hasDirectory, changed, moved, expected) => {
      expect(await whereabouts(hasDirectory, changed, moved)).toMatchObject({ kind: expected });
    },
  );
});

describe('a file that is found', () => {
  it.each<[string, Inspection, string]>([
    ['below a directory that cannot be read', unknown('unreadable'), 'kept'],
    ['where nothing can be said for the moment', unknown('not-scanned'), 'unclear'],
    ['while it is written', { kind: 'settling', againMs: 1 }, 'unclear'],
  ])('%s', async (_, found, expected) => {
    const record = recordOf();
    const file = { folder: 'inbox', path: 'dir/b.txt', stat: record.stat, isNamed: true };
    const whereabouts = await whereaboutsOf(
      { ref: { folder: 'inbox', path: 'a.txt' }, record },
      {
        search: { files: [file], unreadable: [] },
        ledger: { get: () => undefined },
        tasks: { get: () => undefined },
        inspect: () => Promise.resolve(found),
        hash: () => Promise.resolve(null),
        seenAt,
        hasDirectory: true,
      },
    );
    expect(whereabouts.kind).toBe(expected);
  });
});

function unknown(code: string): Inspection {
  return { kind: 'unknown', code, message: 'any' };
}
