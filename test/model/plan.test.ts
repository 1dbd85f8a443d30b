import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { planDocument } from '../../src/model/plan.ts';
import type { RecordedAttachment } from '../../src/model/ports/ledger-port.ts';
import type { Metadata } from '../../src/model/metadata/metadata.ts';
import { arbitraryMetadata } from '../support/fixtures/arbitrary-metadata.ts';
import { comparedOf, recordOf, statOf } from '../support/fixtures/model-fixtures.ts';

function attachment(name: string, sha256: string, ino = 7): RecordedAttachment {
  return { name, sha256, stat: statOf({ ino }) };
}

function bulkKey(wanted: Metadata, accepted: Metadata): string | null {
  const operation = planDocument(comparedOf({ metadata: wanted }), recordOf({ metadata: accepted }));
  return operation.kind === 'modify' ? (operation.bulk?.key ?? null) : null;
}

describe('what to send for a document', () => {
  it.each([
    ['stated and another', '2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', ['createdTimestamp']],
    ['the file’s time', '1970-01-01T00:00:01Z', '2026-01-01T00:00:00Z', []],
    ['not known of what was imported', '2020-01-01T00:00:00Z', undefined, []],
    ['no longer given', undefined, '2026-01-01T00:00:00Z', []],
  ])('warns of a creation time only where it is %s', (_, wanted, held, codes) => {
    const of = (createdTimestamp: string | undefined): Metadata =>
      createdTimestamp === undefined ? {} : { createdTimestamp };
    const operation = planDocument(comparedOf({ metadata: of(wanted) }), recordOf({ metadata: of(held) }));
    expect('unclearable' in operation && operation.unclearable.map(({ code }) => code)).toEqual(codes);
  });

  it('is an upload with all operations spelt out when there is no record', () => {
    const metadata: Metadata = { title: 'T', customTags: [{ name: 'a' }] };
    expect(planDocument(comparedOf({ metadata, sha256: 'aa'.repeat(32) }), null)).toEqual({
      kind: 'upload',
      metadata: { title: 'T', customTags: [{ name: 'a', operation: 'ADD' }] },
      accepted: metadata,
    });
  });

  it.each([['aa'.repeat(32)], [null]])('is nothing when the bytes are the same (hash %j, F14)', (sha256) => {
    expect(planDocument(comparedOf({ sha256 }), recordOf())).toEqual({
      kind: 'none',
      accepted: {},
      unclearable: [],
    });
  });

  it('is content and metadata in one modify when both changed, and no bulk call then', () => {
    const compared = comparedOf({ sha256: 'bb', metadata: { customTags: [{ name: 'a' }] } });
    expect(planDocument(compared, recordOf())).toMatchObject({
      kind: 'modify',
      content: true,
      metadata: { customTags: [{ name: 'a', operation: 'ADD' }] },
      bulk: null,
    });
  });

  it('adopts the bytes of an imported document without sending them', () => {
    const imported = recordOf({ sha256: '', attachments: [attachment('x.xlsx', '')] });
    const compared = comparedOf({ sha256: 'bb', attachments: [['x.xlsx', 'cc']] });
    expect(planDocument(compared, imported).kind).toBe('none');
  });

  it('sends the metadata of an imported document, because the service’s is not known', () => {
    const compared = comparedOf({ sha256: 'bb', metadata: { title: 'a', shareInfo: { mode: 'NONE' } } });
    expect(planDocument(compared, recordOf({ sha256: '' }))).toMatchObject({
      kind: 'modify',
      content: false,
      metadata: { title: 'a', shareInfo: { mode: 'NONE' } },
    });
  });

  it.each([
    ['what was last accepted', { mode: 'NONE' }, { mode: 'NONE' }, ['shareInfo']],
    ['DEFAULT where none ever was', undefined, { mode: 'DEFAULT' }, []],
  ] as const)(
    'is a sharing mode that nobody states any more, once another may have gone out: %s',
    (_, held, sent, said) => {
      const unsure = {
        content: false,
        attachments: false,
        metadata: [{ shareInfo: { mode: 'EVERYONE' } }],
      } as const;
      const accepted: Metadata = held === undefined ? {} : { shareInfo: held };
      const operation = planDocument(comparedOf({ metadata: {} }), recordOf({ metadata: accepted, unsure }));
      expect(operation).toMatchObject({
        kind: 'modify',
        metadata: { shareInfo: sent },
        accepted: { shareInfo: sent },
      });
      // And that is the end of it.
      const after = planDocument(comparedOf({ metadata: {} }), recordOf({ metadata: { shareInfo: sent } }));
      expect(after).toMatchObject({ kind: 'none', unclearable: said.map((code) => ({ code })) });
    },
  );

  it.each([
    ['content after an unanswered modify of it', { content: true }, { content: true, attachments: false }],
    ['content after an unanswered deletion', { gone: true }, { content: true, attachments: false }],
    [
      'attachments after an unanswered modify of them',
      { attachments: true },
      { content: false, attachments: true },
    ],
  ] as const)('is the unchanged %s', (_, doubt, sent) => {
    const unsure = { content: false, attachments: false, metadata: [], ...doubt };
    const compared = comparedOf({ sha256: null, attachments: [['x', null]] });
    const record = recordOf({ attachments: [attachment('x', 'aa')], unsure });
    expect(planDocument(compared, record)).toMatchObject({
      kind: 'modify',
      ...sent,
      metadata: null,
      bulk: null,
    });
  });

  it('is nothing for attachments that an unanswered modify may have left, where there are none any more', () => {
    const unsure = { content: false, attachments: true, metadata: [] } as const;
    expect(planDocument(comparedOf(), recordOf({ unsure }))).toMatchObject({
      kind: 'none',
      unclearable: [{ code: 'attachments' }],
    });
  });
});

