import { expect, it } from '@jest/globals';

import { createContentCache } from '../../src/lib/content-cache.ts';

it('works on one content once, and forgets what was asked about longest ago', () => {
  const made: string[] = [];
  const cache = createContentCache((bytes) => made.push(String(bytes)), 8);
  const ask = (text: string) => cache(Buffer.from(text));
  for (const text of ['one', 'one', 'two', 'one', 'six', 'one']) ask(text);
  expect(made).toEqual(['one', 'two', 'six']);
  ask('two');
  expect(made).toEqual(['one', 'two', 'six', 'two']);
  ask('larger than all');
  ask('larger than all');
  expect(made.slice(4)).toEqual(['larger than all', 'larger than all']);
});
