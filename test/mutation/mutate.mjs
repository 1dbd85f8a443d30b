// npm run mutate -- ROOM… [--sample 300] [--seed 1] [--only ID,ID…] [--tests OTHER,…] [--jobs N]: puts small faults
// (StrykerJS's mutants) into src/ROOM, one at a time, and lists those that no test notices. Not part of the gate. It
// works on a copy, into which all mutants are written at once; a variable of the environment switches one of them on.
// Strings and what is logged are left alone. First the tests of the room run once, to see which mutants each of them
// reaches; then, for each mutant, those that reach it, the quickest first, until one fails. What they do not notice,
// tests of other rooms may. What runs in the tests' own process counts, and its scanning threads; processes that they
// start are without mutants. The numbers of mutants stay the same while the room's sources do: after new tests,
// `--only` has the survivors tried again.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** The rooms, each with the other folders of tests that use it in their own process. */
const testsOf = {
  model: ['sync', 'scan', 'ledger', 'remote', 'commands', 'daemon', 'status', 'cli', 'scenarios'],
  scan: ['sync', 'commands', 'scenarios'],
  sync: ['scan', 'scenarios', 'faults'],
  ledger: ['fuzz', 'commands', 'daemon', 'cli', 'scenarios'],
  remote: ['cluster', 'daemon', 'scenarios', 'faults'],
};
/** No more tests than these ms are run for one mutant; what all tests reach would take minutes. */
const mostTestMs = 240_000;
/** What starting jest and loading the files may take, on a machine that has other work too. */
const startMs = 20_000;

const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: quiet, isDebugEnabled: () => false };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const jobs = Number(values.jobs);
const only = values.only.split(',').filter(Boolean);
const moreTests = values.tests.split(',').filter(Boolean);
let runs = 0;
for (const room of positionals.length > 0 ? positionals : Object.keys(testsOf)) await mutateRoom(room);

