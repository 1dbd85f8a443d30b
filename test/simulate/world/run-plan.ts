import { reasonHealth } from '../../../src/model/report/health.ts';
import type { Status } from '../../../src/model/report/status.ts';
import { useMachine } from '../machine/take-process.ts';
import { replaceWorker } from '../machine/in-process-worker.ts';
import { judgeEnd } from '../judge/end-rules.ts';
import type { Claims } from '../judge/end-rules.ts';
import { Judge } from '../judge/judge.ts';
import type { Verdict, Violation } from '../judge/judge.ts';
import { begAll, clearTheWay, doSteps } from './author.ts';
import { ledgerClaims, saidBy } from './claims.ts';
import type { Plan } from './plan.ts';
import { prefix, Simulation } from './simulation.ts';

/** Four requests ask at once: so many looks at a directory or file come between the first one of an answer and its byte. */
const looksOfAnswers = 50;

/** What came of a run. */
export interface RunResult {
  readonly violations: readonly Violation[];
  /** Those that were not looked for. */
  readonly passed: readonly Violation[];
  readonly log: readonly string[];
}

const beatMs = 5_000;
const longestQuietMs = 3_600_000;
/** A plan may wait twice for half an hour, and its steps for requests. */
const longestPlanMs = 4 * longestQuietMs;

replaceWorker(() => 0.1);

/** Runs a plan from its beginning to its end, or to its first violation. */
export async function runPlan(plan: Plan, verdictOf: Verdict): Promise<RunResult> {
  const { setting } = plan;
  const judge = new Judge({
    folders: setting.folders,
    settleMs: setting.settleMs,
    maxDeleteCount: setting.maxDeleteCount,
    inDoubt: setting.inDoubt,
    followsLinks: setting.followSymlinks === true,
    verdictOf,
    lateMs: setting.habits.attributeCacheMs ?? 0,
    honouredMs: 100 + looksOfAnswers * setting.lookMs,
    noticeMs: noticeMs(plan),
    isIdentityUnsure: (setting.habits.firstInode ?? 0) >= 2 ** 53 || setting.habits.hasBirthTimes === false,
    fullMs: Math.max(
      0,
      ...plan.steps.map(({ act }) => (act.kind === 'full' || act.kind === 'ledger' ? act.forMs : 0)),
    ),
  });
  const simulation = new Simulation(plan, judge);
  useMachine(simulation);
  simulation.start();
  await run(simulation).catch((error: unknown) => judge.crashed(error));
  simulation.kill();
  return {
    violations: judge.violations,
    passed: judge.passed,
    log: simulation.log,
  };
}

async function run(simulation: Simulation): Promise<void> {
  const { scheduler, judge, plan } = simulation;
  const isOver = () => judge.isOver;
  let isDone = false;
  doSteps(simulation, plan.steps, () => (isDone = true));
  await scheduler.runUntil(() => isDone || isOver(), scheduler.now() + longestPlanMs);
  if (isOver()) return;
  simulation.note('— quiet');
  if (simulation.isReloading || simulation.folders.length < plan.setting.folders.length) {
    simulation.kill();
    simulation.configure(plan.setting.folders);
  }
  if (!scheduler.isAlive()) simulation.start();
  clearTheWay(simulation);
  // What this host cannot see yet no rescan finds.
  const { attributeCacheMs = 0 } = plan.setting.habits;
  await scheduler.runUntil(isOver, scheduler.now() + attributeCacheMs);
  await scheduler.runUntil(() => simulation.daemon !== null || isOver(), scheduler.now() + longestQuietMs);
  begAll(simulation);
  if (!(await quiet(simulation))) return;
  // What was under way when the person came may have been refused since.
  if (simulation.daemon?.control.status().failures.some(({ code }) => code.startsWith('http-')) === true) {
    begAll(simulation);
    if (!(await quiet(simulation))) return;
  }
  const claims = await lastClaims(simulation);
  if (claims === null) return;
  judgeEnd(judge, claims);
  if (isOver()) return;
  judge.expectsNothing();
  simulation.note('— another start');
  simulation.start();
  await quiet(simulation);
}

