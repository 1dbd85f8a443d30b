import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';

import { mountOf, readMountTable } from '../../lib/files/mount-table.ts';
import type { Mount } from '../../lib/files/mount-table.ts';
import { bootMoment } from '../../lib/time/boot-moment.ts';
import { errorCode } from '../../model/errors.ts';

/** File systems whose source names the same server and export on every host. */
const shareNames: ReadonlyMap<string, string> = new Map([
  ['nfs', 'nfs'],
  ['nfs4', 'nfs'],
  ['cifs', 'cifs'],
  ['smb3', 'cifs'],
  ['ceph', 'ceph'],
  ['fuse.glusterfs', 'glusterfs'],
  ['lustre', 'lustre'],
]);

/** A directory as this machine knows it, and as every host that sees it does. */
export interface FolderIdentity {
  /** Empty: the system does not tell. */
  readonly key: string;
  readonly dev: number;
  readonly ino: number;
}

/** The identity of the directory at a path, where it is not still `known`; null: there is none, or it cannot be looked at. */
export async function identifyFolder(
  path: string,
  known: FolderIdentity | null,
): Promise<FolderIdentity | null> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (!stats.isDirectory()) return null;
    const { dev, ino } = stats;
    if (known?.dev === dev && known.ino === ino) return known;
    const boot = bootMoment()?.bootId;
    const key = boot && folderKey({ mounts: readMountTable(), boot, path: real, dev, ino });
    return { key: key ?? '', dev, ino };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

interface Directory extends Pick<FolderIdentity, 'dev' | 'ino'> {
  readonly mounts: readonly Mount[];
  /** Of this machine as it runs now. */
  readonly boot: string;
  /** Absolute, without links. */
  readonly path: string;
}

/**
 * The pure part. On a network share the source of the mount and the inode, wherever it is mounted; on a local disk the
 * machine until it is restarted, because copied disks look alike.
 */
export function folderKey({ mounts, boot, path, dev, ino }: Directory): string {
  const mount = mountOf(mounts, path);
  const share = shareNames.get(mount?.type ?? '');
  const place = mount === null || share === undefined ? [boot, String(dev)] : [share, mount.source];
  return digestOf([...place, String(ino)]);
}

/** A short name for some words, the same on every host. */
export function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
