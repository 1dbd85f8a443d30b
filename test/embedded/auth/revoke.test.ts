import { expect, it } from '@jest/globals';
import { UnsecuredJWT } from 'jose';

import { trialOfEachTest } from '../support/trial.ts';

const json = { 'Content-Type': 'application/json' };

const trial = trialOfEachTest();

/** Whether the service still lets the token in. */
async function works(token: string): Promise<boolean> {
  const { status } = await trial.call('DELETE', '/delete-document/none', {
    headers: { Authorization: `Bearer ${token}`, ClientId: trial.service.credentials.clientId },
  });
  return status !== 401;
}

it('revokes the access token alone when there is no body', async () => {
  const tokens = await trial.login();
  const other = await trial.login();
  const answer = await trial.revoke(tokens.access_token);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
  expect(await works(tokens.access_token)).toBe(false);
  expect(await works(other.access_token)).toBe(true);
  expect((await trial.refresh(tokens.refresh_token)).status).toBe(200);
});

it.each(['{}', '{"revokeRefreshTokens":false}'])('leaves the refresh tokens alone with %s', async (body) => {
  const tokens = await trial.login();
  expect((await trial.revoke(tokens.access_token, { body, headers: json })).status).toBe(200);
  expect(await works(tokens.access_token)).toBe(false);
  expect((await trial.refresh(tokens.refresh_token)).status).toBe(200);
});

it('revokes every refresh token of the user when asked', async () => {
  const [one, two] = [await trial.login(), await trial.login()];
  const body = '{"revokeRefreshTokens":true}';
  expect((await trial.revoke(one.access_token, { body, headers: json })).status).toBe(200);
  expect((await trial.refresh(one.refresh_token)).status).toBe(401);
  expect((await trial.refresh(two.refresh_token)).status).toBe(401);
  expect(await works(two.access_token)).toBe(true);
});

it('is idempotent, and a second call may still take the refresh tokens', async () => {
  const tokens = await trial.login();
  expect((await trial.revoke(tokens.access_token)).status).toBe(200);
  expect((await trial.revoke(tokens.access_token)).status).toBe(200);
  const body = '{"revokeRefreshTokens":true}';
  expect((await trial.revoke(tokens.access_token, { body, headers: json })).status).toBe(200);
  expect((await trial.refresh(tokens.refresh_token)).status).toBe(401);
});

it.each(['text/plain', 'application/x-www-form-urlencoded', 'garbage', ''])(
  'answers 200 and revokes nothing for a body of type "%s"',
  async (type) => {
    const tokens = await trial.login();
    const body = '{"revokeRefreshTokens":true}';
    const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type };
    const answer = await trial.revoke(tokens.access_token, { body, headers });
    expect(answer.status).toBe(200);
    expect(await works(tokens.access_token)).toBe(true);
    expect((await trial.refresh(tokens.refresh_token)).status).toBe(200);
  },
);

it.each(['', '[]', 'null', '{', '{"revokeRefreshTokens":"yes"}', '{"other":1}'])(
  'answers 400 to the JSON body %j',
  async (body) => {
    const tokens = await trial.login();
    expect((await trial.revoke(tokens.access_token, { body, headers: json })).status).toBe(400);
    expect(await works(tokens.access_token)).toBe(true);
  },
);

it.each(['x-api-key', 'Authorization', 'clientid'])('answers 400 without %s', async (missing) => {
  const tokens = await trial.login();
  const { apiKey, clientId } = trial.service.credentials;
  const headers: Record<string, string> = {
    'x-api-key': apiKey,
    Authorization: `Bearer ${tokens.access_token}`,
    clientid: clientId,
  };
  delete headers[missing];
  const answer = await fetch(`${trial.service.authUrl}/auth/token/revoke`, { method: 'POST', headers });
  expect(answer.status).toBe(400);
  expect(await works(tokens.access_token)).toBe(true);
});

it('answers 401 to a token that is invalid, altered or expired, 403 to a wrong key', async () => {
  const { access_token: token } = await trial.login();
  expect((await trial.revoke('nonsense')).status).toBe(401);
  const all = { body: '{"revokeRefreshTokens":true}', headers: json };
  const nobody = new UnsecuredJWT({ clientId: trial.service.credentials.clientId }).encode();
  expect((await trial.revoke(nobody, all)).status).toBe(401);
  expect((await trial.revoke(`${token}x`)).status).toBe(401);
  expect((await trial.revoke(token, { headers: { Authorization: 'Bearer ' } })).status).toBe(401);
  expect((await trial.revoke(token, { headers: { clientid: 'other' } })).status).toBe(401);
  expect((await trial.revoke(token, { headers: { 'x-api-key': 'other' } })).status).toBe(403);
  trial.clock.jump(1800 * 1000);
  expect((await trial.revoke(token)).status).toBe(401);
});
