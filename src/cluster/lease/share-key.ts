import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';

import { mountOf, parseMountTable } from '../../lib/files/mount-table.ts';

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

interface Place {
  readonly mountinfo: string;
  /** Of this machine as it runs now. */
  readonly boot: string;
  /** Absolute, without links. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

/** What a directory is known by on every host that sees it. Null: it is not there, or the system does not tell. */
export async function shareKey(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path);
    return keyOf({
      mountinfo: await readFile('/proc/self/mountinfo', 'utf8'),
      boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
      path: await realpath(path),
      dev,
      ino,
    });
  } catch {
    return null;
  }
}

/**
 * The pure part. On a network share the mount's source and the inode say it. Local disks are compared on one machine
 * only: copied disks look alike.
 */
export function keyOf({ mountinfo, boot, path, dev, ino }: Place): string {
  const mount = mountOf(parseMountTable(mountinfo), path);
  const share = shareNames.get(mount?.type ?? '');
  if (mount !== null && share !== undefined) return digestOf([share, mount.source, String(ino)]);
  return digestOf([boot, String(dev), String(ino)]);
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
