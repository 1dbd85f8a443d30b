import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { beforeAll, expect, it } from '@jest/globals';

import { copyProgram } from '../../support/processes/program.ts';
import { folderOfAllTests } from '../../support/folder-of-each-test.ts';

const run = promisify(execFile);

/** The program as it is shipped in an image: without the packages that it was built with. */
const home = folderOfAllTests();
let program: string;

beforeAll(async () => {
  program = await copyProgram(home.join('program'));
  await home.write('inbox/.keep', '');
  await home.write(
    'ingestd.yaml',
    'service: {authUrl: "https://auth.test", ingestUrl: "https://service.test"}\n' +
      'folders: [{name: inbox, path: ./inbox}]\nstate: {dir: ./state}\nhttp: {port: false}\n',
  );
});

it('a proxy that is a script is a mistake in the configuration, said at once and without its password', async () => {
  const names = ['API_KEY', 'CLIENT_ID', 'CLIENT_SECRET', 'USERNAME', 'PASSWORD'];
  const secrets = Object.fromEntries(names.map((name) => [`INGESTD_${name}`, `planted-${name}`]));
  const args = [program, 'sync', '--config', home.join('ingestd.yaml')];
  const proxy = 'pac+http://me:secret@proxy.test/p.pac';
  const env = { PATH: process.env['PATH'], HTTPS_PROXY: proxy, ...secrets };
  const failure: unknown = await run(process.execPath, args, { cwd: home.path, env }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /HTTPS_PROXY.*proxy scripts \(pac\+http\) are not supported.*http:\/\/HOST:PORT.*NO_PROXY/,
    ),
  });
  expect(failure).toMatchObject({ stderr: expect.not.stringContaining('secret@') });
});
