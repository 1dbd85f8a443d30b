import { expect, it } from '@jest/globals';

import { fleetHeadline } from '../../../src/model/report/fleet-headline.ts';
import { aFleet, aHost } from '../../status/support/a-fleet.ts';

it.each([
  ['nobody', aFleet([]), 'No host has reported in the last day'],
  ['one', aFleet([aHost('a')]), '1 host connected, no problems'],
  ['two', aFleet([aHost('a'), aHost('b')]), '2 hosts connected, no problems'],
  ['one that stopped', aFleet([aHost('a', { presence: 'stopped' })]), 'No host connected, no problems'],
  [
    'a pause and one that is gone',
    aFleet([aHost('a'), aHost('b', { presence: 'gone' })], { health: 'attention', paused: true }),
    'The whole fleet is paused. 1 host is gone. 1 host connected',
  ],
  [
    'one with a failure',
    aFleet([aHost('a', { health: 'attention' }), aHost('b')], { health: 'attention' }),
    '1 host needs attention. 2 hosts connected',
  ],
])('a fleet of %s in one line', (_name, fleet, words) => expect(fleetHeadline(fleet)).toBe(words));
