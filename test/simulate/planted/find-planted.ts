// Says for every so many-th planted fault which run finds it, as a line of JSON.
import '../machine/take-process.ts';

import type { Kind } from '../judge/promises.ts';
// @ts-expect-error: it is read by the programs of the simulation too, which are no TypeScript.
import { plantedFaults } from './planted-faults.mjs';
import { randomPlan } from '../world/random-plan.ts';
import { rarePlan } from '../world/rare-plan.ts';
import type { Plan } from '../world/plan.ts';
import { runPlan } from '../world/run-plan.ts';

/** One that the simulation has to find. */
export interface PlantedFault {
  readonly kind: Kind;
  /** It shows only where something rarer than most happens: each plan has some then. */
  readonly isRare?: boolean;
  /** Where it was found last. */
  readonly seed: number;
}

/** What came of one. */
export interface FoundFault {
  readonly name: string;
  /** The first run that breaks the promise with the fault, and not without; null: none does. */
  readonly seed: number | null;
  /** Runs that did not. */
  readonly others: number;
}

const mostRuns = 2_000;
const [index = 0, stride = 1] = process.argv.slice(2).map(Number);
const faults = Object.entries(plantedFaults as Readonly<Record<string, PlantedFault>>);

for (const [name, fault] of faults.filter((_, place) => place % stride === index))
  process.stdout.write(`${JSON.stringify((await find(name, fault)) satisfies FoundFault)}\n`);
process.exit(0);

/** Where the code has changed it may be another seed than the last one. */
async function find(name: string, { kind, seed: last, isRare }: PlantedFault): Promise<FoundFault> {
  const planOf = isRare === true ? (seed: number) => rarePlan(seed, () => true) : randomPlan;
  for (let others = 0; others <= mostRuns; others += 1) {
    const seed = others === 0 ? last : others;
    const plan = planOf(seed);
    if ((await isBroken(plan, kind, name)) && !(await isBroken(plan, kind))) return { name, seed, others };
  }
  return { name, seed: null, others: mostRuns };
}

async function isBroken(plan: Plan, only: Kind, planted?: string): Promise<boolean> {
  Object.assign(globalThis, { planted });
  const { violations } = await runPlan(plan, (kind) =>
    `${kind}/`.startsWith(`${only}/`) ? 'wanted' : 'passed',
  );
  return violations.length > 0;
}
