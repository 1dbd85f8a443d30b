import type { Clock } from '../../lib/time/clock.ts';
import { createAgents } from './agents.ts';
import { describeFault } from './describe-fault.ts';
import { sendHttpRequest } from './send-http-request.ts';

/**
 * Says whether a connection to an address comes about within `ms`, as a request would have it: by way of the proxy of the
 * environment, and encrypted where it is to be. Nothing is sent over it. A certificate that is not trusted is an answer too.
 */
export async function canConnect(address: string, ms: number, clock: Clock): Promise<boolean> {
  let isConnected = false;
  const stillFollows = async () => {
    isConnected = true;
    return false;
  };
  const agents = createAgents(address);
  const waits = { connectMs: ms, idleMs: ms, responseMs: ms, slowestBytesPerMs: 1 };
  const { signal } = new AbortController();
  const result = await sendHttpRequest(
    { method: 'HEAD', url: address, headers: {}, body: null, stillFollows },
    { agents, clock, waits, signal },
  ).finally(agents.close);
  return isConnected || (result.kind === 'fault' && describeFault(result.code).code === 'tls');
}
