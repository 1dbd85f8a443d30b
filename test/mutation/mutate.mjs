// npm run mutate -- ROOM… [--sample 300] [--seed 1] [--jobs N] [--tests test/other,…]: puts small faults (StrykerJS's
// mutants) into src/ROOM, one at a time, and lists those that no test notices. Not part of the gate. It works on a copy,
// into which all mutants are written at once; a variable of the environment switches one of them on. Strings and what is
// logged are left alone. Tests of this process count, not what they start (`dist/` has no mutants in it).
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const rooms = ['model', 'scan', 'sync', 'ledger', 'remote'];
const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: quiet, isDebugEnabled: () => false };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    tests: { type: 'string', default: '' },
  },
});
const wanted = positionals.length > 0 ? positionals : rooms;
const more = values.tests.split(',').filter(Boolean);
for (const room of wanted) await mutateRoom(room);

async function mutateRoom(room) {
  const copy = await mkdtemp(join(tmpdir(), 'ingestd-mutate-'));
  try {
    await copyProject(copy);
    const mutants = await plantMutants(copy, room);
    const chosen = choose(mutants, Number(values.sample), Number(values.seed));
    const tests = [`test/${room}/`, ...more];
    process.stdout.write(
      `${room}: ${chosen.length} of ${mutants.length} mutants, tests of ${tests.join(' ')}\n`,
    );
    const reached = await measureReach(copy, tests);
    const survivors = [];
    const unreached = [];
    await inParallel(Number(values.jobs), chosen, async (mutant) => {
      const files = reached.filter(({ ids }) => ids.has(mutant.id));
      if (files.length === 0) unreached.push(mutant);
      else if (await survives(copy, mutant, files)) survivors.push(mutant);
      process.stderr.write('.');
    });
    process.stderr.write('\n');
    list('not noticed by any test', survivors, copy);
    list('not reached by any test', unreached, copy);
    const caught = chosen.length - survivors.length - unreached.length;
    const percent = ((100 * caught) / Math.max(1, chosen.length)).toFixed(1);
    process.stdout.write(`${room}: ${caught} of ${chosen.length} caught, ${percent} %\n\n`);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyProject(copy) {
  for (const name of await readdir('.')) {
    if (name === '.git') continue;
    if (['node_modules', 'dist', 'build'].includes(name))
      await symlink(join(process.cwd(), name), join(copy, name));
    else await cp(name, join(copy, name), { recursive: true });
  }
  const config = `import config from './jest.config.js';
export default { ...config, reporters: [], setupFilesAfterEnv: ['<rootDir>/test/mutation/write-reach.mjs'] };
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

/** Which mutants each test file reaches, and how long it takes. All tests have to pass without a mutant. */
async function measureReach(copy, tests) {
  const to = join(copy, 'reach');
  await mkdir(to);
  const { code, output } = await jest(copy, tests, { MUTATION_REACH: to }, 1_800_000);
  if (code !== 0) throw new Error(`the tests fail without a mutant:\n${output.slice(-4_000)}`);
  const names = await readdir(to);
  return Promise.all(
    names.map(async (name) => {
      const { path, ids, ms } = JSON.parse(await readFile(join(to, name), 'utf8'));
      return { path: relative(copy, path), ids: new Set(ids), ms };
    }),
  );
}

async function survives(copy, mutant, files) {
  const quickFirst = files.toSorted((one, other) => one.ms - other.ms);
  const atMost = 30_000 + 4 * files.reduce((sum, { ms }) => sum + ms, 0);
  const words = ['--bail', '--runInBand', '--runTestsByPath', ...quickFirst.map(({ path }) => path)];
  const { code } = await jest(copy, words, { __STRYKER_ACTIVE_MUTANT__: mutant.id }, atMost);
  return code === 0;
}

/** Jest in the copy; one that takes longer than `atMost` ms is killed with its workers, and counts as failed. */
function jest(copy, words, env, atMost) {
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--config',
      'jest.mutation.config.js',
      ...words,
    ],
    { cwd: copy, env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output = (output + String(chunk)).slice(-16_000)));
  }
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, atMost);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

async function inParallel(jobs, items, work) {
  const left = [...items];
  const one = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, one));
}

function list(title, mutants, copy) {
  if (mutants.length === 0) return;
  const sorted = mutants.toSorted((one, other) => Number(one.id) - Number(other.id));
  process.stdout.write(`${title}:\n`);
  for (const { fileName, location, mutatorName, replacement } of sorted) {
    const { line, column } = location.start;
    const to = replacement.replaceAll(/\s+/g, ' ').slice(0, 80);
    process.stdout.write(`  ${relative(copy, fileName)}:${line + 1}:${column + 1} ${mutatorName} → ${to}\n`);
  }
}
