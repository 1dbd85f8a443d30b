import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

import * as z from 'zod';

import { orNull } from '../lib/or-null.ts';
import {
  CredentialsRefusedError,
  errorMessage,
  MisaddressedError,
  ServiceUnavailableError,
} from '../model/errors.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { AskForToken, SharedToken, TokenStorePort } from '../model/ports/token-store-port.ts';
import type { Credentials } from '../model/settings.ts';
import type { RedisSession } from './redis/connection.ts';
import { redisScript } from './redis/script.ts';

const foundSchema = z.object({
  sealed: z.string(),
  leftMs: z.number(),
  failure: z.string(),
});

interface TokenRequest {
  /** Names the credentials without telling anything of them. */
  readonly who: string;
}

const tokenKeys = [
  ['token', ({ who }: TokenRequest) => `token:${who}`],
  ['failure', ({ who }: TokenRequest) => `token:${who}:failure`],
  ['lease', ({ who }: TokenRequest) => `token:${who}:lease`],
] as const;

const readToken = redisScript<TokenRequest, z.output<typeof foundSchema>>({
  keys: tokenKeys,
  reads: true,
  answer: foundSchema,
  lua: `
return { sealed = redis.call('GET', token) or '', leftMs = redis.call('PTTL', token),
  failure = redis.call('GET', failure) or '' }
`,
});

interface TokenChange extends TokenRequest {
  /** `lease`: this host is to ask; `write`, `fail` or `release`: what came of it; `drop`: the token is of no use. */
  readonly operation: 'lease' | 'write' | 'fail' | 'release' | 'drop';
  /** This attempt to obtain a token. */
  readonly lease: string;
  /** The token or failure that is new; of `lease` and `drop` what this host has read. */
  readonly value: string;
  readonly ms: number;
}

/** Gives 1 where it was done. */
const changeToken = redisScript<TokenChange, number>({
  keys: tokenKeys,
  answer: z.number(),
  lua: `
local function release()
  if redis.call('GET', lease) == ask.lease then redis.call('DEL', lease) end
  redis.call('PUBLISH', ask.channel, 'token')
end
if ask.operation == 'lease' then
  -- Another host has obtained one, or was refused, since this one read.
  local found = (redis.call('GET', token) or '') .. ' ' .. (redis.call('GET', failure) or '')
  if found ~= ask.value then return 0 end
  return redis.call('SET', lease, ask.lease, 'NX', 'PX', ask.ms) and 1 or 0
elseif ask.operation == 'write' then
  redis.call('SET', token, ask.value, 'PX', ask.ms)
  redis.call('DEL', failure)
  release()
elseif ask.operation == 'fail' then
  redis.call('SET', failure, ask.value, 'PX', ask.ms)
  release()
elseif ask.operation == 'release' then
  release()
elseif ask.operation == 'drop' then
  if redis.call('GET', token) == ask.value then redis.call('DEL', token) end
end
return 1
`,
});

/** A token request takes longer only where something is wrong. */
const leaseMs = 30_000;
/** A refusal of one host holds for the others for so long. */
const failureMs = 20_000;
const askAgainMs = 250;

const storedSchema = z.object({
  accessToken: z.string().min(1),
  refreshToken: z.string().nullable(),
  lifeMs: z.number().positive(),
});
type Stored = z.output<typeof storedSchema>;

const failureSchema = z.object({
  kind: z.enum(['refused', 'unavailable']),
  message: z.string(),
  retryAfterMs: z.number().nullable(),
});

interface TokenStoreOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  /** Redis is there, or it is known that it is away. */
  readonly tried: Promise<void>;
  readonly log: LogPort;
}

export type TokenStore = ReturnType<typeof createTokenStore>;

