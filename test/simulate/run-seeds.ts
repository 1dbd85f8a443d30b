// One of the processes of `npm run simulate`: runs every so many-th seed, and writes a line of JSON for each that fails.
import './machine/take-process.ts';
import { parseArgs } from 'node:util';

import type { Verdict } from './judge/judge.ts';
import { isKnown } from './known-kinds.ts';
import { shrinkPlan } from './shrink-plan.ts';
import { planText } from './world/plan.ts';
import type { Plan } from './world/plan.ts';
import { randomPlan } from './world/random-plan.ts';
import { rarePlan } from './world/rare-plan.ts';
import { runPlan } from './world/run-plan.ts';

/** What one process found. */
interface Found {
  readonly seed: number;
  readonly kind: string;
  readonly message: string;
  /** What is left of it, in words; null: it was not shrunk. */
  readonly steps: string | null;
}

const { values } = parseArgs({
  options: {
    first: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    stride: { type: 'string', default: '1' },
    only: { type: 'string' },
    /** JSON of a plan, in place of those of seeds; there may be several. */
    plan: { type: 'string', multiple: true },
    /** A planted fault of this bundle. */
    fault: { type: 'string' },
    /** What is rarer in the plans of seeds: in none, in some, or in all. */
    rare: { type: 'string', default: 'none' },
    log: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    /** Ends with the first that fails. */
    stop: { type: 'boolean', default: false },
  },
});
// Errors are made often, and only a log is read that closely.
Error.stackTraceLimit = values.log ? 20 : 3;
Object.assign(globalThis, { planted: values.fault });
const { only } = values;
/** Without `--only`, whatever is found ends a run. */
const others = only === undefined ? 'known' : 'passed';
const isWanted = (kind: string) => (only === undefined ? !isKnown(kind) : `${kind}/`.startsWith(`${only}/`));
const verdictOf: Verdict = (kind) => (isWanted(kind) ? 'wanted' : others);
const began = process.cpuUsage();
const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const [first, runs, stride] = [Number(values.first), Number(values.runs), Number(values.stride)];
const shrunk = new Set<string>();
const known = new Map<string, readonly number[]>();
let done = 0;

for (const plan of values.plan?.map((text) => JSON.parse(text) as Plan) ?? randomPlans()) {
  const { violations, passed, log } = await runPlan(plan, verdictOf);
  done += 1;
  for (const kind of new Set(passed.map((one) => one.kind)))
    known.set(kind, [...(known.get(kind) ?? []), plan.seed]);
  if (values.log) process.stdout.write(`${planText(plan)}\n${log.join('\n')}\n`);
  const [violation] = violations;
  if (violation === undefined) continue;
  const { kind, message } = violation;
  if (values.log) process.stdout.write(`${kind}: ${message}\n`);
  const fails = async (candidate: typeof plan) =>
    (await runPlan(candidate, (one) => (one === kind ? 'wanted' : others))).violations.length > 0;
  const isNew = values.shrink && !shrunk.has(kind);
  shrunk.add(kind);
  const steps = isNew ? await shrinkPlan(plan, fails) : null;
  if (values.log && steps !== null)
    process.stdout.write(
      `--plan '${JSON.stringify(steps)}'\n${(await runPlan(steps, verdictOf)).log.join('\n')}\n`,
    );
  write({ seed: plan.seed, kind, message, steps: steps === null ? null : planText(steps) } satisfies Found);
  if (values.stop) break;
}
const { user, system } = process.cpuUsage(began);
write({ done, userMs: user / 1000, systemMs: system / 1000, known: Object.fromEntries(known) });
process.exit(0);

function* randomPlans(): Iterable<Plan> {
  for (let seed = first; seed < first + runs * stride; seed += stride)
    yield values.rare === 'none'
      ? randomPlan(seed)
      : rarePlan(seed, values.rare === 'all' ? () => true : undefined);
}
