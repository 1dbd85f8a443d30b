import { expect, it } from '@jest/globals';

import { unconfigured } from '../../src/daemon/make-status.ts';
import { folderSettingsOf } from '../support/fixtures/default-settings.ts';

const counts = new Map([
  ['inbox', 3],
  ['archive', 2],
  ['old', 1],
]);
const ledger = { folders: () => [...counts.keys()], count: (name: string) => counts.get(name) ?? 0 };

it.each([
  [['inbox', 'archive', 'old', 'new'], undefined],
  [
    ['inbox'],
    [
      ['archive', 2],
      ['old', 1],
    ],
  ],
  [
    [],
    [
      ['inbox', 3],
      ['archive', 2],
      ['old', 1],
    ],
  ],
] as const)('documents of folders that are not among %j are counted', (names, expected) => {
  const folders = names.map((name) => folderSettingsOf('/srv', { name }));
  const found = unconfigured(ledger, { folders }).unconfigured;
  expect(found?.map(({ name, documents }) => [name, documents])).toEqual(expected);
});
