// Part of `npm run mutate`: jest takes the test files in the order of the run, not the longest first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { files } = JSON.parse(readFileSync(join(process.env.MUTATION_RUN, 'wanted.json'), 'utf8'));
const order = new Map(files?.map(({ path }, index) => [path, index]));

export default class InOrder {
  sort(tests) {
    return [...tests].sort((one, other) => (order.get(one.path) ?? 0) - (order.get(other.path) ?? 0));
  }

  cacheResults() {}
}
