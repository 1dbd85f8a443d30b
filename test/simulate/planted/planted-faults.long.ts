import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, it } from '@jest/globals';

// @ts-expect-error: it is read by the programs of the simulation too, which are no TypeScript.
import { bundleSimulation, nodeOptions } from '../bundle-simulation.mjs';
import type { FoundFault, PlantedFault } from './find-planted.ts';
import { promiseOf, promises } from '../judge/promises.ts';
// @ts-expect-error: the same.
import { plantedFaults } from './planted-faults.mjs';

const faults: Readonly<Record<string, PlantedFault>> = plantedFaults;
const place = fileURLToPath(new URL('../../../build/planted/', import.meta.url));
const processes = 2;
const found = new Map<string, FoundFault>();

describe('the judge of the simulation', () => {
  beforeAll(async () => {
    const options = { program: 'planted/find-planted', faults };
    const program: string = await bundleSimulation(place, options);
    await Promise.all(
      Array.from({ length: processes }, async (_, index) => {
        const words = [...nodeOptions(1), program, String(index), String(processes)];
        const { stdout } = await promisify(execFile)(process.execPath, words);
        for (const line of stdout.trim().split('\n')) {
          const one = JSON.parse(line) as FoundFault;
          found.set(one.name, one);
        }
      }),
    );
  }, 1_100_000);

  it('has a planted fault for each promise', () => {
    const broken = Object.values(faults).map(({ kind }) => promiseOf(kind));
    expect([...new Set(broken)].toSorted()).toEqual(Object.keys(promises).toSorted());
  });

  it.each(Object.keys(faults))('finds a planted fault within 2,000 runs: %s', (name) => {
    expect(found.get(name)).toEqual({ name, seed: expect.any(Number), others: expect.any(Number) });
  });
});
