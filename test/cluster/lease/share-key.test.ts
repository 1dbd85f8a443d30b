import { describe, expect, it } from '@jest/globals';

import { keyOf } from '../../../src/cluster/lease/share-key.ts';

const mounts = (...lines: readonly string[]) =>
  [
    '22 1 8:1 / / rw - ext4 /dev/sda1 rw',
    ...lines.map((line, index) => `${30 + index} 22 0:4${index} ${line}`),
  ].join('\n');

const directory = { boot: 'boot-1', path: '/mnt/inbox/a', dev: 40, ino: 7 };

describe('the key of a directory', () => {
  it('is the same on every host that mounts the share, wherever it is mounted', () => {
    const here = keyOf({ ...directory, mountinfo: mounts('/ /mnt/inbox rw - nfs4 files:/export rw') });
    const there = { ...directory, boot: 'boot-2', path: '/srv/in/a', dev: 55 };
    expect(keyOf({ ...there, mountinfo: mounts('/ /srv/in rw - nfs files:/export rw') })).toBe(here);
    expect(keyOf({ ...there, mountinfo: mounts('/ /srv/in rw - nfs4 other:/export rw') })).not.toBe(here);
    expect(keyOf({ ...there, ino: 8, mountinfo: mounts('/ /srv/in rw - nfs4 files:/export rw') })).not.toBe(
      here,
    );
  });

  it('is of one machine only on a local disk: copied disks look alike', () => {
    const here = keyOf({ ...directory, mountinfo: mounts() });
    expect(keyOf({ ...directory, path: '/data/bind', mountinfo: mounts() })).toBe(here);
    expect(keyOf({ ...directory, boot: 'boot-2', mountinfo: mounts() })).not.toBe(here);
    expect(keyOf({ ...directory, dev: 41, mountinfo: mounts() })).not.toBe(here);
  });
});
