import type { IncomingHttpHeaders } from 'node:http';

import { sameSecret } from './same-secret.ts';

/** The `WWW-Authenticate` of an answer with 401: a browser then asks for a user name, which may be any, and the token. */
export const tokenChallenge = 'Basic realm="ingestd", charset="UTF-8"';

/**
 * Says whether a request brings the token: as the password of HTTP Basic, as browsers send it, under any user name; or
 * as a bearer token, as programs do.
 */
export function bringsToken({ authorization }: IncomingHttpHeaders, token: string): boolean {
  const given = tokenOf(authorization ?? '');
  return given !== null && sameSecret(given, token);
}

/** Null: the header has another scheme, or is malformed. */
function tokenOf(authorization: string): string | null {
  const [, scheme = '', value = ''] = /^(Basic|Bearer) +(\S+)$/i.exec(authorization) ?? [];
  if (value === '') return null;
  if (scheme.toLowerCase() === 'bearer') return value;
  const pair = Buffer.from(value, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1);
}
