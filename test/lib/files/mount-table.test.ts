import { describe, expect, it } from '@jest/globals';
import { eventlessFileSystemAt } from '../../../src/scan/watch/network-file-systems.ts';
import { mountOf, parseMountTable, sharedPlaces } from '../../../src/lib/files/mount-table.ts';

const text = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '40 22 0:40 / /mnt/share rw shared:2 - nfs4 server:/x rw,vers=4.2',
  '41 40 0:41 / /mnt/share/local rw - tmpfs tmpfs rw',
  '42 22 0:42 / /mnt/with\\040space rw - fuse.sshfs host: rw',
  '43 22 0:43 / /mnt/top rw - ext4 /dev/sdb rw',
  '44 43 0:44 / /mnt/top rw master:1 propagate_from:2 - cifs //h/s rw',
  'nonsense',
  '',
].join('\n');

describe('file systems that report no events (F44)', () => {
  const table = parseMountTable(text);

  it.each([
    ['/home/x', 'ext4'],
    ['/mnt/share', 'nfs4'],
    ['/mnt/share/a/b', 'nfs4'],
    ['/mnt/share/local/a', 'tmpfs'],
    ['/mnt/sharelike', 'ext4'],
    ['/mnt/with space/x', 'fuse.sshfs'],
    ['/mnt/top/x', 'cifs'],
  ])('finds %s on %s', (path, type) => {
    expect(mountOf(table, path)?.type).toBe(type);
  });

  it('knows that this directory reports events', () => {
    expect(eventlessFileSystemAt(import.meta.dirname)).toBeNull();
  });
});

describe('two directory trees that show one directory', () => {
  const table = parseMountTable(
    [
      '22 1 8:1 / / rw - ext4 /dev/sda1 rw',
      '40 22 8:1 /srv/a/sub /mnt/sub rw - ext4 /dev/sda1 rw',
      '41 22 8:1 /srv/a /mnt/all rw - ext4 /dev/sda1 rw',
      '42 22 8:2 / /srv/b/disk rw - ext4 /dev/sdb rw',
      '43 22 8:2 /part /srv/c/part rw - ext4 /dev/sdb rw',
    ].join('\n'),
  );

  it.each([
    ['/mnt/sub', '/srv/a', [['/mnt/sub', '/srv/a/sub']]],
    ['/srv/a', '/mnt/sub', [['/srv/a/sub', '/mnt/sub']]],
    ['/mnt/all', '/srv/a/sub/x', [['/mnt/all/sub/x', '/srv/a/sub/x']]],
    ['/mnt/all', '/mnt/sub', [['/mnt/all/sub', '/mnt/sub']]],
    ['/srv/b', '/srv/c', [['/srv/b/disk/part', '/srv/c/part']]],
    ['/srv/a', '/srv/b', []],
    ['/srv/ab', '/srv/a', []],
    ['/mnt/sub', '/srv/a/subs', []],
  ])('%s and %s', (one, other, places) => {
    expect(sharedPlaces(table, one, other)).toEqual(places);
  });
});
