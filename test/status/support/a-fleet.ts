import type { FleetHost, FleetStatus } from '../../../src/model/report/fleet.ts';

/** A host of a fleet with nothing to do. */
export function aHost(host: string, parts: Partial<FleetHost> = {}): FleetHost {
  return {
    host,
    presence: 'here',
    lastSeen: '2026-01-01T00:00:00Z',
    used: 3,
    version: '1.2.3',
    state: 'idle',
    health: 'ok',
    headline: 'All 2 documents delivered',
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: null },
    failuresTotal: 0,
    ...parts,
  };
}

export function aFleet(hosts: readonly FleetHost[], parts: Partial<FleetStatus> = {}): FleetStatus {
  return {
    health: 'ok',
    account: 'archive',
    paused: false,
    rate: { used: 1, windowSeconds: 60 },
    hosts,
    ...parts,
  };
}

/** A fleet of one host, which is gone. */
export function aFleetThatIsGone(): FleetStatus {
  const host = aHost('scanner-1', {
    presence: 'gone',
    used: 17,
    health: 'attention',
    headline: '2 documents failed',
    queue: { pending: 1, inFlight: 2, waiting: 3, etaSeconds: null },
    failuresTotal: 2,
  });
  return aFleet([host], { health: 'attention', account: 'research', rate: { used: 31, windowSeconds: 60 } });
}
