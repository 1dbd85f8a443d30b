import { expect, it } from '@jest/globals';

import { UnsentModes } from '../../../src/sync/decide/unsent-modes.ts';
import { statOf } from '../../support/fixtures/model-fixtures.ts';

it('of two files with one number, on two disks, each counts as held as it was', () => {
  const modes = new UnsentModes();
  const files = [1, 2].map((dev) => statOf({ ino: 9, dev, birthtimeMs: dev }));
  for (const stat of files) modes.noteAttachment({ folder: 'inbox', path: 'a.pdf' }, stat);
  expect(files.map((stat) => modes.of({ stat })?.mode)).toEqual(['NONE', 'NONE']);
});
