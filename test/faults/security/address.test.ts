import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../../support/processes/daemon-process.ts';
import { describeWhere } from '../../support/needs.ts';
import { call } from '../../status/support/call.ts';
import { ofAllTests } from '../../support/of-each-test.ts';

const place = ofAllTests(() => installationWithService());
let daemon: RunningDaemon;
let port: number;
let pageToken: string;

beforeAll(async () => {
  await writeFile(join(place.inbox, '<img src=x onerror=alert(1)>.pdf'), 'x');
  daemon = await place.start();
  const answer = await daemon.fetch('/api/token');
  port = Number(new URL(answer.url).port);
  pageToken = ((await answer.json()) as { token: string }).token;
});

describe('the address of a running daemon', () => {
  it('S7: sends a name that is markup as JSON that no browser takes for a page', async () => {
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    const { headers, text } = await call({
      to: port,
      path: '/api/log',
      headers: { host: `127.0.0.1:${port}` },
    });
    expect(text).toContain('onerror=alert');
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'x-content-type-options': 'nosniff',
    });
    const page = await call({ to: port, path: '/', headers: { host: `127.0.0.1:${port}` } });
    expect(page.text).not.toContain('onerror=alert(1)>');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
  });
});

const missing = process.getuid?.() === 0 ? null : 'root, to be somebody else';

describeWhere(missing, 'S6: another user of the machine', () => {
  /** What a process of another user is answered. */
  async function asNobody(words: readonly string[]): Promise<string> {
    const run = promisify(execFile);
    const script = `
      const [path, method, token] = process.argv.slice(1);
      const headers = { 'x-ingestd-token': token, 'content-type': 'application/json' };
      const body = method === 'POST' ? '{"paths":[]}' : undefined;
      const answer = await fetch('http://127.0.0.1:${port}' + path, { method, headers, body });
      console.log(answer.status, await answer.text());`;
    const nobody = { uid: 65_534, gid: 65_534, cwd: '/' };
    return (await run(process.execPath, ['--input-type=module', '-e', script, ...words], nobody)).stdout;
  }

  it('may look, and change nothing, even with the page’s own token', async () => {
    expect(await asNobody(['/api/status', 'GET', ''])).toMatch(/^200 /);
    const refused = await asNobody(['/api/retry', 'POST', pageToken]);
    expect(refused).toMatch(/^403 .*other-user.*INGESTD_HTTP_TOKEN/);
  });
});
