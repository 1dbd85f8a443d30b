import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { documentTypes, mediaTypeOf } from '../../../src/model/names-and-types.ts';
import { isUsableDocId } from '../../../src/model/document.ts';
import {
  readEnvelope,
  parseJson,
  readRetryAfter,
  tokenResponse,
} from '../../../src/remote/http/read-answer.ts';

describe('Retry-After (N17)', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ['30', 30_000],
    [' 30 ', 30_000],
    ['1.5', 1500],
    ['86400', 900_000],
    ['9'.repeat(400), null],
    ['0', null],
    ['-5', null],
    ['soon', null],
    ['', null],
    ['0x10', null],
    ['1e3', null],
    ['2026', 900_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', null],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 900_000],
    ['Xyz, 99 Foo 2026', null],
  ])('of %j is %j ms', (header, ms) => {
    expect(readRetryAfter(header, { now })).toBe(ms);
  });

  it('is nothing when it is not there', () => {
    expect(readRetryAfter(undefined, { now })).toBeNull();
  });

  it('is always null or between 1 ms and 15 minutes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), fc.option(fc.string()), (header, date) => {
        const ms = readRetryAfter(header, { now, date: date ?? undefined });
        if (ms !== null) expect(ms > 0 && ms <= 900_000 && Number.isInteger(ms)).toBe(true);
      }),
    );
  });
});

describe('a docId (N23, S14)', () => {
  it.each([
    'a',
    'A-1_b.c~',
    '550e8400-e29b-41d4-a716-446655440000',
    'ü',
    'a b',
    ' a',
    '...',
    'a/b',
    'a\\b',
    'a\nb',
    '\u2028',
    'x'.repeat(1024),
  ])('%j can be used', (docId) => {
    expect(isUsableDocId(docId)).toBe(true);
  });
  it.each(['', '.', '..', 'x'.repeat(1025), '\ud800', 5, null, {}])('%j cannot', (docId) => {
    expect(isUsableDocId(docId)).toBe(false);
  });
  it('that can be used stays one segment of the path', () => {
    fc.assert(
      fc.property(fc.string(), (docId) => {
        if (!isUsableDocId(docId)) return;
        const url = new URL(`http://h/v1/delete-document/${encodeURIComponent(docId)}?x=1`);
        expect(url.pathname.split('/')).toHaveLength(4);
        expect(decodeURIComponent(url.pathname.split('/')[3] ?? '')).toBe(docId);
        expect(url.search).toBe('?x=1');
      }),
    );
  });
});

describe('the objects of interface section 2', () => {
  it('are read with what services leave out or add', () => {
    expect(tokenResponse.safeParse({ access_token: 't', scope: 'x' }).success).toBe(true);
    expect(tokenResponse.safeParse({ access_token: '' }).success).toBe(false);
    const read = (value: unknown) =>
      readEnvelope({
        kind: 'answer',
        status: 200,
        headers: {},
        state: 'whole',
        text: JSON.stringify(value),
        sent: 'all',
      });
    expect(read({ error: null, success: { docId: 'd' }, warning: null, extra: 1 }).kind).toBe('envelope');
    for (const said of ['ok', true, 5, ['d'], { docId: { id: 1 } }])
      expect(read({ success: said })).toMatchObject({ envelope: { success: { docId: null } } });
    for (const other of [{}, [], null, 'x', 5, { error: null }, { success: false }, { error: '' }])
      expect(read(other).kind).toBe('unreadable');
  });
});

describe('the text of an answer', () => {
  it.each([
    ['{"docId":"a"}', { docId: 'a' }],
    ['\uFEFF{"docId":"a"}', { docId: 'a' }],
    ['{"docId":"a\uFEFFb"}', { docId: 'a\uFEFFb' }],
    ['{"docId":', undefined],
    ['', undefined],
  ])('%j is read as %j', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});

describe('the media type', () => {
  it.each(documentTypes)('of %s is one of its own, whatever its case', (type) => {
    expect(mediaTypeOf(`a.${type}`)).toMatch(/^(?:application|text|message)\/(?!octet-stream)[\w.-]+$/);
    expect(mediaTypeOf(`A.${type.toUpperCase()}`)).toBe(mediaTypeOf(`a.${type}`));
  });

  it('comes from the table only', () => {
    expect(mediaTypeOf('a.PDF')).toBe('application/pdf');
    expect(mediaTypeOf('a.exe')).toBe('application/octet-stream');
    expect(mediaTypeOf('a.pdf\r\nX: 1')).toBe('application/octet-stream');
    expect(mediaTypeOf('constructor')).toBe('application/octet-stream');
  });
});
