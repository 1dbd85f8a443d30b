import { createHash, randomBytes, randomUUID } from 'node:crypto';

import { jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';

import { writeDurably } from '../../lib/files/durable-file.ts';
import { createTurns } from '../../lib/queue/turns.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { readStored } from '../documents/data-directory.ts';
import type { DataDirectory } from '../documents/data-directory.ts';
import { RefusalError } from '../http/answers.ts';

const issuer = 'embedded-ingestion-service';
/** Only this service reads its tokens. */
const algorithm = 'HS256';
/** Clients that never return must not fill the disk: beyond this many the oldest token is dropped. */
const maxRefreshTokens = 1000;
const refreshTokenMs = 30 * 24 * 60 * 60 * 1000;

const claimsSchema = z.object({
  jti: z.string().min(1),
  exp: z.number(),
  clientId: z.string(),
  userId: z.string().min(1).optional(),
});

const fileSchema = z.strictObject({
  refresh: z.array(z.strictObject({ hash: z.string(), expiresAt: z.number() })),
  revoked: z.array(z.strictObject({ id: z.string(), expiresAt: z.number() })),
});

/** The claims of an access token whose signature and time have been checked. */
export interface AccessClaims {
  readonly id: string;
  readonly userId: string | null;
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export type Tokens = Awaited<ReturnType<typeof openTokens>>;

/**
 * The tokens of interface section 5, in `tokens.json`. Access tokens are signed; refresh tokens, good for 30 days, and
 * revoked ones are remembered. Changes are durable when they return. Throws IngestdError when the file is damaged.
 */
export async function openTokens(
  data: DataDirectory,
  {
    signingKey,
    seconds,
    clock,
  }: { readonly signingKey: Uint8Array; readonly seconds: number; readonly clock: Clock },
) {
  const path = data.join('tokens.json');
  const fix = 'restore it, or remove it together with identity.json';
  const found = (await readStored(path, fileSchema, fix)) ?? { refresh: [], revoked: [] };
  /** Only the hashes of refresh tokens are kept. */
  const refresh = new Map(found.refresh.map(({ hash, expiresAt }) => [hash, expiresAt]));
  const revoked = new Map(found.revoked.map(({ id, expiresAt }) => [id, expiresAt]));
  const inTurn = createTurns();

  const save = (): Promise<void> =>
    inTurn(async () => {
      forgetExpired(refresh, clock.now());
      forgetExpired(revoked, clock.now());
      await writeDurably(path, print(refresh, revoked));
    });

  const issueRefreshToken = async (): Promise<string> => {
    const token = randomBytes(32).toString('base64url');
    refresh.set(hashOf(token), clock.now() + refreshTokenMs);
    for (const hash of refresh.keys()) {
      if (refresh.size <= maxRefreshTokens) break;
      refresh.delete(hash);
    }
    await save();
    return token;
  };

  return {
    /** Interface 2.1. */
    issue: async ({ userId, clientId }: Record<'userId' | 'clientId', string>) => {
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
        refresh_token: await issueRefreshToken(),
        token_type: 'Bearer',
        expires_in: seconds,
      };
    },
    /** Throws RefusalError 401 for a token that is foreign, altered or expired; says nothing of revocation. */
    read: async (accessToken: string): Promise<AccessClaims> => {
      try {
        const currentDate = new Date(clock.now());
        const rules = { algorithms: [algorithm], issuer, currentDate };
        const { payload } = await jwtVerify(accessToken, signingKey, rules);
        const { jti, exp, clientId, userId } = claimsSchema.parse(payload);
        return { id: jti, userId: userId ?? null, clientId, expiresAt: exp * 1000 };
      } catch {
        throw new RefusalError(401, 'the access token is not valid or has expired', {
          code: 'invalid_token',
        });
      }
    },
    isRevoked: ({ id }: AccessClaims) => revoked.has(id),
    hasRefreshToken: (token: string) => (refresh.get(hashOf(token)) ?? 0) > clock.now(),
    revoke: async (
      { id, expiresAt }: AccessClaims,
      { refreshTokens }: { readonly refreshTokens: boolean },
    ) => {
      if (revoked.has(id) && !(refreshTokens && refresh.size > 0)) {
        await inTurn(async () => {});
        return;
      }
      revoked.set(id, expiresAt);
      if (refreshTokens) refresh.clear();
      await save();
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function forgetExpired(entries: Map<string, number>, now: number): void {
  for (const [key, expiresAt] of entries) if (expiresAt <= now) entries.delete(key);
}

function print(refresh: ReadonlyMap<string, number>, revoked: ReadonlyMap<string, number>): string {
  return JSON.stringify({
    refresh: [...refresh].map(([hash, expiresAt]) => ({ hash, expiresAt })),
    revoked: [...revoked].map(([id, expiresAt]) => ({ id, expiresAt })),
  });
}
