import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

import { createAgents } from './agents.ts';

/**
 * Asks an address for nothing, as ingestd would connect to it: `HEAD`, and no credentials. Rejects where it does not
 * answer, with ConfigurationError for an invalid proxy.
 */
export async function requestHead<T>(
  address: string,
  withinMs: number,
  read: (response: IncomingMessage) => T,
): Promise<T> {
  const agents = createAgents(address);
  const isSecure = address.startsWith('https:');
  return new Promise<T>((resolve, reject) => {
    const call = (isSecure ? requestHttps : requestHttp)(address, {
      method: 'HEAD',
      agent: isSecure ? agents.https : agents.http,
      signal: AbortSignal.timeout(withinMs),
    });
    call.on('response', (response) => {
      resolve(read(response));
      response.destroy();
    });
    call.on('error', reject);
    call.end();
  }).finally(agents.close);
}
