import { expect, it } from '@jest/globals';

import { createTextCache } from '../../src/lib/text/text-cache.ts';

it('works on one text once, and forgets what was asked about longest ago', () => {
  const made: string[] = [];
  const ask = createTextCache((text) => made.push(text), 8);
  for (const text of ['one', 'one', 'two', 'one', 'six', 'one']) ask(text);
  expect(made).toEqual(['one', 'two', 'six']);
  ask('two');
  expect(made).toEqual(['one', 'two', 'six', 'two']);
  ask('larger than all');
  ask('larger than all');
  expect(made.slice(4)).toEqual(['larger than all', 'larger than all']);
});
