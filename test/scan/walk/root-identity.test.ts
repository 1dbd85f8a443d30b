import { expect, it } from '@jest/globals';

import { mountsBelow } from '../../../src/scan/walk/root-identity.ts';

it('below the root of the machine are all of its mounts, and none of them below a directory without any', () => {
  expect(mountsBelow('/')).toContain('proc');
  expect(mountsBelow('/')).not.toContain('');
  expect(mountsBelow('/proc/self/task')).toEqual([]);
});
