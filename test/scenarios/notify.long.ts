import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import { eventually } from '../support/eventually.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { startScriptedService, steps } from '../support/services/scripted-service.ts';

const afterMinutes = 0.02;
const secretPath = '/services/T000/B000/planted-webhook-secret';

const hook = ofEachTest(() => startScriptedService());
const place = ofEachTest(() =>
  installationWithService({
    more: { notify: { afterMinutes } },
    environment: { INGESTD_NOTIFY_WEBHOOK: `${hook.ingestUrl}${secretPath}` },
  }),
);

beforeEach(() => hook.always(steps.empty()));

it('shows the address nowhere, whatever becomes of the request', async () => {
  await place.configure({ notify: { afterMinutes: 0 }, log: { level: 'trace' } });
  await hook.away();
  await place.home.write('inbox/a.b.pdf', 'two dots');
  const daemon = await place.start();
  await eventually(() => (daemon.log().includes('notification was not accepted') ? true : null));
  const answers = ['/api/status', '/metrics', '/'].map(async (path) => (await daemon.fetch(path)).text());
  const test = await place.run('notify', 'test');
  expect(test).toMatchObject({
    code: 1,
    err: expect.stringMatching(/INGESTD_NOTIFY_WEBHOOK: .*ECONNREFUSED/),
  });
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
    err: 'ingestd: notify.command: sh: exit code 1: no mail server\n',
  });
  const [request, ...more] = hook.requests;
  expect([request?.method, request?.url, more]).toEqual(['POST', secretPath, []]);
  expect(request?.json()).toMatchObject({ kind: 'test' });
});
