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

interface TokenRequest {
  /** Names the credentials without telling anything of them. */
  readonly who: string;
  /** `ask`: for a token, or the right to obtain one; `write`, `fail` or `release`: what came of it; `drop`: no use. */
  readonly operation: 'ask' | 'write' | 'fail' | 'release' | 'drop';
  /** This attempt to obtain a token. */
  readonly lease: string;
  /** The token or failure that is new; of `ask` and `drop` the token that is of no use. */
  readonly value: string;
  /** Of `ask`: the failure that is not to be told. */
  readonly ignored: string;
  readonly ms: number;
}

/** What is shared, or whether this host is to obtain it (`isMine`); neither: another host is about to. */
const askForToken = redisScript({
  keys: [
    ['token', ({ who }: TokenRequest) => `token:${who}`],
    ['failure', ({ who }: TokenRequest) => `token:${who}:failure`],
    ['lease', ({ who }: TokenRequest) => `token:${who}:lease`],
  ],
  answer: z.object({
    /** Another token than the one that is of no use; empty: there is none any more. Null: there is nothing else. */
    sealed: z.string().nullable().default(null),
    leftMs: z.number().default(0),
    failure: z.string().default(''),
    isMine: z.boolean().default(false),
  }),
  lua: `
local known = redis.call('GET', token) or ''
if ask.operation == 'ask' then
  if known ~= ask.value then return { sealed = known, leftMs = redis.call('PTTL', token) } end
  local failed = redis.call('GET', failure) or ''
  if failed ~= '' and failed ~= ask.ignored then return { failure = failed } end
  return { isMine = redis.call('SET', lease, ask.lease, 'NX', 'PX', ask.ms) ~= false }
end
if ask.operation == 'drop' then
  if known == ask.value then redis.call('DEL', token) end
  return {}
end
if ask.operation == 'write' then
  redis.call('SET', token, ask.value, 'PX', ask.ms)
  redis.call('DEL', failure)
elseif ask.operation == 'fail' then redis.call('SET', failure, ask.value, 'PX', ask.ms) end
if redis.call('GET', lease) == ask.lease then redis.call('DEL', lease) end
redis.call('PUBLISH', ask.channel, 'token')
return {}
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
  /** The last token that this host has found or written. */
  let last = { accessToken: '', sealed: '' };

  return {
    obtain,
    drop: async (credentials: Credentials, accessToken: string): Promise<void> => {
      const redis = session();
      if (redis === null || last.accessToken !== accessToken) return;
      await reach(redis, credentials).run('drop', { value: last.sealed });
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
    /** The token that is of no use. */
    let value = '';
    let known: Stored | null = null;
    /** What another host was told before this one was to ask whatever that was. */
    let ignored = '';
    for (;;) {
      const redis = session();
      if (redis === null) return whole(await ask(null));
      const place = reach(redis, credentials);
      const answer = await place.run('ask', { value, ignored, ms: leaseMs }).catch((error: unknown) => {
        log.debug({ reason: errorMessage(error) }, 'the token could not be shared');
        return null;
      });
      if (answer === null) return whole(await ask(null));
      const { sealed, leftMs, failure, isMine } = answer;
      if (sealed !== null) {
        value = sealed;
        known = open(sealed, place);
        if (known === null || known.accessToken === stale || !isGood({ ...known, leftMs })) continue;
        last = { accessToken: known.accessToken, sealed };
        return { ...known, leftMs };
      }
      if (failure !== '' && !isAsked) throw failureOf(failure);
      isAsked = false;
      if (isMine) return askForAll(place, () => ask(known?.refreshToken ?? null));
      if (failure === '') await heard();
      else ignored = failure;
    }
  }

  async function askForAll(place: Place, ask: () => ReturnType<AskForToken>): Promise<SharedToken> {
    const { lease, run } = place;
    try {
      const token = await ask();
      last = { accessToken: token.accessToken, sealed: seal({ ...token }, place) };
      await run('write', { value: last.sealed, ms: token.lifeMs }).catch(() => {});
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

type Place = ReturnType<typeof reach>;

/**
 * The token of these credentials in Redis, as one attempt to obtain it reaches it. Its key is HKDF of the client secret;
 * another user or client has another one.
 */
function reach(redis: RedisSession, { clientSecret, clientId, username, password, apiKey }: Credentials) {
  const { prefix } = redis;
  const key = new Uint8Array(hkdfSync('sha256', clientSecret, prefix, 'ingestd shared token 1', 32));
  const who = createHmac('sha256', key)
    .update(JSON.stringify([clientId, username, password, apiKey]))
    .digest('hex')
    .slice(0, 16);
  const lease = randomBytes(8).toString('hex');
  const run = (operation: TokenRequest['operation'], { value = '', ignored = '', ms = 0 }) =>
    askForToken(redis, { operation, who, lease, value, ignored, ms: Math.ceil(ms) });
  return { key, prefix, lease, run };
}

const ivBytes = 12;
const tagBytes = 16;

function seal(token: Stored, { key, prefix }: Pick<Place, 'key' | 'prefix'>): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(prefix));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(token), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Null: there is none, or it was not sealed with this key. */
function open(text: string, { key, prefix }: Pick<Place, 'key' | 'prefix'>): Stored | null {
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
