import { execFile } from 'node:child_process';
import { chmod, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../../support/processes/installation-with-service.ts';
import { eventually } from '../../support/eventually.ts';
import { formsOf, plantedCredentials, plantedTokens } from '../../support/planted-secrets.ts';
import { steps } from '../../support/services/scripted-service.ts';

const { apiKey, clientId, clientSecret, username, password } = plantedCredentials;
const httpToken = 'planted-http-token-4711';
const credentials = [apiKey, clientId, clientSecret, password];
const secrets = [...credentials, ...plantedTokens, httpToken];
const forms = secrets.flatMap(formsOf);
/** A service that tells all it knows. */
const gossip = [...credentials, ...plantedTokens].flatMap(formsOf).join(' ');
/** The same of a token endpoint: that a text is a token can be known only once it was issued. */
const tokenGossip = credentials.flatMap(formsOf).join(' ');

let place: InstallationWithService;
/** Everything that can be read from outside, by where it was read. */
const seen = new Map<string, string>();

beforeAll(async () => {
  const undefinedSecrets = { INGESTD_PASSWORD: undefined, INGESTD_CLIENT_SECRET: undefined };
  place = await installationWithService({
    environment: { ...undefinedSecrets, INGESTD_PASSWORD_FILE: 'password.txt' },
    more: {
      log: { level: 'trace' },
      service: { responseSeconds: 1, sendApiKey: true },
      timing: { settleMs: 100, removeGraceMs: 200, stopSeconds: 2 },
    },
  });
  const token = steps.token({ access_token: plantedTokens[0], refresh_token: plantedTokens[1] });
  place.service.alwaysTokens(token);
  await place.home.write('password.txt', `${password}\n`);
  const env = `INGESTD_CLIENT_SECRET='${clientSecret}'\nINGESTD_HTTP_TOKEN=${httpToken}\n`;
  await chmod(await place.home.write('.env', env), 0o644);
  await live();
});

afterAll(() => place.remove());

/** A life with good answers and every kind of bad ones. */
async function live(): Promise<void> {
  place.service.script(
    steps.accept('doc-good'),
    steps.refuse(gossip.slice(0, 4_000), 400),
    steps.refuse(gossip.slice(-4_000)),
    steps.warn('doc-warned', gossip),
    steps.json(401, { message: gossip }),
    steps.json(403, { message: gossip }),
    steps.html(404),
    steps.redirect(`http://${clientId}.example/?${encodeURIComponent(gossip)}`),
    steps.json(422, { error: { docId: null, message: gossip } }),
    steps.silence(),
    steps.resetAfterBody(),
    steps.json(500, { error: gossip, message: gossip }),
    steps.cutAnswer(),
  );
  place.service.scriptTokens(
    steps.json(500, { error: 'server_error', error_description: tokenGossip }),
    steps.token({ access_token: plantedTokens[0], refresh_token: plantedTokens[1] }),
  );
  for (let index = 0; index < 12; index += 1) await writeFile(join(place.inbox, `${index}.txt`), `${index}`);
  const daemon = await place.start();
  seen.set('its arguments', await readFile(`/proc/${daemon.pid}/cmdline`, 'utf8'));
  await eventually(() => place.service.requests.length >= 8);
  for (const path of ['/', '/api/status', '/api/events', '/metrics', '/healthz', '/?token=x', '/api/token']) {
    seen.set(`${path} without the token`, await textOf(await daemon.fetch(path)));
  }
  const paths = ['/', '/api/status', '/api/log', '/api/history', '/metrics', '/readyz', '/api/events'];
  for (const path of [...paths, '/api/why?path=0.txt', '/api/why?path=1.txt', '/api/nothing']) {
    const headers = { authorization: `Bearer ${httpToken}` };
    seen.set(path, await textOf(await daemon.fetch(path, { headers })));
  }
  for (const command of [
    'status',
    'status --json',
    'why 0.txt',
    'why 1.txt --json',
    'plan',
    'check',
    'retry',
    'approve',
    'ledger export',
    'auth revoke --all',
    'health',
  ]) {
    await note(command);
  }
  daemon.signal('SIGHUP');
  place.service.scriptTokens(steps.json(401, { error: 'invalid_grant', error_description: tokenGossip }));
  const { err, out } = await daemon.end('SIGTERM');
  seen.set('the log of the daemon', err + out);
  for (const entry of await readdir(place.home.join('state'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    seen.set(relative(place.home.path, file), await readFile(file, 'latin1'));
  }
  place.service.scriptTokens(steps.json(401, { error: 'invalid_grant', error_description: tokenGossip }));
  await note('auth login');
  place.service.scriptTokens(steps.json(400, { error: tokenGossip }));
  await note('sync');
  await note('sync --json');
  await note(`run --${password}`);
}

async function note(command: string): Promise<void> {
  const { code, out, err } = await place.run(...command.split(' '));
  seen.set(`ingestd ${command}`, `${code} ${out}${err}`);
}

/** A stream of events is read for as long as something comes at once. */
async function textOf(response: Response): Promise<string> {
  const headers = [...response.headers].join('\n');
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    return headers + (await response.text());
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return headers + Buffer.from(first?.value ?? []).toString();
}

describe('S1, S2, S4: secrets and tokens', () => {
  it('are nowhere: log at trace, status, page, events, metrics, state, arguments, every command and error', () => {
    for (const [where, text] of seen) {
      for (const form of forms) expect([where, text.includes(form) ? form : '']).toEqual([where, '']);
    }
  });

  it('went over the wire all the same, and what was searched is what it should be', () => {
    expect(place.service.tokenRequests.some(({ text }) => text().includes(formsOf(password)[2] ?? ''))).toBe(
      true,
    );
    expect(
      place.service.requests.some(({ headers }) => headers['authorization'] === `Bearer ${plantedTokens[0]}`),
    ).toBe(true);
    const log = seen.get('the log of the daemon') ?? '';
    expect(log).toMatch(/"level":"(trace|debug)"/);
    expect(seen.get('/api/status')).toContain('[redacted]');
    expect(seen.get('/api/status')).toContain('"failures":[{');
    expect(seen.get('/api/events')).toContain('event: ');
    expect(seen.get('/metrics')).toContain('ingestd_');
    expect(seen.get('/ without the token')).toContain('login-required');
    expect(seen.get('/api/status without the token')).toContain('login-required');
    expect(seen.get('ingestd auth login')).toMatch(/^3 /);
    expect(seen.get('ingestd status')).toMatch(/^0 /);
    expect([...seen.keys()]).toContain('state/ledger.json');
    expect(username).not.toBe('');
  });

  it('S3: in a .env that others can read are warned of, with the fix', () => {
    expect(seen.get('the log of the daemon')).toMatch(
      /"msg":"[^"]*\.env can be read by others \(mode 0644\); run chmod 600/,
    );
  });

  it('would be found in the output of the suite', async () => {
    const search = new URL('../../../.ci/no-secrets', import.meta.url).pathname;
    const run = promisify(execFile);
    for (const secret of secrets) {
      for (const form of formsOf(secret)) {
        const file = await place.home.write('output.log', `✓ a test\n  said "${form}" once\n`);
        await expect(run(search, [file])).rejects.toMatchObject({ code: 1 });
      }
    }
    const clean = await place.home.write('output.log', '✓ a test with planted things\n4711 of them\n');
    await expect(run(search, [clean])).resolves.toBeDefined();
  });
});
