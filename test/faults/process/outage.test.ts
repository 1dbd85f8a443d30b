import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';
import { eventually } from '../../support/eventually.ts';

let place: InstallationWithService | null = null;

afterEach(() => place?.remove());

/** An address at which nobody listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('the log of the real process', () => {
  it('tells that the service cannot be reached, once, and when it is tried again', async () => {
    const ingestUrl = await closedAddress();
    place = await installationWithService({ ingestUrl });
    for (let index = 0; index < 5; index += 1) await writeFile(join(place.inbox, `${index}.txt`), `${index}`);
    const daemon = await place.start();
    await eventually(() => daemon.log().includes('service unavailable'));
    const { err } = await daemon.end('SIGTERM');
    const told = err.split('\n').filter((line) => line.includes('service unavailable'));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      level: 'warn',
      code: 'service-unavailable',
      message: `the service (${new URL(ingestUrl).host}): the connection was refused`,
      againInSeconds: expect.any(Number),
    });
  });

  it('tells that the token endpoint cannot be reached, with nothing to send', async () => {
    const authUrl = await closedAddress();
    place = await installationWithService({ authUrl });
    const daemon = await place.start();
    await eventually(() => daemon.log().includes('sign-in failed'));
    const { err } = await daemon.end('SIGTERM');
    const told = err.split('\n').filter((line) => line.includes('sign-in failed'));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      level: 'warn',
      reason: `the token endpoint (${new URL(authUrl).host}): the connection was refused`,
      againInSeconds: expect.any(Number),
    });
  });
});
