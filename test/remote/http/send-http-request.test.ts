import { once } from 'node:events';
import { Readable } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { systemClock } from '../../../src/lib/time/clock.ts';
import type { PermitGuard } from '../../../src/model/ports/service-port.ts';
import { createAgents } from '../../../src/remote/http/agents.ts';
import { sendHttpRequest } from '../../../src/remote/http/send-http-request.ts';
import { eventually } from '../../support/eventually.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import type { ArrivingRequest } from '../../support/services/read-request.ts';
import { startScriptedService } from '../../support/services/scripted-service.ts';

const service = ofEachTest(() => startScriptedService());

/** The service reads no body until it is told to; the next request that it gets. */
function paused(): Promise<ArrivingRequest> {
  return new Promise((resolve) => {
    service.always((request) => {
      request.socket.pause();
      resolve(request);
    });
  });
}

const holding: PermitGuard = {
  confirm: async () => {},
  mayBegin: () => true,
  mayGoOn: () => true,
  signal: new AbortController().signal,
};

interface Sending {
  readonly body?: Readable | null;
  readonly bytes?: number;
  readonly signal?: AbortSignal;
  readonly guard?: PermitGuard;
  readonly onBytes?: (bytes: number) => void;
}

function send(url: string, { body = null, bytes = 4, signal, guard, onBytes = () => {} }: Sending = {}) {
  const agents = createAgents('http://127.0.0.1');
  const waits = { connectMs: 5_000, idleMs: 5_000, responseMs: 5_000, slowestBytesPerMs: 16 };
  return sendHttpRequest(
    {
      method: 'POST',
      url,
      headers: {},
      body: body === null ? null : { stream: body, bytes },
      guard,
      onBytes,
    },
    { agents, clock: systemClock, waits, signal: signal ?? new AbortController().signal },
  );
}

describe('a request', () => {
  it.each([
    ['https://service.test/v1?secret=1', 'service.test:443'],
    ['http://service.test', 'service.test:80'],
    ['http://service.test:8080/', 'service.test:8080'],
  ])('to %s after the end sends nothing and names the host alone: %s', async (url, host) => {
    const ended = await send(url, { signal: AbortSignal.abort() });
    expect(ended).toEqual({ kind: 'fault', code: 'stopped', host, sent: 'nothing' });
  });

  it('whose file has failed before the first byte ends with the code of that', async () => {
    const body = Readable.from([Buffer.from('text')], { objectMode: false });
    body.once('error', () => {});
    body.destroy(Object.assign(new Error('cannot be read'), { code: 'unreadable-now' }));
    await new Promise(setImmediate);
    const ended = await send(service.ingestUrl, { body });
    expect(ended).toMatchObject({
      kind: 'fault',
      code: 'unreadable-now',
      message: 'cannot be read',
      sent: 'nothing',
    });
    expect(service.requests).toEqual([]);
  });

  it.each(['signal', 'lapsed'] as const)(
    'does not go out where the permit was lost before it began, though it would hold again (%s)',
    async (lost) => {
      const guard = { ...holding, [lost]: AbortSignal.abort() };
      const body = Readable.from([Buffer.from('text')], { objectMode: false });
      const ended = await send(service.ingestUrl, { body, guard });
      expect(ended).toMatchObject({ kind: 'fault', code: 'permit-lost', sent: 'nothing' });
      expect(service.requests).toEqual([]);
    },
  );

  it('that has lost its permit sends nothing more, not even what it has already written', async () => {
    const arriving = paused();
    const lost = new AbortController();
    const mebibyte = Buffer.alloc(1024 * 1024);
    let pieces = 0;
    const sending = send(service.ingestUrl, {
      body: Readable.from(Array(20).fill(mebibyte), { objectMode: false }),
      bytes: 20 * mebibyte.length,
      guard: {
        ...holding,
        mayGoOn: () => {
          pieces += 1;
          if (pieces === 3) lost.abort();
          return true;
        },
        signal: lost.signal,
      },
    });
    expect(await sending).toMatchObject({ kind: 'fault', code: 'permit-lost', sent: 'part' });
    const { socket, received } = await arriving;
    socket.resume();
    await once(socket, 'close');
    // What the other side had taken before it is there; the megabytes that the operating system still held are not.
    expect(received.bytes()).toBeLessThan(mebibyte.length);
  });

  it('asks for its permit when a piece goes out, not when it is read ahead: a process may freeze in between', async () => {
    const arriving = paused();
    const piece = Buffer.alloc(4_096);
    let isHeld = true;
    let wentOut = 0;
    const sending = send(service.ingestUrl, {
      body: Readable.from(Array(10_000).fill(piece), { objectMode: false }),
      bytes: 10_000 * piece.length,
      onBytes: (bytes) => (wentOut += bytes),
      // As in a process that was frozen: its signal has told it nothing yet.
      guard: { ...holding, mayGoOn: () => isHeld },
    });
    const { socket } = await arriving;
    let before = 0;
    // The other side reads nothing: soon nothing more goes out.
    await eventually(
      () => {
        const isStill = wentOut > 0 && wentOut === before;
        before = wentOut;
        return isStill;
      },
      { everyMs: 100 },
    );
    isHeld = false;
    socket.resume();
    const ended = await sending;
    socket.destroy();
    expect(ended).toMatchObject({ kind: 'fault', code: 'permit-lost', sent: 'part' });
    expect(wentOut).toBe(before);
  });
});
