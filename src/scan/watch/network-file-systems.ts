import { realpathSync, statfsSync } from 'node:fs';

import { mountOf, readMountTable } from '../../lib/files/mount-table.ts';
import { orNull } from '../../lib/or-null.ts';

/** File systems that report no events for other machines' writes, by their names in the mount table. */
const eventlessNames =
  /^(?:nfs4?|cifs|smb[23f]?s?|smb3|9p|virtiofs|fuse|fuse\..+|afs|coda|ncpfs|ceph|glusterfs|lustre|gpfs|beegfs|gfs2|ocfs2|vboxsf|vmhgfs|prl_fs|fakeowner|grpcfuse|osxfs|drvfs)$/;

/** Local block devices that happen to be served by FUSE: only this machine writes to them, through the kernel. */
const localFuseNames = /^(?:fuseblk|fuse\.(?:ntfs|ntfs-3g|exfat))$/;

/** Says whether a file system reports no events, by its name in the mount table. */
export function isEventless(name: string): boolean {
  return eventlessNames.test(name) && !localFuseNames.test(name);
}

/** Which file system without events a directory lies on; null: it reports them. Throws what statfs throws. */
export function eventlessFileSystemAt(absolute: string): string | null {
  // What is mounted on demand is mounted by that.
  statfsSync(absolute);
  // Of a path that cannot be followed there is no mount to be told.
  const mount = orNull(() => mountOf(readMountTable(), realpathSync(absolute)));
  return mount !== null && isEventless(mount.type) ? mount.type : null;
}
