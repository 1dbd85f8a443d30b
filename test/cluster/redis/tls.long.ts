import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { startHoldingService } from '../../support/services/holding-service.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';
import { eventuallyHolds } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';
import { missingRedis, settle, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';

const run = promisify(execFile);
const missing = missingRedis ?? (spawnSync('openssl', ['version']).status === 0 ? null : 'openssl');

describeWhere(missing, 'Redis behind TLS', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let tlsPort: number;
  const service = ofEachTest(() => startHoldingService());
  let place: Installation | null;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const openssl = (words: string) => run('openssl', words.split(' '), { cwd: folder.path });
    await folder.write('names', 'subjectAltName=IP:127.0.0.1');
    await openssl('req -x509 -newkey rsa:2048 -nodes -subj /CN=authority -days 2 -keyout ca.key -out ca.pem');
    await openssl('req -new -newkey rsa:2048 -nodes -subj /CN=redis -keyout redis.key -out redis.csr');
    await openssl(
      'x509 -req -in redis.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out redis.pem',
    );
    tlsPort = await freePort();
    const words = ['--tls-port', String(tlsPort), '--tls-auth-clients', 'no'];
    const files = [
      '--tls-cert-file',
      folder.join('redis.pem'),
      '--tls-key-file',
      folder.join('redis.key'),
      '--tls-ca-cert-file',
      folder.join('ca.pem'),
    ];
    redis = await startRedis({ more: [...words, ...files] });
  });
  beforeEach(async () => {
    place = null;
    settle(redis, 'tls');
  });
  afterEach(async () => {
    await place?.remove();
  });
  afterAll(async () => {
    await redis.remove();
    await folder.remove();
  });

  const start = async (environment: Readonly<Record<string, string>>) => {
    place = await installation({
      ...service,
      more: { cluster: { redisUrl: `rediss://127.0.0.1:${tlsPort}`, account: 'tls', host: 'one' } },
      environment,
    });
    await writeFile(join(place.inbox, 'a.txt'), 'text');
    return place.start();
  };

  it('is used where its authority is trusted by NODE_EXTRA_CA_CERTS', async () => {
    const daemon = await start({ NODE_EXTRA_CA_CERTS: folder.join('ca.pem') });
    await daemon.idle(({ totals, reasons }) => totals.uploaded === 1 && reasons.length === 0);
    await daemon.end('SIGTERM');
  });

  it('is not used where its certificate is not trusted, and that is said', async () => {
    const daemon = await start({});
    const reason = { code: 'redis-unavailable', message: expect.stringMatching(/certificate/) };
    await eventuallyHolds(async () =>
      expect((await daemon.status()).reasons).toContainEqual(expect.objectContaining(reason)),
    );
    expect(service.requests).toEqual([]);
    await daemon.end('SIGTERM');
  });
});
