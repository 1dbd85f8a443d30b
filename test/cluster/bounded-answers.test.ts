import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { readFleet, readPause } from '../../src/cluster/fleet/whole-fleet.ts';
import { openLink } from '../../src/cluster/redis/connection.ts';
import type { Redis, RedisLink } from '../../src/cluster/redis/connection.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { silentLog } from '../../src/model/ports/log-port.ts';
import { describeWhere } from '../support/needs.ts';
import { accountAt, missingRedis, startRedis } from './support/redis-server.ts';
import type { RedisServer } from './support/redis-server.ts';

const mostBytes = 1_048_576;
const mostEndlessBytes = 256 * mostBytes;

describeWhere(missingRedis, 'what Redis answers', () => {
  let server: RedisServer;
  let link: RedisLink;
  let redis: Redis;
  let answers: number[];
  beforeEach(async () => {
    server = await startRedis();
    link = openLink({ ...accountAt(server.url, 'large'), clock: systemClock, log: silentLog });
    await link.tried;
    answers = [];
    const evaluate: Redis['evaluate'] = async (...words) => {
      const answer = await link.evaluate(...words);
      answers.push(String(answer).length);
      return answer;
    };
    redis = { runId: link.runId, prefix: link.prefix, evaluate };
  });
  afterEach(async () => {
    link.close();
    await server.remove();
  });

  /** Hosts that have just published: of each, what Lua makes of its number. */
  function publish(count: number, summary: string): void {
    const script = `
      local now = redis.call('TIME')[1] * 1000
      for i = 1, ${count} do
        local name = string.format('host-%03d', i)
        redis.call('ZADD', KEYS[1], now, name)
        redis.call('HSET', KEYS[2], name, string.format('%.0f run ', now) .. ${summary})
      end`;
    const keys = ['hosts', 'summaries'].map((name) => `${link.prefix}:${name}`);
    expect(server.command('EVAL', script, '2', ...keys)).toBe('');
  }

  it('is small, however many hosts publish as much as they may', async () => {
    const empty = JSON.stringify({
      version: '1',
      state: 'idle',
      health: 'ok',
      headline: 'Up to date',
      queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: null },
      failuresTotal: 0,
    });
    publish(120, `[[${empty.slice(0, -1)},"more":"]] .. string.rep('x', 60000) .. '"}'`);
    const { hosts, health } = await readFleet(redis);
    expect([hosts.length, health]).toEqual([120, 'ok']);
    expect(new Set(hosts.map(({ host }) => host)).size).toBe(120);
    expect(Math.max(...answers)).toBeLessThanOrEqual(mostBytes);
  });

  it('has nothing of a summary of half a million fields, which cannot be read', async () => {
    publish(1, `'{' .. string.rep('"a":1,', 500000) .. '"b":1}'`);
    const { hosts, health } = await readFleet(redis);
    expect(hosts).toMatchObject([{ host: 'host-001', presence: 'here', health: 'attention' }]);
    expect(hosts[0]?.headline).toMatch(/^Its summary cannot be read/);
    expect(health).toBe('attention');
    expect(Math.max(...answers)).toBeLessThanOrEqual(1_000);
  });

  it('is an error where something that was put there is too long', async () => {
    const script = "return redis.call('HSET', KEYS[1], 'halted', string.rep('1', 3000000))";
    server.command('EVAL', script, '1', `${link.prefix}:state`);
    await expect(readPause(redis)).rejects.toThrow(/the answer would be too long/);
    expect(answers).toEqual([]);
  });
});

/** Answers as Redis does, and without an end from the command on that is named. */
async function startEndless(from: string) {
  const info = 'run_id:abc\r\nrole:master\r\n';
  const answers: Readonly<Record<string, string>> = {
    HELLO: '%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n',
    INFO: `$${info.length}\r\n${info}\r\n`,
  };
  const chunk = Buffer.alloc(65_536, 120);
  let bytes = 0;
  const pour = (socket: Socket) => {
    if (!socket.writable || bytes > mostEndlessBytes) return;
    bytes += chunk.length;
    socket.write(chunk, () => pour(socket));
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        if (command !== from) socket.write(answers[command] ?? '+OK\r\n');
        else if (socket.write('$99999999999\r\n')) pour(socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${port}`, sent: () => bytes, close: () => void server.close() };
}

it.each(['HELLO', 'INFO', 'EVALSHA'])('an answer to %s without an end is given up', async (command) => {
  const server = await startEndless(command);
  const link = openLink({ ...accountAt(server.url, 'endless'), clock: systemClock, log: silentLog });
  await link.tried;
  if (command === 'EVALSHA') await expect(link.evaluate('return 1', [], [])).rejects.toThrow();
  expect(link.trouble()).toMatchObject({
    code: 'redis-unavailable',
    message: expect.stringContaining('too long'),
  });
  link.close();
  server.close();
  // What has arrived, and what is between both ends of the connection.
  expect(server.sent()).toBeLessThan(mostEndlessBytes / 4);
});