/** The token of all hosts in Redis, encrypted with a key that follows from the client secret. */
export function createTokenStore({ session, tried, log }: TokenStoreOptions) {
  let isAsked = false;
  let wake = () => {};

  return {
    obtain,
    drop: async (credentials: Credentials, accessToken: string): Promise<void> => {
      const redis = session();
      if (redis === null) return;
      const { keys, read, run } = reach(redis, credentials);
      const { sealed } = await read();
      if (open(sealed, keys)?.accessToken === accessToken) await run('drop', { value: sealed });
    },
    forget: () => {
      isAsked = true;
    },
    /** Another host has obtained a token, or could not. */
    hear: () => wake(),
  };

  async function obtain(
    credentials: Credentials,
    { stale, isGood, ask }: Parameters<TokenStorePort['obtain']>[1],
  ): Promise<SharedToken> {
    // At a start: all hosts would ask, before they could know of each other.
    await tried;
    /** What another host was told before this one was to ask whatever that was. */
    let ignored = '';
    for (;;) {
      const redis = session();
      if (redis === null) return whole(await ask(null));
      const place = reach(redis, credentials);
      let known: Stored | null = null;
      try {
        const { sealed, leftMs, failure } = await place.read();
        known = open(sealed, place.keys);
        if (known !== null && known.accessToken !== stale && isGood({ ...known, leftMs }))
          return { ...known, leftMs };
        if (isAsked) ignored = failure;
        isAsked = false;
        if (failure !== ignored && failure !== '') throw failureOf(failure);
        if ((await place.run('lease', { value: `${sealed} ${failure}`, ms: leaseMs })) !== 1) {
          await heard();
          continue;
        }
      } catch (error) {
        if (error instanceof CredentialsRefusedError || error instanceof ServiceUnavailableError) throw error;
        log.debug({ reason: errorMessage(error) }, 'the token could not be shared');
        return whole(await ask(null));
      }
      return askForAll(place, () => ask(known?.refreshToken ?? null));
    }
  }

  async function askForAll(
    { keys, lease, run }: ReturnType<typeof reach>,
    ask: () => ReturnType<AskForToken>,
  ): Promise<SharedToken> {
    try {
      const token = await ask();
      await run('write', { value: seal({ ...token }, keys), ms: token.lifeMs }).catch(() => {});
      return whole(token);
    } catch (error) {
      const isRefused = error instanceof CredentialsRefusedError;
      const isUnavailable = error instanceof ServiceUnavailableError;
      const kind = isRefused ? 'refused' : 'unavailable';
      const retryAfterMs = isUnavailable ? error.retryAfterMs : null;
      // The lease tells it from a failure before it with the same words.
      const value = JSON.stringify({ kind, message: errorMessage(error), retryAfterMs, lease });
      // A wrong address or a stop is this host's own affair: it says nothing about the others.
      const isForAll = isRefused || (isUnavailable && !(error instanceof MisaddressedError));
      await run(isForAll ? 'fail' : 'release', { value, ms: failureMs }).catch(() => {});
      throw error;
    }
  }

  /** The token of these credentials in Redis, and the right to renew it as one attempt asks for it. */
  function reach(redis: RedisSession, credentials: Credentials) {
    const keys = keysOf(credentials, redis);
    const lease = randomBytes(8).toString('hex');
    const { who } = keys;
    const run = (operation: TokenChange['operation'], { value = '', ms = 0 }) =>
      changeToken(redis, { operation, who, lease, value, ms: Math.ceil(ms) });
    const read = () => readToken(redis, { who });
    return { keys, lease, read, run };
  }

  /** Waits for a message, and not long. */
  function heard(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, askAgainMs * (1 + Math.random()));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface Keys {
  readonly who: string;
  readonly key: Uint8Array;
  readonly prefix: string;
}

/** HKDF of the client secret; another user or client has another one. */
function keysOf(
  { clientSecret, clientId, username, password, apiKey }: Credentials,
  { prefix }: RedisSession,
): Keys {
  const key = new Uint8Array(hkdfSync('sha256', clientSecret, prefix, 'ingestd shared token 1', 32));
  const who = createHmac('sha256', key)
    .update(JSON.stringify([clientId, username, password, apiKey]))
    .digest('hex')
    .slice(0, 16);
  return { who, key, prefix };
}

const ivBytes = 12;
const tagBytes = 16;

function seal(token: Stored, { key, prefix }: Keys): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(prefix));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(token), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Null: there is none, or it was not sealed with this key. */
function open(text: string, { key, prefix }: Keys): Stored | null {
  if (text === '') return null;
  return orNull(() => {
    const bytes = Buffer.from(text, 'base64');
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(prefix))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const plain = Buffer.concat([cipher.update(bytes.subarray(ivBytes + tagBytes)), cipher.final()]);
    return storedSchema.parse(JSON.parse(plain.toString('utf8')));
  });
}

function whole(token: Stored): SharedToken {
  return { ...token, leftMs: token.lifeMs };
}

function failureOf(text: string): Error {
  const { kind, message, retryAfterMs } = failureSchema.parse(JSON.parse(text));
  return kind === 'refused'
    ? new CredentialsRefusedError(message)
    : new ServiceUnavailableError(message, retryAfterMs);
}
