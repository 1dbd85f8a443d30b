import { describe, expect, it } from '@jest/globals';

import { folderKey } from '../../../src/cluster/folders/folder-identity.ts';
import { parseMountTable } from '../../../src/lib/files/mount-table.ts';

const table = (...lines: readonly string[]) =>
  parseMountTable(
    [
      '22 1 8:1 / / rw - ext4 /dev/sda1 rw',
      ...lines.map((line, index) => `${30 + index} 22 0:4${index} ${line}`),
    ].join('\n'),
  );

const directory = { boot: 'boot-1', path: '/mnt/inbox/a', dev: 40, ino: 7 };

describe('the key of a folder', () => {
  it('is the same on every host that mounts the share, wherever it is mounted', () => {
    const here = folderKey({ ...directory, mounts: table('/ /mnt/inbox rw - nfs4 files:/export rw') });
    const there = { ...directory, boot: 'boot-2', path: '/srv/in/a', dev: 55 };
    expect(folderKey({ ...there, mounts: table('/ /srv/in rw - nfs files:/export rw') })).toBe(here);
    const others = [
      { ...there, mounts: table('/ /srv/in rw - nfs4 other:/export rw') },
      { ...there, ino: 8, mounts: table('/ /srv/in rw - nfs4 files:/export rw') },
    ];
    for (const other of others) expect(folderKey(other)).not.toBe(here);
  });

  it('is of one machine only on a local disk: copied disks look alike', () => {
    const here = folderKey({ ...directory, mounts: table() });
    expect(folderKey({ ...directory, path: '/data/bind', mounts: table() })).toBe(here);
    for (const other of [{ boot: 'boot-2' }, { dev: 41 }, { ino: 8 }])
      expect(folderKey({ ...directory, ...other, mounts: table() })).not.toBe(here);
  });
});
