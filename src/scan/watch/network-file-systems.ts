import { realpathSync, statfsSync } from 'node:fs';

import { mountOf, readMountTable } from '../../lib/files/mount-table.ts';
import { orNull } from '../../lib/or-null.ts';

/** File systems that report no events for other machines' writes, by statfs type. */
const eventlessTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'kAFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x00c36400, 'Ceph'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'VirtualBox shared folder'],
  [0xbacbacbc, 'VMware shared folder'],
  [0x7c7c6673, 'Parallels shared folder'],
]);

/** The same by name in the mount table: it also knows what FUSE hides. */
const eventlessNames =
  /^(?:nfs4?|cifs|smb[23f]?s?|smb3|9p|virtiofs|fuse|fuse\..+|afs|coda|ncpfs|ceph|glusterfs|lustre|gpfs|beegfs|gfs2|ocfs2|vboxsf|vmhgfs|prl_fs|fakeowner|grpcfuse|osxfs|drvfs)$/;

/** Local block devices that happen to be served by FUSE: only this machine writes to them, through the kernel. */
const localFuseNames = /^(?:fuseblk|fuse\.(?:ntfs|ntfs-3g|exfat))$/;

/**
 * Says which file system reports no events, by its statfs type and its name in the mount table; null: it reports them.
 */
export function eventlessFileSystem(statfsType: number, mountType: string | null): string | null {
  if (mountType !== null && localFuseNames.test(mountType)) return null;
  if (mountType !== null && eventlessNames.test(mountType)) return mountType;
  return eventlessTypes.get(statfsType >>> 0) ?? null;
}

/** Which file system without events a directory lies on; null: it reports them. Throws what statfs throws. */
export function eventlessFileSystemAt(absolute: string): string | null {
  const { type } = statfsSync(absolute);
  // A path that cannot be followed has no mount: statfs decides alone.
  const mount = orNull(() => mountOf(readMountTable(), realpathSync(absolute)));
  return eventlessFileSystem(type, mount?.type ?? null);
}
