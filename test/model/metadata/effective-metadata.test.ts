import { expect, it } from '@jest/globals';
import { assert, double, property } from 'fast-check';

import { effectiveMetadata, timestampOf } from '../../../src/model/metadata/effective-metadata.ts';
import { readMetadata } from '../../../src/model/metadata/metadata.ts';

it('leaves out a time that no four-digit year can name (F49)', () => {
  const times = [1e18, -1e15, Number.NaN, 253402300800000];
  expect(times.map(timestampOf)).toEqual(times.map(() => undefined));
  expect(timestampOf(-1)).toBe('1969-12-31T23:59:59Z');
});

it('gives what its own schema takes, for any time', () => {
  const file = {
    layers: [],
    fileName: 'report.v2.pdf',
    title: 'fileStem',
    createdTimestamp: 'modified',
  } as const;
  assert(
    property(double(), (mtimeMs) => {
      expect(readMetadata(effectiveMetadata({ ...file, mtimeMs })).kind).toBe('valid');
    }),
  );
});