/** After so long ingestd has noticed a change by itself: by a late event, two polls, or a rescan where events are lost. */
function noticeMs({ setting, steps }: Plan): number {
  const { events, habits } = setting;
  // Those that a later process is configured with too.
  const later = steps.flatMap(({ act }) => ('folders' in act ? act.folders : []));
  const isPolled = [...setting.folders, ...later].some((folder) => folder.isPolled);
  if (events === 'lossy') return 16 * 60_000;
  if (isPolled || habits.type !== undefined) return 61_000;
  return events === 'late' ? 3_000 : 0;
}

/** A folder that shows the files of another one stays unavailable; no other folder does, and nothing is wrong. */
function isQuiet({ state, reasons }: Status): boolean {
  const others = reasons.filter(({ code }) => code !== 'folder-shown-twice');
  const isWell = others.every(({ code }) => !code.startsWith('folder-') && reasonHealth(code) !== 'error');
  return state === 'idle' || (others.length < reasons.length && isWell);
}

/** What waits for its other half, or for an attachment, has ended by then: it has a reason and a moment. */
const graceMs = 10_000;
/** What was an attachment has been looked at again by then. */
const attachedMs = 35_000;

/** Lets time pass until nothing moves any more; false where the run is over. */
async function quiet(simulation: Simulation): Promise<boolean> {
  const { scheduler, judge } = simulation;
  const deadline = scheduler.now() + longestQuietMs;
  let moved = scheduler.now();
  while (scheduler.now() < deadline) {
    await scheduler.runUntil(() => judge.isOver, scheduler.now() + beatMs);
    if (judge.isOver) return false;
    const { daemon } = simulation;
    // A status counts every task: most of the time it need not.
    const isAtRest = daemon?.engine.isIdle() === true && isQuiet(daemon.control.status());
    if (!isAtRest) moved = scheduler.now();
    const restsMs = scheduler.now() - moved;
    if (restsMs < graceMs || daemon === null) continue;
    const isAttached = () => saidBy(daemon).waits.some(({ code }) => code === 'attached-before');
    if (restsMs >= attachedMs || !isAttached()) return true;
  }
  const { daemon } = simulation;
  const reasons = daemon?.control.status().reasons ?? [];
  // What is out of reach for ever is told; so are uploads that wait for a person, and tokens that never last until the
  // next permit.
  const { maxPathBytes, tokenSeconds, requestsPerMinute } = simulation.plan.setting;
  const isStopped = reasons.some(({ code }) => code === 'uploads-stopped');
  const isHopeless = isStopped || maxPathBytes < 4096 || tokenSeconds * requestsPerMinute < 120;
  if (isHopeless && reasons.length > 0) return false;
  judge.report(
    'never-quiet',
    daemon === null ? 'it has not started' : JSON.stringify([reasons, saidBy(daemon).waits]),
  );
  return false;
}

/** Stops ingestd, and reads its ledger. */
async function lastClaims(simulation: Simulation): Promise<Claims | null> {
  const { daemon, scheduler, judge } = simulation;
  if (daemon === null) return null;
  const told = saidBy(daemon);
  let claims: Claims | null = null;
  const read = async () => {
    await daemon.stop();
    claims = { ...told, ...(await ledgerClaims(`${prefix}/state`, simulation.clock())) };
  };
  scheduler.later(0, () => void read().catch((error: unknown) => judge.crashed(error)));
  await scheduler.runUntil(() => claims !== null || judge.isOver, scheduler.now() + longestQuietMs);
  if (claims === null) judge.report('never-quiet', 'it does not stop');
  simulation.kill({ isStopped: claims !== null });
  return claims;
}