const attachmentCases: readonly {
  readonly name: string;
  readonly found: readonly (readonly [string, string | null])[];
  readonly recorded: readonly RecordedAttachment[];
  readonly changed: boolean;
  readonly lost?: boolean;
}[] = [
  { name: 'none before and after', found: [], recorded: [], changed: false },
  { name: 'the first one', found: [['x', 'aa']], recorded: [], changed: true },
  { name: 'same bytes', found: [['x', 'aa']], recorded: [attachment('x', 'aa')], changed: false },
  { name: 'not read, same stat', found: [['x', null]], recorded: [attachment('x', 'aa')], changed: false },
  { name: 'not read, another name', found: [['y', null]], recorded: [attachment('x', 'aa')], changed: true },
  { name: 'other bytes', found: [['x', 'bb']], recorded: [attachment('x', 'aa')], changed: true },
  { name: 'another name', found: [['y', 'aa']], recorded: [attachment('x', 'aa')], changed: true },
  {
    name: 'contents swapped between names',
    found: [
      ['x', 'bb'],
      ['y', 'aa'],
    ],
    recorded: [attachment('x', 'aa'), attachment('y', 'bb')],
    changed: true,
  },
  {
    name: 'one of two gone',
    found: [['x', 'aa']],
    recorded: [attachment('x', 'aa'), attachment('y', 'bb')],
    changed: true,
  },
  {
    name: 'one name twice, now with equal bytes',
    found: [
      ['x', 'aa'],
      ['x', 'aa'],
    ],
    recorded: [attachment('x', 'aa'), attachment('x', 'bb')],
    changed: true,
  },
  { name: 'the last one gone', found: [], recorded: [attachment('x', 'aa')], changed: false, lost: true },
];

describe('attachments', () => {
  it.each(attachmentCases)('$name', ({ found, recorded, changed, lost = false }) => {
    const operation = planDocument(comparedOf({ attachments: found }), recordOf({ attachments: recorded }));
    expect(operation).toMatchObject({
      kind: changed ? 'modify' : 'none',
      unclearable: lost ? [{ code: 'attachments' }] : [],
    });
    if (operation.kind === 'modify') expect(operation).toMatchObject({ attachments: true, content: false });
  });
});

describe('changes that fit a bulk call, interface 4.6', () => {
  it('carries companies, tags and sharing, with the owner where it is known', () => {
    const accepted: Metadata = { documentOwner: 'jane' };
    const metadata: Metadata = { ...accepted, customTags: [{ name: 'a' }], shareInfo: { mode: 'NONE' } };
    const operation = planDocument(comparedOf({ metadata }), recordOf({ metadata: accepted }));
    expect(operation).toMatchObject({
      metadata: { customTags: [{ name: 'a', operation: 'ADD' }], shareInfo: { mode: 'NONE' } },
      bulk: {
        change: {
          customTags: [{ name: 'a', operation: 'ADD' }],
          shareInfo: { mode: 'NONE' },
          documentOwner: 'jane',
        },
      },
    });
  });

  it.each<[string, Metadata]>([
    ['title', { title: 'T' }],
    ['docAuthors', { docAuthors: [{ authorName: 'Jane' }] }],
    ['documentOwner', { documentOwner: 'jane' }],
    ['sourceType', { sourceType: 's' }],
    ['documentUrl', { documentUrl: 'https://a.example' }],
  ])('does not carry %s', (_, metadata) => {
    expect(bulkKey({ ...metadata, customTags: [{ name: 'a' }] }, {})).toBeNull();
  });

  it('shares no call between changes, owners or visibilities that differ', () => {
    const keys = [
      bulkKey({ customTags: [{ name: 'a' }] }, {}),
      bulkKey({ customTags: [{ name: 'a', visibility: 'PUBLIC' }] }, {}),
      bulkKey({}, { customTags: [{ name: 'a' }] }),
      bulkKey({ companies: [{ value: 'a' }] }, {}),
      bulkKey({ companies: [{ value: 'a', salience: 'PRIMARY' }] }, {}),
      bulkKey({ shareInfo: {} }, {}),
      bulkKey({ documentOwner: 'jane', customTags: [{ name: 'a' }] }, { documentOwner: 'jane' }),
      bulkKey({ documentOwner: 'ali', customTags: [{ name: 'a' }] }, { documentOwner: 'ali' }),
    ];
    expect(keys).not.toContain(null);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

it('plans nothing more once what was planned is accepted', () => {
  const names = fc.constantFrom('x', 'y', 'z');
  const hashes = fc.constantFrom('aa', 'bb');
  const attachments = fc.array(fc.tuple(names, hashes), { maxLength: 3 });
  fc.assert(
    fc.property(
      arbitraryMetadata,
      arbitraryMetadata,
      attachments,
      attachments,
      fc.constantFrom('aa', 'bb', ''),
      (wanted, held, found, recorded, sha256) => {
        const before = recordOf({
          sha256,
          metadata: held,
          attachments: recorded.map(([name, hash]) => attachment(name, hash)),
        });
        const compared = comparedOf({ sha256: 'aa', metadata: wanted, attachments: found });
        const operation = planDocument(compared, before);
        if (operation.kind === 'upload') throw new Error('a record is never uploaded');
        const replaced = operation.kind === 'modify' && operation.attachments;
        const after = recordOf({
          sha256: 'aa',
          metadata: operation.accepted,
          attachments: replaced ? found.map(([name, hash]) => attachment(name, hash)) : before.attachments,
          said: operation.unclearable.map(({ code }) => code),
        });
        const again = planDocument(compared, after);
        const { accepted } = operation;
        expect(again).toEqual({ kind: 'none', accepted, unclearable: [] });
      },
    ),
  );
});
