import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

/** What is made for a test and ends with it. */
type Ending = { readonly remove: () => Promise<unknown> } | { readonly close: () => Promise<unknown> };

/**
 * One that is made anew before each test of the file, or of the `describe`, in which this is called, and ended after it.
 * What it gives stands for the one of the test that runs.
 */
export function ofEachTest<T extends Ending>(make: () => Promise<T>): T {
  const { begin, end, current } = ofATime(make);
  beforeEach(begin);
  afterEach(end);
  return current;
}

/** One for all tests of the file, or of the `describe`, in which this is called, ended after the last. */
export function ofAllTests<T extends Ending>(make: () => Promise<T>): T {
  const { begin, end, current } = ofATime(make);
  beforeAll(begin);
  afterAll(end);
  return current;
}

function ofATime<T extends Ending>(make: () => Promise<T>) {
  let now: T | undefined;
  const one = (): T => {
    if (now === undefined) throw new Error('it is there only while a test runs');
    return now;
  };
  return {
    begin: async () => {
      now = await make();
    },
    end: async () => {
      const last = one();
      await ('close' in last ? last.close() : last.remove());
    },
    current: new Proxy({} as T, {
      get: (_, key) => Reflect.get(one(), key) as unknown,
      ownKeys: () => Reflect.ownKeys(one()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(one(), key),
    }),
  };
}
