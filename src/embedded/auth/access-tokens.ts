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

/** Signs and reads access tokens, interface 2.1 and section 5. Knows nothing of revocation. HS256: only this service reads them. */
export class AccessTokens {
  readonly #signingKey: Uint8Array;
  readonly #clock: Clock;
  readonly #seconds: number;

  constructor(
    signingKey: Uint8Array,
    { clock, seconds }: { readonly clock: Clock; readonly seconds: number },
  ) {
    this.#signingKey = signingKey;
    this.#clock = clock;
    this.#seconds = seconds;
  }

  issue({ userId, clientId }: { readonly userId: string; readonly clientId: string }): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    return new SignJWT({ userId, clientId })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(userId)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + this.#seconds)
      .sign(this.#signingKey);
  }

  /** Throws RefusalError 401 for a token that is foreign, altered or expired. */
  async read(token: string): Promise<AccessClaims> {
    try {
      const currentDate = new Date(this.#clock.now());
      const verified = await jwtVerify(token, this.#signingKey, {
        algorithms: [algorithm],
        issuer,
        currentDate,
      });
      const { jti, exp, clientId, userId } = claimsSchema.parse(verified.payload);
      return { id: jti, userId: userId ?? null, clientId, expiresAt: exp * 1000 };
    } catch {
      throw new RefusalError(401, 'the access token is not valid or has expired', { code: 'invalid_token' });
    }
  }
}
