import { expect, it } from '@jest/globals';

import { waitsOf } from '../../../src/remote/http/watch-connection.ts';

const seconds = { connectSeconds: 1, idleSeconds: 2, responseSeconds: 3 };

it.each([
  ['no bandwidth is set', undefined, 16],
  ['there is plenty', 1_000, 16],
  ['it may use 8 bytes a millisecond', 8, 4],
])(
  'a request that is slower than half of its bandwidth is given up, where %s',
  (_, bytesPerMs, slowestBytesPerMs) => {
    const waits = { connectMs: 1_000, idleMs: 2_000, responseMs: 3_000, slowestBytesPerMs };
    expect(waitsOf(seconds, bytesPerMs)).toEqual(waits);
  },
);
