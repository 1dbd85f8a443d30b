import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { parse } from 'dotenv';
import { eventually } from '../../support/eventually.ts';
import { ingestd, startIngestd } from '../../support/processes/ingestd.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

it('service prints a .env that auth login accepts, keeps its credentials, and stops at SIGTERM and SIGHUP', async () => {
  const printed: string[] = [];
  for (let start = 0; start < 2; start += 1) {
    const child = startIngestd(['service', '--port', '0', '--data', 'data'], { cwd: folder.path });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await eventually(() => stdout.includes('INGESTD_PASSWORD='));
    const env = parse(stdout);
    expect(stdout.trimEnd().split('\n')).toHaveLength(Object.keys(env).length);
    if (start === 0) {
      await folder.write('ingestd.yaml', `folders: [{name: a, path: a}]\n`);
      const login = await ingestd(['auth', 'login'], { cwd: folder.path, env });
      expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('valid until 20') });
      const refused = await ingestd(['auth', 'login'], {
        cwd: folder.path,
        env: { ...env, INGESTD_PASSWORD: 'wrong' },
      });
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(refused.stderr).not.toContain(env['INGESTD_CLIENT_SECRET']);
    }
    // Without a terminal a SIGHUP ends it too: it has no configuration to read again.
    child.kill(start === 0 ? 'SIGTERM' : 'SIGHUP');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(stderr).not.toContain(env['INGESTD_PASSWORD']);
    const { INGESTD_AUTH_URL: _a, INGESTD_INGEST_URL: _i, ...secrets } = env;
    printed.push(JSON.stringify(secrets));
  }
  expect(printed[1]).toBe(printed[0]);
});

it('service takes no token for its page that is short enough to guess', async () => {
  const ran = await ingestd(['service', '--port', '0', '--data', 'data'], {
    cwd: folder.path,
    env: { INGESTD_HTTP_TOKEN: 'x1-y2-z3' },
  });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('INGESTD_HTTP_TOKEN: its value is shorter than 16 characters');
});