async function mutateRoom(room) {
  const copy = await mkdtemp(join(tmpdir(), 'ingestd-mutate-'));
  try {
    await copyProject(copy);
    const mutants = await plantMutants(copy, room);
    await buildCopy(copy);
    const chosen =
      only.length > 0
        ? mutants.filter(({ id }) => only.includes(id))
        : choose(mutants, Number(values.sample), Number(values.seed));
    print(`${room}: ${chosen.length} of ${mutants.length} mutants`);
    const results = new Map();
    let left = chosen;
    for (const folders of [[room], [...testsOf[room], ...moreTests]]) {
      if (left.length === 0) break;
      const paths = await testsThatLoad(copy, room, folders);
      print(`${left.length} mutants, ${paths.length} files of tests in ${folders.join(', ')}`);
      const reach = await measureReach(copy, paths);
      await inParallel(jobs, left, async (mutant) => {
        const result = await tryMutant(copy, room, mutant, reach);
        if (result.end !== 'not reached' || !results.has(mutant)) results.set(mutant, result);
        const by = result.by === undefined ? '' : `: ${result.by.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
        print(`${describe(mutant, copy)}: ${result.end}${by}`);
      });
      left = left.filter((mutant) => /^(?:survived|not reached)$/.test(results.get(mutant).end));
    }
    summarise(room, results, copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** `dist/` and `build/` are copied too: tests copy them on, and a link would lead them out of the copy. */
async function copyProject(copy) {
  await chmod(copy, 0o755); // some tests start the program as another user
  for (const name of await readdir('.')) {
    if (name === '.git') continue;
    if (name === 'node_modules') await symlink(join(process.cwd(), name), join(copy, name));
    else await cp(name, join(copy, name), { recursive: true });
  }
  const config = `import config from './jest.config.js';
export default {
  ...config,
  projects: [{ ...config.projects[0], testEnvironment: '<rootDir>/test/mutation/environment.mjs' }],
  testSequencer: '<rootDir>/test/mutation/in-order.mjs',
  reporters: [],
};
`;
  await writeFile(join(copy, 'jest.mutation.config.js'), config);
}

async function plantMutants(copy, room) {
  const folder = join(copy, 'src', room);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { name: path, content: await readFile(path, 'utf8'), mutate: true };
    }),
  );
  const instrumented = await new Instrumenter(logger).instrument(files, {
    plugins: null,
    excludedMutations: ['StringLiteral'],
    ignorers: [{ shouldIgnore: (path) => (isLogLine(path.node) ? 'a line of the log' : undefined) }],
    noHeader: false,
  });
  for (const { name, content } of instrumented.files) await writeFile(name, content);
  return instrumented.mutants.filter(({ status }) => status !== 'Ignored');
}

/** Scanning threads run what is built: with the mutants in it, and noting which of them they reach. */
async function buildCopy(copy) {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: copy });
  const program = join(copy, 'dist', 'program');
  await cp(join(copy, 'test', 'mutation', 'reach-of-thread.mjs'), join(program, 'reach-of-thread.mjs'));
  const thread = join(program, 'scan-worker.js');
  await writeFile(thread, `import './reach-of-thread.mjs';\n${await readFile(thread, 'utf8')}`);
}

/** `log.info(…)`, `this.#log.warn(…)` and the like. */
function isLogLine(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object, property } = node.callee;
  const owner = object.type === 'MemberExpression' ? object.property : object;
  const name = owner.type === 'PrivateName' ? owner.id.name : owner.name;
  return /log$/i.test(name ?? '') && /^(trace|debug|info|warn|error|fatal)$/.test(property.name ?? '');
}

/** The same `count` for the same seed and sources, in the order of the sources. */
function choose(mutants, count, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return mutants
    .map((mutant, index) => ({ mutant, index, key: random() }))
    .sort((one, other) => one.key - other.key)
    .slice(0, count)
    .sort((one, other) => one.index - other.index)
    .map(({ mutant }) => mutant);
}

/** The test files in `folders` that import something of the room, themselves or through others. */
async function testsThatLoad(copy, room, folders) {
  const found = [];
  for (const folder of new Set(folders)) {
    for (const name of await readdir(join(copy, 'test', folder), { recursive: true })) {
      if (!name.endsWith('.test.ts')) continue;
      const path = join(copy, 'test', folder, name);
      if (await imports(path, join(copy, 'src', room, '/'), new Set())) found.push(path);
    }
  }
  return found;
}

async function imports(path, wanted, seen) {
  if (path.startsWith(wanted)) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  const text = await readFile(path, 'utf8').catch(() => '');
  for (const [, from] of text.matchAll(/^(?:import(?! type)|} from)[^;']*'(\.[^']+)'/gm)) {
    if (await imports(resolve(dirname(path), from), wanted, seen)) return true;
  }
  return false;
}

/**
 * Which mutants each test reaches, and how long it takes. What is known from an earlier run, with the same sources and
 * the same test file, is not measured again. Tests that fail without a mutant, twice, are reported and left out.
 */
async function measureReach(copy, paths) {
  const cache = join('node_modules', '.cache', 'ingestd-mutate');
  await mkdir(cache, { recursive: true });
  const sources = await hashOfSources(copy);
  const entryOf = async (path) => {
    const key = createHash('sha256').update(sources).update(relative(copy, path));
    return join(cache, `${key.update(await readFile(path)).digest('hex')}.json`);
  };
  const known = new Map();
  for (const path of paths) {
    const entry = await readFile(await entryOf(path), 'utf8').catch(() => undefined);
    known.set(path, entry === undefined ? undefined : { ...JSON.parse(entry), path });
  }
  for (const attempt of [1, 2]) {
    const left = [...known].filter(([, outcome]) => !passed(outcome)).map(([path]) => path);
    if (left.length === 0) break;
    const workers = attempt === 1 ? jobs : 1;
    const words = ['--maxWorkers', String(workers), '--runTestsByPath', ...left];
    print(`measuring ${left.length} files of tests`);
    const { outcomes } = await jest(copy, words, {}, {}, 3_600_000);
    for (const outcome of outcomes) {
      known.set(outcome.path, outcome);
      if (passed(outcome)) await writeFile(await entryOf(outcome.path), JSON.stringify(outcome));
    }
  }
  for (const [path, outcome] of known) {
    if (passed(outcome)) continue;
    const failed = Object.entries(outcome?.tests ?? {}).filter(([, { failure }]) => failure !== undefined);
    print(
      `left out, it fails without a mutant: ${relative(copy, path)} ${failed.map(([name]) => name).join(', ')}`,
    );
    for (const [name] of failed) delete outcome.tests[name];
  }
  return [...known.values()].filter((outcome) => outcome !== undefined).map(asReach);
}

function passed(outcome) {
  return outcome !== undefined && Object.values(outcome.tests).every(({ failure }) => failure === undefined);
}

function asReach({ path, ids, ms, tests }) {
  const ofTests = Object.entries(tests).map(([name, test]) => ({
    name,
    ms: test.ms,
    ids: new Set(test.ids),
  }));
  const loadMs = Math.max(0, ms - ofTests.reduce((sum, test) => sum + test.ms, 0));
  return { path, loadMs, ids: new Set(ids), tests: ofTests };
}

/** Of all that a test may use besides itself. */
async function hashOfSources(copy) {
  const hash = createHash('sha256');
  for (const folder of ['src', 'test', 'fixtures', 'config']) {
    for (const entry of await readdir(join(copy, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.test.ts')) continue;
      const path = join(entry.parentPath, entry.name);
      const content = (await readFile(path, 'utf8')).replaceAll(copy, '');
      hash.update(JSON.stringify([relative(copy, path), content]));
    }
  }
  return hash.digest('hex');
}

async function tryMutant(copy, room, mutant, reach) {
  const files = reach
    .map((file) => {
      const tests = file.ids.has(mutant.id) ? file.tests : file.tests.filter(({ ids }) => ids.has(mutant.id));
      const ms = tests.reduce((sum, test) => sum + test.ms, file.loadMs);
      return { path: file.path, tests: tests.map(({ name }) => name), ms };
    })
    .filter(({ tests }) => tests.length > 0)
    .map((file) => ({ ...file, cost: file.ms * distance(copy, room, mutant, file.path) }))
    .sort((one, other) => one.cost - other.cost);
  if (files.length === 0) return { end: 'not reached' };
  let total = 0;
  const wanted = files.filter(({ ms }, index) => (total += ms) <= mostTestMs || index === 0);
  const words = ['--bail', '--runInBand', '--runTestsByPath', ...wanted.map(({ path }) => path)];
  const atMost = startMs + 3 * wanted.reduce((sum, { ms }) => sum + ms, 0);
  const env = { __STRYKER_ACTIVE_MUTANT__: mutant.id };
  const { code, stopped, outcomes } = await jest(copy, words, env, { files: wanted }, atMost);
  // Jest itself did not get to its end, or did not begin.
  if (stopped || outcomes.length === 0) return { end: 'stopped' };
  if (code === 0) return { end: 'survived', by: `${wanted.length} of ${files.length} files of tests` };
  for (const { path, tests } of outcomes) {
    for (const [name, { failure }] of Object.entries(tests)) {
      if (failure === undefined) continue;
      const end = /^Exceeded timeout of/m.test(failure) ? 'caught late' : 'caught';
      return { end, by: `${relative(copy, path)} › ${name}` };
    }
  }
  return { end: 'caught', by: 'outside of a test' };
}

/** A test of the same name is asked first, then those of the same room. */
function distance(copy, room, mutant, path) {
  if (basename(path, '.test.ts') === basename(mutant.fileName, '.ts')) return 0.2;
  return relative(copy, path).startsWith(`test/${room}/`) ? 0.5 : 1;
}

/** Jest in the copy; one that takes longer than `atMost` ms is killed with all that it has started. */
async function jest(copy, words, env, wanted, atMost) {
  runs += 1;
  const folder = join(copy, 'runs', String(runs));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'wanted.json'), JSON.stringify(wanted));
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--config',
      'jest.mutation.config.js',
      '--forceExit',
      ...words,
    ],
    { cwd: copy, env: { ...process.env, ...env, MUTATION_RUN: folder }, detached: true, stdio: 'ignore' },
  );
  let stopped = false;
  const timer = setTimeout(() => {
    stopped = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, atMost);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearTimeout(timer);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.outcome.json'));
  const outcomes = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
  await rm(folder, { recursive: true });
  return { code, stopped, outcomes };
}

async function inParallel(count, items, work) {
  const left = [...items];
  const one = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: count }, one));
}

function summarise(room, results, copy) {
  const inOrder = [...results].sort(([one], [other]) => Number(one.id) - Number(other.id));
  const count = (end) => inOrder.filter(([, result]) => result.end === end).length;
  for (const end of ['caught late', 'stopped', 'survived', 'not reached']) {
    if (count(end) > 0) print(`\n${end}:`);
    for (const [mutant, result] of inOrder) if (result.end === end) print(`  ${describe(mutant, copy)}`);
  }
  const all = inOrder.length;
  const caught = all - count('survived') - count('not reached');
  const percent = ((100 * caught) / Math.max(1, all)).toFixed(1);
  print(
    `\n${room}: ${caught} of ${all} caught, ${percent} %: ${count('caught')} by a failing test, ${count('caught late')} by ` +
      `a test's time limit, ${count('stopped')} by the run's; ${count('survived')} survived, ${count('not reached')} not reached\n`,
  );
}

function describe({ id, fileName, location, mutatorName, replacement }, copy) {
  const { line, column } = location.start;
  const to = replacement.replaceAll(/\s+/g, ' ').slice(0, 80);
  return `${id} ${relative(copy, fileName)}:${line + 1}:${column + 1} ${mutatorName} → ${to}`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
