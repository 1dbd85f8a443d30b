import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { metadataDelta, uploadMetadata } from '../../../src/model/metadata/metadata-delta.ts';
import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import { arbitraryMetadata } from '../../support/fixtures/arbitrary-metadata.ts';
import { applyMetadata, companyKey, holdsNothing, tagKey } from '../../support/services/model-service.ts';
import type { HeldMetadata } from '../../support/services/model-service.ts';

/** What one sidecar after the other leads to, each told to the service and to the ledger. */
function history(states: readonly Metadata[]): { held: HeldMetadata; accepted: Metadata } {
  const [first = {}, ...later] = states;
  const upload = uploadMetadata(first);
  let held = applyMetadata(holdsNothing, upload.send);
  let { accepted } = upload;
  for (const state of later) {
    const delta = metadataDelta(state, accepted);
    if (delta.change !== null) held = applyMetadata(held, delta.change);
    ({ accepted } = delta);
  }
  return { held, accepted };
}

describe('metadata of an upload', () => {
  it('spells out ADD and takes an empty shareInfo for DEFAULT', () => {
    const wanted: Metadata = {
      title: 'T',
      companies: [{ identifier: 'ISIN', value: 'X', salience: 'PRIMARY' }],
      customTags: [{ name: 'q1' }],
      docAuthors: [{ authorName: 'Jane' }],
      shareInfo: {},
      createdTimestamp: '2026-01-01T00:00:00Z',
    };
    expect(uploadMetadata(wanted)).toEqual({
      send: {
        ...wanted,
        companies: [{ identifier: 'ISIN', value: 'X', salience: 'PRIMARY', operation: 'ADD' }],
        customTags: [{ name: 'q1', operation: 'ADD' }],
        docAuthors: [{ authorName: 'Jane', operation: 'ADD' }],
      },
      accepted: { ...wanted, shareInfo: { mode: 'DEFAULT' } },
    });
  });
});

const named = { title: 'T', documentOwner: 'jane', sourceType: 's', documentUrl: 'https://a' } as const;

const changes: readonly {
  readonly name: string;
  readonly accepted: Metadata;
  readonly wanted: Metadata;
  readonly change: Metadata | null;
  readonly after: Metadata;
  readonly lost?: readonly string[];
}[] = [
  {
    name: 'sends only the field that changed',
    accepted: named,
    wanted: { ...named, title: 'U' },
    change: { title: 'U' },
    after: { ...named, title: 'U' },
  },
  {
    name: 'adds authors and keeps those it cannot take back',
    accepted: { docAuthors: [{ authorName: 'Jane' }] },
    wanted: { docAuthors: [{ authorName: 'Ali' }, { authorName: 'Ali', operation: 'ADD' }] },
    change: { docAuthors: [{ authorName: 'Ali', operation: 'ADD' }] },
    after: { docAuthors: [{ authorName: 'Jane' }, { authorName: 'Ali' }] },
    lost: ['docAuthors:Jane'],
  },
  {
    name: 'keeps fields that disappear and says each',
    accepted: { ...named, shareInfo: { mode: 'NONE' } },
    wanted: {},
    change: null,
    after: { ...named, shareInfo: { mode: 'NONE' } },
    lost: ['title', 'documentOwner', 'sourceType', 'documentUrl', 'shareInfo'],
  },
  {
    name: 'ends EVERYONE with what stated it',
    accepted: { title: 'T', shareInfo: { mode: 'EVERYONE' } },
    wanted: { title: 'T' },
    change: { shareInfo: { mode: 'DEFAULT' } },
    after: { title: 'T', shareInfo: { mode: 'DEFAULT' } },
  },
];

