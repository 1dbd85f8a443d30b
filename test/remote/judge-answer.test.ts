import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import type { BodySent } from '../../src/model/ports/service-port.ts';
import { judgeAnswer } from '../../src/remote/judge-answer.ts';
import type { HttpResult } from '../../src/remote/http/send-http-request.ts';
import { isUsableDocId } from '../../src/model/document.ts';
import { shortOutcome } from './client-world.ts';
import type { OperationName } from './client-world.ts';

const operation = fc.constantFrom<OperationName[]>('upload', 'modify', 'remove', 'bulkModify', 'bulkRemove');
const sent = fc.constantFrom<BodySent[]>('nothing', 'part', 'all');
const member = fc.option(
  fc.record({ docId: fc.option(fc.string()), message: fc.option(fc.string()) }, { requiredKeys: [] }),
);
const text = fc.oneof(
  fc
    .record({ error: member, success: member, warning: member }, { requiredKeys: [] })
    .map((v) => JSON.stringify(v)),
  fc.json(),
  fc.string(),
);
const answer = fc.record({
  kind: fc.constant('answer' as const),
  status: fc.integer({ min: 200, max: 599 }),
  headers: fc.record({ 'retry-after': fc.string(), date: fc.string() }, { requiredKeys: [] }),
  state: fc.constantFrom<('whole' | 'cut' | 'too-long')[]>('whole', 'cut', 'too-long'),
  text,
  sent,
});
const fault = fc.record({
  kind: fc.constant('fault' as const),
  code: fc.string(),
  host: fc.constant('service.example:443'),
  sent,
});
const httpResult = fc.oneof(answer, fault);
const circumstances = fc.record({
  operation,
  docId: fc.option(fc.string()),
  ingestUrl: fc.constant('https://service.example'),
  now: fc.constant(Date.UTC(2026, 0, 1)),
  hasWorked: fc.boolean(),
});

const lost = { kind: 'fault', host: 'service.example:443', sent: 'nothing' } as const;
const ingestUrl = 'https://service.example/base';
const whole = { kind: 'answer', status: 200, headers: {}, state: 'whole', sent: 'all' } as const;

/** What comes of an answer or a fault where the service has not worked yet. */
const judged = (result: HttpResult, asked: OperationName = 'upload', docId: string | null = null) =>
  judgeAnswer(result, { operation: asked, docId, ingestUrl, now: 0, hasWorked: false });

