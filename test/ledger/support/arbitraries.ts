import * as fc from 'fast-check';

import type { Change, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import { approvable, recordOf, statOf } from './samples.ts';

const folder = fc.constantFrom('inbox', 'archive');
const name = fc.constantFrom('a.pdf', 'b.pdf', 'ü "x" \\ \n\u2028.txt', '__proto__.pdf', 'constructor');
const directory = fc.constantFrom('', 'd', 'd/e', '__proto__');
const path = fc
  .tuple(directory, name)
  .map(([directory, name]) => (directory === '' ? name : `${directory}/${name}`));
const ref = fc.record({ folder, path });
const finite = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 53 }),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((value) => value + 0),
);
const stat = fc.record({
  size: finite,
  mtimeMs: finite,
  ctimeMs: finite,
  birthtimeMs: finite,
  ino: fc.oneof(fc.constantFrom(0, 1, 2), finite),
  dev: finite,
});
/** Of files that records have, and that deleted documents had. */
const knownFile = fc.constantFrom(statOf(1), statOf(2));
const hash = fc.oneof(
  fc.constant(''),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
);
const time = fc.oneof(
  fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '1970-01-01T00:00:00.000Z',
    '1969-01-01T00:00:00Z',
    'yesterday',
    '',
  ),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
);
const metadata: fc.Arbitrary<Metadata> = fc.record(
  {
    title: fc.constantFrom('a', 'b', 'Another title', ''),
    createdTimestamp: time,
    documentOwner: fc.constantFrom('jane', 'joe'),
    customTags: fc.constant([{ name: 'urgent', visibility: 'PUBLIC' as const }]),
    companies: fc.constant([{ value: 'US0378331005', identifier: 'ISIN' as const }]),
    shareInfo: fc.constantFrom({}, { mode: 'NONE' as const }),
    docAuthors: fc.constant([{ authorName: 'Jane Doe' }]),
  },
  { requiredKeys: [] },
);

/** Any record, ordinary and odd. Its docId is unique in time: see `numbered`. */
const anyRecord: fc.Arbitrary<LedgerRecord> = fc.record(
  {
    docId: fc.constant(''),
    sha256: hash,
    stat: fc.oneof(stat, knownFile),
    fingerprint: fc.constantFrom('', 'c1', 'c2', 'a longer fingerprint'),
    fileName: fc.constantFrom('a.pdf', 'b.pdf', 'sent.pdf'),
    attachments: fc.array(
      fc.oneof(
        fc.record({ name: fc.constantFrom('x.xlsx', 'y.csv'), sha256: hash, stat }),
        fc.record({ name: fc.constant('z.csv'), path: fc.constant('d/ü.csv'), sha256: hash, stat }),
      ),
      { maxLength: 2 },
    ),
    metadata,
    uploadedAt: time,
    modifiedAt: fc.option(time),
    possibleDuplicates: fc.nat(3),
    companions: fc.record({
      sidecar: fc.constantFrom('name' as const, 'stem' as const, null),
      defaults: fc.constantFrom([], ['', 'd']),
    }),
    said: fc.constant(['title']),
    unsure: fc.record({
      content: fc.boolean(),
      attachments: fc.boolean(),
      metadata: fc.constantFrom([], [{ title: 'T' }, { customTags: [{ name: 'a' }] }]),
    }),
    heldModes: fc.array(
      fc.record({
        folder: fc.constantFrom('inbox', 'b'),
        path: fc.constant('d/é'),
        mode: fc.constantFrom('NONE' as const, 'DEFAULT' as const),
        by: fc.constantFrom(null, 'a.meta.json'),
        file: stat,
      }),
      { minLength: 1, maxLength: 2 },
    ),
    rootChange: fc.nat(3),
  },
  {
    requiredKeys: [
      'docId',
      'sha256',
      'stat',
      'fingerprint',
      'fileName',
      'attachments',
      'metadata',
      'uploadedAt',
      'modifiedAt',
      'possibleDuplicates',
    ],
  },
);

