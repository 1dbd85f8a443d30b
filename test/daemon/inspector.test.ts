import { describe, expect, it } from '@jest/globals';

import { freePort } from '../support/free-port.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';

let port: number;
const place = ofEachTest(async () => {
  port = await freePort();
  return installationWithService({ nodeOptions: [`--inspect-port=${port}`] });
});

describe('SIGUSR1 and SIGUSR2, which any process of the same user can send', () => {
  it('open no inspector, and the daemon goes on', async () => {
    const daemon = await place.start();
    daemon.signal('SIGUSR1');
    daemon.signal('SIGUSR1');
    daemon.signal('SIGUSR2');
    await place.home.write('inbox/a.txt', 'text');
    await daemon.idle(({ totals }) => totals.uploaded === 1);
    await expect(fetch(`http://127.0.0.1:${port}/json`)).rejects.toThrow();
    expect(daemon.log()).not.toContain('Debugger listening');
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });
});
