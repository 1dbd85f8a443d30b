import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

// @ts-expect-error: it is read by the programs of the simulation too, which are no TypeScript.
import { plantedFaults } from './planted-faults.mjs';

const run = promisify(execFile);
const faults = plantedFaults as Readonly<Record<string, { readonly kind: string }>>;

describe('the judge of the simulation', () => {
  it.each(Object.entries(faults).map(([fault, { kind }]) => [fault, kind]))(
    'finds a planted fault within 2,000 runs: %s is %s',
    async (fault, kind) => {
      const options = ['--runs', '2000', '--fault', fault, '--stop', '--plain'];
      const said = await run(process.execPath, ['test/simulate/simulate.mjs', ...options]).then(
        () => 'nothing found',
        (error: { readonly stdout: string }) => error.stdout,
      );
      expect(said).toContain(`${kind}: `);
    },
    600_000,
  );
});
