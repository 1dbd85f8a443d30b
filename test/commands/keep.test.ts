import { rename, rm } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Activity, Status } from '../../src/model/report/status.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const folder = ofEachTest(() => trialFolder({ timing: { settleMs: 0, removeGraceMs: 50 } }));

const sync = () => folder.run('sync', '--quiet');
const counts = async () => {
  const { folders, held, kept } = JSON.parse((await folder.run('status', '--json')).stdout) as Status;
  return { held: folders[0]?.held, kept: kept.length, holds: held.length };
};

it('keep leaves held deletions at the service, those of a directory or all, until their files are back', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `${index < 3 ? 'reports/' : ''}${index}.txt`);
  for (const name of names) await folder.write(`inbox/${name}`, name);
  expect((await sync()).code).toBe(0);
  for (const name of names) await rm(folder.join('inbox', name));
  expect((await folder.run('status')).stdout).toContain('12 deletions will be held');
  expect((await sync()).code).toBe(4);
  expect(await counts()).toEqual({ held: 12, kept: 0, holds: 1 });
  expect((await folder.run('why', 'inbox/reports')).stdout).toContain(
    'until you decide about 3 held deletions in it: ingestd approve inbox, or ingestd keep inbox/reports\n',
  );
  // As a daemon's does, it has the state in one sentence.
  expect(JSON.parse((await folder.run('status', '--json')).stdout)).toMatchObject({
    headline: expect.stringContaining('not running'),
  });

  const { code, stdout, stderr } = await folder.run('approve');
  expect([code, stdout.trim().split('\n')]).toEqual([2, expect.arrayContaining(['inbox/reports/1.txt'])]);
  expect(stderr).toContain('add --yes, or keep them there with ingestd keep');
  expect((await folder.run('keep', '../elsewhere')).code).toBe(2);
  expect(await folder.run('approve', 'inbx', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"inbx" is not configured; did you mean inbox?'),
  });

  expect((await folder.run('keep', 'inbox/reports')).stdout).toBe(
    '3 documents stay at the service; ingestd why PATH says how to undo that.\n',
  );
  expect(await counts()).toEqual({ held: 9, kept: 3, holds: 1 });
  // A place where nothing is held changes nothing of what is held elsewhere.
  const mistyped = await folder.run('keep', 'inbox/reprots');
  expect([mistyped.code, mistyped.stdout]).toEqual([2, '']);
  expect(mistyped.stderr).toContain('inbox/reprots: there is no such file or directory');
  const typo = await folder.run('share', 'inbox', 'inbox/reprots', '--as', 'stated');
  expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('inbox/reprots: there is no such')]);
  expect((await sync()).code).toBe(4);
  expect(await counts()).toEqual({ held: 9, kept: 3, holds: 1 });
  expect((await folder.run('keep', 'inbox')).stdout).toContain('9 documents stay');
  expect((await sync()).code).toBe(0);
  expect(await counts()).toEqual({ held: 0, kept: 12, holds: 0 });
  const { stdout: story } = await folder.run('why', 'inbox/5.txt');
  expect(story).toMatch(/ held: more than .*\n.* kept: at the service/);
  expect(story).toContain('somebody decided to keep its document; to undo that, put the file back');
  const log = JSON.parse((await folder.run('log', '--all', '--json')).stdout) as Activity[];
  expect(log.filter(({ what }) => what === 'deleted' || what === 'remains')).toEqual([]);
  expect(new Set(log.filter(({ what }) => what === 'kept').map(({ path }) => path))).toEqual(new Set(names));
  expect((await folder.run('log', 'inbox/5.txt')).stdout).toMatch(
    /kept +inbox\/5\.txt: at the service, on the/,
  );
  // There is no file to send, so that nothing is said to be sent.
  const retried = await folder.run('retry', 'inbox/5.txt');
  expect([retried.code, retried.stdout]).toEqual([2, '']);
  expect(retried.stderr).toContain('retry takes files, no directories');
  const { changes } = JSON.parse((await folder.run('ledger', 'export', '--json')).stdout) as {
    changes: readonly { readonly keeps?: true; readonly paths: readonly string[] }[];
  };
  expect(changes.filter(({ keeps }) => keeps).flatMap(({ paths }) => paths)).toHaveLength(12);

  // A file that comes back ends it: removed once more, it is a removal like any other.
  await folder.write('inbox/5.txt', '5.txt');
  expect((await sync()).code).toBe(0);
  await rm(folder.join('inbox/5.txt'));
  expect((await sync()).code).toBe(0);
  expect(await counts()).toEqual({ held: 0, kept: 11, holds: 0 });
});

it('without a daemon a decision writes nothing but itself: what it found meanwhile, the next start finds and tells', async () => {
  for (const name of ['a', 'b', 'c']) await folder.write(`inbox/${name}.txt`, name);
  const sidecar = await folder.write('inbox/a.txt.meta.json', '{"shareInfo": {"mode": "NONE"}}');
  expect((await sync()).code).toBe(0);
  await rm(sidecar);
  expect((await sync()).code).toBe(0);
  await rename(folder.join('inbox/a.txt'), folder.join('inbox/moved.txt'));
  await rename(folder.join('inbox/b.txt'), folder.join('inbox/other.txt'));
  const documents = async () => {
    const { stdout } = await folder.run('ledger', 'export', '--json');
    const said = JSON.parse(stdout) as { documents: { path: string; said?: readonly string[] }[] };
    return said.documents.map(({ path, said = [] }) => [path, said.join()]);
  };
  const log = async () => {
    const { stdout } = await folder.run('log', '--all', '--json');
    return (JSON.parse(stdout) as Activity[]).map(({ what, path }) => `${what} ${path}`);
  };
  const [before, told] = [await documents(), await log()];
  const shared = await folder.run('share', 'inbox/moved.txt', '--as', 'stated', '--yes');
  expect(shared.stdout).toContain('Sharing 1 document as stated');
  const expected = before.map(([path, said]) => [
    path,
    path === 'a.txt' ? expect.stringMatching(/DEFAULT/) : said,
  ]);
  expect([await documents(), await log()]).toEqual([expected, [...told, 'shared moved.txt']]);
  expect((await sync()).code).toBe(0);
  expect(await log()).toEqual(expect.arrayContaining(['moved moved.txt', 'moved other.txt']));
  expect((await folder.run('why', 'inbox/moved.txt')).stdout).toContain('sharing NONE → DEFAULT');
});
