import type { IncomingHttpHeaders } from 'node:http';

import { got } from 'got';

import { createAgents } from './agents.ts';

/**
 * Asks an address for nothing, as ingestd would connect to it: `HEAD`, and no credentials. Gives the headers of whatever
 * answers; rejects where nothing does, with ConfigurationError for an invalid proxy.
 */
export async function requestHead(address: string, withinMs: number): Promise<IncomingHttpHeaders> {
  const agents = createAgents(address);
  const { headers } = await got
    .head(address, {
      agent: { http: agents.http, https: agents.https },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      timeout: { request: withinMs },
    })
    .finally(agents.close);
  return headers;
}
