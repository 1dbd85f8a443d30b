// Part of `npm run mutate`: jest's environment of each test file. It runs only the tests that the run wants, none after
// the first failure, and writes which mutants each test has reached, how long it took and how it ended.
import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node'; // jest's own, in the version that jest brings

const folder = process.env.MUTATION_RUN;
const { files } = JSON.parse(readFileSync(join(folder, 'wanted.json'), 'utf8'));

export default class MutationEnvironment extends TestEnvironment {
  #path;
  #wanted;
  #began = performance.now();
  #testBegan = 0;
  #tests = {};
  #failed = false;
  /** What the mutants write: which of them has been reached, by which test. */
  #coverage = {};
  /** What threads have reached before the first test, and between tests. */
  #ofThreads = [];

  constructor(config, context) {
    super(config, context);
    this.#path = context.testPath;
    this.#wanted = files?.find(({ path }) => path === context.testPath)?.tests;
    this.global['__stryker__'] = this.#coverage;
  }

  handleTestEvent(event, { rootDescribeBlock }) {
    if (event.name === 'run_start' && this.#wanted !== undefined) {
      skipUnwanted(rootDescribeBlock, new Set(this.#wanted));
    } else if (event.name === 'test_start' && this.#failed) {
      event.test.mode = 'skip';
    } else if (event.name === 'test_started') {
      this.#testBegan = performance.now();
      this.#ofThreads.push(...reachOfThreads());
      this.#coverage.currentTestId = fullName(event.test);
    } else if (event.name === 'test_done') {
      const ms = performance.now() - this.#testBegan;
      const [first] = event.test.errors;
      const failure = first === undefined ? undefined : message(first);
      this.#tests[fullName(event.test)] = { ms, failure, ids: reachOfThreads() };
      this.#failed ||= failure !== undefined && files !== undefined;
      this.#coverage.currentTestId = undefined;
    }
  }

  async teardown() {
    const { static: always = {}, perTest = {} } = this.#coverage.mutantCoverage ?? {};
    for (const [name, reached] of Object.entries(perTest)) {
      if (this.#tests[name] !== undefined) this.#tests[name].ids.push(...Object.keys(reached));
    }
    const outcome = {
      path: this.#path,
      ms: performance.now() - this.#began,
      ids: [...Object.keys(always), ...this.#ofThreads],
      tests: this.#tests,
    };
    const name = createHash('sha256').update(this.#path).digest('hex');
    writeFileSync(join(folder, `${name}.outcome.json`), JSON.stringify(outcome));
    await super.teardown();
  }
}

/** What threads have reached since this was asked last. */
function reachOfThreads() {
  const file = join(folder, `threads-${process.pid}`);
  try {
    const ids = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    // The threads have it open.
    truncateSync(file);
    return ids;
  } catch {
    return [];
  }
}

function skipUnwanted(block, wanted) {
  for (const child of block.children) {
    if (child.type === 'describeBlock') skipUnwanted(child, wanted);
    else if (!wanted.has(fullName(child))) child.mode = 'skip';
  }
}

function fullName(test) {
  const names = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent) names.unshift(block.name);
  return names.join(' › ');
}

function message(error) {
  const [thrown] = Array.isArray(error) ? error : [error];
  return String(thrown?.message ?? thrown).slice(0, 1_000);
}
