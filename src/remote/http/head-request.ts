import { request as requestHttp } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';

import { createAgents } from './agents.ts';
import { onProxyFault } from './watch-connection.ts';

/**
 * Asks an address for nothing, as ingestd would connect to it: `HEAD`, and no credentials. Gives the headers of whatever
 * answers; rejects where nothing does, with ConfigurationError for an invalid proxy.
 */
export async function requestHead(address: string, withinMs: number): Promise<IncomingHttpHeaders> {
  const agents = createAgents(address);
  const isSecure = address.startsWith('https:');
  return new Promise<IncomingHttpHeaders>((resolve, reject) => {
    const call = (isSecure ? requestHttps : requestHttp)(address, {
      method: 'HEAD',
      agent: isSecure ? agents.https : agents.http,
      signal: AbortSignal.timeout(withinMs),
    });
    call.on('response', (response) => {
      resolve(response.headers);
      // got would wait for the end, and fail where a service sends a body, against the rules.
      response.destroy();
    });
    onProxyFault(call, (code) => call.destroy(Object.assign(new Error(code), { code })));
    call.on('error', reject);
    call.end();
  }).finally(agents.close);
}
