import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { FastifyInstance } from 'fastify';
import * as z from 'zod';

import { orNull } from '../../lib/or-null.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';
import { RefusalError } from '../http/answers.ts';
import { bearerToken, essenceOf, headerOf, readBody, utf8Of } from '../http/read-request.ts';
import { countRequest, tooMany } from '../http/sliding-window.ts';
import type { SlidingWindow } from '../http/sliding-window.ts';
import type { Identity } from './identity.ts';
import type { AccessClaims, Tokens } from './tokens.ts';

const maxBodyBytes = 16 * 1024;

/** Requests with another API key whose bodies are awaited at once: slow ones must not take all connections. */
const maxStrangers = 32;

/** The token endpoints, interface 4.1 and 4.2, with OAuth's error bodies. */
export async function addAuthRoutes(app: FastifyInstance, context: AuthContext): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });
  let strangers = 0;
  app.post('/auth', async ({ raw }) => {
    const isActive = sameSecret(requireApiKey(raw.headers), context.identity.credentials.apiKey);
    if (isActive) {
      countRequest(context.authWindow, 'authentication requests');
      return grantToken(context, raw, isActive);
    }
    if (strangers >= maxStrangers) throw tooMany('requests with another API key at once', 1000);
    strangers += 1;
    return grantToken(context, raw, isActive).finally(() => (strangers -= 1));
  });
  app.post('/auth/token/revoke', async ({ raw }, reply) => {
    await revokeToken(context, raw);
    return reply.code(200).send();
  });
}

/** What the token endpoints and the check of every ingestion call work with. */
export interface AuthContext {
  readonly identity: Identity;
  readonly tokens: Tokens;
  /** Counts the requests with the right API key: those of others take nothing from it. */
  readonly authWindow: SlidingWindow;
}

type Grant =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'refresh_token'; readonly refreshToken: string };

/**
 * Answers `POST /auth`, interface 4.1; `isActive`: its API key is the right one. Throws RefusalError with the statuses of
 * 7.1.
 */
async function grantToken(context: AuthContext, request: IncomingMessage, isActive: boolean) {
  const { headers } = request;
  const { credentials, userId } = context.identity;
  if (essenceOf(headers['content-type']) !== 'application/x-www-form-urlencoded') {
    throw new RefusalError(400, 'the body must be application/x-www-form-urlencoded');
  }
  const parameters = readFormParameters(await readBody(request, maxBodyBytes));
  const grant = readGrant(parameters);
  const clientId = requireParameter(parameters, 'client_id');
  const clientSecret = requireParameter(parameters, 'client_secret');

  const known = [
    sameSecret(clientId, credentials.clientId),
    sameSecret(clientSecret, credentials.clientSecret),
  ];
  if (known.includes(false)) throw new RefusalError(401, 'unknown client', { code: 'invalid_client' });
  if (!isGood(grant, context)) throw new RefusalError(401, refusalOf(grant), { code: 'invalid_grant' });
  if (!isActive) throw inactiveApiKey();

  return context.tokens.issue({ userId, clientId });
}

function readGrant(parameters: URLSearchParams): Grant {
  const kind = requireParameter(parameters, 'grant_type');
  switch (kind) {
    case 'password':
      refuseForeign(parameters, ['refresh_token'], kind);
      return {
        kind,
        username: requireParameter(parameters, 'username'),
        password: requireParameter(parameters, 'password'),
      };
    case 'refresh_token':
      refuseForeign(parameters, ['username', 'password'], kind);
      return { kind, refreshToken: requireParameter(parameters, 'refresh_token') };
    default:
      throw new RefusalError(400, 'grant_type must be password or refresh_token', {
        code: 'unsupported_grant_type',
      });
  }
}

function refuseForeign(parameters: URLSearchParams, names: readonly string[], kind: string): void {
  for (const name of names) {
    if (parameters.has(name)) throw new RefusalError(400, `${name} is not allowed with grant_type ${kind}`);
  }
}

function isGood(grant: Grant, { identity: { credentials }, tokens }: AuthContext): boolean {
  if (grant.kind === 'refresh_token') return tokens.hasRefreshToken(grant.refreshToken);
  // Both are compared in any case, so that the time does not tell which one was wrong.
  const right = [
    sameSecret(grant.username, credentials.username),
    sameSecret(grant.password, credentials.password),
  ];
  return !right.includes(false);
}

