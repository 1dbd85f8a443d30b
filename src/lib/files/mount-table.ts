import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { orNull } from '../or-null.ts';
import { pathBelow, pathInside } from './path-inside.ts';

/** One mounted file system. */
export interface Mount {
  readonly path: string;
  /** `8:1`: major and minor number of its device. */
  readonly device: string;
  /** The directory of the file system that is mounted there; `/` unless only a part of it is. */
  readonly root: string;
  /** `ext4`, `nfs4`, `fuse.sshfs` … */
  readonly type: string;
  /** The device, or server and export. */
  readonly source: string;
}

let last: { readonly text: string; readonly table: readonly Mount[] } = { text: '', table: [] };

/** What is mounted at this moment; nothing where the system does not say. It is read often, and changes rarely. */
export function readMountTable(): readonly Mount[] {
  const text = orNull(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '';
  if (text !== last.text) last = { text, table: parseMountTable(text) };
  return last.table;
}

/** Reads the text of `/proc/self/mountinfo`. Lines that it does not understand are left out. */
export function parseMountTable(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ');
    const [, , device = '', root = '', path = ''] = front.split(' ');
    const [type = '', source = ''] = back.split(' ');
    if (path === '' || type === '') return [];
    const mount = { path: unescapeOctal(path), root: unescapeOctal(root), source: unescapeOctal(source) };
    return [{ ...mount, device, type }];
  });
}

/** The mount that an absolute path lies on; of several at one place the last, which lies on top. */
export function mountOf(table: readonly Mount[], path: string): Mount | null {
  let found: Mount | null = null;
  for (const mount of table) {
    const holds = mount.path === '/' || path === mount.path || path.startsWith(`${mount.path}/`);
    if (holds && (found === null || mount.path.length >= found.path.length)) found = mount;
  }
  return found;
}

function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}

/**
 * Where two directory trees show one directory by way of mounts, as far as the table tells: its absolute paths in each. A
 * further mount may hide it in one of them.
 */
export function sharedPlaces(
  table: readonly Mount[],
  one: string,
  other: string,
): readonly (readonly [inOne: string, inOther: string])[] {
  const others = partsOf(table, other);
  return partsOf(table, one).flatMap((part) =>
    others
      .filter(({ device }) => device === part.device)
      .flatMap((second): (readonly [string, string])[] => {
        const inOne = pathInside(part.root, second.root);
        if (inOne !== null) return [[join(part.path, inOne), second.path]];
        const inOther = pathInside(second.root, part.root);
        return inOther === null ? [] : [[part.path, join(second.path, inOther)]];
      }),
  );
}

/** The parts of a directory tree that lie on one mount each: `root` is what one is within its file system. */
function partsOf(table: readonly Mount[], path: string): readonly Pick<Mount, 'path' | 'root' | 'device'>[] {
  const on = mountOf(table, path);
  const below = table.filter((mount) => mount.path.startsWith(pathBelow(path, '')) && mount.path !== path);
  if (on === null) return below;
  const root = join(on.root, pathInside(on.path, path) ?? '');
  return [{ device: on.device, root, path }, ...below];
}
