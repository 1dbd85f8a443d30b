import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { renderFleet } from '../../src/cli/fleet/render-fleet.ts';
import { createOutput } from '../../src/cli/output.ts';
import type { FleetHost, FleetStatus } from '../../src/model/report/fleet.ts';

function hostNamed(host: string, parts: Partial<FleetHost> = {}): FleetHost {
  return {
    host,
    presence: 'here',
    lastSeen: '2026-01-01T00:00:00.000Z',
    used: 3,
    version: '1.0.0',
    state: 'idle',
    health: 'ok',
    headline: 'All 2 documents delivered',
    reasons: [],
    folders: [],
    queue: { pending: 0, inFlight: 0, waiting: 0 },
    failures: [],
    failuresTotal: 0,
    ...parts,
  };
}

function fleetOf(hosts: readonly FleetHost[], parts: Partial<FleetStatus> = {}): FleetStatus {
  return {
    health: 'ok',
    account: 'archive',
    paused: false,
    rate: { used: 1, windowSeconds: 60 },
    hosts,
    ...parts,
  };
}

it('names and messages of other hosts cannot act on the terminal', () => {
  const stream = new PassThrough();
  const output = createOutput(stream, { FORCE_COLOR: '1' });
  const host = hostNamed('a\x1b[2J', {
    health: 'attention',
    headline: 'H\x1b[2J',
    version: '1\x1b[2J',
    reasons: [{ code: 'x', message: 'M\x1b[2J' }],
    failures: [{ folder: 'f\x1b[2J', path: 'p\x1b[2J', code: 'x', message: 'm\x1b[2J' }],
    failuresTotal: 1,
  });
  for (const line of renderFleet(fleetOf([host], { account: 'A\x1b[2J' }), output.colors)) output.line(line);
  const text = String(stream.read());
  expect(text).toContain('this minute');
  expect(text).not.toContain('\x1b[2J');
});
