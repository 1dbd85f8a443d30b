import { createHash } from 'node:crypto';
import { once } from 'node:events';

import { describe, expect, it } from '@jest/globals';

import { multipart, openRaw, sendRaw } from '../support/raw-request.ts';
import { prefix, trialOfEachTest } from '../support/trial.ts';

const maxFileBytes = 100_000;
const mebibyte = 1024 * 1024;

const trial = trialOfEachTest({ maxFileBytes });

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

it.each([1, 20 * 1024 * 1024])('a part over the limit by %i bytes is answered 413', async (more) => {
  const body = multipart('x', [[textFile, 'a'.repeat(maxFileBytes + more)]]);
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
  expect(await send('POST', '/upload-document', type, body)).toEqual({ status: 413, envelope: failure });
  expect(trial.service.documents()).toEqual([]);
});

describe('unless it is told otherwise', () => {
  it.each([
    ['a file of 150 MiB is taken, and never held in memory', 0, 200],
    ['and one byte more is answered 413', 1, 413],
  ])('%s', async (_, more, status) => {
    await trial.restart({ maxFileBytes: undefined });
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.write(`--x\r\n${textFile}\r\n\r\n`);
    const piece = Buffer.alloc(mebibyte, 'a');
    const hash = createHash('sha256');
    const held = () => process.memoryUsage().external + process.memoryUsage().heapUsed;
    const before = held();
    let peak = 0;
    for (let megabytes = 0; megabytes < 150; megabytes += 1) {
      hash.update(piece);
      if (!call.write(piece)) await once(call, 'drain');
      peak = Math.max(peak, held());
    }
    call.end(`${'a'.repeat(more)}\r\n--x--\r\n`);
    expect((await answer).status).toBe(status);
    const whole = { size: 150 * mebibyte, sha256: hash.digest('hex') };
    expect(trial.service.documents()).toMatchObject(more === 0 ? [whole] : []);
    expect((peak - before) / mebibyte).toBeLessThan(75);
  });
});

describe('what HTTP allows is accepted', () => {
  const json = { 'Content-Type': 'application/json' };

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
