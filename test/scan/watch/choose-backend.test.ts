import { expect, it } from '@jest/globals';

import { chooseBackend } from '../../../src/scan/walk/scanner.ts';
import { isEventless } from '../../../src/scan/watch/network-file-systems.ts';

it.each([
  [false, 1, 0, 'chokidar'],
  [false, 3_000, 30_000, 'chokidar'],
  [false, 3_001, 1, 'native'],
  [false, 1, 30_001, 'native'],
  [true, 2, 1, 'native'],
])('out of watches: %s, a tree of %i directories and %i entries: %s watches', (...given) => {
  const [outOfWatches, directories, entries, expected] = given;
  expect(chooseBackend(outOfWatches, directories, entries)).toBe(expected);
});

it.each([
  ['ext4', false],
  ['btrfs', false],
  ['tmpfs', false],
  ['overlay', false],
  ['fuseblk', false],
  ['fuse.ntfs-3g', false],
  ['nfs', true],
  ['nfs4', true],
  ['cifs', true],
  ['smb3', true],
  ['9p', true],
  ['virtiofs', true],
  ['fuse.sshfs', true],
  ['afs', true],
  ['coda', true],
  ['ncpfs', true],
  ['ceph', true],
  ['gfs2', true],
  ['ocfs2', true],
  ['lustre', true],
  ['gpfs', true],
  ['beegfs', true],
  ['vboxsf', true],
  ['vmhgfs', true],
  ['prl_fs', true],
])('F44: a file system that is mounted as %s reports no events: %s', (mounted, expected) => {
  expect(isEventless(mounted)).toBe(expected);
});
