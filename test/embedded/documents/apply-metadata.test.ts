import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { applyMetadata } from '../../../src/embedded/documents/metadata.ts';

describe('metadata that is applied', () => {
  it('knows a company by identifier and value, a tag by name and visibility', () => {
    const current = { companies: [{ value: 'A', identifier: 'CIK' as const }], customTags: [{ name: 't' }] };
    const { metadata, warnings } = applyMetadata(current, {
      companies: [{ value: 'A', operation: 'DELETE' }],
      customTags: [{ name: 't', visibility: 'PUBLIC', operation: 'DELETE' }],
    });
    expect(metadata).toEqual(current);
    expect(warnings).toHaveLength(2);
  });

  it('is the same when a change is applied twice', () => {
    const tag = fc.record({
      name: fc.constantFrom('a', 'b', 'constructor', '__proto__'),
      operation: fc.constantFrom('ADD' as const, 'DELETE' as const),
    });
    fc.assert(
      fc.property(fc.array(tag), fc.array(tag), (before, change) => {
        const { metadata } = applyMetadata({}, { customTags: before });
        const once = applyMetadata(metadata, { customTags: change }).metadata;
        const names = (value: typeof once) => value.customTags?.map(({ name }) => name).toSorted();
        expect(names(applyMetadata(once, { customTags: change }).metadata)).toEqual(names(once));
      }),
    );
  });

  it('leaves no operation behind and no element twice', () => {
    const company = fc.record({
      value: fc.constantFrom('a', 'b', 'c'),
      identifier: fc.constantFrom('ISIN' as const, 'NAME' as const),
      operation: fc.constantFrom('ADD' as const, 'DELETE' as const, undefined),
    });
    fc.assert(
      fc.property(fc.array(company), (companies) => {
        const stored = applyMetadata({}, { companies }).metadata.companies ?? [];
        const expected = new Set<string>();
        for (const { value, identifier, operation } of companies) {
          if (operation === 'DELETE') expected.delete(`${identifier} ${value}`);
          else expected.add(`${identifier} ${value}`);
        }
        expect(stored.map(({ value, identifier }) => `${identifier} ${value}`)).toEqual([...expected]);
        expect(stored.every((element) => !('operation' in element))).toBe(true);
      }),
    );
  });
});
