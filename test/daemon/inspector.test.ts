import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';

let place: InstallationWithService | null = null;

afterEach(() => place?.remove());

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('SIGUSR1 and SIGUSR2, which any process of the same user can send', () => {
  it('open no inspector, and the daemon goes on', async () => {
    const port = await freePort();
    place = await installationWithService({
      nodeOptions: [`--inspect-port=${port}`],
    });
    const daemon = await place.start();
    daemon.signal('SIGUSR1');
    daemon.signal('SIGUSR1');
    daemon.signal('SIGUSR2');
    await place.home.write('inbox/a.txt', 'text');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await expect(fetch(`http://127.0.0.1:${port}/json`)).rejects.toThrow();
    expect(daemon.log()).not.toContain('Debugger listening');
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  }, 60_000);
});
