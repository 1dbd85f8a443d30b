import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import type { DoctorReport } from '../../src/commands/doctor.ts';
import { selfSigned } from '../remote/http/self-signed.ts';
import { ingestd, startIngestd } from '../support/processes/ingestd.ts';
import { eventuallyHolds } from '../support/eventually.ts';
import { environmentOf, formsOf, plantedCredentials } from '../support/planted-secrets.ts';
import { folderOfEachTest } from '../support/folder-of-each-test.ts';
import { startScriptedService, steps } from '../support/services/scripted-service.ts';

const folder = folderOfEachTest();
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
  });

  it('knows the running daemon and counts the watches in use', async () => {
    await configure({ mode: 'embedded' });
    for (const name of ['a', 'b', 'c']) await folder.write(`inbox/${name}/x.txt`, 'x');
    const daemon = startIngestd(['run', '-q'], { cwd: folder.path });
    const ended = once(daemon, 'close');
    try {
      const known = { pid: daemon.pid, state: 'idle', health: 'ok' };
      await eventuallyHolds(async () => expect((await report())[1].ingestd.daemon).toMatchObject(known), {
        withinMs: 30_000,
      });
    } finally {
      daemon.kill('SIGKILL');
      await ended;
    }
  });

  it('asks what check --online asks: both addresses, and whether the credentials are accepted', async () => {
    const service = await startScriptedService({ tls: selfSigned });
    const { authUrl } = service;
    service.alwaysTokens(steps.json(401, {}));
    await configure({ authUrl, ingestUrl: 'http://127.0.0.1:9' });
    await folder.write('inbox/a.txt', 'a');
    const ca = await folder.write('ca.pem', selfSigned.cert);
    const [code, found] = await report({ ...secrets, NODE_EXTRA_CA_CERTS: ca });
    expect(code).toBe(4);
    const findings = found.findings.map(({ level, subject, code: what }) => `${level} ${subject} ${what}`);
    expect(findings).toEqual(
      expect.arrayContaining([
        `info ${authUrl} service-reachable`,
        'error http://127.0.0.1:9 service-unreachable',
        `error ${authUrl} credentials-refused`,
      ]),
    );
    const asked = service.tokenRequests.map((request) => `${request.method} ${request.url}`);
    expect([asked[0], new Set(asked).size]).toEqual(['HEAD /oauth', 2]);
    const { stdout } = await ingestd(['check', '--online', '--json'], {
      cwd: folder.path,
      env: { ...secrets, NODE_EXTRA_CA_CERTS: ca },
    });
    const checked = JSON.parse(stdout) as Pick<DoctorReport, 'findings'>;
    expect(checked.findings.map(({ code: what }) => what)).toEqual(
      found.findings.map(({ code: what }) => what),
    );
    await service.close();
  });

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
  });

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
  });
});
