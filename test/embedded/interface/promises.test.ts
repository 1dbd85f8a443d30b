import { once } from 'node:events';
import { connect } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { multipart, openRaw, sendRaw } from '../support/raw-request.ts';
import { prefix, startTrial } from '../support/trial.ts';
import type { Trial } from '../support/trial.ts';

const maxFileBytes = 100_000;

let trial: Trial;

beforeEach(async () => {
  trial = await startTrial({ maxFileBytes });
});
afterEach(() => trial.close());

const textFile = 'Content-Disposition: form-data; name="file"; filename="a.txt"';

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer | string = '',
) {
  const answer = await sendRaw(`${trial.service.ingestUrl}${prefix}${path}`, {
    method,
    headers: { ...(await trial.headers()), ...headers },
    body,
  });
  return { status: answer.status, envelope: JSON.parse(answer.body) as unknown };
}

const failure = {
  error: { docId: expect.any(String), message: expect.any(String) },
  success: null,
  warning: null,
};

describe('a part over the limit', () => {
  it.each([1, 64 * 1024, 1024 * 1024, 20 * 1024 * 1024])('by %i bytes is answered 413', async (more) => {
    const body = multipart('x', [[textFile, 'a'.repeat(maxFileBytes + more)]]);
    const answer = await send(
      'POST',
      '/upload-document',
      { 'Content-Type': 'multipart/form-data; boundary=x' },
      body,
    );
    expect(answer.status).toBe(413);
    expect(answer.envelope).toEqual(failure);
    expect(trial.service.documents()).toEqual([]);
  });
});

describe('unless it is told otherwise', () => {
  it.each([
    ['a file of 150 MiB is taken', 0, 200],
    ['and one byte more is answered 413', 1, 413],
  ])('%s', async (_, more, status) => {
    await trial.restart({ maxFileBytes: undefined });
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.write(`--x\r\n${textFile}\r\n\r\n`);
    const piece = Buffer.alloc(1024 * 1024, 'a');
    for (let megabytes = 0; megabytes < 150; megabytes += 1) {
      if (!call.write(piece)) await once(call, 'drain');
    }
    call.end(`${'a'.repeat(more)}\r\n--x--\r\n`);
    expect((await answer).status).toBe(status);
    expect(trial.service.documents().map(({ size }) => size)).toEqual(more === 0 ? [150 * 1024 * 1024] : []);
  });
});

describe('a failure is an envelope', () => {
  it.each<[string, string, string, number]>([
    ['an escape that is none', 'PUT', '/modify-document/%FF', 400],
    ['an identifier of 101 characters', 'DELETE', `/delete-document/${'x'.repeat(101)}`, 404],
    ['an identifier of 3,000 characters', 'DELETE', `/delete-document/${'x'.repeat(3000)}`, 400],
    ['an unknown route', 'POST', '/no-such-operation', 404],
    ['another method', 'GET', '/upload-document', 404],
    ['the prefix alone', 'GET', '', 404],
  ])('for %s', async (_name, method, path, status) => {
    expect(await send(method, path, {})).toEqual({ status, envelope: failure });
  });

  it('for another version, above the prefix', async () => {
    const answer = await fetch(`${trial.service.ingestUrl}/services/i/ingestion-api/v2/upload-document`);
    expect([answer.status, await answer.json()]).toEqual([404, failure]);
  });

  it.each([
    ['bytes that are no HTTP', 'nonsense\r\n\r\n', '400'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, '431'],
  ])('for %s', async (_name, bytes, status) => {
    const socket = connect(Number(new URL(trial.service.ingestUrl).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(bytes);
    await once(socket, 'close');
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual(failure);
  });
});

describe('what HTTP allows is accepted', () => {
  const json = { 'Content-Type': 'application/json' };

  it('white space after a boundary (RFC 2046)', async () => {
    const body = [
      `--x \t\r\n${textFile}\r\n\r\ncontent\r\n`,
      '--x  \r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"title":"T"}\r\n--x-- \r\n',
    ].join('');
    const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const answer = await send('POST', '/upload-document', form, body);
    expect(answer.status).toBe(200);
    expect(trial.service.documents()[0]?.metadata.title).toBe('T');
  });

  it('white space after a boundary, however the bytes arrive', async () => {
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.setNoDelay(true);
    for (const byte of `--x \r\n${textFile}\r\n\r\nab\r\n-\r\n--c\r\n--x \t \r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{}\r\n--x--\r\n`) {
      await new Promise<void>((resolve) => call.write(byte, () => resolve()));
    }
    call.end();
    expect((await answer).status).toBe(200);
    expect(trial.service.documents()[0]?.size).toBe('ab\r\n-\r\n--c'.length);
  });

  it.each(['title', 'sourceType', 'documentUrl'])('an empty %s', async (field) => {
    await trial.upload('a.txt', 'x', { [field]: '' });
    expect(trial.service.documents()[0]?.metadata).toMatchObject({ [field]: '' });
    await trial.restart();
    expect(trial.service.documents()).toHaveLength(1);
  });

  it('but not JSON that is no UTF-8', async () => {
    const body = Buffer.from('{"docIds":["x"],"sourceType":"\xff"}', 'latin1');
    expect(await send('PATCH', '/bulk/modify/metadata', json, body)).toEqual({
      status: 400,
      envelope: failure,
    });
    expect(await send('DELETE', '/bulk/delete', json, body)).toEqual({ status: 400, envelope: failure });
  });
});

it('builds one answer at a time for a peer that pipelines and reads nothing', async () => {
  await trial.upload('a.txt', 'x'.repeat(10_000));
  const port = Number(new URL(trial.service.ingestUrl).port);
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(1200));
  }
  expect((await fetch(trial.service.pageUrl)).status).toBe(200);
  for (const socket of sockets) socket.resume();
  await eventually(() => sockets.every((socket) => socket.destroyed));
});
