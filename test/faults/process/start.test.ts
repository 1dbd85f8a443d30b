import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';

import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';

let place: InstallationWithService | null = null;

afterEach(() => place?.remove());

/** Has node load the program with a function that fails, as one with a bug does. */
function withBugIn(name: string): readonly string[] {
  const hooks = `export async function load(url, fingerprint, next) {
    const loaded = await next(url, fingerprint);
    if (!url.includes('/dist/program/')) return loaded;
    const head = /async (?:function )?${name}\\(.*?\\) \\{/s;
    const source = String(loaded.source).replace(head, '$& throw new TypeError("a bug of ours");');
    return { ...loaded, source };
  }`;
  const encoded = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
  const registered = `import { register } from 'node:module'; register(${JSON.stringify(encoded(hooks))})`;
  return ['--import', encoded(registered)];
}

it('A4: a page that cannot be shown keeps no document back, and is shown when it can be', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  place = await installationWithService({ more: { http: { port } } });
  await place.home.write('inbox/report.txt', 'text');
  const daemon = place.launch();
  const { run } = place;
  const says = (more: object) =>
    eventuallyHolds(async () =>
      expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({
        state: 'idle',
        folders: [{ synced: 1 }],
        ...more,
      }),
    );
  const reason = expect.stringContaining(`http.port: ${port} is in use`) as unknown;
  await says({ health: 'attention', reasons: [{ code: 'page-unavailable', message: reason }] });
  expect((await run('status', '--check')).code).toBe(1);
  expect((await run('health')).code).toBe(0);
  other.close();
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  await says({ health: 'ok', reasons: [] });
  await eventuallyHolds(async () => expect((await run('status')).out).toContain(`http://127.0.0.1:${port}`));
  daemon.signal('SIGTERM');
  const { code, err } = await daemon.finished;
  expect(code).toBe(0);
  expect(err.match(/the status page is unavailable/g)).toHaveLength(1);
});

describe('a start that fails', () => {
  it('for a bug ends the process with exit code 1, so that it is started again', async () => {
    place = await installationWithService({
      nodeOptions: withBugIn('recover'),
    });
    const { code, err } = await place.launch().finished;
    expect(code).toBe(1);
    expect(err).toContain('a bug of ours');
    // Nothing is left behind that would keep the next one from starting.
    const sound = await installationWithService();
    try {
      expect((await (await sound.start()).idle()).state).toBe('idle');
    } finally {
      await sound.remove();
    }
  });
});
