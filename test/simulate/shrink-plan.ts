import type { Plan, Setting, Step } from './world/plan.ts';

/** Whether a plan still shows what it is shrunk for. */
type StillFails = (plan: Plan) => Promise<boolean>;

const mostTries = 400;

/** Nothing strange about the machine, its disk and the service. */
export const plainSetting: Omit<Setting, 'folders'> = {
  habits: {},
  isBound: false,
  settleMs: 2_000,
  requestsPerMinute: 50,
  maxDeleteCount: 10,
  inDoubt: 'retry',
  tokenSeconds: 1_800,
  events: 'prompt',
  eventQueue: 16_384,
  lookMs: 0.02,
  maxPathBytes: 4096,
  followSymlinks: undefined,
};

/** Takes away what a failure does not need: steps, files, folders, what is strange, and time. */
export async function shrinkPlan(plan: Plan, stillFails: StillFails): Promise<Plan> {
  let best = plan;
  let tries = 0;
  const attempt = async (candidate: Plan): Promise<boolean> => {
    tries += 1;
    const meant = { ...candidate, steps: withoutUnsaid(candidate.steps) };
    if (tries > mostTries || !(await stillFails(meant))) return false;
    best = meant;
    return true;
  };
  for (;;) {
    const before = best;
    for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2))
      for (let at = best.steps.length - size; at >= 0; at -= 1)
        await attempt({ ...best, steps: [...best.steps.slice(0, at), ...best.steps.slice(at + size)] });
    for (let at = best.first.length - 1; at >= 0; at -= 1)
      await attempt({ ...best, first: best.first.filter((_, index) => index !== at) });
    for (const folder of best.setting.folders.slice(1))
      await attempt({
        ...best,
        setting: { ...best.setting, folders: best.setting.folders.filter((one) => one !== folder) },
      });
    for (const [key, value] of Object.entries(plainSetting))
      if (JSON.stringify(best.setting[key as keyof Setting]) !== JSON.stringify(value))
        await attempt({ ...best, setting: { ...best.setting, [key]: value } });
    await attempt({
      ...best,
      setting: {
        ...best.setting,
        folders: best.setting.folders.map((one) => ({ ...one, mode: null, isPolled: false })),
      },
    });
    for (let at = 0; at < best.steps.length; at += 1)
      for (const step of simpler(best.steps[at]))
        if (await attempt({ ...best, steps: best.steps.with(at, step) })) break;
    if (best === before || tries > mostTries) return best;
  }
}

/** Nobody means what no file comes to say. */
function withoutUnsaid(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ act }, index) => {
    if (act.kind !== 'intend') return true;
    return steps.slice(index).some((later) => later.act.kind === 'write' && later.act.path === act.saidBy);
  });
}

/** The same step at any moment of a request, or sooner. */
function simpler(step: Step | undefined): readonly Step[] {
  if (step === undefined) return [];
  const { gap: _, ...without } = step;
  const delays = [0, 100, 2_500].filter((ms) => ms < step.afterMs);
  return [...(step.gap === undefined ? [] : [without]), ...delays.map((afterMs) => ({ ...step, afterMs }))];
}
