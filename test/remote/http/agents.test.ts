import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

import { createAgents } from '../../../src/remote/http/agents.ts';
import { withoutProxies } from './without-proxies.ts';

withoutProxies();

describe('the proxy of the environment', () => {
  it.each<[string, Record<string, string>, string | null]>([
    ['none', {}, null],
    ['one for safe addresses', { HTTPS_PROXY: 'http://me:secret@proxy.test:3128' }, 'http://proxy.test:3128'],
    ['one for all', { all_proxy: 'http://proxy.test:3128' }, 'http://proxy.test:3128'],
    ['one for plain addresses only', { HTTP_PROXY: 'http://proxy.test:3128' }, null],
    ['one that is not for this host', { HTTPS_PROXY: 'http://proxy.test', NO_PROXY: 'service.test' }, null],
  ])('is, where it names %s, shown without its password', (_, environment, expected) => {
    Object.assign(process.env, environment);
    for (const [address, proxy] of [
      ['https://service.test', expected],
      ['https://127.0.0.1', null],
    ] as const) {
      const agents = createAgents(address);
      expect(agents.proxy).toEqual(proxy);
      agents.close();
    }
  });

  it.each([
    [
      'gopher://me:secret@proxy.test',
      /^HTTPS_PROXY, .*: gopher is not a kind of proxy that can be used; use http:/,
    ],
    [
      'pac+http://me:secret@proxy.test/p.pac',
      /^HTTPS_PROXY, .*: pac\+http is not a kind of proxy that can be used; use http:.*NO_PROXY/,
    ],
    ['http://me:secret@proxy.test:port', /^HTTPS_PROXY, .*: not a proxy address; use http:/],
  ])('is refused at the start where nothing could be sent through it: %s', (proxy, words) => {
    process.env['HTTPS_PROXY'] = proxy;
    expect(() => createAgents('https://service.test')).toThrow(words);
    expect(() => createAgents('https://service.test')).not.toThrow(/secret/);
    createAgents('https://localhost').close();
  });

  it.each(['http://proxy.test', 'https://proxy.test', 'socks5://proxy.test'])('may be %s', (proxy) => {
    process.env['HTTPS_PROXY'] = proxy;
    createAgents('https://service.test').close();
  });

  it('is found without a call that Node warns of', () => {
    const make = `import('${process.cwd()}/build/remote/http/agents.js').then(({ createAgents }) => createAgents('https://x.test'))`;
    const { stderr } = spawnSync(process.execPath, ['--pending-deprecation', '-e', make], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
  });
});
