import { bootMoment, bootStepMs } from './boot-moment.ts';
import type { BootMoment } from './boot-moment.ts';

/** The time, as an interface so that tests can control it. */
export interface Clock {
  /** Wall clock in milliseconds since 1970. It may jump: for records and for people, never for waiting. */
  readonly now: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** For what another process, or the next start, has to know exactly; null or left out: there is no such clock. */
  readonly sinceBoot?: () => BootMoment | null;
  /** Calls `call` once after `ms`; what it returns cancels it. Never keeps the process alive by itself. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** A moment that is written down: by the wall clock, ms, and since the boot where that is known. */
export interface WrittenMoment {
  readonly at: number;
  readonly sinceBoot?: BootMoment | undefined;
}

/** This moment, to be written down. */
export function writtenMoment({ now, sinceBoot }: Pick<Clock, 'now' | 'sinceBoot'>): WrittenMoment {
  return { at: now(), sinceBoot: sinceBoot?.() ?? undefined };
}

/**
 * How long ago that was at least, ms. The wall clock may have been set since, and is asked only where the time since the
 * boot is not known: what was before this boot is as old as that at least.
 */
export function passedMs(
  { at, sinceBoot: then }: WrittenMoment,
  { now, sinceBoot }: Pick<Clock, 'now' | 'sinceBoot'>,
): number {
  const present = sinceBoot?.() ?? null;
  if (then === undefined || present === null) return now() - at;
  return then.bootId === present.bootId ? present.ms - then.ms - bootStepMs : present.ms;
}

/** Says whether something ends within `ms`: when it has ended, or when they are over. Rejects where it does before. */
export function isWithin(clock: Clock, ms: number, ended: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(false));
    ended.then(() => resolve(true), reject).finally(cancel);
  });
}

/** Calls it again and again, each time `ms` after it has ended: it must not reject. What this gives ends that. */
export function repeat(clock: Pick<Clock, 'after'>, ms: number, call: () => unknown): () => void {
  let isOver = false;
  const again = async (): Promise<void> => {
    await call();
    if (!isOver) cancel = plan();
  };
  const plan = () => clock.after(ms, () => void again());
  let cancel = plan();
  return () => {
    isOver = true;
    cancel();
  };
}

/** The machine's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sinceBoot: bootMoment,
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A moment of the wall clock, ms, to the second in which it is. ISO 8601, UTC. */
export function toTheSecond(wallMs: number): string {
  return new Date(Math.floor(wallMs / 1000) * 1000).toISOString();
}

/**
 * What the wall clock shows, or showed, at a moment of the monotonic one, `toTheSecond`: the two clocks differ by a little
 * more or less each time.
 */
export function wallTimeOf(
  monotonicMs: number,
  { now, monotonic }: Pick<Clock, 'now' | 'monotonic'>,
): string {
  return toTheSecond(now() + monotonicMs - monotonic());
}
