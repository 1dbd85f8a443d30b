import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

// @ts-expect-error: it is read by the programs of the simulation too, which are no TypeScript.
import { bundleSimulation, nodeOptions } from './bundle-simulation.mjs';
import { promiseOf, promises } from './judge/promises.ts';
import type { Kind } from './judge/promises.ts';
// @ts-expect-error: the same.
import { plantedFaults } from './planted-faults.mjs';

interface Fault {
  readonly kind: Kind;
  /** Where it is found first. */
  readonly seed: number;
}

const faults: Readonly<Record<string, Fault>> = plantedFaults;
const bundle = (name: string, place?: object): Promise<string> =>
  bundleSimulation(fileURLToPath(new URL(`../../build/planted-${name}/`, import.meta.url)), place);
const sound = bundle('nothing');

/** The first of some runs that breaks a promise in a way; null: none does. */
async function firstBroken(program: string, kind: Kind, first: number, runs: number): Promise<number | null> {
  const options = { '--first': first, '--runs': runs, '--only': kind };
  const words = Object.entries(options).flatMap(([option, value]) => [option, String(value)]);
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...nodeOptions,
    program,
    ...words,
    '--stop',
  ]);
  const found = stdout.split('\n').find((line) => line.startsWith('{"seed"'));
  return found === undefined ? null : (JSON.parse(found) as { readonly seed: number }).seed;
}

/** The first of some runs that breaks it with a fault, and not without; null: none does. */
async function firstFound(program: string, kind: Kind, first: number, runs: number): Promise<number | null> {
  const seed = await firstBroken(program, kind, first, runs);
  if (seed === null || (await firstBroken(await sound, kind, seed, 1)) === null) return seed;
  return firstFound(program, kind, seed + 1, first + runs - seed - 1);
}

describe('the judge of the simulation', () => {
  it('has a planted fault for each promise', () => {
    const broken = Object.values(faults).map(({ kind }) => promiseOf(kind));
    expect([...new Set(broken)].toSorted()).toEqual(Object.keys(promises).toSorted());
  });

  it.concurrent.each(Object.entries(faults))(
    'finds a planted fault within 2,000 runs: %s',
    async (name, { kind, seed, ...place }) => {
      const program = await bundle(name, place);
      // Where the code has changed it may be another seed.
      const found = (await firstFound(program, kind, seed, 1)) ?? (await firstFound(program, kind, 1, 2_000));
      expect(found).not.toBeNull();
    },
    600_000,
  );
});
