import type { IncomingHttpHeaders } from 'node:http';

import type { AuthContext } from './auth-context.ts';
import { RefusalError } from '../http/refusal-error.ts';
import { bearerToken, headerOf } from '../http/request-headers.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';

/** Lets an ingestion call pass whose token stands and belongs to the client it names. Throws RefusalError, interface 5.4: 401, 403 for another client. */
export async function authoriseIngestion(context: AuthContext, headers: IncomingHttpHeaders): Promise<void> {
  const claims = await context.accessTokens.read(bearerToken(headers.authorization));
  if (context.tokenStore.isRevoked(claims.id)) throw refuse('the access token was revoked');
  if (claims.userId !== context.identity.userId)
    throw refuse('the access token names no user of this service');
  const clientId = headerOf(headers, 'clientid');
  if (clientId === undefined) throw refuse('the header ClientId is missing');
  if (!sameSecret(clientId, claims.clientId)) {
    throw new RefusalError(403, 'the header ClientId names another client than the access token');
  }
}

function refuse(message: string): RefusalError {
  return new RefusalError(401, message, { code: 'invalid_token' });
}
