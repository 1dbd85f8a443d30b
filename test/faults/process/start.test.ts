import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';

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

describe('a start that fails', () => {
  it('for its port says so, and says nothing of stopping what never ran', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    place = await installationWithService({ more: { http: { port } } });
    const { code, err } = await place.run('run');
    other.close();
    expect(code).toBe(2);
    expect(err).toContain(`http.port: ${port} is in use`);
    expect(err).not.toMatch(/"stopp(?:ing|ed)"/);
  });

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
  }, 30_000);
});
