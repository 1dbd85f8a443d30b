import { beforeEach, expect, it } from '@jest/globals';

import type { FolderPort, FoundFiles } from '../../src/model/ports/folder-port.ts';
import { statOf } from '../support/fixtures/model-fixtures.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import type { FileIdentity } from '../../src/model/document.ts';
import { createFileSearch } from '../../src/sync/decide/whereabouts.ts';

const one = statOf({ ino: 1 });
const two = statOf({ ino: 2 });

let clock: ManualClock;
let walks: (readonly FileIdentity[])[];
let missing: readonly FileIdentity[];
let finds: FoundFiles | null;
let search: ReturnType<typeof createFileSearch>;

beforeEach(() => {
  clock = manualClock();
  walks = [];
  missing = [];
  finds = {
    files: [
      { path: 'a.pdf', stat: one, isNamed: true },
      { path: 'b.pdf', stat: two, isNamed: true },
    ],
    unreadable: [{ path: 'closed', changedMs: 1, movedMs: 2 }],
  };
  const folder = (name: string): Pick<FolderPort, 'name' | 'find'> => ({
    name,
    find: async (wanted) => {
      if (name === 'inbox') walks.push(wanted);
      await new Promise((resolve) => setImmediate(resolve));
      return name === 'inbox' ? finds : null;
    },
  });
  search = createFileSearch(clock, [folder('inbox'), folder('away')], () => missing);
});

it('gives where a file stands in whatever folder, and which directories may hide it', async () => {
  expect(await search(one, 0)).toEqual({
    files: [{ folder: 'inbox', path: 'a.pdf', stat: one, isNamed: true }],
    unreadable: [{ folder: 'inbox', path: 'closed', changedMs: 1, movedMs: 2 }],
  });
  finds = null;
  expect(await search(statOf({ ino: 3 }), 0)).toEqual({ files: [], unreadable: [] });
});

it('walks once for all that are missing together', async () => {
  missing = [one, two];
  await Promise.all([search(one, 0), search(two, 0), search(one, 0)]);
  expect(walks).toEqual([[one, one, two]]);
  await search(two, 0);
  expect(walks).toHaveLength(1);
});

it('walks again for one that nobody has looked for yet', async () => {
  await search(one, 0);
  await search(two, 0);
  expect(walks).toEqual([[one], [two]]);
});

it('walks again for one that went after the walk began', async () => {
  await search(one, 0);
  await clock.advance(1_000);
  await search(one, 0);
  expect(walks).toHaveLength(1);
  await search(one, 1);
  expect(walks).toHaveLength(2);
});

it('believes what it found for a minute', async () => {
  await search(one, 0);
  await clock.advance(60_000);
  await search(one, 0);
  expect(walks).toHaveLength(1);
  await clock.advance(1);
  await search(one, 0);
  expect(walks).toHaveLength(2);
});
