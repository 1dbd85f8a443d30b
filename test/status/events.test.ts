import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEventHub } from '../../src/status/server/event-hub.ts';
import type { EventHub } from '../../src/status/server/event-hub.ts';
import { createStatusSnapshot } from '../../src/status/server/status-snapshot.ts';
import type { SkipStatus } from '../../src/model/report/status.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { fakeControl } from './support/fake-control.ts';
import type { FakeControl } from './support/fake-control.ts';

interface Listening {
  readonly socket: Socket;
  readonly events: () => { readonly event: string; readonly data: Record<string, unknown> }[];
}

describe('the event stream', () => {
  let control: FakeControl;
  let clock: ManualClock;
  let hub: EventHub;
  let server: Server;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    control = fakeControl();
    clock = manualClock();
    hub = createEventHub(control, createStatusSnapshot(control, clock), clock);
    server = createServer(({ url = '' }, response) => {
      response.writeHead(hub.isFull(url) ? 503 : 200);
      hub.add(response, url);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    hub.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const listen = async (peer = '/own'): Promise<Listening> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.write(`GET ${peer} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await eventually(() => text.includes('event: status'));
    return {
      socket,
      events: () =>
        [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, event = '', data = '']) => ({
          event,
          data: JSON.parse(data) as Record<string, unknown>,
        })),
    };
  };
  const names = ({ events }: Listening) => events().map(({ event }) => event);

  it('begins with the status and goes on with what happens', async () => {
    const page = await listen();
    control.happen({ path: 'a\nb.pdf' });
    control.change({ state: 'working' });
    await clock.advance(250);
    await eventually(() => page.events().length === 3);
    expect(names(page)).toEqual(['status', 'activity', 'status']);
    expect(page.events()[1]?.data).toMatchObject({ path: 'a\nb.pdf', what: 'uploaded' });
    expect(page.events()[2]?.data).toMatchObject({ state: 'working', headline: expect.any(String) });
  });

  it('sends at most four statuses a second, and the last one always', async () => {
    const page = await listen();
    for (let change = 1; change <= 1000; change += 1) {
      control.change({ pid: change });
      if (change % 10 === 0) await clock.advance(10);
    }
    await clock.advance(1000);
    await eventually(() => page.events().at(-1)?.data['pid'] === 1000);
    expect(page.events().length).toBeLessThanOrEqual(8);
  });

  it('keeps only the newest hundred of a burst of activities', async () => {
    const page = await listen();
    await clock.advance(300);
    for (let index = 0; index < 5000; index += 1) control.happen({ path: `${index}.pdf` });
    await clock.advance(250);
    await eventually(() => page.events().at(-1)?.data['path'] === '4999.pdf');
    expect(names(page).filter((name) => name === 'activity')).toHaveLength(100);
  });

  it('notices what changes by itself, is silent otherwise, and shows a sign of life', async () => {
    const page = await listen();
    await clock.advance(14_000);
    expect(names(page)).toEqual(['status']);
    await clock.advance(1500);
    await eventually(() => names(page).includes('heartbeat'));
    expect(names(page)).toEqual(['status', 'heartbeat']);
  });

  it('keeps no place for a client that left before it was let in', async () => {
    const left = new Promise<void>((resolve) => {
      server.removeAllListeners('request');
      server.on('request', (_request, response) => {
        response.once('close', () => {
          hub.add(response, '/own');
          resolve();
        });
      });
    });
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => server.once('request', resolve));
    socket.destroy();
    await left;
    expect([hub.listeners(), control.listeners()]).toEqual([0, 0]);
  });

  it('gives each peer a share: the one with the most gives way to one with less, and to nobody else', async () => {
    const others: Listening[] = [];
    for (let index = 0; index < 64; index += 1) others.push(await listen('/others'));
    expect([hub.isFull('/others'), hub.isFull('/own')]).toEqual([true, false]);
    const ended = new Promise((resolve) => void others[0]?.socket.once('close', resolve));
    const own = await listen('/own');
    await ended;
    await eventually(() => hub.listeners() === 64);
    control.change({ pid: 7 });
    await clock.advance(250);
    await eventually(() => [own, others[1]].every((page) => page?.events().at(-1)?.data['pid'] === 7));
    for (let index = 1; index < 32; index += 1) await listen('/own');
    await eventually(() => hub.listeners() === 64);
    expect([hub.isFull('/others'), hub.isFull('/own'), hub.isFull('/third')]).toEqual([true, true, false]);
  });

  it('serves several at once and costs nothing once all are gone', async () => {
    const [first, second] = [await listen(), await listen()];
    control.change({ pid: 7 });
    await clock.advance(250);
    await eventually(() => [first, second].every((page) => page.events().at(-1)?.data['pid'] === 7));
    expect(control.listeners()).toBe(2);
    first.socket.destroy();
    second.socket.destroy();
    await eventually(() => hub.listeners() === 0);
    expect(control.listeners()).toBe(0);
  });

  it('keeps one status for a listener that does not read, and drops it in the end', async () => {
    const page = await listen();
    page.socket.pause();
    const skipped: SkipStatus[] = Array.from({ length: 1000 }, (_, index) => ({
      folder: 'inbox',
      path: `${index}.tmp`,
      code: 'unsupported-type',
      message: 'x'.repeat(1000),
    }));
    for (let pid = 1; pid <= 40; pid += 1) {
      control.change({ pid, skipped });
      await clock.advance(250);
    }
    expect(hub.listeners()).toBe(1);
    await clock.advance(45_000);
    await eventually(() => hub.listeners() === 0);
  });

  it('ends the streams when it is closed', async () => {
    const page = await listen();
    const ended = new Promise((resolve) => void page.socket.once('end', resolve));
    hub.close();
    server.closeIdleConnections();
    await eventually(() => hub.listeners() === 0);
    page.socket.end();
    await ended.catch(() => undefined);
    expect(control.listeners()).toBe(0);
  });
});
