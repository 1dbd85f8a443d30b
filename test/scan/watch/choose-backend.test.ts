import { expect, it } from '@jest/globals';

import { chooseBackend } from '../../../src/scan/watch/choose-backend.ts';
import { isEventless } from '../../../src/scan/watch/network-file-systems.ts';

it.each<readonly [number, number, Partial<Parameters<typeof chooseBackend>[0]>, string]>([
  [1, 0, {}, 'chokidar'],
  [3_000, 30_000, {}, 'chokidar'],
  [3_001, 1, {}, 'native'],
  [1, 30_001, {}, 'native'],
  [2, 1, { outOfWatches: true }, 'native'],
])('a tree of %i directories and %i entries with %j: %s watches', (directories, entries, parts, expected) => {
  expect(chooseBackend({ outOfWatches: false, directories, entries, ...parts })).toBe(expected);
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
