import { expect, it } from '@jest/globals';

import { createGathered } from '../../src/lib/queue/gathered.ts';

/** What is begun, and ends as the test says. */
function begun() {
  const all: { readonly items: readonly string[]; readonly end: (how: string | Error) => void }[] = [];
  const handle = (items: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const end = (how: string | Error) => (how instanceof Error ? reject(how) : resolve(how));
      all.push({ items, end });
    });
  return { all, handle };
}

const still = () => new Promise((resolve) => setImmediate(resolve));

it('what comes while others are handled waits for what begins after that, with all that come meanwhile', async () => {
  const { all, handle } = begun();
  const gathered = createGathered(handle);
  const first = gathered('a');
  await still();
  const later = [gathered('b'), gathered('c')];
  await still();
  expect(all.map(({ items }) => items)).toEqual([['a']]);
  all[0]?.end('one');
  expect(await first).toBe('one');
  await still();
  expect(all.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
  all[1]?.end('two');
  expect(await Promise.all(later)).toEqual(['two', 'two']);
});

it('where it fails, it fails for those that it was for, and goes on with the next', async () => {
  const { all, handle } = begun();
  const gathered = createGathered(handle);
  const first = [gathered('a'), gathered('b')];
  await still();
  const next = gathered('c');
  all[0]?.end(new Error('no'));
  for (const one of await Promise.allSettled(first)) expect(one.status).toBe('rejected');
  await still();
  all[1]?.end('three');
  expect(await next).toBe('three');
});
