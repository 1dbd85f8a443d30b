import type { AddressInfo } from 'node:net';

import type { FastifyInstance } from 'fastify';

import { reachableHost } from '../../lib/server/url-host.ts';
import { ConfigurationError, errorCode } from '../../model/errors.ts';

const graceMs = 2000;

/** A server that answers. */
export interface Listening {
  /** Without a slash at the end. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** Tried first; where it is taken, `port` it is. */
  readonly usualPort?: number | undefined;
}

/** Opens the address. Throws ConfigurationError when it is taken or not ours. */
export async function listen(app: FastifyInstance, { host, port, usualPort }: Address): Promise<Listening> {
  try {
    if (usualPort === undefined || !(await opens(app, { host, port: usualPort })))
      await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const code = errorCode(error);
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
    throw new ConfigurationError(
      `the embedded service cannot listen on ${host}:${port} (${code}); choose another port`,
      {
        cause: error,
      },
    );
  }
  const { port: actual } = app.server.address() as AddressInfo;
  return {
    url: `http://${reachableHost(host)}:${actual}`,
    close: async () => {
      // Real time: a connection that hangs must not outlive the process that wants to stop.
      const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
      try {
        await app.close();
      } finally {
        clearTimeout(cut);
      }
    },
  };
}

async function opens(app: FastifyInstance, address: Address): Promise<boolean> {
  try {
    await app.listen(address);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') return false;
    throw error;
  }
}
