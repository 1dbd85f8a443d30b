/** The times of the shared minute, ms, and of leases; shorter only in tests. */
export interface FleetTimes {
  readonly windowMs: number;
  /** A host without connection stops its requests after this, and Redis keeps their places for as long. */
  readonly lifeMs: number;
  /** Permits under way are renewed this often; also the sign of life. */
  readonly beatMs: number;
  /** A request begins this soon after its permit was granted or confirmed. */
  readonly validMs: number;
  /** As much as Redis's clock may jump unnoticed: added to each permit's time. */
  readonly marginMs: number;
  readonly lease: LeaseTimes;
}

/** The times of a lease, ms: a stand-by has that of a host that was killed within ten seconds. */
export interface LeaseTimes {
  /** Who cannot renew it stops after this, and others may take it then. */
  readonly lifeMs: number;
  /** It is renewed this often: before it is over also where one command was lost with its connection. */
  readonly beatMs: number;
  /** Who waits for it looks this often. */
  readonly watchMs: number;
  /** It is waited for so much longer: what the clocks of two hosts may differ in that time. */
  readonly marginMs: number;
  /** And for this, where its last renewal was in another Redis, which may have taken more since. */
  readonly failoverMs: number;
}

export const fleetTimes: FleetTimes = {
  windowMs: 60_000,
  lifeMs: 15_000,
  beatMs: 5_000,
  validMs: 2_000,
  marginMs: 250,
  lease: {
    lifeMs: 6_000,
    beatMs: 2_000,
    watchMs: 1_000,
    marginMs: 250,
    // `min-replicas-max-lag`: an old server that is cut off takes no more after it.
    failoverMs: 10_000,
  },
};

/** A host that was heard of within this is one of the fleet; an older one is shown as gone. */
export const aliveMs = 15_000;
