import { randomUUID } from 'node:crypto';

import { jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';

import type { Clock } from '../../lib/time/clock.ts';
import { RefusalError } from '../http/answers.ts';

const issuer = 'embedded-ingestion-service';
const algorithm = 'HS256';

const claimsSchema = z.object({
  jti: z.string().min(1),
  exp: z.number(),
  clientId: z.string(),
  userId: z.string().min(1).optional(),
});

/** The claims of a token whose signature and time have been checked. */
export interface AccessClaims {
  readonly id: string;
  readonly userId: string | null;
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Signs and reads access tokens, interface 2.1 and section 5. Knows nothing of revocation. */
export interface AccessTokens {
  readonly issue: (bearer: { readonly userId: string; readonly clientId: string }) => Promise<string>;
  /** Throws RefusalError 401 for a token that is foreign, altered or expired. */
  readonly read: (token: string) => Promise<AccessClaims>;
}

/** HS256 with one key: only this service reads its tokens. */
export function createAccessTokens({
  signingKey,
  clock,
  seconds,
}: {
  readonly signingKey: Uint8Array;
  readonly clock: Clock;
  readonly seconds: number;
}): AccessTokens {
  return {
    issue: ({ userId, clientId }) => {
      const now = Math.floor(clock.now() / 1000);
      return new SignJWT({ userId, clientId })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(signingKey);
    },
    read: async (token) => {
      const payload = await verify(token, signingKey, new Date(clock.now()));
      const claims = claimsSchema.safeParse(payload);
      if (!claims.success) throw refuse();
      const { jti, exp, clientId, userId } = claims.data;
      return { id: jti, userId: userId ?? null, clientId, expiresAt: exp * 1000 };
    },
  };
}

async function verify(token: string, key: Uint8Array, currentDate: Date): Promise<unknown> {
  try {
    return (await jwtVerify(token, key, { algorithms: [algorithm], issuer, currentDate })).payload;
  } catch {
    throw refuse();
  }
}

function refuse(): RefusalError {
  return new RefusalError(401, 'the access token is not valid or has expired', { code: 'invalid_token' });
}
