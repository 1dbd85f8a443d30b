import { createServer } from 'node:net';

import { eventually } from './eventually.ts';

/** Below those that the system gives to connections, which would take it again before somebody listens there. */
const first = 12_000;
const beyond = 32_000;

/** A port of this machine that nobody listens on now. */
export function freePort(): Promise<number> {
  return eventually(async () => {
    const port = first + Math.floor(Math.random() * (beyond - first));
    await new Promise<void>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
    });
    return port;
  });
}
