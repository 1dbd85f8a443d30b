import { stat } from 'node:fs/promises';
import { connect, createServer as createSocketServer } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CredentialsRefusedError, ServiceUnavailableError } from '../../src/model/errors.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { call } from './support/call.ts';
import { openStatusWorld } from './support/status-world.ts';
import type { DocumentListing } from '../../src/model/ports/control-port.ts';
import type { StatusWorld, WorldOptions } from './support/status-world.ts';

const httpToken = '0123456789abcdef';

const worlds: StatusWorld[] = [];
const open = async (options?: WorldOptions) => {
  const world = await openStatusWorld(options);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

describe('the status address', () => {
  it('tells the status with the headline beside it, the same over TCP and over the socket', async () => {
    const world = await open();
    const answer = await world.get('/api/status');
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ ...world.control.status(), headline: 'Nothing to deliver yet' });
    const same = await call({ to: world.socketPath, path: '/api/status' });
    expect(same.json()).toEqual(answer.json());
  });

  it('answers HEAD as GET, without the body, and keeps no stream open for it', async () => {
    const { get, url } = await open();
    for (const path of ['/', '/healthz', '/api/status', '/metrics', '/assets/page.css']) {
      const { status, headers } = await get(path);
      const head = await fetch(`${url}${path}`, { method: 'HEAD' });
      const told = [head.status, head.headers.get('content-type'), await head.text()];
      expect([path, ...told]).toEqual([path, status, headers['content-type'], '']);
    }
    const refused = await fetch(`${url}/api/events`, { method: 'HEAD' });
    expect(refused.status).toBe(404);
  });

  it('tells of the other hosts only where there are some, and says that Redis is away', async () => {
    const alone = await open();
    expect((await alone.get('/api/fleet')).status).toBe(404);
    const away = await open({ fleet: async () => null, httpToken });
    for (const path of ['/api/fleet', '/api/log']) expect((await away.get(path)).status).toBe(401);
    const answer = await away.get('/api/fleet', { authorization: `Bearer ${httpToken}` });
    const said = { code: 'redis-unavailable', message: 'Redis cannot be reached or takes no writes' };
    expect([answer.status, answer.json()]).toEqual([503, said]);
  });

  it('says that it is healthy and ready, and why it is not', async () => {
    const { get, control } = await open();
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
    const reason = { code: 'credentials-refused', message: 'the service refused the password' };
    control.refuse(reason);
    control.sicken();
    expect((await get('/healthz')).status).toBe(503);
    const unready = await get('/readyz');
    expect(unready.status).toBe(503);
    expect(unready.json()).toEqual({ ready: false, reasons: [reason] });
  });

  it('tells what happened lately and how much was delivered when', async () => {
    const { get, control } = await open();
    control.happen({ path: 'a.pdf', what: 'uploaded' });
    control.happen({ path: '', what: 'deleted', documents: 250 });
    const { entries } = (await get('/api/log')).json() as { entries: { path: string }[] };
    expect(entries.map(({ path }) => path)).toEqual(['', 'a.pdf']);
    const history = (await get('/api/history')).json() as { uploaded: number[]; deleted: number[] };
    expect(history.uploaded).toHaveLength(72);
    expect(history.uploaded.reduce((sum, count) => sum + count)).toBe(1);
    expect(history.deleted.reduce((sum, count) => sum + count)).toBe(250);
  });

  it('tells the story of one file', async () => {
    const { get, control } = await open();
    const path = encodeURIComponent('inbox/ü & co/../a b.pdf');
    expect((await get(`/api/why?path=${path}`)).json()).toMatchObject({ path: 'ü & co/../a b.pdf' });
    for (const query of ['', '?path=', '?path=a&path=b', '?path=a%00b', `?path=${'x'.repeat(9000)}`]) {
      expect((await get(`/api/why${query}`)).status).toBe(400);
    }
    expect(control.calls).toHaveLength(1);
  });

  it('lists documents by name, and those that are shared less widely than stated', async () => {
    const { get } = await open();
    const listed = async (query: string) => (await get(`/api/documents${query}`)).json() as DocumentListing;
    expect((await listed('')).total).toBe(4);
    expect((await listed('?search=few')).documents.map(({ path }) => path)).toEqual(['few.pdf']);
    expect((await listed('?narrower=true')).documents[0]?.narrower?.sharing).toBe('DEFAULT');
    for (const query of ['?narrower=maybe', `?search=${'x'.repeat(201)}`, '?search=a&search=b'])
      expect((await get(`/api/documents${query}`)).status).toBe(400);
  });

  it('retries and approves for its own page', async () => {
    const { post, control, pageToken } = await open();
    const headers = { 'x-ingestd-token': await pageToken() };
    const retried = await post('/api/retry', { paths: ['inbox/a.pdf', 'inbox/b.pdf'] }, headers);
    expect(retried.json()).toEqual({ retried: 2 });
    expect((await post('/api/approve', { folder: 'inbox' }, headers)).json()).toEqual({ approved: 2 });
    expect((await post('/api/approve', { folder: null }, headers)).status).toBe(200);
    const paused = await post('/api/pause', { folder: null }, headers);
    expect(paused.json()).toEqual({ paused: ['inbox'], pauses: {} });
    const resumed = await post('/api/resume', { folder: 'inbox' }, headers);
    expect(resumed.json()).toEqual({ paused: [], pauses: {} });
    expect((await post('/api/rescan', { folder: null }, headers)).json()).toEqual({ folders: ['inbox'] });
    expect(control.calls).toEqual([
      { retry: ['inbox/a.pdf', 'inbox/b.pdf'] },
      { approve: 'inbox', paths: [] },
      { approve: null, paths: [] },
      { pause: null },
      { resume: 'inbox' },
      { rescan: null },
    ]);
    expect(new Set(control.deciders)).toEqual(new Set(['page']));
  });

  it('does for the command line what it asks through the socket, without a token', async () => {
    const { tell, control } = await open();
    expect((await tell('/api/resolve', { path: 'inbox/a.pdf', action: 'adopt' })).status).toBe(400);
    const shown = [{ path: 'inbox/a.pdf', sharing: 'EVERYONE' }];
    expect((await tell('/api/share', { paths: ['inbox'], shown })).json()).toMatchObject({ shared: 1 });
    expect(control.calls).toEqual([{ share: ['inbox'], shown }]);
    expect(new Set(control.deciders)).toEqual(new Set(['command line']));
  });

  it('answers an error of the daemon in its words and with a fitting status', async () => {
    const { tell, control } = await open();
    const unknown = await tell('/api/approve', { folder: 'nowhere' });
    expect([unknown.status, unknown.json()]).toEqual([
      400,
      { code: 'configuration', message: 'no folder is named nowhere' },
    ]);
    control.failWith(new CredentialsRefusedError('refused'));
    expect(await codeOf(tell('/api/revoke', { all: false }))).toEqual([502, 'credentials-refused']);
    control.failWith(new ServiceUnavailableError('away'));
    expect(await codeOf(tell('/api/revoke', { all: false }))).toEqual([503, 'service-unavailable']);
    control.failWith(new TypeError('secret detail'));
    const unforeseen = await tell('/api/revoke', { all: false });
    expect(unforeseen.status).toBe(500);
    expect(unforeseen.text).not.toContain('secret');
  });

  it.each([
    ['no body', ''],
    ['half a body', '{"paths": ['],
    ['another shape', { paths: 'a.pdf' }],
    ['empty paths', { paths: [''] }],
    ['unknown keys', { paths: [], force: true }],
    ['a prototype', '{"paths": [], "__proto__": {"all": true}}'],
    ['a list', []],
    ['null', 'null'],
  ])('refuses a changing call with %s', async (_name, body) => {
    const { tell, control } = await open();
    expect((await tell('/api/retry', body)).status).toBe(400);
    expect(control.calls).toEqual([]);
  });

  it('refuses bodies of more than 64 KiB and of other types', async () => {
    const { tell, socketPath, control } = await open();
    const long = { folder: 'x'.repeat(70_000) };
    expect((await tell('/api/pause', long)).status).toBe(413);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await call({
        to: socketPath,
        path: '/api/retry',
        method: 'POST',
        body: '{"paths":[]}',
        headers: { 'content-type': type },
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(control.calls).toEqual([]);
  });
});

describe('S5, S6, S9, S10: the guard, over real sockets', () => {
  it('refuses a bent name, another site, a missing page token and the socket’s own calls', async () => {
    const { get, post, control, pageToken, port } = await open();
    for (const path of ['/', '/api/status', '/api/events', '/api/token', '/api/history', '/metrics'])
      expect(await codeOf(get(path, { host: `evil.example:${port}` }))).toEqual([403, 'wrong-host']);
    expect(await codeOf(get('/api/status', { origin: 'http://evil.example' }))).toEqual([403, 'other-site']);
    expect(await codeOf(get('/api/token', { 'sec-fetch-site': 'cross-site' }))).toEqual([403, 'other-site']);
    expect(await codeOf(post('/api/retry', { paths: [] }))).toEqual([403, 'page-token']);
    for (const action of ['approve', 'pause', 'resume', 'rescan'])
      expect(await codeOf(post(`/api/${action}`, { folder: null }))).toEqual([403, 'page-token']);
    const headers = { 'x-ingestd-token': await pageToken() };
    expect(await codeOf(post('/api/revoke', { all: true }, headers))).toEqual([403, 'socket-only']);
    expect(control.calls).toEqual([]);
  });

  it.each(['/api/%72evoke', '/api/revoke?x', '/api/revoke#x', '/%61pi/revoke'])(
    'decides on the route that was matched, however the address is written: %s',
    async (path) => {
      const { post, control, pageToken } = await open();
      const headers = { 'x-ingestd-token': await pageToken() };
      expect(await codeOf(post(path, { all: true }, headers))).toEqual([403, 'socket-only']);
      expect(control.calls).toEqual([]);
    },
  );

  it('lets go of a connection whose bytes it has refused, though the peer keeps its end', async () => {
    const { socketPath } = await open();
    const peers = Array.from({ length: 64 }, () => connect({ path: socketPath, allowHalfOpen: true }));
    try {
      for (const peer of peers) {
        peer.resume().write('nonsense\r\n\r\n');
        await once(peer, 'end');
      }
      expect((await call({ to: socketPath, path: '/healthz' })).status).toBe(200);
    } finally {
      for (const peer of peers) peer.destroy();
    }
  });

  it('guards an address that cannot be decoded, and HTTP that cannot be read, like all others', async () => {
    const { get, port } = await open({ httpToken });
    for (const path of ['/%', '/api/%zz', '/%E0%A4%A']) {
      expect(await codeOf(get(path, { host: 'evil.example' }))).toEqual([403, 'wrong-host']);
      const asked = await get(path);
      expect([path, asked.status, asked.headers['x-content-type-options']]).toEqual([path, 401, 'nosniff']);
      const known = await get(path, { authorization: `Bearer ${httpToken}` });
      expect([known.status, known.headers['x-content-type-options']]).toEqual([400, 'nosniff']);
    }
    for (const [asked, status] of [
      ['no http at all', 400],
      ['GET / HTTP/1.1\r\nConnection: close', 403],
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.end(`${asked}\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain("content-security-policy: default-src 'none'");
    }
  });

  it('asks for its token on every address but one', async () => {
    const { get } = await open({ httpToken });
    const paths = ['/', '/api/status', '/metrics', '/api/events', '/readyz', '/assets/page.js', '/nothing'];
    for (const path of [...paths, '/assets/page.css', '/?token=0123456789abcdef']) {
      const { status, headers } = await get(path);
      const realm = 'Basic realm="ingestd", charset="UTF-8"';
      expect([path, status, headers['www-authenticate']]).toEqual([path, 401, realm]);
    }
    expect((await get('/healthz')).status).toBe(200);
  });

  it('lets the right token in at once, whoever has guessed before; guesses are logged once a minute', async () => {
    const clock = manualClock();
    const log = recordedLog();
    const { get } = await open({ httpToken, clock, log });
    const guess = (index: number) => get('/', { authorization: `Basic ${btoa(`somebody:guess-${index}`)}` });
    const guesses = () => Promise.all(Array.from({ length: 100 }, (_, index) => guess(index)));
    expect(new Set((await guesses()).map(({ status }) => status))).toEqual(new Set([401]));
    for (const authorization of [`Basic ${btoa(`anybody:${httpToken}`)}`, `Bearer ${httpToken}`]) {
      const answer = await get('/api/status', { authorization });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
    }
    const warnings = () => log.lines.filter(({ level }) => level === 'warn');
    const message = 'a request with a wrong token was refused';
    expect(warnings()).toEqual([{ level: 'warn', message, data: { peer: '127.0.0.1' } }]);
    await clock.advance(60_000);
    await guesses();
    expect(warnings()).toHaveLength(2);
  });

  it('gives every start a page token of its own', async () => {
    const [first, second] = [await open(), await open()];
    expect(await first.pageToken()).not.toBe(await second.pageToken());
  });

  it('sends the strict policy with every answer, errors too', async () => {
    const { get } = await open();
    for (const path of ['/', '/api/status', '/healthz', '/metrics', '/nothing', '/api/why']) {
      const { headers } = await get(path);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|data:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    const refused = await get('/', { host: 'evil.example' });
    expect(refused.headers['content-security-policy']).toMatch(/^default-src 'none'/);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    'does not answer %s',
    async (method) => {
      const { port, pageToken } = await open();
      const headers = { host: `127.0.0.1:${port}`, 'x-ingestd-token': await pageToken() };
      for (const path of ['/', '/api/status', '/api/retry']) {
        const answer = await call({ to: port, path, method, headers });
        expect(answer.status).toBe(404);
      }
    },
  );

  it.each([
    '/assets/../package.json',
    '/assets/page.css/../../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/index.html',
    '//etc/passwd',
    '/assets/page.css/',
    '/%00',
    '/%',
    '/api/status/../../etc/passwd',
  ])('serves nothing for %s', async (path) => {
    const { get } = await open();
    expect([400, 404]).toContain((await get(path)).status);
  });

  it('asks for its token where it is open to others, and takes any name then', async () => {
    const { get } = await open({ http: { host: '0.0.0.0', port: 0 }, httpToken });
    const host = 'server.example:8080';
    expect(await codeOf(get('/api/status', { host }))).toEqual([401, 'login-required']);
    expect((await get('/api/status', { host })).headers['www-authenticate']).toMatch(/^Basic /);
    expect((await get('/api/status', { host, authorization: `Bearer ${httpToken}` })).status).toBe(200);
    expect((await get('/healthz', { host })).status).toBe(200);
  });
});

describe('the listeners', () => {
  const folder = folderOfEachTest();

  it('leave the TCP address out where the port is false', async () => {
    const world = await open({ http: { host: '127.0.0.1', port: false } });
    expect(world.url).toBe('');
    expect((await call({ to: world.socketPath, path: '/healthz' })).status).toBe(200);
  });

  it('open the socket to its owner alone and take over one that a crash left', async () => {
    const socketPath = folder.join('daemon.sock');
    const crashed = createSocketServer().listen(socketPath);
    await once(crashed, 'listening');
    const world = await open({ socketPath });
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    expect((await call({ to: socketPath, path: '/healthz' })).status).toBe(200);
    await world.stop();
    await expect(stat(socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
    crashed.close();
  });

  it('never remove a file that is no socket', async () => {
    const socketPath = await folder.write('daemon.sock', 'precious');
    await expect(openStatusWorld({ socketPath })).rejects.toMatchObject({ code: 'configuration' });
    expect((await stat(socketPath)).size).toBe(8);
  });

  it('say which key to fix where the path of the socket is too long', async () => {
    const long = openStatusWorld({ socketPath: `/tmp/${'x'.repeat(120)}` });
    await expect(long).rejects.toThrow('state.dir');
  });

  it('close with streams and idle connections open, and within their grace', async () => {
    const world = await open();
    const idle = connect(world.port, '127.0.0.1');
    await once(idle, 'connect');
    const stream = connect(world.port, '127.0.0.1');
    stream.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n\r\n`);
    await once(stream, 'data');
    const kept = connect(world.port, '127.0.0.1');
    kept.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n\r\n`);
    await once(kept, 'data');
    const gone = Promise.all([idle, stream, kept].map((socket) => once(socket.resume(), 'close')));
    const before = performance.now();
    await world.stop();
    expect(performance.now() - before).toBeLessThan(2000);
    await gone;
    expect(world.control.listeners()).toBe(0);
  });
});

async function codeOf(answer: ReturnType<StatusWorld['get']>): Promise<[number, unknown]> {
  const { status, json } = await answer;
  return [status, (json() as { code: unknown }).code];
}
