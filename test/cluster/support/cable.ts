import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A way to a port of this machine that can be cut: what is on it then goes nowhere, as on a cable that is pulled. */
export interface Cable {
  readonly port: number;
  /** Nothing passes any more, and nobody is told. */
  readonly cut: () => void;
  /** New connections pass again; the old ones are reset. */
  readonly join: () => void;
  /**
   * What comes on the connections there are waits, as in a network that loses packets, until the function it gives is
   * called; new connections pass.
   */
  readonly hold: () => () => void;
  readonly remove: () => Promise<void>;
}

export async function cableTo(port: number): Promise<Cable> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const held = new Map<Socket, Buffer[]>();
  let isCut = false;
  const server = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    const pair = [near, far] as const;
    pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => {
        const waiting = held.get(to);
        if (waiting !== undefined) waiting.push(chunk);
        else if (!isCut) to.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        if (held.has(to)) return;
        pairs.delete(pair);
        if (!isCut) to.destroy();
      });
    };
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const resetAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut: () => {
      isCut = true;
    },
    join: () => {
      isCut = false;
      resetAll();
    },
    hold: () => {
      for (const [, far] of pairs) held.set(far, []);
      return () => {
        for (const [far, chunks] of held) for (const chunk of chunks) far.write(chunk);
        held.clear();
      };
    },
    remove: async () => {
      resetAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
