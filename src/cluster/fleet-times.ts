/** The times of the shared minute and of leases, ms; shorter only in tests. */
export interface FleetTimes {
  readonly windowMs: number;
  /**
   * A host without connection stops its requests after this, and Redis keeps their places for as long; the same holds
   * for a lease that is not renewed, which others may take then.
   */
  readonly lifeMs: number;
  /** Permits under way and leases are renewed this often; also the sign of life. */
  readonly beatMs: number;
  /** A request begins this soon after its permit was granted or confirmed. */
  readonly validMs: number;
  /** A host that was not heard of for so long counts as out of reach. Shorter than `lifeMs`. */
  readonly unreachableMs: number;
  /**
   * As much as Redis's clock may jump unnoticed: added to each permit's time, and to how long a lease is waited for.
   */
  readonly marginMs: number;
  /**
   * A lease is waited for so much longer where its last renewal was in another Redis, which may have taken more since.
   */
  readonly failoverMs: number;
}

export const fleetTimes: FleetTimes = {
  windowMs: 60_000,
  lifeMs: 15_000,
  beatMs: 5_000,
  validMs: 2_000,
  unreachableMs: 10_000,
  marginMs: 250,
  // `min-replicas-max-lag`: an old server that is cut off takes no more after it.
  failoverMs: 10_000,
};

/** A host that was heard of within this is one of the fleet; an older one is shown as gone. */
export const aliveMs = 15_000;
