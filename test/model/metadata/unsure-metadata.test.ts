import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { unsureMetadata, restatedMetadata } from '../../../src/model/metadata/unsure-metadata.ts';
import { metadataDelta, uploadMetadata } from '../../../src/model/metadata/metadata-delta.ts';
import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import { arbitraryMetadata } from '../../support/fixtures/arbitrary-metadata.ts';
import { applyMetadata, holdsNothing } from '../../support/services/model-service.ts';
import type { HeldMetadata } from '../../support/services/model-service.ts';

/** What can be taken back has to be the same from wherever it came; the rest only where it is stated. */
function relevant({ companies, tags, fields }: HeldMetadata, wanted: Metadata): unknown {
  const stated = [...fields].filter(
    ([field]) => field !== 'createdTimestamp' && wanted[field as keyof Metadata] !== undefined,
  );
  return { companies, tags: [...tags].sort(), stated: new Map(stated) };
}

describe('what a service holds after modifies without an answer', () => {
  it('becomes what is wanted, whether they were taken or not', () => {
    fc.assert(
      fc.property(arbitraryMetadata, arbitraryMetadata, arbitraryMetadata, (first, tried, wanted) => {
        const { send, accepted } = uploadMetadata(first);
        const attempt = metadataDelta(tried, accepted);
        const { change } = metadataDelta(wanted, unsureMetadata(wanted, accepted, [attempt.accepted]));
        const before = applyMetadata(holdsNothing, send);
        const taken = applyMetadata(before, attempt.change ?? {});
        const [ends, ended] = [taken, before].map((held) =>
          relevant(applyMetadata(held, change ?? {}), wanted),
        );
        expect(ends).toEqual(ended);
      }),
      { numRuns: 1_000 },
    );
  });

  it('ends in one sharing mode, whether they were taken or not, also where none is wanted', () => {
    fc.assert(
      fc.property(arbitraryMetadata, arbitraryMetadata, arbitraryMetadata, (first, tried, stated) => {
        const { send, accepted } = uploadMetadata({ ...first, shareInfo: first.shareInfo ?? {} });
        const attempt = metadataDelta(tried, accepted);
        const wanted = restatedMetadata(stated, accepted, [attempt.accepted]);
        const delta = metadataDelta(wanted, unsureMetadata(wanted, accepted, [attempt.accepted]));
        const before = applyMetadata(holdsNothing, send);
        for (const held of [before, applyMetadata(before, attempt.change ?? {})]) {
          const mode = applyMetadata(held, delta.change ?? {}).fields.get('shareInfo');
          expect(mode).toBe(delta.accepted.shareInfo?.mode);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is known where all attempts agree', () => {
    const accepted: Metadata = { title: 'T', shareInfo: { mode: 'NONE' }, customTags: [{ name: 'a' }] };
    expect(metadataDelta(accepted, unsureMetadata(accepted, accepted, [accepted])).change).toBeNull();
  });

  it.each<readonly [string, Metadata, Metadata, Metadata, Metadata | null]>([
    [
      'takes what is wanted now for a text',
      { title: 'old' },
      { title: 'tried' },
      { title: 'new' },
      { title: 'new' },
    ],
    [
      'puts a text back that nobody states any more',
      { title: 'old' },
      { title: 'tried' },
      {},
      { title: 'old' },
    ],
    ['cannot put back a text that was never accepted', {}, { title: 'tried' }, {}, null],
    ['leaves alone what was not tried', { title: 'old' }, { title: 'old', sourceType: 'web' }, {}, null],
    [
      'ends EVERYONE that nobody states any more',
      { shareInfo: { mode: 'EVERYONE' } },
      { shareInfo: { mode: 'DEFAULT' } },
      {},
      { shareInfo: { mode: 'DEFAULT' } },
    ],
    [
      'states NONE that nobody states any more where it may have been accepted',
      { shareInfo: { mode: 'EVERYONE' } },
      { shareInfo: { mode: 'NONE' } },
      {},
      { shareInfo: { mode: 'NONE' } },
    ],
    [
      'puts NONE back',
      { shareInfo: { mode: 'NONE' } },
      { shareInfo: { mode: 'EVERYONE' } },
      {},
      { shareInfo: { mode: 'NONE' } },
    ],
  ])('%s', (_, accepted, attempt, stated, change) => {
    const wanted = restatedMetadata(stated, accepted, [attempt]);
    expect(metadataDelta(wanted, unsureMetadata(wanted, accepted, [attempt])).change).toEqual(change);
  });
});
