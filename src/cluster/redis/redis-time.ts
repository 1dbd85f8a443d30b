import type { Clock } from '../../lib/time/clock.ts';

/** When a command went out or its answer came, by one host's clocks, ms. */
export interface Sent {
  readonly monotonic: number;
  readonly wall: number;
}

/** A command goes out now. */
export function sentNow(clock: Clock): Sent {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** How long ago that was, by the clock that says more: one stands still while the machine sleeps, one may be set. */
export function ageMs(clock: Clock, { monotonic, wall }: Sent): number {
  return Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}

interface Reading {
  readonly time: number;
  readonly sent: Sent;
  readonly answered: Sent;
}

/**
 * Follows the clock of one Redis process from one answer to the next: it may not have gone further than the time in
 * which both answers were made, nor less far. Both clocks of this host have to disagree with Redis's: the monotonic one
 * stands still while the machine sleeps, and the wall clock may be set.
 */
export function followRedisTime(toleranceMs: number) {
  let last: Reading | null = null;
  return {
    /** Takes the time of an answer. False: the clock has jumped since the answer before. */
    isSteady: (time: number, sent: Sent, answered: Sent): boolean => {
      const before = last;
      last = { time, sent, answered };
      if (before === null) return true;
      const passed = time - before.time;
      return (['monotonic', 'wall'] as const).some((clock) => {
        const least = sent[clock] - before.answered[clock] - toleranceMs;
        const most = answered[clock] - before.sent[clock] + toleranceMs;
        return passed >= least && passed <= most;
      });
    },
    /** What Redis's clock should say now; undefined: it has not answered yet. */
    estimate: (monotonic: number): number | undefined =>
      last === null ? undefined : last.time + monotonic - last.sent.monotonic,
  };
}
