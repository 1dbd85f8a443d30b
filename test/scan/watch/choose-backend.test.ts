import { expect, it } from '@jest/globals';

import { chooseBackend, hasOutgrownChokidar } from '../../../src/scan/watch/choose-backend.ts';
import { eventlessFileSystem } from '../../../src/scan/watch/network-file-systems.ts';

it.each<readonly [number, number, Partial<Parameters<typeof chooseBackend>[0]>, string]>([
  [1, 0, {}, 'chokidar'],
  [3_000, 30_000, {}, 'chokidar'],
  [3_001, 1, {}, 'native'],
  [1, 30_001, {}, 'native'],
  [2, 1, { outOfWatches: true }, 'native'],
])('a tree of %i directories and %i entries with %j: %s watches', (directories, entries, parts, expected) => {
  const size = { directories, entries };
  expect(chooseBackend({ outOfWatches: false, size, ...parts })).toBe(expected);
});

it.each([
  [6_000, 60_000, false],
  [6_001, 1, true],
  [1, 60_001, true],
])('a tree of %i directories and %i entries has outgrown chokidar: %s', (directories, entries, expected) => {
  expect(hasOutgrownChokidar({ directories, entries })).toBe(expected);
});

// The numbers are those of Linux's `magic.h` and of the file systems' own sources.
it.each<readonly [number, string | null, string | null]>([
  [0xef53, 'ext4', null],
  [0x9123683e, 'btrfs', null],
  [0x01021994, 'tmpfs', null],
  [0x6969, null, 'NFS'],
  [0x517b, null, 'SMB'],
  [0xff534d42, null, 'CIFS'],
  // As Node gives it where the number is a signed one.
  [0xff534d42 | 0, null, 'CIFS'],
  [0xfe534d42, null, 'SMB2'],
  [0x01021997, null, '9p'],
  [0x65735546, null, 'FUSE'],
  [0x5346414f, null, 'AFS'],
  [0x6b414653, null, 'kAFS'],
  [0x73757245, null, 'Coda'],
  [0x564c, null, 'NCP'],
  [0x00c36400, null, 'Ceph'],
  [0x01161970, null, 'GFS2'],
  [0x7461636f, null, 'OCFS2'],
  [0x0bd00bd0, null, 'Lustre'],
  [0x47504653, null, 'GPFS'],
  [0x19830326, null, 'BeeGFS'],
  [0x786f4256, null, 'VirtualBox shared folder'],
  [0xbacbacbc, null, 'VMware shared folder'],
  [0x7c7c6673, null, 'Parallels shared folder'],
  [0x65735546, 'fuse.sshfs', 'fuse.sshfs'],
  [0x65735546, 'fuse.ntfs-3g', null],
  [0x65735546, 'fuseblk', null],
  [0x65735546, 'virtiofs', 'virtiofs'],
  [0x794c7630, 'overlay', null],
  [0xef53, 'nfs4', 'nfs4'],
])('F44: a file system of type %i that is mounted as %s reports no events: %s', (type, mounted, expected) => {
  expect(eventlessFileSystem(type, mounted)).toBe(expected);
});
