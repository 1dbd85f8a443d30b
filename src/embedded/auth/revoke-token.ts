import type { IncomingHttpHeaders } from 'node:http';

import * as z from 'zod';

import type { AccessClaims } from './access-tokens.ts';
import type { AuthContext } from './auth-context.ts';
import { RefusalError } from '../http/refusal-error.ts';
import {
  bearerToken,
  headerOf,
  inactiveApiKey,
  mediaTypeOf,
  requireApiKey,
} from '../http/request-headers.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';

const bodySchema = z.strictObject({ revokeRefreshTokens: z.boolean().default(false) });

/** What the body asks for; `nothing`: a body in another encoding, which interface 7.2 answers with 200 and no effect. */
type Demand = 'nothing' | 'access-token' | 'all';

/** Answers `POST /auth/token/revoke`, interface 4.2. Durable when it returns. Throws RefusalError, 7.2. */
export async function revokeToken(
  context: AuthContext,
  request: { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array },
): Promise<void> {
  const claims = await identify(context, request.headers);
  const demand = readDemand(mediaTypeOf(request.headers['content-type']), request.body);
  if (demand === 'nothing') return;
  if (demand === 'all' && claims.userId === null) {
    throw new RefusalError(401, 'the access token names no user whose refresh tokens could be revoked', {
      code: 'invalid_token',
    });
  }
  await context.tokenStore.revoke(claims.id, claims.expiresAt, { refreshTokens: demand === 'all' });
}

async function identify(context: AuthContext, headers: IncomingHttpHeaders): Promise<AccessClaims> {
  const apiKey = requireApiKey(headers);
  const authorization = headerOf(headers, 'authorization');
  const clientId = headerOf(headers, 'clientid');
  if (authorization === undefined) throw new RefusalError(400, 'the header Authorization is missing');
  if (clientId === undefined) throw new RefusalError(400, 'the header clientid is missing');
  const claims = await context.accessTokens.read(bearerToken(authorization));
  if (!sameSecret(clientId, claims.clientId)) {
    throw new RefusalError(401, 'the access token belongs to another client', { code: 'invalid_token' });
  }
  if (!sameSecret(apiKey, context.identity.credentials.apiKey)) throw inactiveApiKey();
  return claims;
}

function readDemand(mediaType: string, body: Uint8Array): Demand {
  if (mediaType !== 'application/json') return body.length === 0 ? 'access-token' : 'nothing';
  const parsed = bodySchema.safeParse(parseJson(body));
  if (!parsed.success) {
    throw new RefusalError(
      400,
      'the body must be a JSON object with at most revokeRefreshTokens, true or false',
    );
  }
  return parsed.data.revokeRefreshTokens ? 'all' : 'access-token';
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
