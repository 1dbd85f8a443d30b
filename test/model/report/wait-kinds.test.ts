import { expect, it } from '@jest/globals';

import { waitKindOf } from '../../../src/model/report/wait-kinds.ts';

it.each([
  ['settling', 'settling'],
  ['sidecar-missing', 'sidecar'],
  ['attachment-missing', 'attachment'],
  ['attachment-unreadable', 'attachment'],
  ['unreadable', 'other'],
  ['orphan-attachments', 'other'],
])('a document that waits with the code %s is counted as %s', (code, kind) => {
  expect(waitKindOf(code)).toBe(kind);
});