const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 1) + 1000 });
const id = fc.constantFrom('1', '2', '3');
const failure = fc.constant({
  code: 'too-large',
  message: 'is too large',
  attempts: 2,
  history: [{ at: 1, operation: 'upload', code: 'too-large', message: 'is too large' }],
  stat: statOf(1),
  fingerprint: 'c1',
});

/** Any change of the port. */
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), ref, record: anyRecord }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop' as const), ref }) },
  fc.record({ kind: fc.constant('intent' as const), intent: fc.record({ id, ref, size: fc.nat(), at }) }),
  fc.record({ kind: fc.constant('resolve' as const), id }),
  fc.record({
    kind: fc.constant('doubt' as const),
    doubt: fc.record(
      {
        id,
        ref,
        count: fc.nat(3),
        since: at,
        message: fc.string(),
        holds: fc.boolean(),
        dismissed: fc.constant(true as const),
        again: fc.constant(true as const),
      },
      { requiredKeys: ['id', 'ref', 'count', 'since', 'message', 'holds'] },
    ),
  }),
  fc.record({ kind: fc.constant('dismiss' as const), id }),
  fc.record({ kind: fc.constant('follow' as const), id, ref, stat }),
  fc.record({ kind: fc.constant('fail' as const), ref, failure }),
  fc.record({ kind: fc.constant('clear' as const), ref }),
  fc.record({
    kind: fc.constant('hold' as const),
    folder,
    hold: fc.option(fc.record({ since: at, reason: fc.string({ unit: 'binary' }) })),
  }),
  fc.record(
    {
      kind: fc.constant('approve' as const),
      folder,
      paths: fc.subarray(approvable),
      keeps: fc.constant(true as const),
    },
    { requiredKeys: ['kind', 'folder', 'paths'] },
  ),
  fc.record({ kind: fc.constant('unapprove' as const), folder, paths: fc.subarray(approvable) }),
  fc.record({ kind: fc.constant('removed' as const), folder, removal: fc.record({ at, count: fc.nat() }) }),
  fc.record({
    kind: fc.constant('root' as const),
    folder,
    identity: fc.record({ path: fc.string(), dev: fc.nat(), ino: fc.nat() }),
  }),
  fc.record({
    kind: fc.constant('mounts' as const),
    folder,
    mounts: fc.subarray(['d', 'd/e', 'ü']),
    identities: fc.array(
      fc.record({ path: fc.constantFrom('d', 'ü'), ino: finite, birthtimeMs: finite, dev: finite }),
      {
        maxLength: 2,
      },
    ),
    bare: fc.array(fc.record({ path: fc.constantFrom('d', 'ü'), until: fc.option(at) }), { maxLength: 2 }),
  }),
  {
    weight: 2,
    arbitrary: fc
      .record({
        folder,
        path: directory,
        identity: fc.option(fc.record({ ino: finite, birthtimeMs: finite, dev: finite })),
      })
      .map((change) => ({ kind: 'directory' as const, ...change })),
  },
  fc.record({
    kind: fc.constant('former' as const),
    held: fc.record({
      folder,
      path,
      mode: fc.constantFrom('NONE' as const, 'DEFAULT' as const),
      by: fc.constantFrom('', 'a.pdf.meta.json'),
      file: knownFile,
    }),
  }),
  fc.record({
    kind: fc.constant('service' as const),
    service: fc.constantFrom('embedded', 'https://a.example'),
  }),
  fc.record({ kind: fc.constant('sent' as const), id, at }),
  fc.record({ kind: fc.constant('answered' as const), id, at }),
);

/** Lists of commits in which every put has a docId of its own. */
export const anyCommits: fc.Arbitrary<readonly (readonly Change[])[]> = fc
  .array(fc.array(anyChange, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })
  .map((commits) => {
    let number = 0;
    return commits.map((changes) =>
      changes.map((change) => {
        if (change.kind !== 'put') return change;
        number += 1;
        return { ...change, record: { ...change.record, docId: recordOf(number).docId } };
      }),
    );
  });
