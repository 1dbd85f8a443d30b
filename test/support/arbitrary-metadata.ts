import * as fc from 'fast-check';
import {
  elementOperations,
  saliences,
  shareModes,
  tagVisibilities,
} from '../../src/model/metadata/metadata.ts';
import type { Metadata } from '../../src/model/metadata/metadata.ts';

const maybe = <T>(values: readonly T[]) => fc.constantFrom(undefined, ...values);

/** Metadata over few values, so that two of them share and differ in every way; keys may be absent or undefined. */
export const arbitraryMetadata: fc.Arbitrary<Metadata> = fc.record(
  {
    title: maybe(['', 'A', 'B']),
    companies: fc.array(
      fc.record(
        {
          value: fc.constantFrom('X', 'Y', '__proto__'),
          operation: maybe(elementOperations),
          identifier: maybe(['ISIN', 'NAME'] as const),
          salience: maybe(saliences),
        },
        { requiredKeys: ['value'] },
      ),
      { maxLength: 5 },
    ),
    customTags: fc.array(
      fc.record(
        {
          name: fc.constantFrom('q1', 'q2'),
          operation: maybe(elementOperations),
          visibility: maybe(tagVisibilities),
        },
        { requiredKeys: ['name'] },
      ),
      { maxLength: 5 },
    ),
    shareInfo: fc.oneof(fc.constant(undefined), fc.record({ mode: maybe(shareModes) }, { requiredKeys: [] })),
    docAuthors: fc.array(
      fc.record(
        { authorName: fc.constantFrom('Jane', 'Ali', 'Zoë'), operation: maybe(['ADD'] as const) },
        { requiredKeys: ['authorName'] },
      ),
      { maxLength: 3 },
    ),
    documentOwner: maybe(['jane@x', 'ali@x']),
    createdTimestamp: maybe(['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z']),
    sourceType: maybe(['note', 'report']),
    documentUrl: maybe(['https://a.example', 'https://b.example']),
  },
  { requiredKeys: [] },
);
