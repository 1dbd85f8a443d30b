import { Console } from 'node:console';
import { parseArgs } from 'node:util';

import { crashes } from './crashes.ts';
import type { CrashFigures } from './crashes.ts';
import { hourOfWork } from './hour-of-work.ts';
import type { Figure } from './hour-of-work.ts';
import { regimes } from './regimes.ts';
import { seededRandom } from './seeded-random.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    regime: { type: 'string' },
  },
});
const kills = Number(values.kills);
const minutes = Number(values.minutes);
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
  for (const [index, regime] of chosen.entries()) {
    const share =
      Math.floor((kills * (index + 1)) / chosen.length) - Math.floor((kills * index) / chosen.length);
    if (share === 0) continue;
    say(`crashes: ${share} kills, settings “${regime.name}”`);
    crashed.push(await crashes(regime, { kills: share, random: seededRandom(seed + index), say }));
  }
  if (minutes > 0) {
    say(`an hour’s worth of work in ${minutes} minutes`);
    figures = await hourOfWork({ minutes, random: seededRandom(seed), say });
  }
} catch (error) {
  failed = true;
  process.stdout.write(`\nFAILED: ${inWords(error)}\n`);
}

process.stdout.write('\n');
if (crashed.length > 0) new Console(process.stdout).table(crashed);
if (figures.length > 0) new Console(process.stdout).table(figures);
failed ||= figures.some(({ ok }) => !ok);
say(failed ? `FAILED (seed ${seed})` : 'everything agrees');
process.exit(failed ? 1 : 0);

function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
