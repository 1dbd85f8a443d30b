import { describe, expect, it } from '@jest/globals';
import { assert, double, property } from 'fast-check';
import { effectiveMetadata, timestampOf } from '../../../src/model/metadata/effective-metadata.ts';
import { readMetadata } from '../../../src/model/metadata/metadata.ts';

const base = {
  layers: [],
  fileName: 'report.v2.pdf',
  mtimeMs: Date.UTC(2024, 4, 6, 7, 8, 9, 999),
  title: 'fileStem',
  createdTimestamp: 'modified',
} as const;

describe('effective metadata', () => {
  it('takes title and time from the file where nothing else gives them', () => {
    expect(effectiveMetadata(base)).toEqual({ title: 'report.v2', createdTimestamp: '2024-05-06T07:08:09Z' });
  });

  it('takes each field from the first layer that has it, whole', () => {
    const layers = [
      { title: 'sidecar', customTags: [] },
      { title: 'near', customTags: [{ name: 'near' }], shareInfo: {} },
      { shareInfo: { mode: 'NONE' }, sourceType: 'outer' },
      { createdTimestamp: '2000-01-01T00:00:00Z', sourceType: 'folder' },
    ] as const;
    expect(effectiveMetadata({ ...base, layers })).toEqual({
      title: 'sidecar',
      customTags: [],
      shareInfo: {},
      sourceType: 'outer',
      createdTimestamp: '2000-01-01T00:00:00Z',
    });
  });

  it('gives the title in NFC', () => {
    expect(effectiveMetadata({ ...base, fileName: 'cafe\u0301.pdf' }).title).toBe('caf\u00e9');
  });

  it('leaves out a time that no four-digit year can name (F49)', () => {
    expect([1e18, -1e15, Number.NaN, 253402300800000].map(timestampOf)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(timestampOf(-1)).toBe('1969-12-31T23:59:59Z');
  });

  it('gives what its own schema takes, for any time', () => {
    assert(
      property(double(), (mtimeMs) => {
        expect(readMetadata(effectiveMetadata({ ...base, mtimeMs })).kind).toBe('valid');
      }),
    );
  });
});
