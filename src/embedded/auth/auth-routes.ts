import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { FastifyInstance } from 'fastify';
import * as z from 'zod';

import { orNull } from '../../lib/or-null.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';
import { RefusalError } from '../http/answers.ts';
import { bearerToken, essenceOf, headerOf, readBody, utf8Of } from '../http/read-request.ts';
import type { Identity } from './identity.ts';
import type { AccessClaims, Tokens } from './tokens.ts';

const maxBodyBytes = 16 * 1024;

/** The token endpoints, interface 4.1 and 4.2, with OAuth's error bodies. */
export async function addAuthRoutes(app: FastifyInstance, context: AuthContext): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });
  app.post('/auth', async ({ raw }) => {
    const isActive = sameSecret(requireHeader(raw.headers, 'x-api-key'), context.identity.credentials.apiKey);
    if (isActive) context.countRequest();
    return grantToken(context, raw, isActive);
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
  /** Of those with the right API key: those of others take nothing from its limit. Throws RefusalError 429. */
  readonly countRequest: () => void;
}

const required = z.string().min(1);
const none = z.never().optional();
const client = { client_id: required, client_secret: required };
const password = { grant_type: z.literal('password'), username: required, password: required };
const refresh = { grant_type: z.literal('refresh_token'), refresh_token: required };

/** Interface 4.1: what belongs to the other grant is not allowed. Parameters that it does not name mean nothing. */
const grantSchema = z.discriminatedUnion('grant_type', [
  z.object({ ...client, ...password, refresh_token: none }),
  z.object({ ...client, ...refresh, username: none, password: none }),
]);

type Grant = z.infer<typeof grantSchema>;

/** Answers `POST /auth`, interface 4.1; `isActive`: its API key is right. Throws RefusalError with a status of 7.1. */
async function grantToken(context: AuthContext, request: IncomingMessage, isActive: boolean) {
  const { headers } = request;
  const { credentials, userId } = context.identity;
  if (essenceOf(headers['content-type']) !== 'application/x-www-form-urlencoded') {
    throw new RefusalError(400, 'the body must be application/x-www-form-urlencoded');
  }
  const grant = readGrant(await readBody(request, maxBodyBytes));
  const clientId = grant.client_id;
  const known = [
    sameSecret(clientId, credentials.clientId),
    sameSecret(grant.client_secret, credentials.clientSecret),
  ];
  if (known.includes(false)) throw new RefusalError(401, 'unknown client', { code: 'invalid_client' });
  if (!isGood(grant, context)) {
    const why =
      grant.grant_type === 'password'
        ? 'wrong user name or password'
        : 'the refresh token is not valid or has expired';
    throw new RefusalError(401, why, { code: 'invalid_grant' });
  }
  if (!isActive) throw inactiveApiKey();

  return context.tokens.issue({ userId, clientId });
}

/** Throws RefusalError 400. */
function readGrant(body: Uint8Array): Grant {
  const parsed = grantSchema.safeParse(Object.fromEntries(readFormParameters(body)));
  if (parsed.success) return parsed.data;
  const name = String(parsed.error.issues[0]?.path[0]);
  if (name !== 'grant_type')
    throw new RefusalError(400, `the parameter ${name} is missing, or does not go with this grant_type`);
  const code = 'unsupported_grant_type';
  throw new RefusalError(400, 'grant_type must be password or refresh_token', { code });
}

function isGood(grant: Grant, { identity: { credentials }, tokens }: AuthContext): boolean {
  if (grant.grant_type === 'refresh_token') return tokens.hasRefreshToken(grant.refresh_token);
  // Both are compared in any case, so that the time does not tell which one was wrong.
  const right = [
    sameSecret(grant.username, credentials.username),
    sameSecret(grant.password, credentials.password),
  ];
  return !right.includes(false);
}

/** Reads an `application/x-www-form-urlencoded` body, no parameter twice. Throws RefusalError 400, interface 7.1. */
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

const bodySchema = z.strictObject({ revokeRefreshTokens: z.boolean().default(false) });

/** Answers `POST /auth/token/revoke`, interface 4.2. Throws RefusalError, 7.2. */
async function revokeToken(context: AuthContext, request: IncomingMessage): Promise<void> {
  const { headers } = request;
  const claims = await identify(context, headers);
  const isJson = essenceOf(headers['content-type']) === 'application/json';
  const body = await readBody(request, maxBodyBytes);
  // Interface 7.2: a body of another type is answered with 200, and nothing is revoked.
  if (!isJson && body.length > 0) return;
  context.tokens.revoke(claims, { refreshTokens: isJson && asksForAll(body) });
}

/** A header, named as the interface does. Throws RefusalError 400 when it is missing. */
function requireHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headerOf(headers, name.toLowerCase());
  if (value === undefined) throw new RefusalError(400, `the header ${name} is missing`);
  return value;
}

/** Interface 7.1: everything else was right, but the key is not active here. */
function inactiveApiKey(): RefusalError {
  return new RefusalError(403, 'the API key is not active', { code: 'access_denied' });
}

async function identify(context: AuthContext, headers: IncomingHttpHeaders): Promise<AccessClaims> {
  const apiKey = requireHeader(headers, 'x-api-key');
  const authorization = requireHeader(headers, 'Authorization');
  const clientId = requireHeader(headers, 'clientid');
  const claims = await context.tokens.read(bearerToken(authorization));
  if (!sameSecret(clientId, claims.clientId))
    throw new RefusalError(401, 'the access token belongs to another client');
  if (!sameSecret(apiKey, context.identity.credentials.apiKey)) throw inactiveApiKey();
  return claims;
}

function asksForAll(body: Uint8Array): boolean {
  const parsed = orNull(() => bodySchema.parse(JSON.parse(utf8Of(body, 'the body'))));
  if (parsed !== null) return parsed.revokeRefreshTokens;
  const message = 'the body must be a JSON object with at most revokeRefreshTokens, true or false';
  throw new RefusalError(400, message);
}
