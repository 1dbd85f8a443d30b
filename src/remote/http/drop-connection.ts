import type { Socket } from 'node:net';

/** Node's own part of a socket, as far as it is used here. */
interface Handle {
  close?: (done: () => void) => void;
  readonly reset?: (done: () => void) => number;
}

/**
 * Closes a connection, and drops what the operating system has not sent yet: closed in good manners, it would go on for
 * minutes, and arrive when a network that was cut is whole again, after what was sent since.
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