describe('what comes of a request', () => {
  it('is decided for every answer, and an upload is accepted with a usable docId only', () => {
    fc.assert(
      fc.property(httpResult, circumstances, (result, around) => {
        const outcome = judgeAnswer(result, around);
        if (outcome.kind !== 'accepted') return;
        expect(result.kind).toBe('answer');
        expect(result.sent).toBe('all');
        if (around.operation === 'upload') expect(isUsableDocId(outcome.docId)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is never merely unavailable for an upload that may have been taken, but for the service saying so', () => {
    fc.assert(
      fc.property(httpResult, circumstances, (result, around) => {
        const outcome = judgeAnswer(result, { ...around, operation: 'upload' });
        if (outcome.kind !== 'unavailable' || result.sent !== 'all') return;
        expect(result.kind).toBe('answer');
        if (result.kind === 'answer') {
          // A redirect that tells to send it elsewhere took nothing.
          if (result.status < 400) expect([301, 302, 307, 308]).toContain(result.status);
          expect([408, 460, 499, 502, 504, 520, 524, 598, 599]).not.toContain(result.status);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is unknown for uploads only: everything else may be repeated', () => {
    fc.assert(
      fc.property(httpResult, circumstances, (result, around) => {
        if (judgeAnswer(result, around).kind === 'unknown') expect(around.operation).toBe('upload');
      }),
      { numRuns: 2000 },
    );
  });

  const takenAs = (docId: string | null, warning: string | null = null) => ({
    kind: 'accepted',
    docId,
    warning,
  });
  const saidNo = (message: string) => ({ kind: 'rejected', code: 'error-envelope', message });
  const unclear = (code: string, message: string) => ({ kind: 'unknown', code, message });
  it.each<[OperationName, string, object]>([
    ['modify', '{"error":{"message":" no such owner "}}', saidNo('no such owner')],
    ['modify', '{"error":{"docId":"mine"}}', saidNo('the service reported an error without a message')],
    [
      'upload',
      '{"error":{"message":"no"},"success":{"docId":"d"}}',
      unclear('answer-contradictory', 'the answer contains both an error and a success'),
    ],
    ['modify', '{"success":{"message":"done"}}', takenAs(null)],
    ['modify', '{"success":{"docId":"mine"}}', takenAs('mine')],
    [
      'modify',
      '{"success":{"docId":"other"}}',
      takenAs('other', 'the answer contains the docId of another document'),
    ],
    ['upload', '{"warning":{"docId":"d","message":"careful"}}', takenAs('d', 'careful')],
    ['upload', '{"warning":{"docId":"d"}}', takenAs('d', 'the service reported a warning without a message')],
    [
      'upload',
      '{"success":{"message":"done"}}',
      unclear(
        'no-doc-id',
        'the service accepted it without a docId that can be used; it said {"message":"done"}',
      ),
    ],
    ['modify', '{"error":{"message":"no"},"success":{"docId":"d"}}', saidNo('no')],
  ])('is for a %s that is answered with %s exactly what it says', (asked, body, outcome) => {
    const docId = asked === 'upload' ? null : 'mine';
    expect(judged({ ...whole, text: body }, asked, docId)).toEqual(outcome);
  });

  it.each<readonly [unknown, string, string]>([
    ...['..', '.', '', 'x'.repeat(10_000), {}, ['x'], true, 7.5].map(
      (docId) => [docId, 'unknown no-doc-id', 'accepted'] as const,
    ),
    ...['a/b', 'a\r\nb', 7].map((docId) => [docId, 'accepted', 'accepted'] as const),
  ])('of a success with the docId %j is for an upload %s, and otherwise %s (N23)', (docId, upload, other) => {
    const result = { ...whole, text: JSON.stringify({ success: { docId, message: '' } }) };
    expect(shortOutcome(judged(result))).toBe(upload);
    for (const asked of ['modify', 'remove', 'bulkModify', 'bulkRemove'] as const)
      expect(shortOutcome(judged(result, asked))).toBe(other);
  });

  it.each([
    ['{"success":{"docId":9007199254740993}}', '9007199254740993'],
    ['\uFEFF{"success":{"message":"docId","docId": -12}}', '-12'],
    ['{"warning":{"docId":123456789012345678901234567890,"message":"x"}}', '123456789012345678901234567890'],
  ])('takes the integer of %s by its digits', (body, docId) => {
    expect(judged({ ...whole, text: body })).toMatchObject({ kind: 'accepted', docId });
  });

  it.each([
    '{"success":"done"}',
    '{"success":true}',
    '{"success":{"docId":{"id":4}}}',
    '{"error":{},"success":[1]}',
  ])('is the end of an upload that is answered with %s, whatever else it says', (body) => {
    expect(shortOutcome(judged({ ...whole, text: body }))).toBe('unknown no-doc-id');
    expect(judged({ ...whole, text: body }, 'modify').kind).toBe('accepted');
  });

  const own = '{"error":{"message":"no"}}';
  it.each<readonly [number, OperationName, BodySent, string, string]>([
    [99, 'upload', 'all', own, 'unknown http-99'],
    [300, 'upload', 'all', own, 'misaddressed redirect, perhaps taken'],
    [301, 'upload', 'all', own, 'misaddressed redirect'],
    [302, 'upload', 'all', own, 'misaddressed redirect'],
    [303, 'upload', 'part', own, 'misaddressed redirect'],
    [303, 'upload', 'all', own, 'misaddressed redirect, perhaps taken'],
    [303, 'remove', 'all', own, 'misaddressed redirect, perhaps taken'],
    [304, 'upload', 'all', own, 'misaddressed redirect, perhaps taken'],
    [307, 'upload', 'all', own, 'misaddressed redirect'],
    [308, 'upload', 'all', own, 'misaddressed redirect'],
    [399, 'modify', 'all', own, 'misaddressed redirect, perhaps taken'],
    [400, 'upload', 'all', own, 'rejected http-400'],
    [401, 'upload', 'part', own, 'unauthorized'],
    [403, 'modify', 'all', own, 'rejected http-403'],
    [404, 'upload', 'all', own, 'rejected http-404'],
    ...[404, 405, 410, 501].flatMap((status) =>
      (['upload', 'modify', 'remove'] as const).flatMap((asked) =>
        ['gateway', '', '<html>', '{"status":404,"error":"Not Found"}'].map(
          (body) => [status, asked, 'all', body, 'unavailable not-the-service'] as const,
        ),
      ),
    ),
    [405, 'upload', 'all', own, 'rejected http-405'],
    [404, 'modify', 'all', own, 'missing'],
    [410, 'remove', 'all', own, 'missing'],
    [410, 'upload', 'all', own, 'rejected http-410'],
    [404, 'bulkRemove', 'all', own, 'rejected http-404'],
    [409, 'upload', 'all', own, 'rejected http-409'],
    [404, 'bulkModify', 'all', 'gateway', 'rejected http-404'],
    [407, 'upload', 'nothing', 'proxy', 'misaddressed proxy-authentication'],
    [408, 'upload', 'part', own, 'unavailable http-408'],
    [408, 'upload', 'all', own, 'unknown http-408'],
    [408, 'modify', 'all', own, 'unavailable http-408'],
    [413, 'upload', 'part', own, 'rejected http-413'],
    [418, 'upload', 'all', own, 'rejected http-418'],
    [425, 'upload', 'all', own, 'unavailable http-425'],
    [429, 'bulkRemove', 'all', own, 'unavailable http-429'],
    [460, 'upload', 'all', 'gateway', 'unknown http-460'],
    [499, 'upload', 'all', 'gateway', 'unknown http-499'],
    [499, 'upload', 'part', 'gateway', 'unavailable http-499'],
    [499, 'remove', 'all', 'gateway', 'unavailable http-499'],
    [500, 'upload', 'all', own, 'unavailable http-500'],
    [501, 'upload', 'all', own, 'unavailable http-501'],
    [502, 'upload', 'all', 'gateway', 'unknown http-502'],
    [502, 'upload', 'part', 'gateway', 'unavailable http-502'],
    [502, 'modify', 'all', 'gateway', 'unavailable http-502'],
    [503, 'upload', 'all', own, 'unavailable http-503'],
    [504, 'upload', 'all', 'gateway', 'unknown http-504'],
    [522, 'upload', 'all', 'gateway', 'unavailable http-522'],
    [598, 'upload', 'all', 'gateway', 'unknown http-598'],
    [999, 'upload', 'all', own, 'unknown http-999'],
    [999, 'modify', 'all', own, 'unavailable http-999'],
  ])(
    'of an answer of %i to %s, when %s of it was sent, with %j is %s',
    (status, asked, sent, body, expected) => {
      const outcome = judged({ ...whole, status, text: body, sent }, asked);
      const taken = outcome.kind === 'misaddressed' && outcome.mayBeTaken ? ', perhaps taken' : '';
      expect('code' in outcome ? `${outcome.kind} ${outcome.code}${taken}` : outcome.kind).toBe(expected);
    },
  );

  it.each([
    ['CERT_HAS_EXPIRED', 'misaddressed', 'tls'],
    ['proxy-authentication', 'misaddressed', 'proxy-authentication'],
    ['ENOTFOUND', 'unavailable', 'enotfound'],
  ])('of a connection that fails with %s is %s (N1, N2)', (code, kind, word) => {
    const outcome = judged({ ...lost, code });
    expect(outcome).toMatchObject({ kind, code: word, message: expect.any(String) });
  });

  it.each(['upload', 'modify'] as const)(
    'of a connection whose TLS fails after all was sent: the %s may have been taken',
    (operation) => {
      const judge = (sent: BodySent) => judged({ ...lost, code: 'ERR_SSL_X', sent }, operation);
      expect(judge('all')).toMatchObject({ kind: 'misaddressed', mayBeTaken: true });
      expect(judge('part')).toMatchObject({ kind: 'misaddressed', mayBeTaken: false });
    },
  );

  it('tells of a redirect the host only', () => {
    const outcome = judged({
      ...whole,
      status: 302,
      headers: { location: 'https://evil.example/x?token=SECRET' },
      text: '',
    });
    expect(outcome).toMatchObject({ kind: 'misaddressed', code: 'redirect' });
    expect(JSON.stringify(outcome)).toContain('https://evil.example');
    expect(JSON.stringify(outcome)).not.toContain('SECRET');
  });

  it.each([401, 403])(
    'A %i with a page for people refuses no credentials, and says who answered',
    (status) => {
      const answer = {
        ...whole,
        status,
        headers: { server: 'squid/6' },
        text: '<html><title>Access denied</title>',
      };
      expect(judged(answer)).toMatchObject({
        kind: 'misaddressed',
        code: 'not-the-service',
        message: expect.stringMatching(/a web page of squid\/6 titled “Access denied”/),
      });
    },
  );

  it.each<readonly [string, string, Readonly<Record<string, string>>?]>([
    ['{"type":"about:blank","title":"Forbidden","detail":"no such scope"}', 'no such scope'],
    ['{"errors":[{"message":"first"},"second"]}', 'first; second'],
    ['{"error":"invalid","error_description":"expired"}', 'expired'],
    ['{"error":{"message":"no"}}', 'no'],
    ['too many pages', 'too many pages', { 'content-type': 'text/plain' }],
  ])('shows the words of %s', (body, words, headers = {}) => {
    const outcome = judged({ ...whole, status: 422, headers, text: body });
    expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringContaining(`: ${words}`) });
  });

  const page = '<!DOCTYPE html><title>Hotel Wi-Fi</title>';
  it.each<readonly [string, HttpResult, string]>([
    ['a redirect', { ...whole, status: 302, text: page }, 'unavailable redirect'],
    ['the result of an upload', { ...whole, status: 303, text: page }, 'unknown redirect'],
    ['a page for 401', { ...whole, status: 401, text: page }, 'unavailable not-the-service'],
    ['a page for 403', { ...whole, status: 403, text: page }, 'unavailable not-the-service'],
    ['a 401 of a gateway in XML', { ...whole, status: 401, text: '<error/>' }, 'unauthorized'],
    ['another certificate', { ...lost, code: 'CERT_HAS_EXPIRED' }, 'unavailable tls'],
    ['no TLS', { ...lost, code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'unavailable tls'],
    [
      'a proxy that asks for a password',
      { ...lost, code: 'proxy-authentication' },
      'misaddressed proxy-authentication',
    ],
  ])(
    'A7: where the service has answered before, %s is an outage: a network login page',
    (_, result, expected) => {
      const outcome = judgeAnswer(result, {
        operation: 'upload',
        docId: null,
        ingestUrl,
        now: 0,
        hasWorked: true,
      });
      expect(shortOutcome(outcome)).toBe(expected);
    },
  );
});
