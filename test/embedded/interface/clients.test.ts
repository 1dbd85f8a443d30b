import { describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';

import { prefix, trialOfEachTest } from '../support/trial.ts';

const envelopeSchema = z.object({
  error: z.object({ message: z.string() }).nullable(),
  success: z.object({ docId: z.string() }).nullable(),
});

const trial = trialOfEachTest();

const operation = (path: string) => `${trial.service.ingestUrl}${prefix}${path}`;

describe('oauth4webapi', () => {
  it('obtains, uses and renews a token (interface 4.1, 5)', async () => {
    const { authUrl, credentials } = trial.service;
    const { clientId, clientSecret, username, password, apiKey } = credentials;
    const server = { issuer: authUrl, token_endpoint: `${authUrl}/auth` };
    const client = { client_id: clientId };
    const secret = oauth.ClientSecretPost(clientSecret);
    const options = { headers: { 'x-api-key': apiKey }, [oauth.allowInsecureRequests]: true };
    const first = await oauth.processGenericTokenEndpointResponse(
      server,
      client,
      await oauth.genericTokenEndpointRequest(
        server,
        client,
        secret,
        'password',
        { username, password },
        options,
      ),
    );
    expect([first.token_type, first.expires_in]).toEqual(['bearer', 1800]);
    const second = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, secret, first.refresh_token ?? '', options),
    );
    const answer = await oauth.protectedResourceRequest(
      second.access_token,
      'DELETE',
      new URL(operation('/delete-document/unknown')),
      new Headers({ ClientId: clientId }),
      null,
      { [oauth.allowInsecureRequests]: true },
    );
    expect([answer.status, envelopeSchema.parse(await answer.json()).success]).toEqual([404, null]);
  });

  it('reads the errors of the token endpoint and the challenge of a 401 (interface 7.1)', async () => {
    const { authUrl, credentials } = trial.service;
    const server = { issuer: authUrl, token_endpoint: `${authUrl}/auth` };
    const client = { client_id: credentials.clientId };
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(credentials.clientSecret),
      'unknown',
      { headers: { 'x-api-key': credentials.apiKey }, [oauth.allowInsecureRequests]: true },
    );
    await expect(oauth.processRefreshTokenResponse(server, client, response)).rejects.toMatchObject({
      status: 401,
    });
  });
});
