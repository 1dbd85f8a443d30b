import { expect, it } from '@jest/globals';

import { fleetHeadline } from '../../../src/model/report/fleet.ts';
import type { FleetHost, FleetStatus } from '../../../src/model/report/fleet.ts';

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

it.each([
  ['nobody', fleetOf([]), 'No host has reported in the last day'],
  ['one', fleetOf([hostNamed('a')]), '1 host connected, no problems'],
  ['two', fleetOf([hostNamed('a'), hostNamed('b')]), '2 hosts connected, no problems'],
  ['one that stopped', fleetOf([hostNamed('a', { presence: 'stopped' })]), 'No host connected, no problems'],
  [
    'a pause and one that is gone',
    fleetOf([hostNamed('a'), hostNamed('b', { presence: 'gone' })], { health: 'attention', paused: true }),
    'The whole fleet is paused. 1 host is gone. 1 host connected',
  ],
  [
    'one with a failure',
    fleetOf([hostNamed('a', { health: 'attention' }), hostNamed('b')], { health: 'attention' }),
    '1 host needs attention. 2 hosts connected',
  ],
  [
    'several with troubles, and several that are gone',
    fleetOf(
      [
        hostNamed('a', { health: 'error' }),
        hostNamed('b', { health: 'attention' }),
        hostNamed('c', { presence: 'gone', health: 'error' }),
        hostNamed('d', { presence: 'gone' }),
      ],
      { health: 'error' },
    ),
    '2 hosts need attention. 2 hosts are gone. 2 hosts connected',
  ],
])('a fleet of %s in one line', (_name, fleet, words) => expect(fleetHeadline(fleet)).toBe(words));