describe('metadata as a statement', () => {
  it.each(changes)('$name', ({ accepted, wanted, change, after, lost = [] }) => {
    const delta = metadataDelta(wanted, accepted);
    expect(delta.change).toStrictEqual(change);
    expect(delta.accepted).toStrictEqual(after);
    expect(delta.unclearable.map(({ code }) => code)).toEqual(lost);
  });

  it('names an author in words that are safe on a terminal', () => {
    const [lost] = metadataDelta({}, { docAuthors: [{ authorName: 'J\u001B[2J' }] }).unclearable;
    expect(lost).toEqual({
      code: 'docAuthors:J\u001B[2J',
      message: String.raw`the author J\x1b[2J stays at the service, which cannot remove authors`,
    });
  });
});

describe('laws of the delta', () => {
  it('has nothing left to do once it is accepted', () => {
    fc.assert(
      fc.property(arbitraryMetadata, fc.array(arbitraryMetadata, { maxLength: 3 }), (wanted, before) => {
        const { accepted } = history(before);
        const once = metadataDelta(wanted, accepted);
        const twice = metadataDelta(wanted, once.accepted);
        expect(twice.change).toBeNull();
        expect(twice.accepted).toStrictEqual(once.accepted);
      }),
    );
  });

  it('has nothing to do after an upload of the same metadata', () => {
    fc.assert(
      fc.property(arbitraryMetadata, (wanted) => {
        const { accepted } = uploadMetadata(wanted);
        const delta = metadataDelta(wanted, accepted);
        expect(delta).toStrictEqual({ change: null, accepted, unclearable: [] });
      }),
    );
  });

  it('leaves the service with what is wanted, and beside it only what was told to be unclearable', () => {
    fc.assert(
      fc.property(fc.array(arbitraryMetadata, { minLength: 1, maxLength: 5 }), (states) => {
        const { held, accepted } = history(states);
        const wanted = states.at(-1) ?? {};
        const lost = new Set(metadataDelta(wanted, accepted).unclearable.map(({ code }) => code));

        const companies = new Map((wanted.companies ?? []).map((one) => [companyKey(one), one]));
        const expected = [...companies].filter(([, { operation }]) => operation !== 'DELETE');
        expect(held.companies).toEqual(new Map(expected.map(([key, one]) => [key, one.salience ?? 'none'])));
        const tags = new Map((wanted.customTags ?? []).map((one) => [tagKey(one), one]));
        const kept = [...tags].filter(([, { operation }]) => operation !== 'DELETE');
        expect(held.tags).toEqual(new Set(kept.map(([key]) => key)));

        const authors = new Set((wanted.docAuthors ?? []).map(({ authorName }) => authorName));
        for (const name of authors) expect(held.authors).toContain(name);
        for (const name of held.authors)
          expect(authors.has(name) || lost.has(`docAuthors:${name}`)).toBe(true);
        for (const [field, value] of held.fields) {
          if (field === 'createdTimestamp') continue;
          const stated =
            field === 'shareInfo' ? (wanted.shareInfo?.mode ?? 'DEFAULT') : wanted[field as 'title'];
          const isStated = wanted[field as keyof Metadata] !== undefined;
          expect(stated === value || (!isStated && lost.has(field))).toBe(true);
        }
      }),
    );
  });

  it('keeps the ledger equal to what the service holds', () => {
    fc.assert(
      fc.property(fc.array(arbitraryMetadata, { minLength: 1, maxLength: 5 }), (states) => {
        const { held, accepted } = history(states);
        expect(applyMetadata(holdsNothing, accepted)).toEqual(held);
      }),
    );
  });

  it('never sends createdTimestamp, undefined or an empty list', () => {
    fc.assert(
      fc.property(arbitraryMetadata, arbitraryMetadata, (wanted, accepted) => {
        const { change } = metadataDelta(wanted, accepted);
        const values = Object.values(change ?? { title: 'x' });
        expect(values).not.toContain(undefined);
        expect(values).not.toContainEqual([]);
        expect(change ?? {}).not.toHaveProperty('createdTimestamp');
      }),
    );
  });
});
