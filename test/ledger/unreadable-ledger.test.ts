import { expect, it } from '@jest/globals';

import { unreadable } from '../../src/ledger/ledger-errors.ts';
import { errorCode, errorMessage } from '../../src/model/errors.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: no`), { code });

it.each(['EACCES', 'EPERM', 'ENOTDIR'])(
  'a ledger that may not be read (%s) is not called damaged',
  (code) => {
    const error = unreadable('/state/ledger.json', failed(code));
    expect(errorCode(error)).toBe('configuration');
    expect(errorMessage(error)).toMatch(/^state\.dir: \/state\/ledger\.json .*as the user that runs ingestd/);
  },
);

it('one that the disk cannot read is', () => {
  expect(errorCode(unreadable('/state/ledger.json', failed('EIO')))).toBe('ledger-damaged');
});
