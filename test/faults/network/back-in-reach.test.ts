import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createSafeServer } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';

import { watchForService } from '../../../src/daemon/process/watch-for-service.ts';
import { eventually } from '../../support/eventually.ts';
import { selfSigned } from '../../remote/http/self-signed.ts';
import { manualClock } from '../../support/manual-clock.ts';

let close = () => {};
let server: Server;

afterEach(() => {
  close();
  server.close();
});

async function listen(port = 0): Promise<number> {
  server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function shut(): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Looks until `holds`, one look at a time: while one is under way its patience is what ends next. */
async function lookUntil(clock: ReturnType<typeof manualClock>, holds: () => boolean): Promise<void> {
  while (!holds()) {
    await clock.advance(10_000);
    await eventually(() => clock.untilNext() === 10_000);
  }
}

/** Lets time pass up to whatever ends next, a look that waits in vain among them. */
async function passUntil(clock: ReturnType<typeof manualClock>, holds: () => boolean): Promise<void> {
  while (!holds()) {
    await clock.advance(clock.untilNext() ?? 0);
    await delay(20);
  }
}

it('a service that no connection leads to is back when one does, once, and only while it is away', async () => {
  const port = await listen();
  await shut();
  const clock = manualClock();
  let isAway = true;
  let looks = 0;
  let times = 0;
  const look = () => {
    looks += 1;
    return isAway;
  };
  close = watchForService(`http://127.0.0.1:${port}`, clock, look, () => (times += 1));
  await lookUntil(clock, () => looks >= 3);
  expect(times).toBe(0);
  await listen(port);
  await lookUntil(clock, () => times > 0);
  const before = looks;
  await lookUntil(clock, () => looks >= before + 4);
  // It takes connections all the while, and no requests.
  expect(times).toBe(1);
  await shut();
  isAway = false;
  const later = looks;
  await lookUntil(clock, () => looks >= later + 3);
  await listen(port);
  isAway = true;
  const last = looks;
  await lookUntil(clock, () => looks >= last + 3);
  expect(times).toBe(1);
});

it('a service whose connections come about, and are not answered, is back when one is, and nothing is sent over it', async () => {
  const silent = new Set<Socket>();
  server = createServer((socket) => void silent.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clock = manualClock();
  let looks = 0;
  let times = 0;
  const look = () => (looks += 1) > 0;
  close = watchForService(`https://127.0.0.1:${port}`, clock, look, () => (times += 1));
  await passUntil(clock, () => looks >= 3);
  expect([times, silent.size > 0]).toEqual([0, true]);
  for (const socket of silent) socket.destroy();
  await shut();
  let received = '';
  server = createSafeServer(selfSigned, (socket) => {
    socket.on('data', (data) => (received += String(data))).on('error', () => {});
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  await passUntil(clock, () => times > 0);
  expect([times, received]).toEqual([1, '']);
});
