import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';

import { mountOf, parseMountTable } from '../../lib/files/mount-table.ts';
import type { Mount } from '../../lib/files/mount-table.ts';
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

interface Directory {
  readonly mountinfo: string;
  /** Of this machine as it runs now. */
  readonly boot: string;
  /** Absolute, without links. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

/** Where a directory lies, as every host that sees it knows it. */
export interface DirectoryLocation {
  /** What the directory itself is known by. */
  readonly key: string;
  /** Its path in its file system. */
  readonly path: string;
  /** The paths of the directories that it lies in. */
  readonly above: readonly string[];
  /** Where this is known: `share` everywhere, else on one machine until it is restarted. */
  readonly machine: string;
}

/** A folder of the configuration, where it lies. */
export interface FolderPlace extends DirectoryLocation {
  /** What a ledger knows it by, wherever it lies: a digest of its name. */
  readonly name: string;
}

/** What is known of where a folder lies, at one moment. */
export type FolderLocation =
  | {
      readonly kind: 'there';
      readonly place: FolderPlace;
      /** The directory itself, as this machine knows it. */
      readonly root: { readonly dev: number; readonly ino: number };
    }
  /** There is no directory, or none that can be looked at: the file system's code. */
  | { readonly kind: 'missing'; readonly code: string | undefined }
  /** The system does not tell where directories lie. */
  | { readonly kind: 'untold' };

/** Folders in their order. */
export async function locateFolders(folders: readonly { readonly name: string; readonly path: string }[]) {
  const names = folders.map(({ name }) => digestOf([name]).slice(0, 16));
  const locations = await Promise.all(
    folders.map(({ path }, index) => locateFolder(path, names[index] ?? '')),
  );
  const places = locations.flatMap((one) => (one.kind === 'there' ? [one.place] : []));
  return { names, locations, places };
}

async function locateFolder(path: string, name: string): Promise<FolderLocation> {
  let found: Pick<Directory, 'path' | 'dev' | 'ino'>;
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (!stats.isDirectory()) return { kind: 'missing', code: 'ENOTDIR' };
    found = { path: real, dev: stats.dev, ino: stats.ino };
  } catch (error) {
    return { kind: 'missing', code: errorCode(error) };
  }
  try {
    // After the root: where something is mounted there meanwhile, the root tells.
    const mountinfo = await readFile('/proc/self/mountinfo', 'utf8');
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    return { kind: 'there', place: { ...locationOf({ mountinfo, boot, ...found }), name }, root: found };
  } catch {
    return { kind: 'untold' };
  }
}

/**
 * The pure part. On a network share the mount's source says where it lies, with the inode or the path below it. Local
 * disks are compared on one machine only: copied disks look alike.
 */
export function locationOf({ mountinfo, boot, path, dev, ino }: Directory): DirectoryLocation {
  const mount = mountOf(parseMountTable(mountinfo), path);
  const share = shareNames.get(mount?.type ?? '');
  const key =
    mount !== null && share !== undefined
      ? digestOf([share, mount.source, String(ino)])
      : digestOf([boot, String(dev), String(ino)]);
  const disk = share === undefined ? [boot, mount?.device ?? String(dev)] : [share];
  const full = mount === null ? path : pathIn(mount, path, { isShare: share !== undefined });
  // Windows servers know one name in many spellings.
  const spelled = share === 'cifs' ? full.toLowerCase() : full;
  const machine = share === undefined ? digestOf([boot]).slice(0, 16) : 'share';
  const names = ['', ...spelled.split('/').filter((name) => name !== '')];
  const paths = names.map((_name, index) => digestOf([...disk, ...names.slice(0, index + 1)]).slice(0, 16));
  return { key, path: paths.at(-1) ?? '', above: paths.slice(0, -1), machine };
}

/**
 * A path in the file system itself: wherever that, or a part of it, is mounted. Of a share with its server and export.
 */
function pathIn(
  { source, root, path: mounted }: Mount,
  path: string,
  { isShare }: { readonly isShare: boolean },
): string {
  // NFS has the part that is mounted in its source already.
  const part = root === '/' || (isShare && source.endsWith(root)) ? '' : root;
  const below = mounted === '/' ? path : path.slice(mounted.length);
  return `${isShare ? source : ''}${part}${below}`;
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
