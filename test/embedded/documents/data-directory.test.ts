import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { startEmbeddedService } from '../../../src/embedded/embedded-service.ts';
import { asUser, nobody } from '../../support/processes/as-user.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';

const folder = folderOfEachTest();

const start = () =>
  startEmbeddedService({ dataDir: folder.join('data'), clock: systemClock, log: recordedLog() });

it('S4: a directory of another user holds no documents of ours', async () => {
  // Only root can give a directory away.
  if (process.getuid?.() !== 0) return;
  await mkdir(folder.join('data'), { mode: 0o777 });
  await chown(folder.join('data'), 1001, 1001);
  await expect(start()).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('belongs to another user (uid 1001'),
  });
  expect(await readdir(folder.join('data'))).toEqual([]);
});

it('a directory with other files stays as it is', async () => {
  await folder.write('data/content/letter.txt', 'mine');
  await folder.write('data/notes.txt', 'mine');
  const before = await stat(folder.join('data'));
  await expect(start()).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('holds other files (notes.txt)'),
  });
  expect(await readdir(folder.join('data/content'))).toEqual(['letter.txt']);
  expect((await stat(folder.join('data'))).mode).toBe(before.mode);
});

it('a file in it that is closed to this user is named, with a way out', async () => {
  await (await start()).close();
  const file = folder.join('data/identity.json');
  await chmod(file, 0);
  await chmod(folder.path, 0o755);
  if (process.getuid?.() === 0) {
    const made = await readdir(folder.join('data'));
    for (const name of ['', ...made]) await chown(folder.join('data', name), nobody, nobody);
  }
  await expect(asUser(start)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(
      /data\/identity\.json is closed to this user \(EACCES\); run the command as/,
    ),
  });
});

it('one that a service made, or that a file system gives, is taken over', async () => {
  await mkdir(folder.join('data/lost+found'), { recursive: true });
  for (let run = 0; run < 2; run += 1) await (await start()).close();
  expect((await stat(folder.join('data'))).mode & 0o777).toBe(0o700);
});
