import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { installation } from '../support/daemon-process.ts';
import type { Installation } from '../support/daemon-process.ts';
import { plantedCredentials } from '../support/planted-secrets.ts';
import { startScriptedService } from '../support/scripted-service.ts';
import type { ScriptedService } from '../support/scripted-service.ts';

let service: ScriptedService;
let place: Installation | null;

beforeEach(async () => {
  service = await startScriptedService();
  place = null;
});

afterEach(async () => {
  await place?.remove();
  await service.close();
});

/** Has node load a module of ours that fails, as one with a bug does. */
function withBug(module: string, source: string): readonly string[] {
  const hooks = `export async function load(url, context, next) {
    if (!url.endsWith(${JSON.stringify(module)})) return next(url, context);
    return { format: 'module', source: ${JSON.stringify(source)}, shortCircuit: true };
  }`;
  const encoded = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
  return [
    '--import',
    encoded(`import { register } from 'node:module'; register(${JSON.stringify(encoded(hooks))})`),
  ];
}

describe('a start that fails', () => {
  it('for its port says so, and says nothing of stopping what never ran', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    place = await installation({ ...service, credentials: plantedCredentials, more: { http: { port } } });
    const { code, err } = await place.run('run');
    other.close();
    expect(code).toBe(2);
    expect(err).toContain(`http.port: ${port} is taken`);
    expect(err).not.toMatch(/"stopp(?:ing|ed)"/);
  });

  it('for a bug ends the process with exit code 1, so that it is started anew', async () => {
    const bug = 'export async function recoverUploads() { throw new TypeError("a bug of ours"); }';
    place = await installation({
      ...service,
      credentials: plantedCredentials,
      nodeOptions: withBug('/sync/recover-uploads.js', bug),
    });
    const { code, err } = await place.launch().finished;
    expect(code).toBe(1);
    expect(err).toContain('a bug of ours');
    // Nothing is left behind that would keep the next one from starting.
    const sound = await installation({ ...service, credentials: plantedCredentials });
    try {
      expect((await (await sound.start()).idle()).state).toBe('idle');
    } finally {
      await sound.remove();
    }
  }, 30_000);
});
