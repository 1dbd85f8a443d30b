import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { startTrial } from '../support/trial.ts';
import type { Trial } from '../support/trial.ts';

const run = promisify(execFile);

const listSchema = z.object({
  total: z.number(),
  found: z.number(),
  documents: z.array(z.looseObject({ docId: z.string(), fileName: z.string() })),
});

let trial: Trial;

beforeEach(async () => {
  trial = await startTrial();
});
afterEach(() => trial.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${trial.service.authUrl}${path}`, { headers });

async function list(query: string) {
  return listSchema.parse(await (await get(`/documents${query}`)).json());
}

async function statusUnderName(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(trial.service.pageUrl, { headers: { host }, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.once('error', reject);
    call.end();
  });
}

describe('without a token', () => {
  it('the user that runs the service reads the page and the documents', async () => {
    const docId = await trial.upload('a.txt', 'content');
    expect((await get('/')).status).toBe(200);
    expect(await (await get(`/documents/${docId}/content`)).text()).toBe('content');
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
    for (const path of ['/', '/documents', `/documents/${docId}/content`]) {
      const answer = await asNobody(path);
      expect(answer).toMatch(/\n403$/);
      expect(answer).not.toContain('content"');
    }
    expect(await asNobody('/services/i/ingestion-api/v1/delete-document/x')).toMatch(/\n404$/);
  });
});

it('every answer carries a strict policy, errors too', async () => {
  const { port } = new URL(trial.service.authUrl);
  const requests = [
    'GET /',
    'GET /documents',
    'GET /nothing',
    'GET /%',
    'POST /auth',
    'TRACE /',
    'nonsense',
  ].concat(
    'PUT /services/i/ingestion-api/v1/modify-document/%FF',
    'DELETE /services/i/ingestion-api/v1/delete-document/x',
  );
  for (const line of requests) {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      let all = '';
      socket.on('data', (chunk: Buffer) => (all += chunk.toString('latin1')));
      socket.once('error', reject).once('close', () => resolve(all));
      socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    });
    expect([line, text.toLowerCase()]).toEqual([
      line,
      expect.stringContaining("\r\ncontent-security-policy: default-src 'none'"),
    ]);
    expect([line, text.toLowerCase()]).toEqual([
      line,
      expect.stringContaining('\r\nx-content-type-options: nosniff'),
    ]);
  }
});

describe('with a token', () => {
  const token = 'a-token-of-some-length';

  beforeEach(() => trial.restart({ pageToken: token }));

  it('everybody is asked for it', async () => {
    const docId = await trial.upload('a.txt', 'content');
    for (const path of ['/documents', `/documents/${docId}/content`, '/page.js']) {
      expect((await get(path)).status).toBe(401);
      expect((await get(path, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await get(path, { authorization: `Bearer ${token}` })).status).toBe(200);
    }
    const page = await get('/');
    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('action="/login"')]);
  });

  it('the login form exchanges it for a cookie', async () => {
    const logIn = (given: string) =>
      fetch(`${trial.service.authUrl}/login`, {
        method: 'POST',
        body: new URLSearchParams({ token: given }),
      });
    const refused = await logIn('wrong');
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    const answer = await logIn(token);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    const [pair = ''] = cookie.split(';', 1);
    expect((await get('/documents', { cookie: pair })).status).toBe(200);
    expect((await get('/documents', { cookie: `${pair}x` })).status).toBe(401);
  });

  it('the cookie is Secure where the browser came over TLS', async () => {
    const answer = await fetch(`${trial.service.authUrl}/login`, {
      method: 'POST',
      headers: { 'x-forwarded-proto': 'https' },
      body: new URLSearchParams({ token }),
    });
    expect(answer.headers.get('set-cookie')).toMatch(/; SameSite=Strict; Secure$/);
  });

  it.each([
    {
      way: 'by the form',
      path: '/login',
      init: (given: string): RequestInit => ({ method: 'POST', body: new URLSearchParams({ token: given }) }),
    },
    {
      way: 'as a bearer',
      path: '/documents',
      init: (given: string): RequestInit => ({ headers: { authorization: `Bearer ${given}` } }),
    },
  ])('wrong ones $way are slowed down, and then the right one too', async ({ path, init }) => {
    const attempt = async (given: string) =>
      (await fetch(`${trial.service.authUrl}${path}`, init(given))).status;
    for (let count = 0; count < 3; count += 1) expect(await attempt('wrong')).toBe(401);
    // A second for each, one after the other; not more than a few wait.
    const statuses: number[] = [];
    const waiting = Array.from({ length: 9 }, async () => void statuses.push(await attempt(token)));
    await eventually(() => statuses.length === 1);
    expect(statuses).toEqual([429]);
    await eventually(async () => {
      await trial.clock.advance(1000);
      return statuses.length === 9;
    });
    await Promise.all(waiting);
    expect(statuses.slice(1)).toEqual(Array.from({ length: 8 }, () => 200));
  });

  it('the service itself stays open to whoever has its credentials', async () => {
    expect((await trial.call('DELETE', '/delete-document/x')).status).toBe(404);
  });
});

describe('the list', () => {
  it('is searched in names, titles, tags and companies, and comes page by page', async () => {
    for (let number = 0; number < 5; number += 1) {
      await trial.upload(`report-${number}.txt`, 'x', { title: `Quarter ${number}` });
      await trial.clock.advance(1000);
    }
    await trial.upload('memo.txt', 'x', { customTags: [{ name: 'Urgent' }], companies: [{ value: 'ACME' }] });
    expect(await list('?search=URGENT+acme')).toMatchObject({
      total: 6,
      found: 1,
      documents: [{ fileName: 'memo.txt' }],
    });
    expect((await list('?search=quarter+3')).documents.map(({ fileName }) => fileName)).toEqual([
      'report-3.txt',
    ]);
    const second = await list('?search=report&offset=2&limit=2');
    expect(second.found).toBe(5);
    expect(second.documents.map(({ fileName }) => fileName)).toEqual(['report-2.txt', 'report-1.txt']);
    expect((await list('?search=nothing')).documents).toEqual([]);
  });

  it.each(['?limit=0', '?limit=1000', '?offset=-1', '?offset=x'])('refuses %s', async (query) => {
    expect((await get(`/documents${query}`)).status).toBe(400);
  });

  it('shows control and direction characters escaped', async () => {
    await trial.upload('a\u202Efdp.txt', 'x', { title: 'x\u009B31m' });
    const text = await (await get('/documents')).text();
    expect(text).not.toMatch(/[\u0080-\u009F\u202E]/);
    expect(listSchema.parse(JSON.parse(text)).documents[0]?.fileName).toBe('a\u202Efdp.txt');
    const script = await (await get('/page.js')).text();
    const definition = /^const printable = [\s\S]*?\n(?=let|const|function|async)/m.exec(script)?.[0] ?? '';
    expect(runInNewContext(`${definition}; printable('a\u202Eb\u009B')`)).toBe('a\\u202eb\\x9b');
  });
});
