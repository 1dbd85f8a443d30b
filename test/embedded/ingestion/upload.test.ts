import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { eventually } from '../../support/eventually.ts';
import { multipart, openRaw, sendRaw } from '../support/raw-request.ts';
import { prefix, trialOfEachTest } from '../support/trial.ts';
import type { Part } from '../support/trial.ts';

const maxFileBytes = 100_000;

const trial = trialOfEachTest({ maxFileBytes });

const upload = (...parts: readonly Part[]) => trial.form('POST', '/upload-document', parts);

/** Sends a form byte for byte. */
async function uploadRaw(body: Buffer | string, contentType = 'multipart/form-data; boundary=x') {
  const headers = { ...(await trial.headers()), 'Content-Type': contentType };
  return sendRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers, body });
}

/** What the service keeps on disk besides its own files. */
const leftovers = () => readdir(join(trial.dataDir, 'content'));

describe('an upload', () => {
  it('keeps the document, its attachments and its metadata byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: maxFileBytes }, (_, index) => (index * 31) % 251));
    const metadata = {
      title: 'Überschrift \u{1F4C4}',
      companies: [{ value: 'US0378331005', identifier: 'ISIN', salience: 'PRIMARY', operation: 'ADD' }],
      customTags: [{ name: 'q3', visibility: 'PUBLIC' }],
      shareInfo: { mode: 'EVERYONE' },
      docAuthors: [{ authorName: 'A. Author', operation: 'ADD' }],
      documentOwner: 'owner@example.com',
      createdTimestamp: '2024-02-29T23:59:59Z',
      sourceType: 'note',
      documentUrl: 'https://example.com/1',
    };
    const answer = await upload(
      ['attachments', 'one', 'one.csv'],
      ['metadata', JSON.stringify(metadata)],
      ['file', bytes, 'Bericht_ä.PDF'],
      ['attachments', '', 'two.txt'],
    );
    expect(answer.status).toBe(200);
    expect(answer.warning).toBeNull();
    const docId = answer.success?.docId ?? '';
    const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
    expect(trial.service.documents()).toEqual([
      {
        docId,
        fileName: 'Bericht_ä.PDF',
        size: maxFileBytes,
        sha256: sha256(bytes),
        owner: 'owner@example.com',
        uploadedAt: '2026-01-01T00:00:00.000Z',
        modifiedAt: null,
        metadata: {
          ...metadata,
          companies: [{ value: 'US0378331005', identifier: 'ISIN', salience: 'PRIMARY' }],
          docAuthors: [{ authorName: 'A. Author' }],
        },
        attachments: [
          { name: 'one.csv', size: 3, sha256: sha256('one') },
          { name: 'two.txt', size: 0, sha256: sha256('') },
        ],
      },
    ]);
    expect(await readFile(trial.service.contentPath(docId) ?? '')).toEqual(bytes);
    expect(await readFile(trial.service.attachmentPath(docId, 0) ?? '', 'utf8')).toBe('one');
    expect(await leftovers()).toHaveLength(3);
  });

  it('needs no metadata: the caller owns it and the default group sees it', async () => {
    await upload(['file', 'x', 'a.txt']);
    expect(trial.service.documents()[0]).toMatchObject({
      owner: trial.service.credentials.username,
      metadata: { shareInfo: { mode: 'DEFAULT' } },
    });
  });

  it('gives each document its own docId, the same bytes or not', async () => {
    expect(await trial.upload('a.txt', 'x')).not.toBe(await trial.upload('a.txt', 'x'));
    expect(trial.service.documents()).toHaveLength(2);
  });

  it('takes an empty shareInfo for the default group', async () => {
    await trial.upload('a.txt', 'x', { shareInfo: {} });
    expect(trial.service.documents()[0]?.metadata.shareInfo).toEqual({ mode: 'DEFAULT' });
  });

  it('takes ten attachments and not eleven', async () => {
    const attachments = (count: number) =>
      Array.from({ length: count }, (_, index): Part => ['attachments', 'x', `a${index}.txt`]);
    expect((await upload(['file', 'x', 'a.txt'], ...attachments(10))).status).toBe(200);
    expect((await upload(['file', 'x', 'a.txt'], ...attachments(11))).status).toBe(422);
    expect(trial.service.documents()).toHaveLength(1);
    expect(await leftovers()).toHaveLength(11);
  });

  it('takes a file of the limit to the byte and not one byte more', async () => {
    const full = 'x'.repeat(maxFileBytes);
    expect((await upload(['file', full, 'a.txt'], ['attachments', full, 'b.txt'])).status).toBe(200);
    expect((await upload(['file', `${full}x`, 'a.txt'])).status).toBe(413);
    expect((await upload(['file', 'x', 'a.txt'], ['attachments', `${full}x`, 'b.txt'])).status).toBe(413);
    expect(trial.service.documents()).toHaveLength(1);
    expect(await leftovers()).toHaveLength(2);
  });

  it('takes as many at once as come', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `f${index}.txt`);
    const docIds = await Promise.all(names.map((name) => trial.upload(name, name.repeat(1000))));
    for (const [place, docId] of docIds.entries()) {
      const content = await readFile(trial.service.contentPath(docId) ?? '', 'utf8');
      expect(content).toBe(String(names[place]).repeat(1000));
    }
  });
});

