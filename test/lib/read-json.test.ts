import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readJson } from '../../src/lib/text/read-json.ts';

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /line 1, column 1/],
  ['half a file', '{"title": "Q', /line 1, column 11/],
  ['an open object', '{"a": 1', /the file ends here; close brace expected/],
  ['a trailing comma', '{"a": 1,\n}', /line 2, column 1/],
  ['a trailing comma in an array', '[1,]', /line 1, column 4/],
  ['no comma in an object', '{"a": 1 "b": 2}', /comma expected/],
  ['no comma in a list', '[1 2]', /comma expected/],
  ['NaN', '{"a": NaN}', /line 1, column 7/],
  ['Infinity', '[-Infinity]', /line 1, column 2/],
  ['a leading zero', '[01]', /line 1, column 3/],
  ['single quotes', "{'a': 1}", /line 1, column 2/],
  ['a comment', '{} // x', /line 1, column 4/],
  ['two values', '{} {}', /end of file expected/],
  ['a key that stands twice', '{"a": 1,\n  "a": 2}', /line 2, column 3.*a appears twice/],
  ['a key that stands twice, escaped', '{"a": 1, "\\u0061": 2}', /appears twice/],
  ['__proto__', '{"__proto__": {}}', /line 1, column 2.*__proto__/],
  ['a line break in a text', '["a\nb"]', /line 1, column 2/],
  ['a bad escape', '["\\x41"]', /line 1, column 2/],
  ['half a surrogate pair', '["\\ud800"]', /line 1, column 2/],
  ['deep nesting', '['.repeat(100_000), /nested more than 32 deep/],
  ['a byte order mark in the middle', '\uFEFF{}', /line 1, column 1/],
];

describe('JSON of sidecars (F51, F52, F53)', () => {
  it.each(refused)('refuses %s and names the place', (_, text, message) => {
    expect(readJson(text)).toEqual({ kind: 'invalid', message: expect.stringMatching(message) });
  });

  it('reads what JSON.parse reads, whatever the value and the spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        for (const space of [undefined, 2, '\t']) {
          const text = JSON.stringify(value, null, space);
          const read = readJson(text);
          // Keys that it refuses on purpose.
          if (text.includes('"__proto__"')) continue;
          expect(read.kind).toBe('valid');
          expect(JSON.stringify(read.kind === 'valid' ? read.value : null)).toBe(JSON.stringify(value));
        }
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (readJson(text).kind === 'valid') JSON.parse(text);
      }),
    );
  });

  it('takes a text of a quarter of a megabyte', () => {
    expect(readJson(`["${'x'.repeat(256 * 1024)}"]`).kind).toBe('valid');
  });

  it('gives objects without a prototype', () => {
    const read = readJson('{"constructor": 1}');
    expect(Object.getPrototypeOf(read.kind === 'valid' ? read.value : {})).toBeNull();
  });
});
