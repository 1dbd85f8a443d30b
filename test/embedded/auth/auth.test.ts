import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';

import { trialOfEachTest } from '../support/trial.ts';
import type { Tokens } from '../support/trial.ts';

const trial = trialOfEachTest();

describe('the password grant', () => {
  it('gives a signed token with a userId claim for thirty minutes', async () => {
    const tokens = await trial.login();
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 1800 });
    const claims = decodeJwt(tokens.access_token);
    expect(claims['userId']).toEqual(expect.any(String));
    expect(Number(claims.exp) - Number(claims.iat)).toBe(1800);
    expect(claims.jti).toEqual(expect.any(String));
    expect(decodeProtectedHeader(tokens.access_token).alg).toBe('HS256');
  });

  it('gives another token each time', async () => {
    const [one, two] = [await trial.login(), await trial.login()];
    expect(one.access_token).not.toBe(two.access_token);
    expect(one.refresh_token).not.toBe(two.refresh_token);
  });

  it('keeps its answer out of caches', async () => {
    expect((await trial.auth()).headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['no grant_type', { grant_type: undefined }],
    ['another grant_type', { grant_type: 'client_credentials' }],
    ['an empty user name', { username: '' }],
    ['no password', { password: undefined }],
    ['no client_id', { client_id: undefined }],
    ['no client_secret', { client_secret: undefined }],
    ['a refresh token beside it', { refresh_token: 'x' }],
  ])('answers 400 to %s', async (_name, fields) => {
    const answer = await trial.auth(fields);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: expect.any(String),
      error_description: expect.any(String),
    });
  });

  it.each([
    ['a wrong user name', { username: 'somebody@example.com' }],
    ['a wrong password', { password: 'wrong' }],
    ['a wrong client', { client_id: 'other' }],
    ['a wrong client secret', { client_secret: 'wrong' }],
  ])('answers 401 to %s', async (_name, fields) => {
    const answer = await trial.auth(fields);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('answers 403 to an inactive key with good credentials, and 401 with bad ones', async () => {
    expect((await trial.auth({}, { 'x-api-key': 'inactive' })).status).toBe(403);
    expect((await trial.auth({ password: 'wrong' }, { 'x-api-key': 'inactive' })).status).toBe(401);
  });

  it('takes nothing but a form', async () => {
    const { apiKey } = trial.service.credentials;
    const send = (
      contentType: string,
      body: string,
      headers: Record<string, string> = { 'x-api-key': apiKey },
    ) =>
      fetch(`${trial.service.authUrl}/auth`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': contentType },
        body: Buffer.from(body, 'latin1'),
      });
    const form = 'application/x-www-form-urlencoded';
    expect((await send('application/json', '{}')).status).toBe(400);
    expect((await send('garbage', 'grant_type=password')).status).toBe(400);
    expect((await send(form, 'grant_type=%zz')).status).toBe(400);
    expect((await send(form, 'grant_type=\xff')).status).toBe(400);
    expect((await send(form, 'grant_type=password&grant_type=password')).status).toBe(400);
    expect((await send(form, '')).status).toBe(400);
    expect((await send(form, 'grant_type=password', {})).status).toBe(400);
    expect((await send(form, `grant_type=password&x=${'x'.repeat(20_000)}`)).status).toBe(413);
  });
});

describe('the refresh grant', () => {
  it('gives new tokens, and the refresh token stays good', async () => {
    const { refresh_token: token } = await trial.login();
    for (let round = 0; round < 2; round += 1) {
      const answer = await trial.refresh(token);
      expect(answer.status).toBe(200);
      const renewed = (await answer.json()) as Tokens;
      expect((await trial.refresh(renewed.refresh_token)).status).toBe(200);
    }
  });

  it('answers 401 to an unknown token and to one of more than thirty days', async () => {
    expect((await trial.refresh('unknown')).status).toBe(401);
    const { refresh_token: token } = await trial.login();
    trial.clock.jump(31 * 24 * 3600 * 1000);
    expect((await trial.refresh(token)).status).toBe(401);
  });

  it('answers 400 when user name and password come with it', async () => {
    const { refresh_token: token } = await trial.login();
    expect((await trial.auth({ grant_type: 'refresh_token', refresh_token: token })).status).toBe(400);
  });
});

describe('the token endpoint', () => {
  it('answers 429 with Retry-After past its limit in any sliding minute', async () => {
    await trial.restart({ maxAuthRequestsPerMinute: 2 });
    expect((await trial.auth()).status).toBe(200);
    await trial.clock.advance(30_500);
    expect((await trial.auth({ password: 'wrong' })).status).toBe(401);
    const refused = await trial.auth();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    await trial.clock.advance(29_500);
    expect((await trial.auth()).status).toBe(200);
    expect((await trial.auth()).status).toBe(429);
  });

  it('is not exhausted by requests without the right API key', async () => {
    await trial.restart({ maxAuthRequestsPerMinute: 2 });
    const strange = async () => (await trial.auth({}, { 'x-api-key': 'guessed' })).status;
    expect([await strange(), await strange(), await strange()]).toEqual([403, 403, 403]);
    expect((await trial.auth()).status).toBe(200);
  });

  it('makes up its credentials once and keeps them for its owner alone', async () => {
    const { credentials } = trial.service;
    expect(new Set(Object.values(credentials)).size).toBe(5);
    await trial.restart();
    expect(trial.service.credentials).toEqual(credentials);
    expect((await stat(trial.dataDir)).mode & 0o777).toBe(0o700);
    for (const name of ['identity.json', 'documents.jsonl']) {
      expect((await stat(join(trial.dataDir, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('issues tokens that are good until the service ends, and are not on disk', async () => {
    const tokens = await trial.login();
    await trial.restart();
    expect((await trial.refresh(tokens.refresh_token)).status).toBe(401);
    expect((await trial.revoke(tokens.access_token)).status).toBe(401);
    expect((await readdir(trial.dataDir)).filter((name) => name.startsWith('token'))).toEqual([]);
  });
});
