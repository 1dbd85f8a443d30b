import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { beforeEach, describe, expect, it } from '@jest/globals';
import { describeWhere } from '../../support/needs.ts';
import { sendBytes, sendRaw } from '../support/raw-request.ts';
import { trialOfEachTest } from '../support/trial.ts';

const run = promisify(execFile);

const trial = trialOfEachTest();

/** On a connection of its own: the end of the service does not wait for it. */
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${trial.service.authUrl}${path}`, { headers: { connection: 'close', ...headers } });

const statusUnderName = async (host: string) =>
  (await sendRaw(trial.service.pageUrl, { method: 'GET', headers: { host }, body: '' })).status;

describe('without a token', () => {
  it('the user that runs the service reads the page and the documents', async () => {
    const docId = await trial.upload('a.txt', 'content');
    expect((await get('/')).status).toBe(200);
    expect(await (await get(`/documents/${docId}/0`)).text()).toBe('content');
  });

  it('it answers only under a name of this machine', async () => {
    expect(await statusUnderName('localhost:7520')).toBe(200);
    expect(await statusUnderName('evil.example')).toBe(403);
  });
});

describeWhere(process.getuid?.() === 0 ? null : 'root', 'another user of this machine', () => {
  it('reads nothing, and may use the service with its credentials', async () => {
    const docId = await trial.upload('a.txt', 'content');
    const asNobody = async (path: string) => {
      const { stdout } = await run(
        'curl',
        ['-s', '-w', '\n%{http_code}', `${trial.service.authUrl}${path}`],
        {
          uid: 65534,
          gid: 65534,
        },
      );
      return stdout;
    };
    for (const path of ['/', `/documents/${docId}/0`]) {
      const answer = await asNobody(path);
      expect(answer).toMatch(/\n403$/);
      expect(answer).not.toContain('content"');
    }
    expect(await asNobody('/services/i/ingestion-api/v1/delete-document/x')).toMatch(/\n404$/);
  });
});

it('every answer carries a strict policy, errors too', async () => {
  const { port } = new URL(trial.service.authUrl);
  const requests = ['GET /', 'GET /nothing', 'GET /%', 'POST /auth', 'TRACE /', 'nonsense'].concat(
    'PUT /services/i/ingestion-api/v1/modify-document/%FF',
    'DELETE /services/i/ingestion-api/v1/delete-document/x',
  );
  for (const line of requests) {
    const bytes = `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    const head = (await sendBytes(trial.service.authUrl, bytes)).head.toLowerCase();
    for (const header of ["content-security-policy: default-src 'none'", 'x-content-type-options: nosniff'])
      expect([line, head]).toEqual([line, expect.stringContaining(`\r\n${header}`)]);
  }
});

describe('with a token', () => {
  const token = 'a-token-of-some-length';
  const basic = (password: string) => `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`;

  beforeEach(() => trial.restart({ pageToken: token }));

  it('everybody is asked for it, as the password of any user or as a bearer', async () => {
    const docId = await trial.upload('a.txt', 'content');
    for (const path of ['/', `/documents/${docId}/0`]) {
      for (const authorization of ['', basic('wrong'), 'Bearer wrong', basic(''), `Basic ${token}`]) {
        const answer = await get(path, { authorization });
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
          401,
          'Basic realm="ingestd", charset="UTF-8"',
        ]);
        expect(await answer.text()).not.toContain('a.txt');
      }
      expect((await get(path, { authorization: basic(token) })).status).toBe(200);
      expect((await get(path, { authorization: `Bearer ${token}` })).status).toBe(200);
    }
  });

  it('a right one is let in however many wrong ones came before', async () => {
    for (let count = 0; count < 50; count += 1)
      expect((await get('/', { authorization: basic(`wrong-${count}`) })).status).toBe(401);
    expect((await get('/', { authorization: basic(token) })).status).toBe(200);
  });

  it('the service itself stays open to whoever has its credentials', async () => {
    expect((await trial.call('DELETE', '/delete-document/x')).status).toBe(404);
  });
});

describe('the list', () => {
  const page = async () => (await get('/')).text();

  it('shows what a document is, who may see it, and where to get it and its attachments', async () => {
    const { success } = await trial.form('POST', '/upload-document', [
      ['file', 'content', 'report.txt'],
      ['attachments', 'a,b', 'sheet.csv'],
      [
        'metadata',
        JSON.stringify({
          title: 'Quarter 3',
          shareInfo: { mode: 'EVERYONE' },
          companies: [{ value: 'ACME', identifier: 'NAME', salience: 'PRIMARY' }],
          customTags: [{ name: 'urgent', visibility: 'PRIVATE' }],
          docAuthors: [{ authorName: 'A. Author' }],
        }),
      ],
    ]);
    const shown = (await page()).replaceAll(/<[^>]+>/g, ' ');
    for (const words of [
      '1 document',
      'report.txt',
      'Quarter 3',
      'shared with everyone in your organization (EVERYONE)',
      trial.service.credentials.username,
      'ACME (NAME, PRIMARY)',
      'urgent (PRIVATE)',
      'A. Author',
      'sheet.csv',
      success?.docId ?? '',
    ])
      expect(shown).toContain(words);
    const downloads = Array.from(
      (await page()).matchAll(/href="(\/documents[^"]+)"/g),
      ([, path = '']) => path,
    );
    expect(await Promise.all(downloads.map(async (path) => (await get(path)).text()))).toEqual([
      'content',
      'a,b',
    ]);
    const download = await get(downloads[0] ?? '');
    expect(download.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''report.txt");
    expect(download.headers.get('content-type')).toBe('application/octet-stream');
  });

  it.each(['unknown/0', 'HELD/1', 'HELD/-1', 'HELD/__proto__'])('has no %s', async (path) => {
    const docId = await trial.upload('a.txt', 'x');
    expect((await get(`/documents/${path.replace('HELD', docId)}`)).status).toBe(404);
  });

  it('has the latest 200, and says how many there are', async () => {
    for (let number = 0; number < 203; number += 1) {
      await trial.upload(`report-${number}.txt`, 'x');
      await trial.clock.advance(1000);
    }
    const text = await page();
    expect(text.match(/<li>/g)).toHaveLength(200);
    expect(text).toContain('<h1>203 documents at');
    expect(text).toContain('203 B; these are the 200 that changed last');
    expect(text).toContain('report-202.txt');
    expect(text).not.toContain('report-2.txt');
  });

  it('shows control and direction characters escaped, and markup as text', async () => {
    const title = '</dd><script>alert(1)</script>&amp;"\u009B31m';
    await trial.upload('a\u202Efdp<img src=x onerror=alert(1)>.txt', 'x', { title });
    const text = await page();
    expect(text).not.toMatch(/[\u0080-\u009F\u202E]|<img|<script/);
    expect(text).toContain('a\\u202efdp&#60;img');
    expect(text).toContain('&#38;amp;&#34;\\x9b31m');
  });
});
