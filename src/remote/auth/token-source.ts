import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { abortForMany } from '../../lib/abort-for-many.ts';
import { wallTimeOf } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { createRedactor } from '../../lib/text/redactor.ts';
import { sentences } from '../../lib/text/sentences.ts';
import {
  CredentialsRefusedError,
  elsewhereCodes,
  errorMessage,
  MisaddressedError,
  ServiceUnavailableError,
  StoppedError,
} from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Outcome } from '../../model/ports/service-port.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import type { TokenStorePort } from '../../model/ports/token-store-port.ts';
import type { Credentials, ServiceSettings } from '../../model/settings.ts';
import { createAgents } from '../http/agents.ts';
import { waitsOf } from '../http/watch-connection.ts';
import { createTokenEndpoint } from './token-endpoint.ts';
import type { Grant } from './token-endpoint.ts';
import { createTokenBackOff } from './token-back-off.ts';

const revokeAttempts = 3;
const revokeRestMs = 100;
const knownTokens = 8;
/** Interface 7.2. */
const notRevoked =
  'the refresh tokens of the user were not revoked, nor was the token: the service answered 401 to new tokens; they may have no userId claim, without which it revokes no refresh tokens. Run ingestd auth revoke without --all to revoke the token alone';

/** A token and the credentials it was obtained with. */
export interface AccessToken {
  readonly value: string;
  readonly credentials: Credentials;
}

export interface TokenSourceOptions {
  /** Without a slash at the end. */
  readonly authUrl: string;
  /** Read again for each token, so that a rotated secret is found. */
  readonly credentials: () => Promise<Credentials> | Credentials;
  /** Where they come from and how to correct them, in words without a value: ends the message of a refusal. */
  readonly advice?: (() => Promise<string>) | undefined;
  readonly clock: Clock;
  readonly settings: Pick<ServiceSettings, 'connectSeconds' | 'idleSeconds' | 'responseSeconds'>;
  readonly log: LogPort;
  /** Shares tokens with other hosts; null or left out: each has its own. */
  readonly store?: TokenStorePort | null;
  /** This address is known to have issued tokens. */
  readonly hasWorked?: boolean;
}

interface Held {
  readonly accessToken: AccessToken;
  readonly lifeMs: number;
  /** Monotonic, ms. */
  readonly renewAt: number;
  readonly deadAt: number;
}

export type TokenSource = ReturnType<typeof createTokenSource>;

/**
 * Obtains, renews and revokes access tokens: interface 4.1, 4.2 and section 5. They are in memory and nothing is
 * written to disk; one token request at a time, however many callers wait.
 */
