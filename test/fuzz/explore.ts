import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { metadataSchema } from '../../src/model/metadata/metadata.ts';

/** Seconds for each property: one in `npm test`, more in `npm run fuzz -- --seconds N`. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 1);
/** What one input may take, ms, on a machine that is busy with other tests. */
const atMostMs = 10_000;
/** What thousands of inputs may leave behind, MB. */
const atMostMegabytes = 48;
const batchRuns = 10;

const keys = [...Object.keys(metadataSchema.shape), 'attachments'];

/** How long jest has to wait for one property. */
export const fuzzTimeout = seconds * 1_000 + 60_000;

/**
 * Checks `property` for random values until its time is up: its promises, that none takes long, and that the heap does
 * not grow with their number. A failure names the seed and the smallest value that was found.
 */
export async function explore<T>(
  arbitrary: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
): Promise<void> {
  const collect = collector();
  const until = performance.now() + seconds * 1_000;
  const first = Date.now() % 1_000_000_000;
  const check = fc.asyncProperty(arbitrary, async (value) => {
    const began = performance.now();
    await property(value);
    expect(performance.now() - began).toBeLessThan(atMostMs);
  });
  let before = 0;
  let batches = 0;
  // In batches, not by fast-check's own limit of time: that leaves the last one running.
  for (; batches === 0 || performance.now() < until; batches += 1) {
    await fc.assert(check, { seed: first + batches, numRuns: batchRuns });
    if (batches === 0) before = collect();
  }
  if (batches > 1) expect((collect() - before) / 1e6).toBeLessThan(atMostMegabytes);
}

/** Bytes in use on the heap after a collection. */
function collector(): () => number {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  return () => {
    gc();
    return process.memoryUsage().heapUsed;
  };
}

/** Metadata and what only looks like it: JSON of any shape, cut, nested deeply, very long, in other encodings. */
export function metadataLike(): fc.Arbitrary<Buffer> {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('x'.repeat(100_000), -0, 1e308),
  );
  const fitting = fc.dictionary(fc.constantFrom(...keys), value).map((object) => JSON.stringify(object));
  const text = fc.oneof(
    { weight: 4, arbitrary: fitting },
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '['.repeat(50_000),
      '{"__proto__":{"title":"x"}}',
      `{"title":"${'x'.repeat(1_000_000)}"}`,
    ),
  );
  const bytes = text.map((content) => Buffer.from(content));
  return fc.oneof(
    { weight: 4, arbitrary: bytes },
    fc.tuple(bytes, fc.nat()).map(([content, cut]) => content.subarray(0, cut % (content.length + 1))),
    text.map((content) => Buffer.from(content, 'utf16le')),
    fc.uint8Array({ maxLength: 300 }).map((content) => Buffer.from(content)),
  );
}

/** `original` with a few bytes changed, cut out or put in. */
export function mutated(original: Buffer): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    at: fc.nat(original.length),
    remove: fc.integer({ min: 0, max: 40 }),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('"', '}', '\n', '{', '[', 'null', '\r\n\r\n', '-1', '1e999')
        .map((text) => Buffer.from(text)),
    ),
  });
  return fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => {
    let result = original;
    for (const { at, remove, insert } of edits) {
      result = Buffer.concat([result.subarray(0, at), insert, result.subarray(at + remove)]);
    }
    return result;
  });
}
