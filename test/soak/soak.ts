import { spawn, spawnSync } from 'node:child_process';
import { Console } from 'node:console';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

import * as fc from 'fast-check';

import { barredCrashes } from './barred-crashes.ts';
import { crashes } from './crashes.ts';
import type { CrashFigures } from './crashes.ts';
import { hourOfWork } from './hour-of-work.ts';
import type { Figure } from './hour-of-work.ts';
import { regimes } from './regimes.ts';
import { seededRandom } from './seeded-random.ts';
import { diskHistories } from '../sync/histories/disk-histories.ts';
import { privateHistories } from '../sync/histories/private-files.ts';
import { untakenHistories } from '../sync/histories/untaken-histories.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    regime: { type: 'string' },
    histories: { type: 'string' },
    /** Those with directories that cannot be read, and mounts: in a mount namespace. */
    barred: { type: 'boolean', default: false },
  },
});
const runs = Number(values.histories ?? 0);
// Random histories are a soak of their own.
const kills = runs > 0 ? 0 : Number(values.kills);
const minutes = runs > 0 ? 0 : Number(values.minutes);
const seed = Number(values.seed);
const began = performance.now();

function say(line: string): void {
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(`${String(seconds).padStart(5)} s  ${line}\n`);
}

say(`seed ${seed}: the same choices with --seed ${seed}; what the machine does in between is its own`);
const chosen = regimes.filter(({ name }) => values.regime === undefined || name.includes(values.regime));
const crashed: CrashFigures[] = [];
let figures: readonly Figure[] = [];
let failed = false;
try {
  for (const inDoubt of runs > 0 ? (['retry', 'hold'] as const) : []) {
    const numRuns = Math.ceil((runs / 2) * (inDoubt === 'retry' ? 0.75 : 0.25));
    if (values.barred) {
      say(`${numRuns} of them with unreadable directories and mounts, safety.inDoubt: ${inDoubt}`);
      await fc.assert(diskHistories(inDoubt, { barred: true }), { numRuns, seed });
      continue;
    }
    say(`${numRuns} random histories on disk, safety.inDoubt: ${inDoubt}`);
    await fc.assert(diskHistories(inDoubt), { numRuns, seed });
    await fc.assert(privateHistories, { numRuns, seed });
  }
  if (runs > 0 && !values.barred) {
    say(`${runs} sets of documents that the service does not take`);
    await fc.assert(untakenHistories(), { numRuns: runs, seed });
  }
  if (!values.barred)
    await inNamespace(
      runs > 0 ? ['--histories', String(Math.ceil(runs / 4))] : ['--kills', String(Math.ceil(kills / 5))],
    );
  else if (runs === 0) {
    say(`${kills} kills of a daemon that may not read everything, with a mount that comes and goes`);
    await barredCrashes({ kills, random: seededRandom(seed), say });
  }
  for (const [index, regime] of values.barred ? [] : chosen.entries()) {
    const share =
      Math.floor((kills * (index + 1)) / chosen.length) - Math.floor((kills * index) / chosen.length);
    if (share === 0) continue;
    say(`crashes: ${share} kills, settings “${regime.name}”`);
    crashed.push(await crashes(regime, { kills: share, random: seededRandom(seed + index), say }));
  }
  if (minutes > 0 && !values.barred) {
    say(`an hour’s worth of work in ${minutes} minutes`);
    figures = await hourOfWork({ minutes, random: seededRandom(seed), say });
  }
} catch (error) {
  failed = true;
  process.stdout.write(`\nFAILED: ${inWords(error)}\n`);
  // What a history came to: its own words are those of the library that shrinks it.
  if (error instanceof Error && error.cause !== undefined)
    process.stdout.write(`because: ${inWords(error.cause)}\n`);
}

process.stdout.write('\n');
if (crashed.length > 0) new Console(process.stdout).table(crashed);
if (figures.length > 0) new Console(process.stdout).table(figures);
failed ||= figures.some(({ ok }) => !ok);
say(failed ? `FAILED (seed ${seed})` : 'everything agrees');
process.exit(failed ? 1 : 0);

/** With unreadable directories and mounts: in a process of its own, whose mounts end with it, whatever ends it. */
async function inNamespace(options: readonly string[]): Promise<void> {
  const namespace = ['--mount', '--propagation', 'private'];
  if (process.getuid?.() !== 0 || spawnSync('unshare', [...namespace, 'true']).status !== 0) {
    say('LEFT OUT: unreadable directories and mounts, which need root and the commands unshare and setpriv');
    return;
  }
  const script = [...process.execArgv, process.argv[1] ?? '', '--barred', '--seed', String(seed)];
  const words = [...namespace, process.execPath, ...script, ...options];
  const child = spawn('unshare', words, { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('it failed with unreadable directories and mounts, see above');
}

function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
