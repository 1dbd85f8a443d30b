import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, expect, it } from '@jest/globals';

import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { describeWhere } from '../support/needs.ts';
import { ofAllTests } from '../support/of-each-test.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { chromiumFound, openBrowser } from './support/browser.ts';
import { openStatusWorld } from './support/status-world.ts';
import type { StatusWorld } from './support/status-world.ts';

const httpToken = '0123456789abcdef';

/** Browsers resolve it to this machine. */
const name = 'docs.localhost';

interface Proxied {
  /** Of the proxy. */
  readonly port: number;
  /** Of the status page. */
  readonly upstream: number;
}

/** What the example shows, with the addresses of the test in place of its own. */
async function example(file: string, { upstream }: Proxied): Promise<string> {
  return (await readFile(`config/${file}`, 'utf8')).replace('127.0.0.1:7420', `127.0.0.1:${upstream}`);
}

const atRoot = (text: string) => text.replace('location /ingestd/', 'location /');

const nginx =
  (change: (text: string) => string) =>
  async (folder: TemporaryFolder, proxied: Proxied): Promise<ChildProcess> => {
    const location = change(await example('nginx.example.conf', proxied));
    await folder.write(
      'nginx.conf',
      `daemon off; pid ${folder.join('pid')}; user root; events {}
      http { access_log off; client_body_temp_path ${folder.path}; proxy_temp_path ${folder.path};
        fastcgi_temp_path ${folder.path}; uwsgi_temp_path ${folder.path}; scgi_temp_path ${folder.path};
        server { listen 127.0.0.1:${proxied.port}; ${location} } }`,
    );
    return spawn('nginx', ['-p', folder.path, '-c', folder.join('nginx.conf'), '-e', 'stderr']);
  };

const caddy =
  (change: (text: string, proxied: Proxied) => string) =>
  async (folder: TemporaryFolder, proxied: Proxied): Promise<ChildProcess> => {
    const site = change(await example('Caddyfile.example', proxied), proxied);
    await folder.write(
      'Caddyfile',
      `{\nadmin off\nauto_https off\n}\n${site.replace('docs.example {', `http://${name}:${proxied.port} {`)}`,
    );
    const env = { PATH: process.env['PATH'], HOME: folder.path };
    return spawn('caddy', ['run', '--config', folder.join('Caddyfile')], { env });
  };

const proxies = [
  ['nginx, below a path', '/ingestd', nginx((text) => text)],
  ['nginx, at the root', '', nginx(atRoot)],
  ['nginx with the host of its own', '/ingestd', nginx((text) => text.replace(/proxy_set_header .*/, ''))],
  ['nginx that leaves the path', '/ingestd', nginx((text) => text.replace(/(proxy_pass .*)\/;/, '$1;'))],
  ['nginx that would buffer', '/ingestd', nginx((text) => text.replace('proxy_buffering off;', ''))],
  ['Caddy, below a path', '/ingestd', caddy((text) => text)],
  [
    'Caddy, at the root',
    '',
    caddy((_text, { upstream }) => `docs.example {\nreverse_proxy 127.0.0.1:${upstream}\n}`),
  ],
] as const;

const missing = [
  ...(chromiumFound ? [] : ['chromium']),
  ...['nginx', 'caddy'].filter((program) => spawnSync(program, ['-h']).error !== undefined),
];

describeWhere(missing[0] ?? null, 'A5: behind a reverse proxy', () => {
  const browser = ofAllTests(openBrowser);
  let world: StatusWorld | null = null;
  let proxy: ChildProcess | null = null;
  let ended: Promise<unknown> | null = null;

  afterEach(async () => {
    await world?.close();
    // Killed, nginx would leave its workers behind, and they hold the pipe to this process open.
    proxy?.kill('SIGTERM');
    await ended;
  });
  const folder = folderOfEachTest();

  it.each(proxies)(
    '%s, the page is whole, its buttons work and it follows live',
    async (_name, path, start) => {
      const port = await freePort();
      const publicUrl = `http://${name}:${port}${path}`;
      world = await openStatusWorld({ http: { host: '127.0.0.1', port: 0, publicUrl }, httpToken });
      proxy = await start(folder, { port, upstream: world.port });
      ended = once(proxy, 'close');
      let said = '';
      proxy.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const answers = () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        );
      await eventually(async () => (await answers()) || Promise.reject(new Error(said)));

      const credentials = { username: 'anybody', password: httpToken };
      const page = await browser.newPage({ httpCredentials: credentials });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('response', (response) => {
        // The browser asks once without the token.
        if (response.status() >= 400 && response.status() !== 401)
          problems.push(`${response.status()} ${response.url()}`);
      });
      await page.goto(`${publicUrl}/`);
      await page.getByRole('main').waitFor();
      const { control } = world;
      await page.getByRole('button', { name: 'Pause inbox' }).click();
      await eventually(() => control.calls.length === 1);
      expect(control.calls).toEqual([{ pause: 'inbox' }]);
      const reasons = [{ code: 'paused' as const, message: 'sending is paused for all folders' }];
      control.change({ state: 'paused', paused: ['inbox'], reasons });
      await page.getByRole('button', { name: 'Resume inbox' }).waitFor();
      expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px');
      await page.close();
      expect(problems).toEqual([]);
    },
  );
});
