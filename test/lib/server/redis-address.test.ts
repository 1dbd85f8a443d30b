import { describe, expect, it } from '@jest/globals';

import { parseRedisAddress } from '../../../src/lib/server/redis-address.ts';

describe('the address of Redis', () => {
  it.each([
    ['redis://cache', 'cache:6379', { tls: false, sentinelName: null, password: null, database: 0 }],
    ['rediss://cache.example:6380/2', 'cache.example:6380', { tls: true, database: 2 }],
    ['redis://:pa%40ss@10.0.0.1', '10.0.0.1:6379', { username: null, password: 'pa@ss' }],
    ['redis://u:p#1?:2 ü@cache/', 'cache:6379', { username: 'u', password: 'p#1?:2 ü', database: 0 }],
    ['redis://ingestd:secret@[::1]:7000', '[::1]:7000', { username: 'ingestd', password: 'secret' }],
    [
      'rediss+sentinel://u:p@one,two:26380/mymaster/1',
      'mymaster by the sentinels one:26379, two:26380',
      { tls: true, sentinelName: 'mymaster', database: 1, password: 'p' },
    ],
  ])('reads %s', (text, nodes, parts) => {
    const address = parseRedisAddress(text);
    expect(address).toMatchObject({ ...parts, words: nodes });
  });

  it.each([
    '',
    'cache:6379',
    'http://cache',
    'redis://',
    'redis://a,b',
    'redis://cache:',
    'redis://ca!che',
    'redis://cache:0',
    'redis://cache:99999',
    'redis://cache/one',
    'redis://cache/0/1',
    'redis://u:%zz@cache',
    'redis+sentinel://a,b',
    'redis+sentinel://a,/name',
    'redis://a b',
  ])('does not take %j', (text) => {
    expect(parseRedisAddress(text)).toBeNull();
  });
});
