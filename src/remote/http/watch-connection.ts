import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../../lib/time/clock.ts';
import type { ServiceSettings } from '../../model/settings.ts';

/** The slowest connection that is waited for, where no bandwidth is set. */
const slowestBytesPerMs = 16;

/** How long each phase of a request may take, ms. */
export interface Waits {
  /** Name, connection, TLS. */
  readonly connectMs: number;
  /** While sending, without a byte either way. */
  readonly idleMs: number;
  /** From the last byte sent to the last byte of the answer. */
  readonly responseMs: number;
  /** The minimum speed of a whole request. */
  readonly slowestBytesPerMs: number;
}

/** The settings' seconds as milliseconds. `bytesPerMs`: the bandwidth that a request may use; half of it will do. */
export function waitsOf(
  settings: Pick<ServiceSettings, 'connectSeconds' | 'idleSeconds' | 'responseSeconds'>,
  bytesPerMs = Infinity,
): Waits {
  return {
    connectMs: settings.connectSeconds * 1000,
    idleMs: settings.idleSeconds * 1000,
    responseMs: settings.responseSeconds * 1000,
    slowestBytesPerMs: Math.min(slowestBytesPerMs, bytesPerMs / 2),
  };
}

interface ConnectionWatchOptions {
  readonly clock: Clock;
  readonly waits: Waits;
  /** Of the body. */
  readonly bytes: number;
  /** Connected, and not a byte has gone out. It begins when this resolves to true. */
  readonly mayBegin: () => Promise<boolean>;
  /** The operating system has taken the last byte: from now on the service may have it all. */
  readonly onFinished: () => void;
  readonly onFault: (code: string) => void;
}

/** Follows one request through its phases and ends each that takes too long. */
export function watchConnection(options: ConnectionWatchOptions) {
  const { clock, waits, bytes, mayBegin, onFinished, onFault } = options;
  let socket: Socket | null = null;
  let begun = false;
  let responding = false;
  const wholeMs = waits.connectMs + waits.idleMs + waits.responseMs + bytes / waits.slowestBytesPerMs;
  const cancelWhole = clock.after(wholeMs, () => onFault('request-timeout'));
  let cancelPhase = clock.after(waits.connectMs, () => onFault('connect-timeout'));

  return {
    follow: (request: ClientRequest) => {
      request.once('socket', (taken) => {
        socket = taken;
        // What is written meanwhile stays in the process.
        taken.cork();
        whenConnected(taken, () => void begin(taken));
      });
      request.once('finish', () => {
        // Node reports this for a connection that was never established, too.
        if (!begun) return;
        onFinished();
        awaitAnswer();
      });
      // A proxy's answer to CONNECT does not come from the service.
      request.once('proxyConnect', ({ statusCode }: IncomingMessage) => {
        if (statusCode !== 200) onFault(statusCode === 407 ? 'proxy-authentication' : 'proxy-refused');
      });
    },
    /** The headers of the answer are here: nothing needs to be sent any more. */
    answered: awaitAnswer,
    /** Drops the connection with everything that has not gone out yet. */
    reset: () => {
      if (socket !== null) dropConnection(socket);
    },
    close: () => {
      cancelWhole();
      cancelPhase();
      socket?.setTimeout(0);
    },
  };

  async function begin(connected: Socket): Promise<void> {
    cancelPhase();
    cancelPhase = clock.after(waits.connectMs, () => onFault('withdrawn'));
    if (!(await mayBegin()) || connected.destroyed) return;
    cancelPhase();
    begun = true;
    // The socket's own timer knows of bytes that leave in the middle of a large write; counting chunks would not.
    connected.setTimeout(waits.idleMs, () => onFault('idle-timeout'));
    connected.uncork();
  }

  function awaitAnswer(): void {
    if (responding) return;
    responding = true;
    socket?.setTimeout(0);
    cancelPhase();
    cancelPhase = clock.after(waits.responseMs, () => onFault('response-timeout'));
  }
}

/** Calls when the connection is complete, TLS included: the first byte of a request is sent after it. */
function whenConnected(socket: Socket, call: () => void): void {
  if ('secureConnecting' in socket && socket.secureConnecting === true) socket.once('secureConnect', call);
  else if (socket.connecting) socket.once('connect', call);
  else call();
}

/** Node's own part of a socket, as far as it is used here. */
interface Handle {
  close?: (done: () => void) => void;
  readonly reset?: (done: () => void) => number;
}

/**
 * Closes a connection, and drops what the operating system has not sent yet: closed in the usual way, it would go on
 * for minutes, and arrive when a network that was cut is whole again, after what was sent since.
 */
export function dropConnection(socket: Socket): void {
  if (!('encrypted' in socket)) {
    socket.resetAndDestroy();
    return;
  }
  // Node resets no encrypted connection. What lies below it can, in the place of closing.
  const below = partOf(partOf(socket, '_handle'), '_parent') as Handle | undefined;
  const { close, reset } = below ?? {};
  if (below !== undefined && close !== undefined && reset !== undefined) {
    below.close = (done) => {
      if (reset.call(below, done) !== 0) close.call(below, done);
    };
  }
  socket.destroy();
}

function partOf(whole: unknown, name: string): unknown {
  return typeof whole === 'object' && whole !== null ? (Reflect.get(whole, name) as unknown) : undefined;
}
