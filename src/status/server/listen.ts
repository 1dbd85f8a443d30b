import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { ListenOptions } from 'node:net';
import type { Duplex } from 'node:stream';

import { backlog, closeInTime, createLimitedServer, unreadableAnswer } from '../../lib/server/http-server.ts';
import type { ServerLimits } from '../../lib/server/http-server.ts';
import { errorCode } from '../../model/errors.ts';
import { securityHeaders } from './answers.ts';

/** Something that listens. */
export interface Listener {
  /** 0 for a socket. */
  readonly port: number;
  /** Takes no more connections, gives answers under way a moment, then cuts the rest. */
  readonly close: () => Promise<void>;
}

/** Time for answers that are under way when the listener closes. */
const closeGraceMs = 1000;

/** Listens on a TCP address or on a Unix socket. Rejects with Node's error where it cannot be had. */
export async function listen(
  where: ListenOptions,
  handle: RequestListener,
  limits: Partial<ServerLimits>,
): Promise<Listener> {
  const server = createLimitedServer(handle, limits);
  server.on('clientError', answerClientError);
  server.listen({ ...where, backlog });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => closeInTime(server, closeGraceMs, () => new Promise((resolve) => server.close(resolve))),
  };
}

/** Bytes that are not HTTP reach no route: they are answered here, with the usual headers. */
function answerClientError(error: Error, socket: Duplex): void {
  if (!socket.writable || errorCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.end(unreadableAnswer(errorCode(error), securityHeaders));
}
