import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { expect, it } from '@jest/globals';

import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { prefix, trialOfEachTest } from '../support/trial.ts';

const run = promisify(execFile);

/** Runs curl and gives the answer's status and body. */
async function curl(...parameters: readonly string[]): Promise<{ status: number; body: string }> {
  const { stdout } = await run('curl', ['-sS', '-m', '20', '-w', '\n%{http_code}', ...parameters]);
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}

function docIdOf(body: string): string {
  return (JSON.parse(body) as { success: { docId: string } }).success.docId;
}

const folder = folderOfEachTest();
const trial = trialOfEachTest();

it('serves curl from the first token to the last revocation', async () => {
  const { authUrl, ingestUrl, credentials } = trial.service;
  const api = `${ingestUrl}${prefix}`;
  const key = `x-api-key: ${credentials.apiKey}`;
  const form = (fields: Readonly<Record<string, string>>) =>
    Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`]);
  const client = { client_id: credentials.clientId, client_secret: credentials.clientSecret };

  const granted = await curl(
    '-H',
    key,
    `${authUrl}/auth`,
    ...form({
      grant_type: 'password',
      username: credentials.username,
      password: credentials.password,
      ...client,
    }),
  );
  expect(granted.status).toBe(200);
  const { refresh_token: refreshToken } = JSON.parse(granted.body) as { refresh_token: string };
  const refresh = () =>
    curl(
      '-H',
      key,
      `${authUrl}/auth`,
      ...form({ grant_type: 'refresh_token', refresh_token: refreshToken, ...client }),
    );
  const { access_token: token } = JSON.parse((await refresh()).body) as { access_token: string };
  const bearer = ['-H', `Authorization: Bearer ${token}`, '-H', `ClientId: ${credentials.clientId}`];

  const large = Buffer.alloc(3_000_000, 'line of text\n');
  const report = await folder.write('Jahresbericht "ä".pdf', large);
  const sheet = await folder.write('sheet.csv', 'a,b\n1,2\n');
  const uploaded = await curl(
    ...bearer,
    '-F',
    `file=@"${report.replaceAll('"', '\\"')}"`,
    '-F',
    `attachments=@${sheet}`,
    '-F',
    `attachments=@${sheet};filename=copy.csv`,
    '-F',
    'metadata={"title":"Report","customTags":[{"name":"new","operation":"ADD"}]}',
    `${api}/upload-document`,
  );
  expect(uploaded.status).toBe(200);
  const docId = docIdOf(uploaded.body);
  expect(trial.service.documents()).toMatchObject([
    {
      fileName: 'Jahresbericht "ä".pdf',
      attachments: [{ name: 'sheet.csv', size: 8 }, { name: 'copy.csv' }],
    },
  ]);
  expect((await readFile(trial.service.contentPath(docId) ?? '')).equals(large)).toBe(true);

  const modified = await curl(
    ...bearer,
    '-X',
    'PUT',
    '-F',
    `file=@${sheet};type=text/csv`,
    '-F',
    'metadata={"title":"Sheet"}',
    `${api}/modify-document/${docId}`,
  );
  expect(modified.status).toBe(200);
  const second = docIdOf((await curl(...bearer, '-F', `file=@${sheet}`, `${api}/upload-document`)).body);
  const third = docIdOf((await curl(...bearer, '-F', `file=@${sheet}`, `${api}/upload-document`)).body);

  const json = ['-H', 'Content-Type: application/json', '-H', 'accept: application/json'];
  const change = JSON.stringify({ docIds: [docId, second], shareInfo: { mode: 'EVERYONE' } });
  const bulk = await curl(...bearer, ...json, '-X', 'PATCH', '-d', change, `${api}/bulk/modify/metadata`);
  expect(bulk.status).toBe(200);
  expect(trial.service.documents()).toMatchObject([
    { fileName: 'sheet.csv', metadata: { title: 'Sheet', shareInfo: { mode: 'EVERYONE' } } },
    { metadata: { shareInfo: { mode: 'EVERYONE' } } },
    { metadata: { shareInfo: { mode: 'DEFAULT' } } },
  ]);

  const owner = `documentOwner=${encodeURIComponent(credentials.username)}`;
  const deleted = await curl(...bearer, '-X', 'DELETE', `${api}/delete-document/${third}?${owner}`);
  expect(deleted.status).toBe(200);
  const both = JSON.stringify({ docIds: [docId, second] });
  expect((await curl(...bearer, ...json, '-X', 'DELETE', '-d', both, `${api}/bulk/delete`)).status).toBe(200);
  expect(trial.service.documents()).toEqual([]);

  const revoke = (...parameters: readonly string[]) =>
    curl('-X', 'POST', '-H', key, ...bearer, ...parameters, `${authUrl}/auth/token/revoke`);
  const all = '{"revokeRefreshTokens":true}';
  expect(await revoke('-d', all)).toEqual({ status: 200, body: '' });
  expect((await refresh()).status).toBe(200);
  expect(await revoke('-H', 'Content-Type: application/json', '-d', all)).toEqual({
    status: 200,
    body: '',
  });
  expect(await revoke()).toEqual({ status: 200, body: '' });
  expect((await refresh()).status).toBe(401);
  expect((await curl(...bearer, '-X', 'DELETE', `${api}/delete-document/${docId}`)).status).toBe(401);
});
