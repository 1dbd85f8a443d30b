// `npm run simulate -- --runs N --seed S [--only KIND] [--log] [--fault NAME] [--rare none|some|all]`: runs of the
// deterministic simulation, on all cores. With a planted fault, only what that fault breaks counts. What is rarer than most
// comes in some plans; seeds that are pinned were found without it.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { bundleSimulation, nodeOptions } from './bundle-simulation.mjs';
import { plantedFaults } from './planted/planted-faults.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    plan: { type: 'string' },
    fault: { type: 'string' },
    rare: { type: 'string', default: 'some' },
    log: { type: 'boolean', default: false },
    stop: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const processes = Math.min(availableParallelism(), runs);
const fault = values.fault === undefined ? undefined : plantedFaults[values.fault];
if (values.fault !== undefined && fault === undefined) throw new Error(`no fault is called ${values.fault}`);
const only = values.only ?? fault?.kind;
const place = new URL(`../../build/simulate-${values.fault ?? 'code'}/`, import.meta.url);
const faults = fault === undefined ? {} : { [values.fault]: fault };
const program = await bundleSimulation(fileURLToPath(place), { faults });
const began = performance.now();
const totals = { done: 0, failed: 0, userMs: 0, known: new Map() };
const kinds = new Map();

await Promise.all(Array.from({ length: processes }, (_, index) => runShare(index)));
const seconds = (performance.now() - began) / 1000;
for (const [kind, seeds] of kinds) {
  say(`${kind}: ${shown(seeds)}`);
  if (values.plain)
    say(
      `  shrinks it: npm run simulate -- --runs 1 --seed ${seeds[0]}${values.rare === 'some' ? '' : ` --rare ${values.rare}`}`,
    );
}
for (const [kind, seeds] of totals.known) say(`known: ${kind}: ${shown(seeds)}`);
say(
  `${totals.done} runs in ${seconds.toFixed(1)} s (${(totals.done / seconds).toFixed(1)} a second, ${(totals.userMs / totals.done).toFixed(1)} ms of CPU each); ${totals.failed} failed`,
);
process.exitCode = totals.failed > 0 || totals.done === 0 ? 1 : 0;

/** Every so many-th seed. */
async function runShare(index) {
  const share = Math.ceil((runs - index) / processes);
  const options = [
    '--first',
    String(Number(values.seed) + index),
    '--runs',
    String(share),
    '--stride',
    String(processes),
  ];
  options.push('--rare', values.rare);
  if (only !== undefined) options.push('--only', only);
  if (values.plan !== undefined) options.push('--plan', values.plan);
  if (values.fault !== undefined) options.push('--fault', values.fault);
  for (const name of ['log', 'stop']) if (values[name]) options.push(`--${name}`);
  if (!values.plain) options.push('--shrink');
  const child = spawn(
    process.execPath,
    [...(values.log ? ['--enable-source-maps'] : []), ...nodeOptions(share), program, ...options],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface(child.stdout)) take(line);
  if (child.exitCode !== 0 && child.exitCode !== null) process.exitCode = 1;
}

function take(line) {
  if (!line.startsWith('{"seed"') && !line.startsWith('{"done"')) return say(line);
  const found = JSON.parse(line);
  if (found.done !== undefined) {
    totals.done += found.done;
    totals.userMs += found.userMs + found.systemMs;
    for (const [kind, seeds] of Object.entries(found.known))
      totals.known.set(kind, [...(totals.known.get(kind) ?? []), ...seeds]);
    return undefined;
  }
  totals.failed += 1;
  kinds.set(found.kind, [...(kinds.get(found.kind) ?? []), found.seed]);
  if (found.steps !== null) say(`\n${found.kind}: ${found.message}\n${found.steps}\n`);
  return undefined;
}

function shown(seeds) {
  return `${seeds.length} (seeds ${seeds.slice(0, 8).join(', ')})`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
