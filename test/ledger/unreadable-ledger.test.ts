import { expect, it } from '@jest/globals';

import { unreadable } from '../../src/ledger/ledger-errors.ts';
import { errorCode, errorMessage } from '../../src/model/errors.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: no`), { code });

it.each([
  ['EACCES', 'as the user that runs ingestd'],
  ['EPERM', 'as the user that runs ingestd'],
  ['ENOTDIR', 'it is not a directory'],
])('a ledger that cannot be got at (%s) is not called damaged', (code, remedy) => {
  const error = unreadable('/state', failed(code));
  expect(errorCode(error)).toBe('configuration');
  expect(errorMessage(error)).toContain(`state.dir: /state cannot be read (${code}); `);
  expect(errorMessage(error)).toContain(remedy);
});

it('one that the disk cannot read is', () => {
  expect(errorCode(unreadable('/state/ledger.json', failed('EIO')))).toBe('ledger-damaged');
});
