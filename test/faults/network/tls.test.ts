import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { removeInProcess } from '../../remote/http/remove-in-process.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import { describeWhere } from '../../support/needs.ts';
import { folderOfAllTests } from '../../support/folder-of-each-test.ts';
import { ofAllTests } from '../../support/of-each-test.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';

const run = promisify(execFile);

const missing = spawnSync('openssl', ['version']).status === 0 ? null : 'openssl';

describeWhere(missing, 'certificates made by openssl', () => {
  const service = ofAllTests(() => startHoldingService());
  const folder = folderOfAllTests();
  const servers: Server[] = [];

  beforeAll(async () => {
    await openssl('req -x509 -newkey rsa:2048 -nodes -subj /CN=authority -days 2 -keyout ca.key -out ca.pem');
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  });

  async function openssl(words: string): Promise<void> {
    await run('openssl', words.split(' '), { cwd: folder.path });
  }

  /** A key and a certificate of the authority for this host, valid for so many days from now on. */
  async function issue(name: string, { host, days }: { host: string; days: number }): Promise<void> {
    await folder.write(`${name}.ext`, `subjectAltName=${host}\n`);
    await openssl(`req -new -newkey rsa:2048 -nodes -subj /CN=${name} -keyout ${name}.key -out ${name}.csr`);
    await openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile ${name}.ext -out ${name}.pem`,
    );
  }

  /** Takes TLS off in front of the service; its address. */
  async function serve(name: string): Promise<string> {
    const [key, cert] = await Promise.all(
      [`${name}.key`, `${name}.pem`].map((file) => readFile(folder.join(file))),
    );
    const server = createServer({ key, cert }, (socket) => {
      const onward = connect(service.port, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
      socket.on('close', () => onward.destroy());
      socket.pipe(onward).pipe(socket);
    });
    server.on('tlsClientError', () => undefined);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('N2: only the valid one of a known authority for this very host is spoken to', async () => {
    await issue('good', { host: 'IP:127.0.0.1', days: 2 });
    await issue('expired', { host: 'IP:127.0.0.1', days: -1 });
    await issue('elsewhere', { host: 'DNS:elsewhere.test', days: 2 });
    await openssl(
      'req -x509 -newkey rsa:2048 -nodes -subj /CN=stranger -addext subjectAltName=IP:127.0.0.1 -keyout stranger.key -out stranger.pem',
    );
    const addresses = await Promise.all(['good', 'expired', 'elsewhere', 'stranger'].map(serve));
    const trust = { NODE_EXTRA_CA_CERTS: folder.join('ca.pem') };
    const outcomes = await removeInProcess(service.authUrl, addresses, trust);
    expect(outcomes.map((outcome) => ('message' in outcome ? outcome.message : outcome.kind))).toEqual([
      expect.stringContaining('404'),
      expect.stringContaining('CERT_HAS_EXPIRED'),
      expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
      expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    ]);
    expect(service.requests).toHaveLength(1);
  });

  it('the program as it is shipped delivers over HTTPS', async () => {
    await issue('shipped', { host: 'IP:127.0.0.1', days: 2 });
    const address = await serve('shipped');
    const held = service.documents.size;
    const installed = await installation({
      authUrl: `${address}/oauth`,
      ingestUrl: address,
      environment: { NODE_EXTRA_CA_CERTS: folder.join('ca.pem') },
    });
    try {
      await installed.home.write('inbox/a.txt', 'text');
      expect(await installed.run('sync')).toMatchObject({ code: 0 });
      expect(service.documents.size).toBe(held + 1);
    } finally {
      await installed.remove();
    }
  });
});
