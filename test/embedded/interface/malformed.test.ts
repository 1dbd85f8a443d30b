import { beforeAll, describe, expect, it } from '@jest/globals';

import { recordedLog } from '../../support/recorded-log.ts';
import { sendBytes } from '../support/raw-request.ts';
import { prefix, startTrial } from '../support/trial.ts';
import { ofAllTests } from '../../support/of-each-test.ts';

const log = recordedLog();
const trial = ofAllTests(() => startTrial({ log }));
let known: string;
let held = '';

beforeAll(async () => {
  const headers = Object.entries({
    ...(await trial.headers()),
    'x-api-key': trial.service.credentials.apiKey,
  });
  known = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  held = await trial.upload('a.txt', 'x');
});

const envelope = (docId: unknown = '') => ({
  error: { docId, message: expect.any(String) },
  success: null,
  warning: null,
});
const oauth = { error: expect.any(String), error_description: expect.any(String) };

const form = 'Content-Type: application/x-www-form-urlencoded\r\n';
const grant = 'grant_type=password&username=%zz';
const isChunked = 'Transfer-Encoding: chunked\r\n';
const large = 'x'.repeat(1_100_000);

/** The answer to a request with the headers of a client that is known, and those given. */
async function ask(line: string, headers = '', body: string | null = null) {
  const length = body === null || headers.includes(isChunked) ? '' : `Content-Length: ${body.length}\r\n`;
  const path = line.replace('HELD', held);
  const lines = `${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${known}${headers}${length}`;
  return sendBytes(trial.service.ingestUrl, `${lines}\r\n${body ?? ''}`);
}

describe('a malformed request to the token endpoints is answered in their form, and one beside the service', () => {
  it.each<[string, string, string, string | null, number]>([
    ['one grant twice', 'POST /auth', form, `${grant}&${grant}`, 400],
    ['a piece of no length', 'POST /auth', form + isChunked, `zz\r\n${grant}\r\n0\r\n\r\n`, 400],
    ['two lengths', 'POST /auth', `${form}Content-Length: 3\r\n`, grant, 400],
    ['a length and pieces', 'POST /auth', `${form}Content-Length: 3\r\n${isChunked}`, '0\r\n\r\n', 400],
    ['a length that is none', 'POST /auth', `${form}Content-Length: x\r\n`, null, 400],
    ['a header without a name', 'POST /auth', ': x\r\n', grant, 400],
    ['headers without end', 'POST /auth/token/revoke', `X: ${'x'.repeat(20_000)}\r\n`, null, 431],
    ['a method that is none', 'FETCH /auth', form, grant, 400],
    ['another method', 'PUT /auth', 'Content-Type: nonsense\r\n', grant, 404],
    ['another path below it', 'POST /auth/token', 'Content-Type: nonsense\r\n', '{', 404],
    ['an escape that is none', 'POST /auth%', form, grant, 400],
    ['a body that is too large', 'POST /auth', form, large, 413],
    ['a type that is none, above the prefix', 'POST /services', 'Content-Type: nonsense\r\n', 'x', 404],
    [
      'JSON that is none, beside the service',
      'POST /nothing',
      'Content-Type: application/json\r\n',
      '{',
      404,
    ],
    ['too much text, beside the service', 'POST /nothing', 'Content-Type: text/plain\r\n', large, 404],
    ['another version', 'POST /services/i/ingestion-api/v2/upload-document', '', null, 404],
    ['what is no HTTP', 'nonsense', '', null, 400],
  ])('%s', async (_name, line, headers, body, status) => {
    const answer = await ask(line, headers, body);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, oauth]);
  });

  it('two grants in the length of one', async () => {
    const lines = `POST /auth HTTP/1.1\r\nHost: 127.0.0.1\r\n${known}${form}`;
    const body = `Content-Length: ${grant.length}\r\n\r\n${grant}${grant}`;
    const answer = await sendBytes(trial.service.ingestUrl, lines + body);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, oauth]);
  });
});