describe('a file name', () => {
  const longest = `${'é'.repeat(251)}.pdf`;

  it.each([
    'a.pdf',
    'A.PdF',
    'a b;c=d.txt',
    'naïve 文書.docx',
    'a"b.txt',
    'a%22b.txt'.replace('%22', '%20'),
    "it's.htm",
    '<img src=x onerror=alert(1)>.eml',
    'line\nbreak.msg',
    longest,
  ])('%j is taken as it is', async (name) => {
    await trial.upload(name, 'x');
    expect(trial.service.documents()[0]?.fileName).toBe(name);
  });

  it('may be of each of the eighteen types', async () => {
    const types = 'pdf html htm txt doc docx xls xlsx ppt pptx msg eml csv xlsb xlsm one tsv ods'.split(' ');
    for (const type of types) expect((await upload(['file', 'x', `a.${type}`])).status).toBe(200);
    expect(trial.service.documents()).toHaveLength(18);
  });

  it.each([
    ['double.ext.pdf', 422],
    ['nodot', 422],
    ['trailing.', 415],
    ['.pdf', 422],
    ['a..pdf', 422],
    [`x${longest}`, 422],
    ['a.exe', 415],
    ['a.pdf ', 415],
    ['', 422],
  ])('%j is refused, for a document and for an attachment', async (name, status) => {
    const named = (part: string): [string, string] => [
      `Content-Disposition: form-data; name="${part}"; filename="${name}"`,
      'x',
    ];
    const good: [string, string] = ['Content-Disposition: form-data; name="file"; filename="a.txt"', 'x'];
    const file = await uploadRaw(multipart('x', [named('file')]));
    expect(file.status).toBe(status);
    expect(JSON.parse(file.body)).toMatchObject({
      error: { docId: '', message: expect.any(String) },
      success: null,
    });
    expect((await uploadRaw(multipart('x', [good, named('attachments')]))).status).toBe(status);
    expect(await leftovers()).toEqual([]);
  });

  it.each(['a/b.pdf', 'a\\b.pdf', '../a.pdf', '/etc/a.pdf', 'C:\\a.pdf', 'a\\\\b.pdf'])(
    '%j is refused for its slash and goes nowhere',
    async (name) => {
      const disposition = `Content-Disposition: form-data; name="file"; filename="${name}"`;
      expect((await uploadRaw(multipart('x', [[disposition, 'x']]))).status).toBe(422);
      expect(await leftovers()).toEqual([]);
    },
  );
});