export function createTokenSource({
  authUrl,
  credentials: readCredentials,
  advice = async () => '',
  clock,
  settings,
  log,
  store = null,
  hasWorked = false,
}: TokenSourceOptions) {
  const agents = createAgents(authUrl);
  const stopping = abortForMany();
  const backOff = createTokenBackOff(clock);
  /** The last tokens, to be kept out of messages. */
  let known: readonly string[] = [];
  const endpoint = createTokenEndpoint({
    authUrl,
    agents,
    clock,
    waits: waitsOf(settings),
    signal: stopping.signal,
    redact,
    hasWorked: () => hasWorked || accepted,
  });

  let held: Held | null = null;
  let refresh: { readonly token: string; readonly credentials: Credentials } | null = null;
  /** A token request under way, and how often `forget` had been called when it began. */
  let flight: { readonly token: Promise<AccessToken>; readonly era: number } | null = null;
  /** The last token that was obtained; the store is asked for another one. */
  let stale: string | null = null;
  /** A token was obtained; that it was revoked since says nothing about the credentials. */
  let accepted = false;
  /** As the credentials were when they were last read. */
  let ownAdvice = '';
  /** Counts the calls of `forget`: an attempt that began before one says nothing about what came after. */
  let era = 0;
  /** The token may have been obtained with other credentials than those of now. */
  let suspect = false;

  return {
    access,
    /** Another token than this one, which was answered with 401. Throws as `access` does. */
    renew: (accessToken: AccessToken): Promise<AccessToken> => {
      if (isHeld(accessToken)) held = null;
      return access();
    },
    /** A fresh token was answered with 401 by `who` as well: counts as a refusal of the credentials. Gives its message. */
    refuse: (accessToken: AccessToken, who: string, answer: string): string => {
      const message = advised(
        `${who} refused a new token of ${authUrl} (${answer}); check that both addresses are of one service`,
      );
      if (isHeld(accessToken)) {
        held = null;
        refresh = null;
        backOff.refused(1, new CredentialsRefusedError(message));
      }
      return message;
    },
    /** A call with this token was accepted. */
    confirm: (accessToken: AccessToken): void => {
      if (isHeld(accessToken)) backOff.confirmed();
    },
    /** Obtains a token now (password grant). Throws CredentialsRefusedError, ServiceUnavailableError. */
    login: async () => {
      await flight?.token.catch(() => undefined);
      held = null;
      refresh = null;
      backOff.forget();
      await obtain();
      return { expiresAt: expiry() ?? new Date(clock.now()).toISOString() };
    },
    /** Revokes the token that is held, or one obtained for this; with `all`, every refresh token of the user too. */
    revoke,
    /** Forgets a refusal, so that the next request asks again (SIGHUP), with freshly read credentials. */
    forget: () => {
      era += 1;
      suspect = true;
      store?.forget();
      backOff.forget();
    },
    status: (): Status['auth'] => ({
      state: backOff.isRefused() ? 'refused' : accepted ? 'ok' : 'none',
      expiresAt: expiry(),
    }),
    /** Why no request can go out for want of a token; null: one is at hand, or nobody has failed to obtain one. */
    reason: (): Reason | null => (backOff.isRefused() || alive() === null ? backOff.reason() : null),
    /** Redacts and escapes a text of the service. */
    redact: (text: string, { value, credentials }: AccessToken) => redact(text, credentials, value),
    backOffMs: backOff.leftMs,
    /** Ends what is under way. */
    close: () => {
      stopping.abort();
      agents.close();
    },
  };

  function redact(text: string, credentials: Credentials, ...more: readonly string[]): string {
    return excerpt(createRedactor([...known, ...Object.values(credentials), ...more]).redact(text));
  }

  /**
   * A token, renewed ahead of its end; `needMs` is how long it is needed. Throws CredentialsRefusedError,
   * ServiceUnavailableError, MisaddressedError; during a back-off without a request.
   */
  async function access({ needMs = 0 }: { readonly needMs?: number } = {}): Promise<AccessToken> {
    while (suspect) await dropForeign();
    const now = clock.monotonic();
    if (held !== null && now < held.renewAt && !isShort(held, now, needMs)) return held.accessToken;
    try {
      return await obtain();
    } catch (error) {
      // The old token is used to its end while the token endpoint is unavailable.
      const old = alive();
      if (old !== null && error instanceof ServiceUnavailableError) return old.accessToken;
      throw error;
    }
  }

  /** A token that was obtained with other credentials is used no more. */
  async function dropForeign(): Promise<void> {
    const begun = era;
    const credentials = await currentCredentials();
    if (held !== null && !isDeepStrictEqual(held.accessToken.credentials, credentials)) held = null;
    if (begun === era) suspect = false;
  }

  async function currentCredentials(): Promise<Credentials> {
    try {
      return await readCredentials();
    } catch (error) {
      throw new CredentialsRefusedError(errorMessage(error));
    }
  }

  /** One that began before the last `forget` is waited for, and another one follows it. */
  function obtain(): Promise<AccessToken> {
    if (flight?.era === era) return flight.token;
    const before = flight?.token.catch(() => undefined);
    const token = (before === undefined ? ask() : before.then(ask)).finally(() => {
      if (flight === own) flight = null;
    });
    const own = { token, era };
    flight = own;
    return token;
  }

  async function ask(): Promise<AccessToken> {
    backOff.check();
    const begun = era;
    const known = refresh;
    try {
      const credentials = await currentCredentials();
      ownAdvice = await advice();
      const since = clock.monotonic();
      const accessToken =
        store === null
          ? keep(await grantFor(credentials), credentials, since)
          : await share(store, credentials);
      suspect ||= begun !== era;
      return accessToken;
    } catch (thrown) {
      // What all hosts share of a refusal is said without it: each has its credentials from elsewhere.
      const error =
        thrown instanceof CredentialsRefusedError
          ? new CredentialsRefusedError(advised(thrown.message), thrown.which)
          : thrown;
      // A refused refresh token counts as a refused request too.
      const times = known !== null && refresh === null ? 2 : 1;
      if (begun !== era) throw error;
      if (error instanceof CredentialsRefusedError) backOff.refused(times, error);
      else backOff.failed(error);
      throw error;
    }
  }

  /** The token of all hosts: another one has it already, or this one asks for all. */
  async function share(store: TokenStorePort, credentials: Credentials): Promise<AccessToken> {
    const shared = await store.obtain(credentials, stale, async (given) => {
      if (given !== null) refresh = { token: given, credentials };
      const { accessToken, refreshToken, expiresIn } = await grantFor(credentials);
      const lifeMs = lifeOf(expiresIn);
      return {
        accessToken,
        refreshToken: refreshToken ?? given,
        lifeMs,
        aheadMs: lifeMs - useOf(lifeMs),
        leftMs: lifeMs,
      };
    });
    const { accessToken, refreshToken, lifeMs, leftMs } = shared;
    const since = clock.monotonic() + leftMs - lifeMs;
    return keep({ accessToken, refreshToken, expiresIn: lifeMs / 1000 }, credentials, since);
  }

  /** By the refresh token, and where that gives none by the password. */
  async function grantFor(credentials: Credentials): Promise<Grant> {
    if (refresh === null || !isDeepStrictEqual(refresh.credentials, credentials))
      return endpoint.password(credentials);
    try {
      return await endpoint.refresh(credentials, refresh.token);
    } catch (error) {
      if (error instanceof MisaddressedError || error instanceof StoppedError) throw error;
      // It asked us to wait: no further request now.
      if (error instanceof ServiceUnavailableError && error.retryAfterMs !== null) throw error;
      if (error instanceof CredentialsRefusedError) refresh = null;
      log.debug({ reason: errorMessage(error) }, 'refresh grant failed, trying the password grant');
      return endpoint.password(credentials);
    }
  }

  function keep(grant: Grant, credentials: Credentials, since: number): AccessToken {
    const lifeMs = lifeOf(grant.expiresIn);
    const accessToken: AccessToken = { value: grant.accessToken, credentials };
    // A refresh grant may give no new refresh token: the old one stays good then.
    const token = grant.refreshToken ?? refresh?.token ?? null;
    refresh = token === null ? null : { token, credentials };
    known = [...known, accessToken.value, ...(token === null ? [] : [token])].slice(-knownTokens);
    stale = accessToken.value;
    held = { accessToken, lifeMs, renewAt: since + useOf(lifeMs), deadAt: since + lifeMs };
    accepted = true;
    backOff.obtained();
    log.debug({ lifeSeconds: lifeMs / 1000 }, 'token obtained');
    return accessToken;
  }

  function advised(message: string): string {
    return sentences([message, ownAdvice]);
  }

  async function revoke({ all }: { readonly all: boolean }): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const accessToken = alive()?.accessToken ?? (await obtain());
      try {
        const result = await endpoint.revoke(accessToken.credentials, accessToken.value, { all });
        if (isHeld(accessToken)) held = null;
        if (result === 'done' && all) refresh = null;
        // A dead token needs no revoking; the refresh tokens are the user's, and need a live one to be revoked.
        if (result === 'done' || !all) return;
        if (attempt === revokeAttempts) throw new CredentialsRefusedError(notRevoked);
      } catch (error) {
        const final = error instanceof MisaddressedError || !(error instanceof ServiceUnavailableError);
        if (final || attempt === revokeAttempts) throw error;
        await delay(revokeRestMs * 2 ** attempt);
      }
    }
  }

  function isHeld({ value }: AccessToken): boolean {
    return held?.accessToken.value === value;
  }

  /** ISO 8601, UTC. */
  function expiry(): string | null {
    const token = alive();
    return token === null ? null : wallTimeOf(token.deadAt, clock);
  }

  /** The token, unless it has expired. */
  function alive(): Held | null {
    return held !== null && clock.monotonic() < held.deadAt ? held : null;
  }
}

