import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { MisaddressedError } from '../../../src/model/errors.ts';
import type { SharedToken, TokenStorePort } from '../../../src/model/ports/token-store-port.ts';
import type { Credentials } from '../../../src/model/settings.ts';
import { createTokenSource, lifeOf, useOf } from '../../../src/remote/auth/token-source.ts';
import type { TokenSource } from '../../../src/remote/auth/token-source.ts';
import { eventually } from '../../support/eventually.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { startScriptedService, steps } from '../../support/services/scripted-service.ts';
import type { ScriptedService, Step } from '../../support/services/scripted-service.ts';
import { plantedCredentials } from '../../support/planted-secrets.ts';
const refused = steps.json(401, { error: 'invalid_grant', error_description: 'Bad credentials' });

let service: ScriptedService;
let clock: ManualClock;
let tokens: TokenSource;
let credentials: Credentials;
const log = recordedLog();

type Parts = Parameters<typeof createTokenSource>[0];

function sourceOf(parts: Partial<Parts> = {}): TokenSource {
  return createTokenSource({
    authUrl: service.authUrl,
    credentials: () => credentials,
    clock,
    settings: { connectSeconds: 5, idleSeconds: 5, responseSeconds: 5 },
    log,
    ...parts,
  });
}

beforeEach(async () => {
  service = await startScriptedService();
  clock = manualClock();
  credentials = plantedCredentials;
  tokens = sourceOf();
});
afterEach(async () => {
  tokens.close();
  await service.close();
});

/** An answer that comes when it is told to. */
function waiting(step: Step) {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const late: Step = async (request) => {
    await answered;
    await step(request);
  };
  return { answer, step: late };
}

/** The fields of a token request. */
const asked = (at: number) => Object.fromEntries(new URLSearchParams(service.tokenRequests[at]?.text()));

