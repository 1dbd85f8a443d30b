import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { removeInProcess } from '../../remote/http/remove-in-process.ts';
import { installation } from '../../support/processes/daemon-process.ts';
import { describeWhere } from '../../support/needs.ts';
import { folderOfAllTests } from '../../support/folder-of-each-test.ts';
import { startHoldingService } from '../../support/services/holding-service.ts';
import type { HoldingService } from '../../support/services/holding-service.ts';

const run = promisify(execFile);

const missing = spawnSync('openssl', ['version']).status === 0 ? null : 'openssl';

describeWhere(missing, 'certificates made by openssl', () => {
  const folder = folderOfAllTests();
  const services: HoldingService[] = [];

  beforeAll(async () => {
    await openssl('req -x509 -newkey rsa:2048 -nodes -subj /CN=authority -days 2 -keyout ca.key -out ca.pem');
  });
  afterAll(async () => {
    await Promise.all(services.map(({ close }) => close()));
  });

  const trust = () => ({ NODE_EXTRA_CA_CERTS: folder.join('ca.pem') });

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

  /** A service with such a key and certificate. */
  async function serve(name: string): Promise<HoldingService> {
    const [key = '', cert = ''] = await Promise.all(
      [`${name}.key`, `${name}.pem`].map((file) => readFile(folder.join(file), 'utf8')),
    );
    const service = await startHoldingService({ tls: { key, cert } });
    services.push(service);
    return service;
  }

  it('N2: only the valid one of a known authority for this very host is spoken to', async () => {
    await issue('good', { host: 'IP:127.0.0.1', days: 2 });
    await issue('expired', { host: 'IP:127.0.0.1', days: -1 });
    await issue('elsewhere', { host: 'DNS:elsewhere.test', days: 2 });
    await openssl(
      'req -x509 -newkey rsa:2048 -nodes -subj /CN=stranger -addext subjectAltName=IP:127.0.0.1 -keyout stranger.key -out stranger.pem',
    );
    const started = await Promise.all(['good', 'expired', 'elsewhere', 'stranger'].map(serve));
    const addresses = started.map(({ ingestUrl }) => ingestUrl);
    const outcomes = await removeInProcess(started[0]?.authUrl ?? '', addresses, trust());
    expect(outcomes.map((outcome) => ('message' in outcome ? outcome.message : outcome.kind))).toEqual([
      expect.stringContaining('404'),
      expect.stringContaining('CERT_HAS_EXPIRED'),
      expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
      expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    ]);
    expect(started.map(({ requests }) => requests.length)).toEqual([1, 0, 0, 0]);
  });

  it('the program as it is shipped delivers over HTTPS', async () => {
    await issue('shipped', { host: 'IP:127.0.0.1', days: 2 });
    const { authUrl, ingestUrl, documents } = await serve('shipped');
    const installed = await installation({ authUrl, ingestUrl, environment: trust() });
    try {
      await installed.home.write('inbox/a.txt', 'text');
      expect(await installed.run('sync')).toMatchObject({ code: 0 });
      expect(documents.size).toBe(1);
    } finally {
      await installed.remove();
    }
  });
});
