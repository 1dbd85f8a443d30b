import { describe, expect, it } from '@jest/globals';

import { shrinkPlan } from './shrink-plan.ts';
import type { Act, Plan, Step } from './world/plan.ts';
import { randomPlan } from './world/random-plan.ts';

const removal: Step = { afterMs: 8_000, gap: 'token', act: { kind: 'remove', path: 'inbox/planted.pdf' } };
const writing: Step = { afterMs: 60, act: { kind: 'write', path: 'inbox/planted.pdf', text: 'planted' } };

function isAct(act: Act, { act: other }: Step): boolean {
  return JSON.stringify(act) === JSON.stringify(other);
}

/** The planted alarm: the file is removed and comes again, where files settle soon and another one stands beside it. */
function fails({ steps, first, setting }: Plan): Promise<boolean> {
  const removed = steps.findIndex((step) => isAct(removal.act, step));
  const written = steps.findLastIndex((step) => isAct(writing.act, step));
  const isPlanted = removed >= 0 && removed < written && setting.settleMs === 500;
  return Promise.resolve(isPlanted && first.some(({ path }) => path === 'inbox/beside.pdf'));
}

/** Three long plans in one, with the alarm in between. */
function longPlan(): Plan {
  const [one, two, three] = [randomPlan(11), randomPlan(12), randomPlan(13)];
  const beside = { path: 'inbox/beside.pdf', text: 'beside' };
  return {
    seed: 11,
    setting: { ...one.setting, settleMs: 500, events: 'lossy', lookMs: 3, maxPathBytes: 40 },
    first: [...one.first, beside, ...two.first],
    steps: [...one.steps, removal, ...two.steps, writing, ...three.steps],
  };
}

describe('a plan that fails', () => {
  it('is shrunk to the steps, the files and the settings that matter, at their soonest', async () => {
    const plan = longPlan();
    expect(plan.steps.length).toBeGreaterThan(15);
    const { steps, first, setting } = await shrinkPlan(plan, fails);
    expect(steps).toEqual([
      { afterMs: 0, act: removal.act },
      { afterMs: 0, act: writing.act },
    ]);
    expect(first.map(({ path }) => path)).toEqual(['inbox/beside.pdf']);
    expect(setting).toMatchObject({ settleMs: 500, events: 'prompt', lookMs: 0.02, maxPathBytes: 4096 });
    expect(setting.folders).toHaveLength(1);
    expect(setting.habits).toEqual({});
  });

  it('is tried so often at most, and still fails then', async () => {
    const plan = longPlan();
    let tries = 0;
    const shrunk = await shrinkPlan(plan, async (candidate) => {
      tries += 1;
      return candidate.steps.length === plan.steps.length && fails(candidate);
    });
    expect(tries).toBeLessThanOrEqual(400);
    expect(await fails(shrunk)).toBe(true);
  });
});
