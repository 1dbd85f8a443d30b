import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import { judgeAddress } from '../../src/commands/doctor/doctor.ts';
import type { DoctorReport } from '../../src/commands/doctor/doctor.ts';
import type { AddressReport } from '../../src/commands/doctor/probe-address.ts';
import { selfSigned } from '../remote/http/self-signed.ts';
import { ingestd, startIngestd } from '../support/processes/ingestd.ts';
import { eventually } from '../support/eventually.ts';
import { environmentOf, formsOf, plantedCredentials } from '../support/planted-secrets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
let server: Server | null;
let asked: IncomingMessage[];

beforeEach(async () => {
  folder = await temporaryFolder();
  server = null;
  asked = [];
});

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await folder.remove();
});

const configure = (service: Readonly<Record<string, unknown>>) =>
  folder.write(
    'ingestd.yaml',
    stringify({
      service,
      folders: [{ name: 'inbox', path: './inbox' }],
      state: { dir: './state' },
      http: { port: false },
    }),
  );

async function report(env: Readonly<Record<string, string>> = {}): Promise<[number | null, DoctorReport]> {
  const { code, stdout } = await ingestd(['doctor', '--json'], { cwd: folder.path, env });
  return [code, JSON.parse(stdout) as DoctorReport];
}

async function startTlsServer(): Promise<string> {
  server = createServer(selfSigned, (request, response) => {
    asked.push(request);
    response.end();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

const secrets = {
  ...environmentOf(plantedCredentials),
  INGESTD_HTTP_TOKEN: 'planted-http-token-4711',
  INGESTD_NOTIFY_WEBHOOK: 'https://hooks.example.com/planted-webhook-4711',
};

describe('doctor', () => {
  it('describes the program, the machine and the places', async () => {
    await configure({ mode: 'embedded' });
    await folder.write('inbox/a.txt', 'a');
    const [code, found] = await report();
    expect(code).toBe(0);
    expect(found).toMatchObject({
      ok: true,
      problems: 0,
      ingestd: { node: process.version, configuration: folder.join('ingestd.yaml'), daemon: null },
      system: { processors: expect.any(Number), memoryBytes: expect.any(Number), uid: process.getuid?.() },
      addresses: [],
    });
    expect(found.places.map(({ what, path }) => [what, path])).toEqual([
      ['state.dir', folder.join('state')],
      ['inbox', folder.join('inbox')],
    ]);
    expect(found.places[1]).toMatchObject({
      mount: { path: expect.stringMatching(/^\//), type: expect.any(String) },
      freeBytes: expect.any(Number),
    });
    const { stdout } = await ingestd(['doctor'], { cwd: folder.path });
    expect(stdout).toMatch(/^ingestd\n {2}version .*\n(.*\n)*Machine\n(.*\n)*Places\n(.*\n)*Findings\n/);
    expect(stdout).toContain('1 document in');
  }, 60_000);

  it('knows the running daemon and counts the watches in use', async () => {
    await configure({ mode: 'embedded' });
    for (const name of ['a', 'b', 'c']) await folder.write(`inbox/${name}/x.txt`, 'x');
    const daemon = startIngestd(['run', '-q'], { cwd: folder.path });
    try {
      const found = await eventually(
        async () => {
          const [, answer] = await report();
          return answer.ingestd.daemon?.state === 'idle' ? answer : null;
        },
        { withinMs: 30_000 },
      );
      expect(found.ingestd.daemon).toMatchObject({ pid: daemon.pid, health: 'ok' });
      expect(found.inotify.used?.watches).toBeGreaterThanOrEqual(4);
      expect(found.inotify.used?.instances).toBeGreaterThanOrEqual(1);
    } finally {
      daemon.kill('SIGKILL');
    }
  }, 60_000);

  it('describes the way to the service: DNS, TLS chain, first byte; and sends nothing', async () => {
    const url = await startTlsServer();
    await configure({ authUrl: `${url}/oauth`, ingestUrl: url });
    await folder.write('inbox/a.txt', 'a');
    const ca = await folder.write('ca.pem', selfSigned.cert);
    const [code, found] = await report({ ...secrets, NODE_EXTRA_CA_CERTS: ca });
    expect([code, found.problems]).toEqual([0, 0]);
    const [address] = found.addresses;
    expect(found.addresses).toHaveLength(1);
    expect(address).toMatchObject({
      subject: 'service.authUrl',
      proxy: null,
      status: 200,
      error: null,
      tls: {
        protocol: 'TLSv1.3',
        distrust: null,
        chain: [{ subject: 'localhost', issuer: 'localhost', validTo: '2126-10-28T05:14:06.000Z' }],
      },
    });
    expect(address?.names?.addresses).toContain('127.0.0.1');
    expect(address?.firstByteMs).toBeGreaterThanOrEqual(address?.connectedMs ?? Infinity);
    expect(Math.abs(address?.clockAheadMs ?? Infinity)).toBeLessThan(5_000);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['HEAD']));
    for (const { headers } of asked) expect(Object.keys(headers).sort()).toEqual(['connection', 'host']);
  }, 60_000);

  it('shows a certificate that is not trusted, and why', async () => {
    const url = await startTlsServer();
    await configure({ authUrl: url, ingestUrl: 'http://127.0.0.1:9' });
    await folder.write('inbox/a.txt', 'a');
    const [code, found] = await report(secrets);
    expect(code).toBe(4);
    const message = 'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)';
    expect(found.addresses).toMatchObject([
      {
        subject: 'service.authUrl',
        error: message,
        tls: { distrust: message, chain: [{ subject: 'localhost' }] },
      },
      { subject: 'service.ingestUrl', error: 'the connection was refused', tls: null },
    ]);
    const errors = found.findings.filter(({ level }) => level === 'error');
    expect(errors.map(({ subject, code: what }) => [subject, what])).toEqual([
      [url, 'service-unreachable'],
      ['service.ingestUrl', 'service-unreachable'],
    ]);
    expect(asked).toEqual([]);
  }, 60_000);

  it('shows no secret, wherever it got into', async () => {
    await configure({
      authUrl: 'https://auth.invalid',
      ingestUrl: 'https://ingest.invalid',
      connectSeconds: 2,
    });
    // Unsupported, so that its name is listed.
    await folder.write(`inbox/${plantedCredentials.apiKey}.zip`, 'x');
    const env = { ...secrets, HTTPS_PROXY: 'http://me:planted-proxy-4711@127.0.0.1:9' };
    const text = await ingestd(['doctor'], { cwd: folder.path, env });
    const json = await ingestd(['doctor', '--json'], { cwd: folder.path, env });
    for (const { code, stdout, stderr } of [text, json]) {
      expect(code).toBe(4);
      expect(stdout).toContain('INGESTD_PASSWORD');
      expect(stdout).toContain('http://[redacted]@127.0.0.1:9');
      expect(stdout).toContain('[redacted].zip');
      for (const secret of [...Object.values(secrets), 'planted-proxy-4711', 'planted-webhook-4711'])
        for (const form of formsOf(secret)) expect(stdout + stderr).not.toContain(form);
    }
    const found = JSON.parse(json.stdout) as DoctorReport;
    expect(found.addresses).toMatchObject([
      { proxy: 'http://127.0.0.1:9', names: null, error: 'the connection was refused' },
      { proxy: 'http://127.0.0.1:9', names: null, error: 'the connection was refused' },
    ]);
  }, 60_000);

  it('describes the machine where the configuration is invalid', async () => {
    await folder.write('ingestd.yaml', 'folders: [{name: a, path: b}]\ntiming: {settleMs: soon}\n');
    const [code, found] = await report();
    expect(code).toBe(2);
    expect(found).toMatchObject({
      ok: false,
      places: [],
      findings: [{ code: 'configuration', message: expect.stringContaining('timing.settleMs: "soon"') }],
    });
    expect(found.system.processors).toBeGreaterThan(0);
  }, 60_000);
});

describe('a certificate', () => {
  const now = Date.parse('2026-06-01T00:00:00Z');
  const until = (validTo: string): AddressReport => ({
    subject: 'service.authUrl',
    address: 'https://a.example',
    proxy: null,
    names: null,
    tls: {
      protocol: 'TLSv1.3',
      cipher: null,
      distrust: null,
      chain: [
        { subject: 'a.example', issuer: 'CA', validFrom: '2026-01-01T00:00:00Z', validTo, names: null },
      ],
    },
    connectedMs: 1,
    firstByteMs: 2,
    status: 200,
    clockAheadMs: 0,
    error: null,
  });

  it.each([
    ['2026-06-16T00:00:01Z', []],
    ['2026-06-15T00:00:00Z', ['warning: the certificate of a.example expires in 14 days']],
    ['2026-06-02T00:00:00Z', ['warning: the certificate of a.example expires in 1 day']],
    ['2026-05-31T00:00:00Z', ['error: the certificate of a.example has expired (2026-05-31T00:00:00Z)']],
  ])('that ends at %s: %j', (validTo, expected) => {
    const findings = judgeAddress(until(validTo), now);
    expect(findings.map(({ level, message }) => `${level}: ${message}`)).toEqual(expected);
  });
});
