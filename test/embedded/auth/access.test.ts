import { describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';

import { openRaw } from '../support/raw-request.ts';
import { prefix, trialOfEachTest } from '../support/trial.ts';

const trial = trialOfEachTest({ requestsPerMinute: 3 });

describe('S20: the check of every ingestion call', () => {
  const operations: readonly (readonly [string, string])[] = [
    ['POST', '/upload-document'],
    ['PUT', '/modify-document/x'],
    ['DELETE', '/delete-document/x'],
    ['PATCH', '/bulk/modify/metadata'],
    ['DELETE', '/bulk/delete'],
  ];

  it.each(operations)('answers 401 in an envelope to %s %s without a token', async (method, path) => {
    const answer = await trial.call(method, path, { headers: {} });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('answers 401 to whatever is not a standing token of the client that is named', async () => {
    await trial.restart({ requestsPerMinute: 100 });
    const { access_token: token } = await trial.login();
    const { clientId } = trial.service.credentials;
    const statusOf = async (authorization: string, client: string = clientId) => {
      const headers: Record<string, string> = { Authorization: authorization };
      if (client !== '') headers['ClientId'] = client;
      return (await trial.call('DELETE', '/delete-document/x', { headers })).status;
    };
    const claims = { userId: 'u', clientId };
    const unsigned = new UnsecuredJWT(claims).setExpirationTime('1h').setJti('x').encode();
    const foreign = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('embedded-ingestion-service')
      .setExpirationTime(trial.clock.now() / 1000 + 60)
      .setJti('x')
      .sign(Buffer.alloc(32));
    expect(await statusOf(`Bearer ${token}`)).toBe(404);
    expect(await statusOf(`bearer  ${token}`)).toBe(404);
    for (const wrong of ['', 'Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token} ${token}`]) {
      expect(await statusOf(wrong)).toBe(401);
    }
    for (const wrong of [unsigned, foreign, token.slice(0, -3), `${token}a`, 'a.b.c', '[]', 'Bearer']) {
      expect(await statusOf(`Bearer ${wrong}`)).toBe(401);
    }
    expect(await statusOf(`Bearer ${token}`, '')).toBe(401);
    trial.clock.jump(1799 * 1000);
    expect(await statusOf(`Bearer ${token}`)).toBe(404);
    trial.clock.jump(1000);
    expect(await statusOf(`Bearer ${token}`)).toBe(401);
  });

  it('answers 403 where ClientId names another client than the token', async () => {
    const headers = { ...(await trial.headers()), ClientId: 'other' };
    const answer = await trial.call('DELETE', '/delete-document/x', { headers });
    expect(answer.status).toBe(403);
    expect(answer.error?.message).toMatch(/ClientId/);
  });

  it('takes tokens of another length when so configured', async () => {
    await trial.restart({ accessTokenSeconds: 5 });
    const tokens = await trial.login();
    expect(tokens.expires_in).toBe(5);
    trial.clock.jump(5000);
    expect((await trial.revoke(tokens.access_token)).status).toBe(401);
  });
});

describe('the rate limit', () => {
  const status = async () => (await trial.call('DELETE', '/delete-document/x')).status;

  it('answers 429 with Retry-After past the limit, whatever the operation, and does not count refusals', async () => {
    await trial.headers();
    expect(await status()).toBe(404);
    await trial.clock.advance(20_000);
    expect((await trial.json('PATCH', '/bulk/modify/metadata', {})).status).toBe(422);
    expect((await trial.json('DELETE', '/bulk/delete', {})).status).toBe(422);
    // The wall clock moves nothing.
    trial.clock.jump(60_000);
    for (let tries = 0; tries < 3; tries += 1) {
      const refused = await trial.call('DELETE', '/delete-document/x');
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('40');
      expect(refused.error?.message).toMatch(/too many/);
    }
    await trial.clock.advance(40_000);
    expect(await status()).toBe(404);
    expect(await status()).toBe(429);
    await trial.clock.advance(20_000);
    expect([await status(), await status(), await status()]).toEqual([404, 404, 429]);
  });

  it('lets fifty pass in a minute unless it is told otherwise', async () => {
    await trial.restart({ requestsPerMinute: undefined });
    await trial.headers();
    for (let count = 0; count < 50; count += 1) expect(await status()).toBe(404);
    expect(await status()).toBe(429);
  });

  it('does not count requests without a valid token, which take nothing from the account', async () => {
    await trial.headers();
    for (const authorization of ['Bearer nonsense', '', 'Bearer nonsense', '']) {
      const headers = { authorization, ClientId: trial.service.credentials.clientId };
      expect((await trial.call('POST', '/upload-document', { headers })).status).toBe(401);
    }
    expect([await status(), await status(), await status(), await status()]).toEqual([404, 404, 404, 429]);
  });

  it('counts when a request arrives, not when it is answered', async () => {
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const slow = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    slow.call.write('--x\r\n');
    while (trial.service.requestLog().every(({ operation }) => operation !== 'upload')) await status();
    await trial.clock.advance(60_000);
    expect([await status(), await status(), await status(), await status()]).toEqual([404, 404, 404, 429]);
    slow.call.end('--x--\r\n');
    expect((await slow.answer).status).toBe(400);
  });

  it('does not count the token endpoints, the page or what is no operation', async () => {
    for (let round = 0; round < 4; round += 1) {
      await trial.login();
      await fetch(trial.service.pageUrl);
      await trial.call('GET', '/nothing');
    }
    expect(await status()).toBe(404);
  });

  it('has a minute of another length for trials', async () => {
    await trial.restart({ requestsPerMinute: 1, windowMs: 500 });
    expect(await status()).toBe(404);
    const refused = await trial.call('DELETE', '/delete-document/x');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    await trial.clock.advance(500);
    expect(await status()).toBe(404);
  });
});

it('answers with a Date header, in JSON, and lets nobody sniff', async () => {
  const { headers } = await trial.call('DELETE', '/delete-document/x');
  expect(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now())).toBeLessThan(5000);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
