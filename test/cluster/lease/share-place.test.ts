import { describe, expect, it } from '@jest/globals';

import { locationOf } from '../../../src/cluster/lease/directory-location.ts';

const mounts = (...lines: readonly string[]) =>
  [
    '22 1 8:1 / / rw - ext4 /dev/sda1 rw',
    ...lines.map((line, index) => `${30 + index} 22 0:4${index} ${line}`),
  ].join('\n');

const directory = { boot: 'boot-1', path: '/mnt/inbox/a', dev: 40, ino: 7 };

describe('the key of a directory', () => {
  it('is the same on every host that mounts the share, wherever it is mounted', () => {
    const here = locationOf({ ...directory, mountinfo: mounts('/ /mnt/inbox rw - nfs4 files:/export rw') });
    const there = { ...directory, boot: 'boot-2', path: '/srv/in/a', dev: 55 };
    expect(locationOf({ ...there, mountinfo: mounts('/ /srv/in rw - nfs files:/export rw') })).toEqual(here);
    const other = locationOf({ ...there, mountinfo: mounts('/ /srv/in rw - nfs4 other:/export rw') });
    expect([other.key === here.key, other.path === here.path]).toEqual([false, false]);
    const sibling = { ...there, ino: 8, path: '/srv/in/b' };
    const beside = locationOf({ ...sibling, mountinfo: mounts('/ /srv/in rw - nfs4 files:/export rw') });
    expect([beside.key === here.key, beside.path === here.path]).toEqual([false, false]);
  });

  it('is of one machine only on a local disk: copied disks look alike', () => {
    const here = locationOf({ ...directory, mountinfo: mounts() });
    expect(locationOf({ ...directory, path: '/data/bind', mountinfo: mounts() }).key).toBe(here.key);
    const copied = locationOf({ ...directory, boot: 'boot-2', mountinfo: mounts() });
    expect([copied.key === here.key, copied.path === here.path]).toEqual([false, false]);
    expect(locationOf({ ...directory, dev: 41, mountinfo: mounts() }).key).not.toBe(here.key);
  });
});

describe('the directories that a directory lies in', () => {
  const above = (outer: string, mount: string, inner: string, other: string) => {
    const around = locationOf({ ...directory, path: outer, mountinfo: mounts(mount) });
    const inside = locationOf({ ...directory, boot: 'boot-1', path: inner, mountinfo: mounts(other) });
    return inside.above.includes(around.path) && !around.above.includes(inside.path);
  };

  it.each([
    [
      'of one share',
      '/mnt',
      '/ /mnt rw - nfs4 files:/export rw',
      '/srv/a/b',
      '/ /srv rw - nfs4 files:/export rw',
    ],
    [
      'of a part of it that is mounted alone',
      '/mnt',
      '/ /mnt rw - nfs4 files:/export rw',
      '/srv/b',
      '/ /srv rw - nfs4 files:/export/a rw',
    ],
    [
      'of a part that is bound elsewhere, with NFS',
      '/mnt',
      '/ /mnt rw - nfs4 files:/export rw',
      '/data',
      '/a /data rw - nfs4 files:/export/a rw',
    ],
    [
      'of a part that is bound elsewhere, with CIFS',
      '/mnt',
      '/ /mnt rw - cifs //Files/Share rw',
      '/data',
      '/a /data rw - cifs //files/share rw',
    ],
    ['of a local disk', '/home', '', '/home/a', ''],
    ['of a local disk, from its root on', '/', '', '/home/a', ''],
  ])('are known %s', (_what, outer, mount, inner, other) => {
    expect(above(outer, mount, inner, other)).toBe(true);
  });

  it('are known of a part of a local disk that is bound elsewhere', () => {
    const around = locationOf({ ...directory, path: '/home', mountinfo: mounts() });
    const bound = '40 22 8:1 /home/a /data rw - ext4 /dev/sda1 rw';
    const inside = locationOf({ ...directory, path: '/data/b', mountinfo: `${mounts()}\n${bound}` });
    expect(inside.above).toContain(around.path);
  });

  it.each([
    ['another disk', '/home', '', '/home/a', '/ /home/a rw - ext4 /dev/sdb1 rw'],
    ['a name that begins alike', '/home', '', '/homes/a', ''],
    [
      'another export',
      '/mnt',
      '/ /mnt rw - nfs4 files:/export rw',
      '/srv/a',
      '/ /srv rw - nfs4 files:/exports rw',
    ],
  ])('are not those of %s', (_what, outer, mount, inner, other) => {
    expect(above(outer, mount, inner, other)).toBe(false);
  });
});
