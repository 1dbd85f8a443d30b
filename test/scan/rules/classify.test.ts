import { expect, it } from '@jest/globals';

import { isTrustedCompanion } from '../../../src/scan/rules/classify.ts';

it.each([
  ['any', 1001, 1000, true],
  ['any', 65_534, 1000, true],
  ['same', 1000, 1000, true],
  ['same', 0, 1000, true],
  ['same', 1001, 1000, false],
  ['same', 1000, 0, false],
  ['same', 65_534, 65_534, false],
  ['same', null, 1000, true],
] as const)(
  'with sidecarOwner: %s, a sidecar of user %s for a document of user %d counts: %s',
  (mode, uid, owner, counts) => {
    expect(isTrustedCompanion(mode, uid === null ? null : { uid }, owner)).toBe(counts);
  },
);
