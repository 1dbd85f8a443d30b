import { describe, expect, it } from '@jest/globals';
import { judgeRequest } from '../../src/status/server/request-guard.ts';
import type { AccessRules, Access } from '../../src/status/server/request-guard.ts';

const host = '127.0.0.1:7420';
const guarded = '0123456789abcdef';

const rules = (change: Partial<AccessRules> = {}): AccessRules => ({
  hosts: new Set([host, 'localhost:7420', '[::1]:7420']),
  publicUrl: null,
  httpToken: null,
  pageToken: 'page-token',
  ...change,
});

const judge = (method: string, access: Access, headers: Record<string, string>, given = rules()) =>
  judgeRequest({ method, access, headers }, given)?.code ?? 'in';

describe('S5, S6: the guard of the TCP address', () => {
  it.each([
    ['the address itself', { host }, 'in'],
    ['its name', { host: 'localhost:7420' }, 'in'],
    ['its name in capitals', { host: 'LOCALHOST:7420' }, 'in'],
    ['its other family', { host: '[::1]:7420' }, 'in'],
    ['another port', { host: '127.0.0.1:80' }, 'wrong-host'],
    ['no port', { host: '127.0.0.1' }, 'wrong-host'],
    ['a name bent to this address', { host: 'evil.example:7420' }, 'wrong-host'],
    ['a name that begins like ours', { host: 'localhost.evil.example:7420' }, 'wrong-host'],
    ['the wildcard address', { host: '0.0.0.0:7420' }, 'wrong-host'],
    ['no name', {}, 'wrong-host'],
  ])('takes a Host of %s for what it is', (_name, headers, verdict) => {
    expect(judge('GET', 'guarded', headers as Record<string, string>)).toBe(verdict);
  });

  it.each([
    ['our own page', { origin: `http://${host}` }, 'in'],
    ['our own page behind a proxy with TLS', { origin: `https://${host}` }, 'in'],
    ['another site', { origin: 'https://evil.example' }, 'other-site'],
    ['another port of this host', { origin: 'http://127.0.0.1:3000' }, 'other-site'],
    ['our name on another port', { origin: 'http://localhost:7420' }, 'other-site'],
    ['a sandboxed frame', { origin: 'null' }, 'other-site'],
    ['another site, without an Origin', { 'sec-fetch-site': 'cross-site' }, 'other-site'],
    ['another port, without an Origin', { 'sec-fetch-site': 'same-site' }, 'other-site'],
    ['an image of another site', site('no-cors', 'image'), 'other-site'],
    ['a frame in another site', site('navigate', 'iframe'), 'other-site'],
    ['a link in another site', site('navigate', 'document'), 'in'],
    ['the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 'in'],
    ['our own page, as the browser says', { 'sec-fetch-site': 'same-origin' }, 'in'],
  ])('treats a reading request from %s rightly', (_name, headers, verdict) => {
    expect(judge('GET', 'guarded', { host, ...headers })).toBe(verdict);
  });

  it.each([
    ['the public host', { host: 'docs.example' }, 'in'],
    ['the public host and origin', { host: 'docs.example', origin: 'https://docs.example' }, 'in'],
    ['our own host and the public origin', { host, origin: 'https://docs.example' }, 'in'],
    ['our own host and origin', { host, origin: `http://${host}` }, 'in'],
    ['the public host on another port', { host: 'docs.example:8443' }, 'wrong-host'],
    ['a host that begins like the public one', { host: 'docs.example.evil' }, 'wrong-host'],
    ['the public origin without TLS', { host: 'docs.example', origin: 'http://docs.example' }, 'other-site'],
    ['the public origin on another port', { host, origin: 'https://docs.example:8443' }, 'other-site'],
    ['another origin', { host: 'docs.example', origin: 'https://evil.example' }, 'other-site'],
    [
      'the public host, sent by another site',
      { host: 'docs.example', ...site('cors', 'empty') },
      'other-site',
    ],
  ])('A5: takes a request behind a reverse proxy with %s for what it is', (_name, headers, verdict) => {
    const behind = rules({ publicUrl: new URL('https://docs.example/ingestd'), httpToken: guarded });
    const given = { authorization: `Bearer ${guarded}`, ...headers } as Record<string, string>;
    expect(judge('GET', 'guarded', given, behind)).toBe(verdict);
  });

  it.each([
    ['the page’s token', { 'x-ingestd-token': 'page-token' }, 'in'],
    ['no token', {}, 'page-token'],
    ['a wrong token', { 'x-ingestd-token': 'page-tokem' }, 'page-token'],
    ['an empty token', { 'x-ingestd-token': '' }, 'page-token'],
    [
      'the token and another Origin',
      { 'x-ingestd-token': 'page-token', origin: 'http://evil' },
      'other-site',
    ],
    [
      'the token, sent by a form elsewhere',
      { 'x-ingestd-token': 'page-token', ...site('navigate', 'document') },
      'other-site',
    ],
  ])('treats a changing call with %s rightly', (_name, headers, verdict) => {
    expect(judge('POST', 'guarded', { host, ...headers })).toBe(verdict);
  });

  it.each([
    ['nothing', {}, 'login-required'],
    ['the token as bearer', { authorization: `Bearer ${guarded}` }, 'in'],
    ['the token as a password', { authorization: `Basic ${btoa(`me:${guarded}`)}` }, 'in'],
    ['a wrong password', { authorization: `Basic ${btoa(`me:${guarded}x`)}` }, 'login-required'],
    ['the token as a cookie', { cookie: `ingestd-7420=${guarded}` }, 'login-required'],
  ])('asks others than this machine for the token: %s', (_name, headers, verdict) => {
    const open = rules({ hosts: null, httpToken: guarded });
    const given = { host: 'server.example:7420', ...headers } as Record<string, string>;
    expect(judge('GET', 'guarded', given, open)).toBe(verdict);
    expect(judge('GET', 'open', given, open)).toBe('in');
  });

  it('asks for the page’s token too, where the address asks for its own', () => {
    const open = rules({ hosts: null, httpToken: guarded });
    const given = { host: 'server.example', authorization: `Bearer ${guarded}` };
    expect(judge('POST', 'guarded', given, open)).toBe('page-token');
    expect(judge('POST', 'guarded', { ...given, 'x-ingestd-token': 'page-token' }, open)).toBe('in');
  });
});

function site(mode: string, dest: string): Record<string, string> {
  return { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
}
