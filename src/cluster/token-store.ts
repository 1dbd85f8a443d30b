import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { compactDecrypt, CompactEncrypt } from 'jose';
import * as z from 'zod';

import { CredentialsRefusedError, ServiceUnavailableError } from '../model/errors.ts';
import type { SharedToken, TokenStorePort } from '../model/ports/token-store-port.ts';
import type { Credentials } from '../model/settings.ts';
import type { Redis, RedisLink } from './redis/connection.ts';
import { redisScript } from './redis/script.ts';

interface TokenRequest {
  /** Names the credentials without telling anything of them. */
  readonly who: string;
  /** `ask`: for what is shared, or the right to obtain a token; `tell`: what came of it. */
  readonly operation: 'ask' | 'tell';
  /** This attempt to obtain a token. */
  readonly lease: string;
  /** A sealed `Shared`: of `tell` the new one, empty where nothing is to be shared; else the one that is of no use. */
  readonly value: string;
  readonly ms: number;
}

/** What is shared, or whether this host is to obtain it (`isMine`); neither: another host is about to. */
const askForToken = redisScript({
  keys: [
    ['token', ({ who }: TokenRequest) => `token:${who}`],
    ['lease', ({ who }: TokenRequest) => `token:${who}:lease`],
  ],
  answer: z.object({
    /** Another than the one that is of no use; empty: there is none any more. Null: there is nothing else. */
    sealed: z.string().nullable().default(null),
    leftMs: z.number().default(0),
    isMine: z.boolean().default(false),
  }),
  lua: `
local known = redis.call('GET', token) or ''
if ask.operation == 'ask' then
  if known ~= ask.value then return { sealed = known, leftMs = redis.call('PTTL', token) } end
  return { isMine = redis.call('SET', lease, ask.lease, 'NX', 'PX', ask.ms) ~= false }
end
if ask.value ~= '' then redis.call('SET', token, ask.value, 'PX', ask.ms) end
if redis.call('GET', lease) == ask.lease then redis.call('DEL', lease) end
return {}
`,
});

/** A token request takes longer only where something is wrong. */
const leaseMs = 30_000;
/** A refusal of one host holds for the others for so long. */
const failureMs = 20_000;
const askAgainMs = 250;

const times = { lifeMs: z.number(), aheadMs: z.number() };
/** What one host was given, or told, on behalf of all. */
const sharedSchema = z.union([
  z.object({ accessToken: z.string().min(1), refreshToken: z.string().nullable(), ...times }),
  z.object({ isRefused: z.boolean(), message: z.string(), retryAfterMs: z.number().nullable() }),
]);
type Shared = z.output<typeof sharedSchema>;

/** The token of all hosts in Redis, encrypted with a key that follows from the client secret. */
export function createTokenStore(redis: Redis & Pick<RedisLink, 'tried'>): TokenStorePort {
  let isAsked = false;
  return {
    obtain,
    forget: () => {
      isAsked = true;
    },
  };

  async function obtain(
    ...[credentials, stale, ask]: Parameters<TokenStorePort['obtain']>
  ): Promise<SharedToken> {
    // At a start: all hosts would ask, before they could know of each other.
    await redis.tried;
    const place = reach(redis, credentials);
    /** What is of no use. */
    let value = '';
    let refreshToken: string | null = null;
    for (;;) {
      const answer = await place.run('ask', value, leaseMs).catch(() => null);
      if (answer === null) return ask(null);
      const { sealed, leftMs, isMine } = answer;
      if (sealed !== null) {
        value = sealed;
        const found = await place.open(value);
        if (found === null) continue;
        if ('message' in found) {
          // What another host was told before a person has corrected it.
          if (isAsked) continue;
          throw found.isRefused
            ? new CredentialsRefusedError(found.message)
            : new ServiceUnavailableError(found.message, found.retryAfterMs);
        }
        ({ refreshToken } = found);
        if (found.accessToken === stale || leftMs <= found.aheadMs) continue;
        return { ...found, leftMs };
      }
      isAsked = false;
      if (!isMine) {
        await delay(askAgainMs * (1 + Math.random()));
        continue;
      }
      // On behalf of all.
      try {
        const token = await ask(refreshToken);
        await place.tell(token, token.lifeMs);
        return token;
      } catch (error) {
        await place.tell(failureOf(error), failureMs);
        throw error;
      }
    }
  }
}

/**
 * The token of these credentials in Redis, as one attempt to obtain it reaches it. Its key is HKDF of the client secret;
 * another user or client has another one.
 */
function reach(redis: Redis, { clientSecret, clientId, username, password, apiKey }: Credentials) {
  const key = new Uint8Array(hkdfSync('sha256', clientSecret, redis.prefix, 'ingestd shared token 1', 32));
  const who = createHmac('sha256', key)
    .update(JSON.stringify([clientId, username, password, apiKey]))
    .digest('hex')
    .slice(0, 16);
  const lease = randomBytes(8).toString('hex');
  const run = (operation: TokenRequest['operation'], value: string, ms = 0) =>
    askForToken(redis, { operation, who, lease, value, ms: Math.ceil(ms) });

  return {
    run,
    /** Gives back the right to obtain a token, with what came of it; null: nothing for others. */
    tell: async (shared: Shared | null, ms: number): Promise<void> => {
      const bytes = new TextEncoder().encode(JSON.stringify(shared));
      const encrypt = new CompactEncrypt(bytes).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' });
      await run('tell', shared === null ? '' : await encrypt.encrypt(key), ms).catch(() => {});
    },
    /** Null: there is none, or it was not sealed with this key. */
    open: async (sealed: string): Promise<Shared | null> => {
      try {
        const { plaintext } = await compactDecrypt(sealed, key);
        return sharedSchema.parse(JSON.parse(new TextDecoder().decode(plaintext)));
      } catch {
        return null;
      }
    },
  };
}

/** What one host finds of the service, and not of its own way there. */
const sharedReasons: ReadonlySet<string> = new Set(['service-unavailable', 'rate-limited']);

/** Null: a wrong address or a stop is this host's own affair and says nothing about the others. */
function failureOf(error: unknown): Shared | null {
  const isRefused = error instanceof CredentialsRefusedError;
  const isUnavailable = error instanceof ServiceUnavailableError && sharedReasons.has(error.reason);
  if (!isRefused && !isUnavailable) return null;
  return { isRefused, message: error.message, retryAfterMs: isRefused ? null : error.retryAfterMs };
}
