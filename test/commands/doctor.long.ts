import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import type { DoctorReport } from '../../src/commands/doctor.ts';
import { selfSigned } from '../remote/http/self-signed.ts';
import { ingestd, startIngestd } from '../support/processes/ingestd.ts';
import { eventually } from '../support/eventually.ts';
import { environmentOf, formsOf, plantedCredentials } from '../support/planted-secrets.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';

const folder = folderOfEachTest();
let server: Server | null;
let asked: (string | undefined)[];

beforeEach(() => {
  server = null;
  asked = [];
});

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
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
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    response
      .writeHead(request.method === 'HEAD' ? 200 : 401, { 'content-type': 'application/json' })
      .end('{}');
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
    });
    expect(found.places.map(({ what, path }) => [what, path])).toEqual([
      ['state.dir', folder.join('state')],
      ['inbox', folder.join('inbox')],
    ]);
    expect(found.places[1]).toMatchObject({
      type: expect.any(String),
      freeBytes: expect.any(Number),
    });
    const { stdout } = await ingestd(['doctor'], { cwd: folder.path });
    expect(stdout).toMatch(/^ingestd\n {2}version: .*\n(.*\n)*system\n(.*\n)*places\n(.*\n)*findings\n/);
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
    } finally {
      daemon.kill('SIGKILL');
    }
  }, 60_000);

  it('asks what check --online asks: both addresses, and whether the credentials are accepted', async () => {
    const url = await startTlsServer();
    await configure({ authUrl: `${url}/oauth`, ingestUrl: 'http://127.0.0.1:9' });
    await folder.write('inbox/a.txt', 'a');
    const ca = await folder.write('ca.pem', selfSigned.cert);
    const [code, found] = await report({ ...secrets, NODE_EXTRA_CA_CERTS: ca });
    expect(code).toBe(4);
    const findings = found.findings.map(({ level, subject, code: what }) => `${level} ${subject} ${what}`);
    expect(findings).toEqual(
      expect.arrayContaining([
        `info ${url}/oauth service-reachable`,
        'error http://127.0.0.1:9 service-unreachable',
        `error ${url}/oauth credentials-refused`,
      ]),
    );
    expect([asked[0], new Set(asked).size]).toEqual(['HEAD /oauth', 2]);
    const { stdout } = await ingestd(['check', '--online', '--json'], {
      cwd: folder.path,
      env: { ...secrets, NODE_EXTRA_CA_CERTS: ca },
    });
    const checked = JSON.parse(stdout) as Pick<DoctorReport, 'findings'>;
    expect(checked.findings.map(({ code: what }) => what)).toEqual(
      found.findings.map(({ code: what }) => what),
    );
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
      expect(stdout).toContain('[redacted].zip');
      for (const secret of [...Object.values(secrets), 'planted-proxy-4711', 'planted-webhook-4711'])
        for (const form of formsOf(secret)) expect(stdout + stderr).not.toContain(form);
    }
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
