import type { IncomingHttpHeaders } from 'node:http';

import type { AuthContext } from './auth-context.ts';
import { RefusalError, tooMany } from '../http/refusal-error.ts';
import { inactiveApiKey, mediaTypeOf, requireApiKey } from '../http/request-headers.ts';
import { sameSecret } from '../../lib/server/same-secret.ts';

/** Interface 2.1. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
}

type Grant =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'refresh_token'; readonly refreshToken: string };

/** Answers `POST /auth`, interface 4.1. Throws RefusalError with the statuses of 7.1. */
export async function grantToken(
  context: AuthContext,
  request: { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array },
): Promise<TokenAnswer> {
  const waitMs = context.authWindow.take();
  if (waitMs !== null) throw tooMany('too many authentication requests', waitMs);
  const apiKey = requireApiKey(request.headers);
  if (mediaTypeOf(request.headers['content-type']) !== 'application/x-www-form-urlencoded') {
    throw new RefusalError(400, 'the body must be application/x-www-form-urlencoded');
  }
  const parameters = readFormParameters(request.body);
  const grant = readGrant(parameters);
  const clientId = requireParameter(parameters, 'client_id');
  const clientSecret = requireParameter(parameters, 'client_secret');

  const { credentials, userId } = context.identity;
  const known = [
    sameSecret(clientId, credentials.clientId),
    sameSecret(clientSecret, credentials.clientSecret),
  ];
  if (known.includes(false)) throw new RefusalError(401, 'unknown client', { code: 'invalid_client' });
  if (!isGood(grant, context)) throw new RefusalError(401, refusalOf(grant), { code: 'invalid_grant' });
  if (!sameSecret(apiKey, credentials.apiKey)) throw inactiveApiKey();

  return {
    access_token: await context.accessTokens.issue({ userId, clientId }),
    refresh_token: await context.tokenStore.issueRefreshToken(),
    token_type: 'Bearer',
    expires_in: context.accessTokenSeconds,
  };
}

function readGrant(parameters: ReadonlyMap<string, string>): Grant {
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

function refuseForeign(
  parameters: ReadonlyMap<string, string>,
  names: readonly string[],
  kind: string,
): void {
  for (const name of names) {
    if (parameters.has(name)) throw new RefusalError(400, `${name} does not go with grant_type ${kind}`);
  }
}

function isGood(grant: Grant, { identity: { credentials }, tokenStore }: AuthContext): boolean {
  if (grant.kind === 'refresh_token') return tokenStore.hasRefreshToken(grant.refreshToken);
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
function readFormParameters(body: Uint8Array): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of decode(body).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw new RefusalError(400, `the parameter ${quote(name)} is repeated`);
    parameters.set(name, equals < 0 ? '' : unescape(pair.slice(equals + 1)));
  }
  return parameters;
}

/** One parameter that has to be there. Throws RefusalError 400 when it is missing or empty. */
function requireParameter(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value === undefined || value === '') throw new RefusalError(400, `the parameter ${name} is missing`);
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new RefusalError(400, 'the body is not UTF-8');
  }
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new RefusalError(400, 'the body is not form-urlencoded: a percent sign begins no valid escape');
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