/** A long upload does not begin with a token that is about to expire; one in its first half will do. */
function isShort({ deadAt, lifeMs }: Held, now: number, needMs: number): boolean {
  const leftMs = deadAt - now;
  return needMs > leftMs && leftMs < lifeMs / 2;
}

/** The outcome of a call for which no token, or after a 401 no permit, could be obtained. Nothing was sent. */
export function withoutToken(error: unknown): Outcome {
  const message = errorMessage(error);
  if (error instanceof CredentialsRefusedError) return { kind: 'unauthorized', message };
  if (error instanceof MisaddressedError) {
    return { kind: 'misaddressed', code: error.reason, message, mayBeTaken: false };
  }
  const { retryAfterMs, reason } =
    error instanceof ServiceUnavailableError ? error : new ServiceUnavailableError(message);
  const code = elsewhereCodes.has(reason) ? reason : 'no-token';
  return { kind: 'unavailable', code, message, retryAfterMs, sent: 'nothing' };
}

const usualSeconds = 1800;
const longestSeconds = 24 * 3600;
const renewAheadMs = 60_000;

/** How long a token lives, ms: interface 2.1, and what services were seen to send instead of a whole number. */
export function lifeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return usualSeconds * 1000;
  return Math.min(seconds, longestSeconds) * 1000;
}

/** How long it is used before another is asked for: until a tenth of its life is left, 60 seconds at most. */
export function useOf(lifeMs: number): number {
  return lifeMs - Math.min(renewAheadMs, lifeMs / 10);
}
