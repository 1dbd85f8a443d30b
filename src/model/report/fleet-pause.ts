import type { Reason } from './status.ts';

/** Said by every host of a fleet that a person has paused with `pause --fleet`, on the host `by`; `since`: ISO 8601. */
export function fleetPaused(by: string, since?: string): Reason {
  const message = `all hosts of the fleet were paused on ${by}; run ingestd resume --fleet to send again`;
  return { code: 'fleet-paused', message, since };
}

/** Whether a person has paused all hosts of the fleet, by the reasons of one of them. */
export function isFleetPaused(reasons: readonly Reason[]): boolean {
  return reasons.some(({ code }) => code === 'fleet-paused');
}
