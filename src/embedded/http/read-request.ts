import type { IncomingHttpHeaders } from 'node:http';

import { RefusalError } from './answers.ts';

/** A header that was sent exactly as such; undefined where it is missing or empty. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The x-api-key header. Throws RefusalError 400 when it is missing. */
export function requireApiKey(headers: IncomingHttpHeaders): string {
  const apiKey = headerOf(headers, 'x-api-key');
  if (apiKey === undefined) throw new RefusalError(400, 'the header x-api-key is missing');
  return apiKey;
}

/** Interface 7.1: everything else was right, but the key is not active here. */
export function inactiveApiKey(): RefusalError {
  return new RefusalError(403, 'the API key is not active', { code: 'access_denied' });
}

/** The media type of a Content-Type header without its parameters, in small letters; empty where there is none. */
export function essenceOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1).join('').trim().toLowerCase();
}

/** The token of an Authorization header. Throws RefusalError 401 for any other shape. */
export function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1];
  if (token === undefined) {
    throw new RefusalError(401, 'the Authorization header must be: Bearer <access token>', {
      code: 'invalid_token',
    });
  }
  return token;
}

/** The text of bytes that have to be UTF-8. Throws RefusalError 400, which names them: `the body`. */
export function utf8Of(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RefusalError(400, `${what} is not UTF-8`);
  }
}
