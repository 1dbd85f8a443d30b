import { expect, it } from '@jest/globals';

import type { DocumentRef, Inspection } from '../../../src/model/document.ts';
import { inspectDocument, leftSidecarsOf } from '../../../src/sync/decide/inspect-document.ts';
import { comparedOf, recordOf } from '../../support/fixtures/model-fixtures.ts';

const here = { folder: 'inbox', path: 'b.pdf' };
const left = { folder: 'other', path: 'a.pdf.meta.json' };
const record = recordOf({ leftSidecars: [left] });
const orphan = {
  kind: 'skipped',
  code: 'orphan-sidecar',
  message: 'a sidecar without its document',
} as const;

async function leftOf(
  sidecar: Inspection | undefined,
  { own = null, orphan: moved = null }: { own?: string | null; orphan?: DocumentRef | null } = {},
): Promise<unknown> {
  const document = { ...comparedOf().document, sidecar: own };
  const port = { inspect: () => Promise.resolve({ kind: 'document', document } as const) };
  const found = await inspectDocument(port, here, record, {
    inspectIn: () => Promise.resolve(sidecar),
    orphanNamed: (name) => (name === 'a.pdf.meta.json' ? moved : null),
    findHolders: () => [],
  });
  return found.kind === 'document' ? (found.document.leftSidecar ?? null) : found;
}

it.each<readonly [string, Inspection | undefined, unknown]>([
  ['belongs to no document', orphan, 'other/a.pdf.meta.json'],
  [
    'belongs to another document',
    { kind: 'ignored', code: 'sidecar', message: '', owner: 'a.pdf' },
    'other/a.pdf.meta.json',
  ],
  ['is gone', { kind: 'ignored', code: 'sidecar', message: '', presence: 'gone' }, null],
  [
    'is of a document, or of none, no scan has told',
    { kind: 'ignored', code: 'sidecar', message: '' },
    'other/a.pdf.meta.json',
  ],
  ['is in a folder that is not configured any more', undefined, 'other/a.pdf.meta.json'],
  ['cannot be seen', { kind: 'unknown', code: 'unreadable', message: '' }, 'other/a.pdf.meta.json'],
  [
    'is where everything is ignored',
    { kind: 'ignored', code: 'ignored', message: '' },
    'other/a.pdf.meta.json',
  ],
  ['was there a moment ago', { kind: 'settling', againMs: 9 }, { kind: 'settling', againMs: 9 }],
])('I15: the sidecar that a document left %s', async (_, sidecar, expected) => {
  expect(await leftOf(sidecar)).toEqual(expected);
});

it('I15: a document that has a sidecar left none', async () => {
  expect(await leftOf(orphan, { own: 'b.pdf.meta.json' })).toBeNull();
});

it('I15: the sidecar that a document left is known by its name where it was moved on, with its directory for instance', async () => {
  const gone = { kind: 'absent', device: 0 } as const;
  expect(await leftOf(gone)).toBeNull();
  expect(await leftOf(gone, { orphan: { folder: 'inbox', path: 'sub/a.pdf.meta.json' } })).toBe(
    'sub/a.pdf.meta.json',
  );
});

it('I15: a document that moves on may have left its sidecar where it stood last, or before', () => {
  expect(leftSidecarsOf(here, record)).toEqual([{ folder: 'inbox', path: 'b.pdf.meta.json' }, left]);
  const stem = recordOf({ companions: { sidecar: 'stem', defaults: [] } });
  expect(leftSidecarsOf(here, stem)).toEqual([{ folder: 'inbox', path: 'b.meta.json' }]);
  expect(leftSidecarsOf(here, recordOf({ companions: { sidecar: null, defaults: [''] } }))).toBeUndefined();
});
