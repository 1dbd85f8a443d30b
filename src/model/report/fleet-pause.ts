import type { Reason } from './status.ts';

/** Said by every host of a fleet that a person has paused with `pause --fleet`. */
export const fleetPaused: Reason = {
  code: 'fleet-paused',
  message: 'all hosts of the fleet are paused; run ingestd resume --fleet to send again',
};

/** Whether a person has paused all hosts of the fleet, by the reasons of one of them. */
export function isFleetPaused(reasons: readonly Reason[]): boolean {
  return reasons.some(({ code }) => code === fleetPaused.code);
}
