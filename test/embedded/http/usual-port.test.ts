import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';

import { startEmbeddedService } from '../../../src/embedded/embedded-service.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

it('the service has the same address at each start, and another while that one is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const usualPort = (other.address() as AddressInfo).port;
  const portOfStart = async (): Promise<number> => {
    const options = { dataDir: folder.join('service'), clock: manualClock(), log: recordedLog(), usualPort };
    const service = await startEmbeddedService(options);
    expect((await fetch(service.pageUrl)).status).toBe(200);
    await service.close();
    return Number(new URL(service.pageUrl).port);
  };
  expect(await portOfStart()).not.toBe(usualPort);
  other.close();
  await once(other, 'close');
  expect([await portOfStart(), await portOfStart()]).toEqual([usualPort, usualPort]);
});