function refusalOf(grant: Grant): string {
  return grant.kind === 'password'
    ? 'wrong user name or password'
    : 'the refresh token is not valid or has expired';
}

/**
 * Reads an `application/x-www-form-urlencoded` body, every parameter at most once, none of the wanted empty.
 * Throws RefusalError 400, interface 7.1.
 */
function readFormParameters(body: Uint8Array): URLSearchParams {
  const text = utf8Of(body, 'the body');
  if (orNull(() => decodeURIComponent(text)) === null) {
    throw new RefusalError(400, 'the body is not form-urlencoded: a percent sign begins no valid escape');
  }
  // It would leave out a question mark at the beginning.
  const parameters = new URLSearchParams(`&${text}`);
  const seen = new Set<string>();
  for (const name of parameters.keys()) {
    if (seen.has(name)) {
      throw new RefusalError(400, `the parameter ${JSON.stringify(name.slice(0, 40))} is repeated`);
    }
    seen.add(name);
  }
  return parameters;
}

/** One parameter that has to be there. Throws RefusalError 400 when it is missing or empty. */
function requireParameter(parameters: URLSearchParams, name: string): string {
  const value = parameters.get(name) ?? '';
  if (value === '') throw new RefusalError(400, `the parameter ${name} is missing`);
  return value;
}

const bodySchema = z.strictObject({ revokeRefreshTokens: z.boolean().default(false) });

/**
 * What the body asks for; `nothing`: a body in another encoding, which interface 7.2 answers with 200 and no effect.
 */
type Demand = 'nothing' | 'access-token' | 'all';

/** Answers `POST /auth/token/revoke`, interface 4.2. Durable when it returns. Throws RefusalError, 7.2. */
async function revokeToken(context: AuthContext, request: IncomingMessage): Promise<void> {
  const { headers } = request;
  const claims = await identify(context, headers);
  const demand = readDemand(essenceOf(headers['content-type']), await readBody(request, maxBodyBytes));
  if (demand === 'nothing') return;
  if (demand === 'all' && claims.userId === null) {
    throw new RefusalError(401, 'the access token names no user whose refresh tokens could be revoked', {
      code: 'invalid_token',
    });
  }
  await context.tokens.revoke(claims, { refreshTokens: demand === 'all' });
}

/** The x-api-key header. Throws RefusalError 400 when it is missing. */
function requireApiKey(headers: IncomingHttpHeaders): string {
  const apiKey = headerOf(headers, 'x-api-key');
  if (apiKey === undefined) throw new RefusalError(400, 'the header x-api-key is missing');
  return apiKey;
}

/** Interface 7.1: everything else was right, but the key is not active here. */
function inactiveApiKey(): RefusalError {
  return new RefusalError(403, 'the API key is not active', { code: 'access_denied' });
}

async function identify(context: AuthContext, headers: IncomingHttpHeaders): Promise<AccessClaims> {
  const apiKey = requireApiKey(headers);
  const authorization = headerOf(headers, 'authorization');
  const clientId = headerOf(headers, 'clientid');
  if (authorization === undefined) throw new RefusalError(400, 'the header Authorization is missing');
  if (clientId === undefined) throw new RefusalError(400, 'the header clientid is missing');
  const claims = await context.tokens.read(bearerToken(authorization));
  if (!sameSecret(clientId, claims.clientId)) {
    throw new RefusalError(401, 'the access token belongs to another client', { code: 'invalid_token' });
  }
  if (!sameSecret(apiKey, context.identity.credentials.apiKey)) throw inactiveApiKey();
  return claims;
}

function readDemand(mediaType: string, body: Uint8Array): Demand {
  if (mediaType !== 'application/json') return body.length === 0 ? 'access-token' : 'nothing';
  const parsed = orNull(() => bodySchema.parse(JSON.parse(utf8Of(body, 'the body'))));
  if (parsed === null) {
    throw new RefusalError(
      400,
      'the body must be a JSON object with at most revokeRefreshTokens, true or false',
    );
  }
  return parsed.revokeRefreshTokens ? 'all' : 'access-token';
}
