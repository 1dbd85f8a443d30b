import { chmod, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { SyncReport } from '../../src/daemon/run-sync.ts';
import type { FolderSettings } from '../../src/model/settings.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { environmentOf, formsOf, plantedCredentials } from '../support/planted-secrets.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { InstallationWithService } from '../support/processes/installation-with-service.ts';
import { steps } from '../support/services/scripted-service.ts';

const names = [
  'INGESTD_PASSWORD',
  'INGESTD_USERNAME',
  'INGESTD_CLIENT_SECRET',
  'INGESTD_CLIENT_ID',
  'INGESTD_API_KEY',
];

const refused = steps.answer(
  401,
  JSON.stringify({ error: 'invalid_grant', error_description: 'wrong user name or password' }),
);

let place: InstallationWithService;

/** `environment`: beside what `files` holds; the secrets of the environment are taken away. */
async function set(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  onRemove: FolderSettings['onRemove'] = 'delete',
): Promise<void> {
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  const more = { folders: [{ name: 'inbox', path: './inbox', onRemove }] };
  place = await installationWithService({ more, environment: { ...none, ...environment } });
  for (const [name, text] of Object.entries(files)) await chmod(await place.home.write(name, text), 0o600);
  await place.home.write('inbox/a.txt', 'a');
  place.service.alwaysTokens(refused);
}

const envFile = Object.entries(environmentOf(plantedCredentials))
  .map(([name, value]) => `${name}='${value}'\n`)
  .join('');

afterEach(() => place.remove());

/** Whatever a command says, in one line. */
async function said(...words: string[]) {
  const { code, out, err } = await place.run(...words);
  const text = `${out} ${err}`.replaceAll(/\s+/g, ' ');
  for (const secret of [plantedCredentials.password, plantedCredentials.clientSecret])
    for (const form of formsOf(secret)) expect(text).not.toContain(form);
  return { code, text };
}

/** What was refused, with which words, and what to do. `pid`: of the daemon. */
function words(pid?: number): string {
  const then = pid === undefined ? 'try again' : `run kill -HUP ${pid}`;
  return `he service refused the user name or password (401 Unauthorized: wrong user name or password). Edit ${place.home.join('.env')}, then ${then}`;
}

describe('credentials that the service refuses', () => {
  beforeEach(() => set({ '.env': envFile }));

  it('are explained by auth login, sync and check --online in the same words', async () => {
    expect(await said('auth', 'login')).toEqual({ code: 3, text: expect.stringContaining(words()) });
    expect(await said('sync')).toEqual({ code: 3, text: expect.stringContaining(words()) });
    expect((await said('log')).text).toMatch(/ problem +ingestd: the service refused the user name /);
    const checked = await said('check', '--online');
    expect(checked).toEqual({ code: 4, text: expect.stringContaining(words()) });
    expect(checked.text).toContain('1 problem found');
    expect(checked.text).not.toContain('it answers');
    place.service.alwaysTokens(steps.token({ access_token: 'token-1' }));
    const accepted = await said('check', '--online');
    expect(accepted).toEqual({ code: 0, text: expect.stringContaining('it accepts the credentials') });
  });

  it('end sync at once, when it has counted what is kept as that', async () => {
    await place.remove();
    await set({ '.env': envFile }, {}, 'keep');
    const names = Array.from({ length: 1_000 }, (_, index) => `${index}.txt`);
    for (const name of names) await place.home.write(`inbox/${name}`, name);
    const rows = names.map((name) => `inbox,${name},id-${name}\n`);
    await place.home.write('documents.csv', `folder,path,docId\n${rows.join('')}`);
    expect(await place.run('ledger', 'import', 'documents.csv')).toMatchObject({ code: 0 });
    await Promise.all(names.map((name) => rm(place.home.join(`inbox/${name}`))));
    const { out } = await place.run('sync', '--json');
    const { failed, unsent, waitingTotal } = JSON.parse(out) as SyncReport;
    expect([failed + unsent, waitingTotal]).toEqual([1, 0]);
  });

  it('are explained by status, once, by status --check, why and the log of the daemon in the same words', async () => {
    const daemon = await place.start();
    const { pid } = await daemon.status();
    await eventually(async () => (await daemon.status()).failures.length === 1);
    const { text } = await said('status');
    expect(text.split(words(pid))).toHaveLength(2);
    expect(text).not.toContain('nothing to do');
    expect(text).toContain(`T${words(pid)}`);
    expect((await said('auth', 'login')).text).toContain(words(pid));
    expect(await said('status', '--check')).toEqual({ code: 2, text: expect.stringContaining(words(pid)) });
    const why = await said('why', 'inbox/a.txt');
    expect(why.text.split(words(pid))).toHaveLength(2);
    expect((await said('plan')).text).toContain(`Nothing is sent at present: t${words(pid)}`);
    await eventuallyHolds(() => expect(daemon.log()).toContain(words(pid)));
    // What it says to do helps, and whoever corrects them is told it too, unless the daemon has tried by itself.
    place.service.alwaysTokens(steps.token({ access_token: 'token-1' }));
    const login = await said('auth', 'login');
    const isTold = login.text.includes(`was refused before: for it to try again now, run kill -HUP ${pid},`);
    expect([login.code, isTold || (await daemon.status()).auth.state === 'ok']).toEqual([0, true]);
    daemon.signal('SIGHUP');
    await daemon.idle((status) => status.folders[0]?.synced === 1);
  });
});

describe('where refused credentials come from', () => {
  it('is the file that a variable names, beside the others', async () => {
    const [, ...others] = names;
    await set({
      'secrets/pw': 'planted pass?word%4711',
      '.env': envFile.replace(/^INGESTD_PASSWORD=.*\n/m, 'INGESTD_PASSWORD_FILE=secrets/pw\n'),
    });
    const { text } = await said('auth', 'login');
    expect(text).toContain(
      `Correct INGESTD_PASSWORD in ${place.home.join('secrets/pw')} (INGESTD_PASSWORD_FILE); ${others.join(', ')} in ${place.home.join('.env')}, then try`,
    );
  });

  it('is the environment, which is read only at a start', async () => {
    await set({}, environmentOf(plantedCredentials));
    expect((await said('auth', 'login')).text).toContain(
      `Correct ${names.join(', ')} in the environment, then try again`,
    );
    const daemon = await place.start();
    await eventually(async () => (await daemon.status()).auth.state === 'refused');
    expect((await said('status')).text).toContain(
      `${names.join(', ')} in the environment, then restart ingestd, which reads them only when it starts`,
    );
  });

  it("is systemd's directory, whose files are copied at a start", async () => {
    const values: Readonly<Record<string, string>> = environmentOf(plantedCredentials);
    const files = Object.fromEntries(names.map((name) => [`c/${name}`, values[name] ?? '']));
    await set(files, { CREDENTIALS_DIRECTORY: './c' });
    expect((await said('auth', 'login')).text).toContain(`Edit ${place.home.join('c')}, then try again`);
  });
});

describe('a fresh token that the service does not accept', () => {
  it('is explained with both addresses', async () => {
    await set({ '.env': envFile });
    place.service.alwaysTokens(steps.token({ access_token: 'token-1' }));
    place.service.always(steps.answer(401, ''));
    const { code, text } = await said('sync');
    expect(code).toBe(3);
    expect(text).toContain(
      `${place.service.ingestUrl} refused a new token of ${place.service.authUrl} (the service answered 401 Unauthorized); check that both addresses are of one service. Edit `,
    );
  });
});

describe('a wrong address of the token endpoints', () => {
  it('is explained with the file to edit and the process that is to read it again', async () => {
    await set({ '.env': envFile });
    place.service.alwaysTokens(steps.answer(404, ''));
    const daemon = await place.start();
    const isFound = ({ code }: { readonly code: string }) => code === 'auth-not-found';
    await eventually(async () => (await daemon.status()).failures.some(isFound));
    const { configuration, pid } = await daemon.status();
    const fix = `Check service.authUrl (INGESTD_AUTH_URL where that is set) in ${configuration}, then run kill -HUP ${pid}.`;
    for (const words of [['status'], ['check'], ['why', 'inbox/a.txt']])
      expect((await said(...words)).text.split(fix)).toHaveLength(2);
  });
});
