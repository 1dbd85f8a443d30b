import { RefusalError } from './refusal-error.ts';

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
