import type { FleetStatus } from '../../../src/model/report/fleet.ts';

/** A fleet of one host, which is gone. */
export function aFleet(): FleetStatus {
  return {
    health: 'attention',
    account: 'research',
    paused: false,
    rate: { used: 31, windowSeconds: 60 },
    hosts: [
      {
        host: 'scanner-1',
        presence: 'gone',
        lastSeen: '2026-01-01T00:00:00Z',
        used: 17,
        version: '1.2.3',
        state: 'idle',
        health: 'attention',
        headline: '2 documents failed',
        reasons: [],
        folders: [],
        queue: { pending: 1, inFlight: 2, waiting: 3 },
        failures: [],
        failuresTotal: 2,
      },
    ],
  };
}