describe('metadata', () => {
  it.each([
    ['not JSON', '{', 400],
    ['a byte order mark', '\ufeff{}', 400],
    ['nothing', '', 400],
    ['an array', '[]', 422],
    ['null', 'null', 422],
    ['an unknown field', '{"titel":"x"}', 422],
    ['__proto__', '{"__proto__":{"title":"x"}}', 422],
    ['__proto__ within', '{"shareInfo":{"__proto__":1}}', 422],
    ['constructor', '{"constructor":1}', 422],
    ['an empty owner', '{"documentOwner":""}', 422],
    ['a number for a title', '{"title":1}', 422],
    ['null for a title', '{"title":null}', 422],
    ['an unknown identifier', '{"companies":[{"value":"x","identifier":"LEI"}]}', 422],
    ['a company without value', '{"companies":[{"identifier":"ISIN"}]}', 422],
    ['an unknown operation', '{"companies":[{"value":"x","operation":"REMOVE"}]}', 422],
    ['an unknown salience', '{"companies":[{"value":"x","salience":"primary"}]}', 422],
    ['an unknown field of a company', '{"companies":[{"value":"x","extra":1}]}', 422],
    ['a tag without name', '{"customTags":[{"visibility":"PUBLIC"}]}', 422],
    ['an unknown visibility', '{"customTags":[{"name":"x","visibility":"ALL"}]}', 422],
    ['an unknown mode', '{"shareInfo":{"mode":"ALL"}}', 422],
    ['DELETE of an author', '{"docAuthors":[{"authorName":"x","operation":"DELETE"}]}', 422],
    ['an author without name', '{"docAuthors":[{}]}', 422],
    ['a date alone', '{"createdTimestamp":"2024-01-01"}', 422],
    ['a time with milliseconds', '{"createdTimestamp":"2024-01-01T00:00:00.000Z"}', 422],
    ['a time zone', '{"createdTimestamp":"2024-01-01T00:00:00+01:00"}', 422],
    ['a day that never was', '{"createdTimestamp":"2023-02-29T00:00:00Z"}', 422],
    ['the hour 24', '{"createdTimestamp":"2024-01-01T24:00:00Z"}', 422],
    ['deep nesting', '['.repeat(100_000), 400],
  ])('that is %s is refused and nothing is kept', async (_name, metadata, status) => {
    const answer = await upload(['file', 'x', 'a.txt'], ['metadata', metadata]);
    expect(answer.status).toBe(status);
    expect(answer.error?.message).toMatch(/metadata/);
    expect(trial.service.documents()).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  it('is limited in size', async () => {
    const title = 'x'.repeat(256 * 1024);
    expect((await upload(['file', 'x', 'a.txt'], ['metadata', JSON.stringify({ title })])).status).toBe(413);
  });

  it('names the field that breaks a rule', async () => {
    const answer = await upload(
      ['file', 'x', 'a.txt'],
      ['metadata', '{"companies":[{"value":"x"},{"value":5}]}'],
    );
    expect(answer.error?.message).toMatch(/^metadata: companies\.1\.value: /);
  });
});

describe('a form', () => {
  const file = 'Content-Disposition: form-data; name="file"; filename="a.txt"';

  it.each<[string, readonly Part[]]>([
    ['without a file', [['metadata', '{}']]],
    ['with attachments alone', [['attachments', 'x', 'a.txt']]],
    [
      'with two files',
      [
        ['file', 'x', 'a.txt'],
        ['file', 'x', 'b.txt'],
      ],
    ],
    [
      'with two metadata parts',
      [
        ['file', 'x', 'a.txt'],
        ['metadata', '{}'],
        ['metadata', '{}'],
      ],
    ],
    [
      'with an unknown part',
      [
        ['file', 'x', 'a.txt'],
        ['extra', '1'],
      ],
    ],
    [
      'with metadata as a file',
      [
        ['file', 'x', 'a.txt'],
        ['metadata', '{}', 'm.json'],
      ],
    ],
    ['with a file that has no name', [['file', 'x']]],
  ])('%s is refused', async (_name, parts) => {
    expect((await upload(...parts)).status).toBe(400);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['without an end', `--x\r\n${file}\r\n\r\ncontent`],
    ['cut off in a header', `--x\r\n${file}`],
    ['without any part', '--x--\r\n'],
    ['with a part without a header', `--x\r\n${file}\r\n\r\nx\r\n--x\r\n\r\nx\r\n--x--\r\n`],
    ['with a part without a disposition', `--x\r\n${file}\r\n\r\nx\r\n--x\r\nX-A: b\r\n\r\nx\r\n--x--\r\n`],
    ['with a line break in a header', `--x\r\n${file.replace('a.txt', 'a\nb.txt')}\r\n\r\nx\r\n--x--\r\n`],
    ['with a broken quote', `--x\r\n${file.slice(0, -1)}\r\n\r\nx\r\n--x--\r\n`],
    ['with a header too long', `--x\r\n${file.replace('a.txt', 'a'.repeat(20_000))}\r\n\r\nx\r\n--x--\r\n`],
    ['of another boundary', `--y\r\n${file}\r\n\r\nx\r\n--y--\r\n`],
    [
      'with a name that is not UTF-8',
      Buffer.from(`--x\r\n${file.replace('a.', '\xff.')}\r\n\r\nx\r\n--x--\r\n`, 'latin1'),
    ],
    [
      'with metadata that is not UTF-8',
      Buffer.from(
        `--x\r\n${file}\r\n\r\nx\r\n--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"title":"\xff"}\r\n--x--\r\n`,
        'latin1',
      ),
    ],
  ])('%s is refused', async (_name, body) => {
    const answer = await uploadRaw(body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ success: null });
    expect(await leftovers()).toEqual([]);
    expect(trial.service.documents()).toEqual([]);
  });

  it('may carry a preamble and an epilogue', async () => {
    const body = Buffer.concat([
      Buffer.from('hello\r\n'),
      multipart('x', [[file, 'x']]),
      Buffer.alloc(200_000, 'e'),
    ]);
    expect((await uploadRaw(body)).status).toBe(200);
  });

  it.each([
    ['application/json', 415],
    ['text/plain', 415],
    ['multipart/mixed; boundary=x', 415],
    ['multipart/form-data', 400],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 400],
  ])('of type %s is refused', async (type, status) => {
    const answer = await uploadRaw(multipart('x', [[file, 'x']]), type);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ success: null });
  });

  it('is refused by its announced length when that is beyond all limits', async () => {
    const headers = {
      ...(await trial.headers()),
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': String(maxFileBytes * 11 + 10_000_000),
    };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.flushHeaders();
    expect((await answer).status).toBe(413);
    call.destroy();
  });

  it('without an announced length is cut off at the same limit', async () => {
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.write(multipart('x', [[file, 'x']]));
    for (let sent = 0; sent < 40; sent += 1) call.write(Buffer.alloc(100_000));
    expect((await answer).status).toBe(413);
    call.destroy();
    expect(trial.service.documents()).toEqual([]);
  });

  it('that is aborted leaves nothing', async () => {
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.write(multipart('x', [[file, 'x']]).subarray(0, -10));
    call.write(
      `\r\n--x\r\n${file.replace('name="file"', 'name="attachments"')}\r\n\r\n${'half'.repeat(100)}`,
    );
    await eventually(async () => (await leftovers()).length === 2);
    call.destroy();
    await expect(answer).rejects.toThrow();
    await eventually(async () => (await leftovers()).length === 0);
    expect(trial.service.documents()).toEqual([]);
  });

  it('that is refused early is read to its end, so that the sender sees why', async () => {
    const body = multipart('x', [
      [file.replace('a.txt', 'a.exe'), 'x'.repeat(90_000)],
      [file, 'x'.repeat(90_000)],
    ]);
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    call.write(body.subarray(0, -10));
    // An answer would end the connection, and what is still to be written would meet its end.
    const isAnswered = await Promise.race([answer.then(() => true), delay(300, false)]);
    call.end(body.subarray(-10));
    expect([isAnswered, (await answer).status]).toEqual([false, 415]);
  });
});
