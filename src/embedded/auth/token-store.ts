import { createHash, randomBytes } from 'node:crypto';

import * as z from 'zod';

import type { Clock } from '../../lib/time/clock.ts';
import { IngestdError } from '../../model/errors.ts';
import type { DataDirectory } from '../documents/data-directory.ts';
import { readIfThere, writeDurably } from '../../lib/files/durable-file.ts';

/** Clients that never return must not fill the disk: beyond this many the oldest token is dropped. */
const maxRefreshTokens = 1000;
const refreshTokenMs = 30 * 24 * 60 * 60 * 1000;

const fileSchema = z.strictObject({
  refresh: z.array(z.strictObject({ hash: z.string(), expiresAt: z.number() })),
  revoked: z.array(z.strictObject({ id: z.string(), expiresAt: z.number() })),
});

/** Which refresh tokens are valid and which access tokens were revoked. Changes are durable when they return. */
export interface TokenStore {
  /** A new refresh token, good for 30 days; only its hash is kept. */
  readonly issueRefreshToken: () => Promise<string>;
  readonly hasRefreshToken: (token: string) => boolean;
  readonly isRevoked: (id: string) => boolean;
  /** `expiresAt` in milliseconds since 1970: from then on nothing need be remembered. */
  readonly revoke: (
    id: string,
    expiresAt: number,
    options: { readonly refreshTokens: boolean },
  ) => Promise<void>;
}

/** Opens `tokens.json`. Throws IngestdError when it is damaged. */
export async function openTokenStore(data: DataDirectory, clock: Clock): Promise<TokenStore> {
  const path = data.join('tokens.json');
  const found = read(path, await readIfThere(path));
  const refresh = new Map(found.refresh.map(({ hash, expiresAt }) => [hash, expiresAt]));
  const revoked = new Map(found.revoked.map(({ id, expiresAt }) => [id, expiresAt]));
  let last: Promise<void> = Promise.resolve();

  const save = (): Promise<void> => {
    const write = async () => {
      forgetExpired(refresh, clock.now());
      forgetExpired(revoked, clock.now());
      await writeDurably(path, print(refresh, revoked));
    };
    const mine = last.then(write, write);
    last = mine.catch(() => {});
    return mine;
  };

  return {
    issueRefreshToken: async () => {
      const token = randomBytes(32).toString('base64url');
      refresh.set(hashOf(token), clock.now() + refreshTokenMs);
      for (const hash of refresh.keys()) {
        if (refresh.size <= maxRefreshTokens) break;
        refresh.delete(hash);
      }
      await save();
      return token;
    },
    hasRefreshToken: (token) => (refresh.get(hashOf(token)) ?? 0) > clock.now(),
    isRevoked: (id) => revoked.has(id),
    revoke: async (id, expiresAt, { refreshTokens }) => {
      if (revoked.has(id) && !(refreshTokens && refresh.size > 0)) {
        await last;
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

function read(path: string, text: string | null): z.infer<typeof fileSchema> {
  if (text === null) return { refresh: [], revoked: [] };
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new IngestdError(
      'embedded-data-damaged',
      1,
      `${path} cannot be read; restore it, or remove it together with identity.json`,
      { cause: error },
    );
  }
}
