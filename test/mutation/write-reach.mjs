// Part of `npm run mutate`: writes which mutants a test file has reached.
import { afterAll, beforeAll, expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const to = process.env.MUTATION_REACH;
let began = 0;

beforeAll(() => {
  began = Date.now();
});

afterAll(() => {
  if (to === undefined) return;
  const path = expect.getState().testPath;
  const ids = Object.keys(globalThis['__stryker__']?.mutantCoverage?.static ?? {});
  const name = `${createHash('sha256').update(path).digest('hex')}.json`;
  writeFileSync(join(to, name), JSON.stringify({ path, ids, ms: Date.now() - began }));
});