describe('a malformed request to an operation is answered in an envelope', () => {
  it.each<[string, string, string, string | null, number]>([
    ['a piece of no length', 'POST P/upload-document', isChunked, 'zz\r\n', 400],
    ['a method that is none', 'FETCH P/upload-document', '', null, 400],
    ['a type that is none, to no operation', 'POST P/nothing', 'Content-Type: nonsense\r\n', 'x', 404],
    ['an upload of a type that is none', 'POST P/upload-document', 'Content-Type: x\r\n', 'x', 415],
    [
      'a form with white space behind its boundary',
      'POST P/upload-document',
      'Content-Type: multipart/form-data; boundary=x\r\n',
      '--x \r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--x--\r\n',
      400,
    ],
    ['an upload in JSON', 'POST P/upload-document', 'Content-Type: application/json\r\n', large, 415],
    ['a bulk call of a type that is none', 'PATCH P/bulk/modify/metadata', 'Content-Type: x\r\n', '{}', 415],
    ['a bulk call of two types', 'DELETE P/bulk/delete', 'Content-Type: a/b, c/d\r\n', '{}', 415],
    ['headers without end', 'POST P/upload-document', `X: ${'x'.repeat(20_000)}\r\n`, null, 431],
    ['an escape that is none', 'PUT P/modify-document/%FF', '', null, 400],
    ['an identifier of 3,000 characters', `DELETE P/delete-document/${'x'.repeat(3000)}`, '', null, 400],
    ['an unknown route', 'POST P/no-such-operation', '', null, 404],
    ['another method', 'GET P/upload-document', '', null, 404],
    ['the prefix alone', 'GET P', '', null, 404],
  ])('%s', async (_name, line, headers, body, status) => {
    const answer = await ask(line.replace(' P', ` ${prefix}`), headers, body);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, envelope()]);
  });

  it.each([
    ['of a type that is none', 'Content-Type: nonsense\r\n', 'x'],
    ['in JSON', 'Content-Type: application/json\r\n', large],
  ])('a modify %s, with the document that it is for', async (_name, headers, body) => {
    const held = await ask(`PUT ${prefix}/modify-document/HELD`, headers, body);
    expect([held.status, JSON.parse(held.body)]).toEqual([415, envelope(expect.stringMatching(/^.{36}$/))]);
    const unknown = await ask(`PUT ${prefix}/modify-document/unknown`, headers, body);
    expect([unknown.status, JSON.parse(unknown.body)]).toEqual([404, envelope('unknown')]);
  });

  it('one whose JSON is cut off, which is no failure of the service', async () => {
    const headers = 'Content-Type: application/json\r\nContent-Length: 500\r\n';
    const lines = `PATCH ${prefix}/bulk/modify/metadata HTTP/1.1\r\nHost: 127.0.0.1\r\n${known}${headers}`;
    const answer = await sendBytes(trial.service.ingestUrl, `${lines}\r\n{`, { isCut: true });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, envelope()]);
    await trial.upload('c.txt', 'x');
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('one without a Host header', async () => {
    const lines = `DELETE ${prefix}/delete-document/x HTTP/1.1\r\n${known}Connection: close\r\n\r\n`;
    const answer = await sendBytes(trial.service.ingestUrl, lines);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, envelope()]);
  });
});

describe('the type of a body that a delete does not have means nothing', () => {
  it.each(['nonsense', '', '/', ';', 'text/', 'text/plain, text/html', 'application/json'])(
    '%j',
    async (type) => {
      const docId = await trial.upload('b.txt', 'x');
      const answer = await ask(`DELETE ${prefix}/delete-document/${docId}`, `Content-Type: ${type}\r\n`);
      const body: unknown = JSON.parse(answer.body);
      expect({ status: answer.status, body }).toMatchObject({ status: 200, body: { success: { docId } } });
    },
  );
});
