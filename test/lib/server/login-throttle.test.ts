import { expect, it } from '@jest/globals';
import { peerOf } from '../../../src/lib/server/login.ts';

it.each([
  ['127.0.0.1', 'loopback'],
  ['127.9.8.7', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  [undefined, ''],
])('the peer of %s is %s', (remoteAddress, peer) => {
  expect(peerOf({ remoteAddress })).toBe(peer);
});
