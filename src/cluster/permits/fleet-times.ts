/** The times of the shared minute, ms; shorter only in tests. */
export interface FleetTimes {
  readonly windowMs: number;
  /** A host without connection stops its requests after this, and Redis keeps their places for as long. */
  readonly lifeMs: number;
  /** Permits under way are renewed this often; also the sign of life. */
  readonly beatMs: number;
  /** A request begins this soon after its permit was granted or confirmed. */
  readonly validMs: number;
  /** A host that was not heard of for so long counts as out of reach. Shorter than `lifeMs`. */
  readonly unreachableMs: number;
  /** As much as Redis's clock may jump unnoticed: added to each permit's time. */
  readonly marginMs: number;
  /** So long the share of a host that is gone stays reserved. */
  readonly shareMs: number;
}

export const fleetTimes: FleetTimes = {
  windowMs: 60_000,
  lifeMs: 15_000,
  beatMs: 5_000,
  validMs: 2_000,
  unreachableMs: 10_000,
  marginMs: 250,
  shareMs: 24 * 3_600_000,
};

/** A host that was heard of within this is one of the fleet; an older one is shown as gone. */
export const aliveMs = 15_000;
