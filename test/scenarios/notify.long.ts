import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { NotifyEvent } from '../../src/daemon/notify/event.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';
import { eventually } from '../support/eventually.ts';

const afterMinutes = 0.02;
/** Contract: no later than this beyond `afterMinutes`. */
const withinMs = 5_000;
const secretPath = '/services/T000/B000/planted-webhook-secret';

let hook: Server;
let place: InstallationWithService;
let arrived: NotifyEvent[];
let answer: { readonly status: number; readonly location?: string };

beforeEach(async () => {
  arrived = [];
  answer = { status: 200 };
  hook = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'POST' && request.url === secretPath)
        arrived.push(JSON.parse(text) as NotifyEvent);
      const { status, location } = answer;
      response.writeHead(status, location === undefined ? {} : { location }).end();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as AddressInfo;
  place = await installationWithService({
    more: { notify: { afterMinutes } },
    environment: { INGESTD_NOTIFY_WEBHOOK: `http://127.0.0.1:${port}${secretPath}` },
  });
});

afterEach(async () => {
  await place.remove();
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
});

const event = (index: number) =>
  eventually(() => arrived[index] ?? null, { withinMs: withinMs + afterMinutes * 60_000 });

it('announces a trouble once, over a restart as well, and its end', async () => {
  await place.home.write('inbox/a.b.pdf', 'two dots');
  let daemon = await place.start();
  expect(await event(0)).toMatchObject({
    kind: 'trouble',
    health: 'attention',
    folder: 'inbox',
    path: 'a.b.pdf',
    code: 'double-extension',
    text: expect.stringContaining('inbox/a.b.pdf'),
  });
  await eventually(() => (daemon.log().includes('notification sent') ? true : null));
  await daemon.end('SIGTERM');
  daemon = await place.start();
  await daemon.idle(({ failuresTotal }) => failuresTotal === 1);
  await rename(place.home.join('inbox/a.b.pdf'), place.home.join('inbox/ab.pdf'));
  expect(await event(1)).toMatchObject({ kind: 'recovery', health: 'ok', folder: null });
  expect(arrived).toHaveLength(2);
  expect(daemon.log()).not.toContain('planted-webhook-secret');
});

it('repeats with the same id until it is accepted, over a kill as well, and delivers meanwhile', async () => {
  answer = { status: 503 };
  await place.home.write('inbox/a.b.pdf', 'two dots');
  let daemon = await place.start();
  const first = await event(0);
  await place.home.write('inbox/report.pdf', 'is delivered beside it');
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  await daemon.end('SIGKILL');
  answer = { status: 200 };
  const before = arrived.length;
  daemon = await place.start();
  await eventually(() => (daemon.log().includes('notification sent') ? true : null));
  expect(arrived.length).toBeGreaterThan(before);
  expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set([first.id]));
});

it('shows the address nowhere, whatever becomes of the request', async () => {
  await place.configure({ notify: { afterMinutes: 0 }, log: { level: 'trace' } });
  await new Promise((resolve) => {
    hook.closeAllConnections();
    hook.close(resolve);
  });
  await place.home.write('inbox/a.b.pdf', 'two dots');
  const daemon = await place.start();
  await eventually(() => (daemon.log().includes('notification was not accepted') ? true : null));
  const answers = ['/api/status', '/metrics', '/'].map(async (path) => (await daemon.fetch(path)).text());
  const test = await place.run('notify', 'test');
  expect(test).toMatchObject({ code: 1, err: expect.stringContaining('ECONNREFUSED') });
  const check = await place.run('check', '--json');
  const { out, err } = await daemon.end('SIGTERM');
  const files = (await readdir(place.home.join('state'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
  const texts = [...(await Promise.all([...answers, ...files])), out, err];
  for (const text of [...texts, test.out, test.err, check.out, check.err])
    expect(text).not.toContain('planted-webhook-secret');
});

it('tries the command and the webhook, whatever becomes of the other', async () => {
  await place.configure({
    notify: { afterMinutes, command: ['sh', '-c', 'echo no mail server >&2; exit 1'] },
  });
  const { code, out, err } = await place.run('notify', 'test');
  expect({ code, out, err }).toEqual({
    code: 1,
    out: expect.stringMatching(/^Sent to the webhook: .*this is a test.*\n$/),
    err: 'ingestd: sh: exit code 1: no mail server\n',
  });
  expect(arrived).toMatchObject([{ kind: 'test' }]);
});
