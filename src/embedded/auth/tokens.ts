import { randomBytes, randomUUID } from 'node:crypto';

import { jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';

import type { Clock } from '../../lib/time/clock.ts';
import { RefusalError } from '../http/answers.ts';

const issuer = 'embedded-ingestion-service';
/** Only this service reads its tokens. */
const algorithm = 'HS256';
/** Clients that never return must not fill the memory: beyond this many the oldest token is dropped. */
const maxRefreshTokens = 1000;
const refreshTokenMs = 30 * 24 * 60 * 60 * 1000;

const claimsSchema = z.object({
  jti: z.string().min(1),
  exp: z.number(),
  clientId: z.string(),
  userId: z.string().min(1),
});

/** The claims of an access token whose signature and time have been checked. */
export type AccessClaims = z.infer<typeof claimsSchema>;

export type Tokens = ReturnType<typeof createTokens>;

/**
 * The tokens of interface section 5, signed with a key of this run: after a restart of the service a client obtains
 * others, as after any 401. Access tokens live so many seconds, refresh tokens 30 days.
 */
export function createTokens({ seconds, clock }: { readonly seconds: number; readonly clock: Clock }) {
  const signingKey = randomBytes(32);
  /** When they end, ms since 1970: refresh tokens, and by their identifiers the access tokens that were revoked. */
  const refresh = new Map<string, number>();
  const revoked = new Map<string, number>();

  const issueRefreshToken = (): string => {
    const token = randomBytes(32).toString('base64url');
    refresh.set(token, clock.now() + refreshTokenMs);
    for (const oldest of refresh.keys()) {
      if (refresh.size <= maxRefreshTokens) break;
      refresh.delete(oldest);
    }
    return token;
  };

  return {
    /** Interface 2.1. */
    issue: async ({ userId, clientId }: Pick<AccessClaims, 'userId' | 'clientId'>) => {
      const now = Math.floor(clock.now() / 1000);
      const accessToken = await new SignJWT({ userId, clientId })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(signingKey);
      return {
        access_token: accessToken,
        refresh_token: issueRefreshToken(),
        token_type: 'Bearer',
        expires_in: seconds,
      };
    },
    /** Throws RefusalError 401 for a token that is foreign, altered, expired, or of no user; not for a revoked one. */
    read: async (accessToken: string): Promise<AccessClaims> => {
      try {
        const currentDate = new Date(clock.now());
        const rules = { algorithms: [algorithm], issuer, currentDate };
        const { payload } = await jwtVerify(accessToken, signingKey, rules);
        return claimsSchema.parse(payload);
      } catch {
        throw new RefusalError(401, 'the access token is not valid or has expired');
      }
    },
    isRevoked: ({ jti }: AccessClaims) => revoked.has(jti),
    hasRefreshToken: (token: string) => (refresh.get(token) ?? 0) > clock.now(),
    /** Interface 4.2. */
    revoke: ({ jti, exp }: AccessClaims, { refreshTokens }: { readonly refreshTokens: boolean }): void => {
      for (const [id, endsAt] of revoked) if (endsAt <= clock.now()) revoked.delete(id);
      revoked.set(jti, exp * 1000);
      if (refreshTokens) refresh.clear();
    },
  };
}
