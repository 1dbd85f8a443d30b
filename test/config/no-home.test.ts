import { chmod, chown } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ingestd } from '../support/processes/ingestd.ts';
import { copyProgram } from '../support/processes/program.ts';
import { folderOfAllTests, folderOfEachTest } from '../support/folder-of-each-test.ts';

/** Of nobody's account. */
const stranger = 54_321;

const users = [
  { who: 'HOME is empty', env: { HOME: '' }, uid: undefined },
  // Only root can be somebody else.
  ...(process.getuid?.() === 0
    ? [{ who: 'there is no account', env: { HOME: undefined }, uid: stranger }]
    : []),
];

const shipped = folderOfAllTests();
let program: string;

beforeAll(async () => {
  await chmod(shipped.path, 0o755);
  program = await copyProgram(shipped.join('program'));
});

describe.each(users)('where $who', ({ env, uid }) => {
  const folder = folderOfEachTest();
  beforeEach(async () => {
    await folder.write('inbox/report.pdf', 'content');
    await folder.write('state/.keep', '');
    if (uid === undefined) return;
    await chmod(folder.path, 0o755);
    await chown(folder.join('state'), uid, uid);
  });
  const run = (...args: string[]) =>
    ingestd(args, { cwd: folder.path, env, program, ...(uid === undefined ? {} : { uid }) });
  const configure = (path: string, more: string) =>
    folder.write(
      'ingestd.yaml',
      `service: {mode: embedded}\nfolders: [{name: inbox, path: ${path}}]\n${more}\n`,
    );

  it('nothing fails that needs no home', async () => {
    await configure('./inbox', 'state: {dir: ./state}');
    const all = [['plan'], ['plan', '-c', 'ingestd.yaml'], ['ledger', 'verify'], ['--help']];
    for (const ran of await Promise.all(all.map((args) => run(...args))))
      expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/home/) });
  });

  it.each([
    ['state.dir', ':1:1', './inbox', '', ['plan']],
    ['state.dir', ':3:9', './inbox', 'state: {dir: ~/state}', ['plan']],
    ['folders[0].path', ':2:25', '~/inbox', 'state: {dir: ./state}', ['plan']],
    ['--data', '', './inbox', '', ['service', '--port', '0']],
  ])('%s is named where it needs one', async (key, line, path, more, args) => {
    const place = line === '' ? '' : `${await configure(path, more)}${line}: `;
    expect(await run(...args)).toMatchObject({
      code: 2,
      stderr: `ingestd: ${place}${key}: this user has no home directory; set ${key} to an absolute path, or set HOME\n`,
    });
  });

  it('an invalid file is still reported as such', async () => {
    await configure('./inbox', 'nonsense: 1');
    expect(await run('status')).toMatchObject({ code: 2, stderr: expect.stringContaining('nonsense') });
  });
});
