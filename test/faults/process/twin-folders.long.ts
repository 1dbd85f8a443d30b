import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { CheckFinding } from '../../../src/model/report/command-reports.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { installationWithService } from '../../support/processes/installation-with-service.ts';

const mounted = new Set<string>();

const folders = [
  { name: 'first', path: './first', ignore: ['shown/'] },
  { name: 'second', path: './second' },
];

// Before the directories are removed.
afterEach(() => {
  for (const path of mounted) unmount(path);
});
const place = ofEachTest(() => installationWithService({ more: { folders } }));

beforeEach(async () => {
  for (const path of ['first/sub', 'first/shown', 'second/deep']) await mkdir(at(path), { recursive: true });
  await place.home.write('first/sub/a.txt', 'a');
  await place.home.write('second/b.txt', 'b');
});

const at = (path: string) => place.home.join(path);

function bind(from: string, to: string): void {
  execFileSync('mount', ['--bind', at(from), at(to)]);
  mounted.add(to);
}

function unmount(path: string): void {
  execFileSync('umount', ['--lazy', at(path)]);
  mounted.delete(path);
}

const uploads = () => place.service.requests.length;
const twinCodes = (findings: readonly { readonly code: string }[]) =>
  findings.filter(({ code }) => code === 'folder-shown-twice').length;

const missing = process.getuid?.() === 0 ? null : 'root, for mounts';

describeWhere(missing, 'two folders that show the same files by way of a mount', () => {
  it.each([
    ['second is a directory of first', 'first/sub', 'second'],
    ['second has a directory of first in it', 'first/sub', 'second/deep'],
    ['first has a directory of second in it', 'second/deep', 'first/sub'],
  ])('the second sends nothing, and says why: %s', async (_, from, to) => {
    bind(from, to);
    const sync = await place.run('sync');
    expect([sync.code, uploads()]).toEqual([4, from === 'first/sub' ? 1 : 0]);
    const check = await place.run('check', '--json');
    const { findings } = JSON.parse(check.out) as { findings: CheckFinding[] };
    expect([check.code, twinCodes(findings)]).toEqual([4, 1]);
    const { out, err } = await place.run('plan');
    expect(out + err).toContain('by way of a mount');
  });

  it('nothing is sent again by a folder that is configured in front of the one that has sent it', async () => {
    bind('first/sub', 'second/deep');
    await place.configure({ folders: folders.slice(1) });
    expect([(await place.run('sync')).code, uploads()]).toEqual([0, 2]);
    await place.configure({ folders });
    expect([(await place.run('sync')).code, uploads()]).toEqual([4, 2]);
  });

  it('what one of the two ignores is not shown twice', async () => {
    bind('second/deep', 'first/shown');
    expect([(await place.run('sync')).code, uploads()]).toEqual([0, 2]);
  });

  it('is found when it is mounted, and ends when it is unmounted', async () => {
    const daemon = await place.start();
    try {
      await daemon.idle(({ totals }) => totals.uploaded === 2);
      bind('first/sub', 'second/deep');
      await eventually(async () => twinCodes((await daemon.status()).reasons) === 1);
      const status = await place.run('status', '--check');
      expect([status.code, status.out]).toEqual([1, expect.stringContaining('by way of a mount')]);
      await place.home.write('first/sub/c.txt', 'c');
      await eventually(async () => (await daemon.status()).totals.uploaded === 3);
      unmount('second/deep');
      await place.home.write('second/d.txt', 'd');
      await daemon.idle(({ totals, reasons }) => totals.uploaded === 4 && twinCodes(reasons) === 0);
      expect(uploads()).toBe(4);
    } finally {
      await daemon.end('SIGTERM');
    }
  });
});