describe('the token source', () => {
  const grants = () =>
    service.tokenRequests
      .filter(({ url }) => url === '/oauth/auth')
      .map((request) => new URLSearchParams(request.text()).get('grant_type'));
  const token = async () => (await tokens.access()).value;
  const expectRefused = () => expect(token()).rejects.toMatchObject({ code: 'credentials-refused' });

  it('obtains a token with the password grant, once for all who ask, and keeps it', async () => {
    expect(tokens.status()).toEqual({ state: 'none', expiresAt: null });
    const all = await Promise.all(Array.from({ length: 10 }, token));
    expect(new Set(all)).toEqual(new Set(['token-1']));
    expect(await token()).toBe('token-1');
    expect(service.tokenRequests).toHaveLength(1);
    const [request] = service.tokenRequests;
    expect(request?.headers['x-api-key']).toBe(plantedCredentials.apiKey);
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(asked(0)).toEqual({
      grant_type: 'password',
      username: plantedCredentials.username,
      password: plantedCredentials.password,
      client_id: plantedCredentials.clientId,
      client_secret: plantedCredentials.clientSecret,
    });
    expect(tokens.status()).toEqual({ state: 'ok', expiresAt: '2026-01-01T00:30:00.000Z' });
  });

  it('renews with the refresh grant when 60 seconds of 30 minutes are left, not before', async () => {
    await token();
    await clock.advance(1_739_000);
    expect(await token()).toBe('token-1');
    await clock.advance(2000);
    expect(await token()).toBe('token-2');
    expect(grants()).toEqual(['password', 'refresh_token']);
    expect(asked(1)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: plantedCredentials.clientId,
      client_secret: plantedCredentials.clientSecret,
    });
  });

  it.each(['apiKey', 'clientId'] as const)(
    'refuses a value of %s that no header can hold, and sends nothing',
    async (name) => {
      credentials = { ...plantedCredentials, [name]: 'two\nlines' };
      await expect(token()).rejects.toMatchObject({
        code: 'credentials-refused',
        message: 'the API key or the client ID contains characters that an HTTP header does not allow',
      });
      expect(service.tokenRequests).toEqual([]);
    },
  );

  it.each<readonly [string, string, number?]>([
    ['{"expires_in": 1800}', 'its answer has no access_token that is text'],
    ['{"access_token": 7}', 'its answer has no access_token that is text'],
    ['{"access_token": "a", "refresh_token": 7}', 'its answer has no refresh_token that is text'],
    [
      '{"access_token": "two\\nlines"}',
      'the access_token in its answer has characters that an HTTP header does not allow',
    ],
    ['[]', 'its answer has no access_token that is text'],
    ['token', 'its answer is not JSON'],
    ['{"access_token": "half", "expires_in": 1800}', 'its answer was cut off or is too long', 500],
  ])('says what is wrong with an answer that cannot be used: %s', async (body, why, length = body.length) => {
    service.scriptTokens(steps.raw(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`));
    await expect(token()).rejects.toMatchObject({
      code: 'service-unavailable',
      message: `the token endpoint: ${why}`,
    });
  });

  it('does not care about the wall clock (N31, F49)', async () => {
    await token();
    clock.jump(24 * 3_600_000);
    expect(await token()).toBe('token-1');
    clock.jump(-48 * 3_600_000);
    expect(await token()).toBe('token-1');
  });

  it('renews before a long upload that the rest of the token would not outlast (N12)', async () => {
    await token();
    expect((await tokens.access({ needMs: 3_600_000 })).value).toBe('token-1');
    await clock.advance(1_500_000);
    expect((await tokens.access({ needMs: 200_000 })).value).toBe('token-1');
    expect((await tokens.access({ needMs: 400_000 })).value).toBe('token-2');
  });

  it.each([
    ['is refused', steps.json(400, { error: 'invalid_grant' })],
    ['fails otherwise', steps.html(500)],
  ])(
    'falls back to the password when the refresh grant %s, and does not use it again (N10)',
    async (_, step) => {
      await token();
      await clock.advance(1_790_000);
      service.scriptTokens(step);
      expect(await token()).toBe('token-2');
      expect(grants()).toEqual(['password', 'refresh_token', 'password']);
    },
  );

  it('keeps the refresh token that it has when a renewal brings none (N11)', async () => {
    await token();
    await clock.advance(1_790_000);
    service.scriptTokens(steps.token({ access_token: 'other' }));
    expect(await token()).toBe('other');
    await clock.advance(1_790_000);
    await token();
    expect(asked(2)['refresh_token']).toBe('refresh-1');
  });

  it('goes on with what is left of a token while the endpoint is away', async () => {
    await token();
    await clock.advance(1_760_000);
    service.alwaysTokens(steps.html(503));
    expect(await token()).toBe('token-1');
    await clock.advance(50_000);
    await expect(token()).rejects.toMatchObject({ code: 'service-unavailable' });
  });

  it('asks for one new token however many had theirs answered with 401 (N7, N9)', async () => {
    const stale = await tokens.access();
    const fresh = await Promise.all(Array.from({ length: 10 }, () => tokens.renew(stale)));
    expect(new Set(fresh.map((accessToken) => accessToken.value))).toEqual(new Set(['token-2']));
    expect((await tokens.renew(stale)).value).toBe('token-2');
    expect(grants()).toEqual(['password', 'refresh_token']);
  });

  it.each([400, 401, 403])(
    'asks three times in ten seconds when answered %i, then after 1, 5, 15 minutes',
    async (status) => {
      service.alwaysTokens(steps.json(status, { error_description: 'Bad credentials' }));
      const asked: number[] = [];
      for (let second = 0; second <= 60 * 60; second += 1) {
        const before = service.tokenRequests.length;
        await expect(token()).rejects.toMatchObject({ code: 'credentials-refused', exitCode: 3 });
        if (service.tokenRequests.length > before) asked.push(second);
        await clock.advance(1000);
      }
      expect(asked).toEqual([0, 2, 7, 67, 367, 1267, 2167, 3067]);
      expect(tokens.status().state).toBe('refused');
    },
  );

  it.each([
    ['as a token endpoint does', steps.json(401, { error: 'access_denied' }), false],
    ['in another form', steps.json(403, { message: 'Missing Authentication Token' }), true],
    ['without a word', steps.answer(401, ''), true],
  ])('names service.authUrl too where it is refused %s: %s', async (_, step, isNamed) => {
    service.scriptTokens(step);
    const refusal: unknown = await token().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'credentials-refused', message: expect.any(String) });
    expect(String(refusal).includes(`check service.authUrl (${service.authUrl})`)).toBe(isNamed);
  });

  it('counts a refused refresh token as one of the three', async () => {
    await token();
    await clock.advance(1_800_000);
    service.alwaysTokens(refused);
    const before = service.tokenRequests.length;
    for (let second = 0; second < 10; second += 1) {
      await expectRefused();
      await clock.advance(1000);
    }
    expect(service.tokenRequests.length - before).toBe(3);
  });

  it('asks again at once, with freshly read credentials, when the refusal is forgotten (N13)', async () => {
    service.scriptTokens(refused, refused, refused);
    for (const ms of [0, 2000, 5000]) {
      await clock.advance(ms);
      await expectRefused();
    }
    expect(tokens.backOffMs()).toBe(60_000);
    credentials = { ...plantedCredentials, password: 'fixed' };
    await expectRefused();
    tokens.forget();
    // It is said until an answer shows that it is over.
    expect(tokens.reason()).toMatchObject({ code: 'credentials-refused' });
    expect(await token()).toBe('token-1');
    expect([tokens.status().state, tokens.reason()]).toEqual(['ok', null]);
    expect(asked(3)['password']).toBe('fixed');
  });

  it('keeps the token when it is to forget and the credentials are the same, and drops it when they are not', async () => {
    await token();
    tokens.forget();
    expect(await token()).toBe('token-1');
    credentials = { ...plantedCredentials, username: 'other@example.com' };
    tokens.forget();
    expect(await token()).toBe('token-2');
    expect(grants()).toEqual(['password', 'password']);
  });

  it('asks again with the credentials of now, though a request with those of before is under way', async () => {
    const { answer, step } = waiting(refused);
    service.scriptTokens(step);
    const before = token();
    await eventually(() => service.tokenRequests.length === 1);
    credentials = { ...plantedCredentials, password: 'fixed' };
    tokens.forget();
    const after = token();
    answer();
    await expect(before).rejects.toMatchObject({ code: 'credentials-refused' });
    expect(await after).toBe('token-1');
    expect(asked(1)['password']).toBe('fixed');
    expect(tokens.status().state).toBe('ok');
  });

  it('keeps no token that was asked for with the credentials of before', async () => {
    const { answer, step } = waiting(steps.token({ access_token: 'of-before' }));
    const { answer: renew, step: next } = waiting(steps.token({ access_token: 'of-now' }));
    service.scriptTokens(step, next);
    const before = token();
    await eventually(() => service.tokenRequests.length === 1);
    credentials = { ...plantedCredentials, username: 'other@example.com' };
    tokens.forget();
    const after = token();
    answer();
    expect(await before).toBe('of-before');
    await eventually(() => service.tokenRequests.length === 2);
    const later = token();
    renew();
    expect(await Promise.all([after, later])).toEqual(['of-now', 'of-now']);
    expect(service.tokenRequests).toHaveLength(2);
  });

  it('takes a fresh token that the service does not accept for a refusal, and does not go on asking (N8)', async () => {
    let asked = 0;
    for (let second = 0; second < 3600; second += 1) {
      const accessToken = await tokens.access().catch(() => null);
      if (accessToken !== null) tokens.refuse(accessToken, 'https://ingest.example', 'no');
      if (accessToken !== null) asked += 1;
      await clock.advance(1000);
    }
    expect(asked).toBeLessThanOrEqual(8);
    expect(service.tokenRequests).toHaveLength(asked);
    expect(grants()).not.toContain('refresh_token');
  });

  it.each([
    ['429 with Retry-After', steps.answer(429, '', { 'Retry-After': '90' }), 90_000],
    ['500', steps.html(500), 1000],
    ['a login page', steps.html(200), 1000],
    ['nothing', steps.empty(200), 1000],
    ['a lost answer', steps.resetAfterBody(), 1000],
    ['a token with a line break', steps.token({ access_token: 'a\r\nX-Evil: 1' }), 1000],
    ['a token that is no text', steps.token({ access_token: 5 }), 1000],
  ])(
    'says that the service is unavailable, and rests, when answered with %s (N11)',
    async (_name, step, backOffMs) => {
      service.scriptTokens(step);
      await expect(token()).rejects.toMatchObject({ code: 'service-unavailable', exitCode: 1 });
      await clock.advance(backOffMs - 1);
      await expect(token()).rejects.toMatchObject({ code: 'service-unavailable', retryAfterMs: 1 });
      expect(service.tokenRequests).toHaveLength(1);
      await clock.advance(1);
      expect(await token()).toBe('token-1');
    },
  );

  it.each([
    ['redirect', steps.redirect('http://127.0.0.1:1/evil')],
    ...[steps.html(404), steps.html(501), steps.html(403), steps.json(405, { error: 'Not Allowed' })].map(
      (step) => ['auth-not-found', step] as const,
    ),
  ])('says that the address is wrong: %s (N26, S11)', async (reason, step) => {
    service.scriptTokens(step);
    const message = expect.stringContaining(
      reason === 'redirect' ? '' : `answers at service.authUrl, ${service.authUrl} (`,
    );
    await expect(token()).rejects.toMatchObject({ code: 'service-unavailable', reason, message });
    expect(service.tokenRequests).toHaveLength(1);
  });

  it.each([
    ['redirect', steps.redirect('http://127.0.0.1:1/login')],
    ['auth-not-found', steps.html(404)],
    ['auth-not-found', steps.html(403)],
  ])('A7: where it had a token before, what answers is an outage too: %s', async (reason, step) => {
    await token();
    await clock.advance(1_800_000);
    service.scriptTokens(step, step);
    const failed: unknown = await token().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'service-unavailable', reason });
    expect(failed).not.toBeInstanceOf(MisaddressedError);
    expect(tokens.reason()).toMatchObject({ code: reason });
    await expect(token()).rejects.toMatchObject({ reason });
    await clock.advance(1_000);
    expect(await token()).toBe('token-2');
  });

  it('asks with the password, whatever was refused before, when a person logs in', async () => {
    service.scriptTokens(refused);
    await expect(tokens.login()).rejects.toMatchObject({ code: 'credentials-refused' });
    expect(await tokens.login()).toEqual({ expiresAt: '2026-01-01T00:30:00.000Z' });
    expect(grants()).toEqual(['password', 'password']);
  });

  it('revokes the token without a body and without a Content-Type (interface 4.2)', async () => {
    await token();
    await tokens.revoke({ all: false });
    const request = service.tokenRequests[1];
    expect(request?.url).toBe('/oauth/auth/token/revoke');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      clientid: plantedCredentials.clientId,
      'x-api-key': plantedCredentials.apiKey,
    });
    expect(request?.headers['content-type']).toBeUndefined();
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(request?.bytes()).toBe(0);
    // The credentials were accepted, and another token is obtained when needed.
    expect(tokens.status()).toEqual({ state: 'ok', expiresAt: null });
    expect(await token()).toBe('token-2');
    expect(grants()).toEqual(['password', 'refresh_token']);
  });

  it('never says that all is revoked where the service refuses new tokens for that (interface 7.2)', async () => {
    const { token: granted } = steps;
    const grant = (name: string) => granted({ access_token: name });
    service.scriptTokens(grant('a'), steps.xml(401), grant('b'), steps.xml(401), grant('c'), steps.xml(401));
    await expect(tokens.revoke({ all: true })).rejects.toMatchObject({
      code: 'credentials-refused',
      message: expect.stringContaining('the refresh tokens of the user were not revoked'),
    });
  });

  it('revokes the refresh tokens too when told to, with a token obtained for it', async () => {
    await tokens.revoke({ all: true });
    const request = service.tokenRequests[1];
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.json()).toEqual({ revokeRefreshTokens: true });
    await token();
    expect(grants()).toEqual(['password', 'password']);
  });

  it('tries a revocation again when the service has trouble, and takes a dead token for a revoked one', async () => {
    await token();
    service.scriptTokens(steps.html(502), steps.html(502));
    await tokens.revoke({ all: false });
    expect(service.tokenRequests).toHaveLength(4);
    await token();
    service.scriptTokens(steps.xml(401));
    await tokens.revoke({ all: false });
    const away = steps.html(502);
    service.scriptTokens(steps.token({ access_token: 'x' }), away, away, away);
    await expect(tokens.revoke({ all: false })).rejects.toMatchObject({ code: 'service-unavailable' });
  });

  it('asks an address once that never was the service’s for a token to revoke', async () => {
    service.alwaysTokens(steps.redirect('https://elsewhere.test/'));
    await expect(tokens.revoke({ all: false })).rejects.toMatchObject({ reason: 'redirect' });
    expect(service.tokenRequests).toHaveLength(1);
  });

  it('gets itself a live token to revoke all with when its own is dead', async () => {
    await token();
    service.scriptTokens(steps.xml(401));
    await tokens.revoke({ all: true });
    expect(service.tokenRequests.map(({ url }) => url.slice('/oauth'.length))).toEqual([
      '/auth',
      '/auth/token/revoke',
      '/auth',
      '/auth/token/revoke',
    ]);
  });

  it('says in words that credentials cannot be read', async () => {
    const broken = sourceOf({
      credentials: () => Promise.reject(new Error('INGESTD_PASSWORD_FILE cannot be read')),
    });
    await expect(broken.access()).rejects.toMatchObject({
      code: 'credentials-refused',
      message: 'INGESTD_PASSWORD_FILE cannot be read',
    });
    broken.close();
  });
});

describe('a token that hosts share', () => {
  let obtained: number;
  let given: SharedToken[];
  /** What another host has left in the store; null: this one asks. */
  let shared: SharedToken | null;
  let refreshToken: string | null;

  beforeEach(() => {
    [shared, refreshToken, obtained, given] = [null, null, 0, []];
    const store: TokenStorePort = {
      obtain: async (_credentials, _stale, ask) => {
        obtained += 1;
        if (shared !== null) return shared;
        const grant = await ask(refreshToken);
        given.push(grant);
        return grant;
      },
      forget: () => {},
    };
    tokens.close();
    tokens = sourceOf({ store });
  });

  it('is used for what is left of its life only', async () => {
    const lives = { lifeMs: 1_800_000, aheadMs: 60_000, leftMs: 100_000 };
    shared = { accessToken: 'of-another', refreshToken: null, ...lives };
    expect((await tokens.access()).value).toBe('of-another');
    expect(tokens.status().expiresAt).toBe('2026-01-01T00:01:40.000Z');
    await clock.advance(39_999);
    await tokens.access();
    expect(obtained).toBe(1);
    await clock.advance(1);
    shared = { ...shared, accessToken: 'the-next', leftMs: 1_800_000 };
    expect((await tokens.access()).value).toBe('the-next');
    expect(obtained).toBe(2);
  });

  it('is handed to the others with its life and the refresh token, the old one where there is no new one', async () => {
    await tokens.access();
    refreshToken = 'refresh-of-another';
    service.scriptTokens(steps.token({ access_token: 'renewed', expires_in: 600 }));
    await tokens.renew(await tokens.access());
    const lives = (ms: number) => ({ lifeMs: ms, aheadMs: 60_000, leftMs: ms });
    expect(given).toEqual([
      { accessToken: 'token-1', refreshToken: 'refresh-1', ...lives(1_800_000) },
      { accessToken: 'renewed', refreshToken: 'refresh-of-another', ...lives(600_000) },
    ]);
    expect(asked(0)).toMatchObject({ grant_type: 'password' });
    expect(asked(1)).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'refresh-of-another' });
  });
});

describe('the life of a token', () => {
  it.each([
    [1800, 1_800_000],
    ['900', 900_000],
    [2.5, 2500],
    [undefined, 1_800_000],
    [null, 1_800_000],
    [0, 1_800_000],
    [-5, 1_800_000],
    ['', 1_800_000],
    ['soon', 1_800_000],
    [{}, 1_800_000],
    [315_360_000, 86_400_000],
  ])('reads expires_in %j as %i ms (N11)', (expiresIn, ms) => {
    expect(lifeOf(expiresIn)).toBe(ms);
  });

  it('is used until a tenth is left, a minute at most', () => {
    expect([useOf(1_800_000), useOf(100_000), useOf(1000)]).toEqual([1_740_000, 90_000, 900]);
  });
});
