import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

import { fileError } from '../disk/file-error.ts';
import { createMemoryFs, pathText } from '../disk/memory-fs.ts';
import type { MemoryFs } from '../disk/memory-fs.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import type { Machine } from './take-process.ts';

type AnyFunction = (...args: readonly unknown[]) => unknown;
type Functions = Readonly<Record<string, unknown>>;

/**
 * Puts a disk in memory below one directory into `node:fs`, for this whole process; imports by name follow. What lies
 * elsewhere is the machine's own, but nothing elsewhere can be waited for: that would take real time.
 */
export function replaceFs(machine: () => Machine, isThere: () => boolean): void {
  const names = createMemoryFs(new MemoryDisk({ prefix: '/none', wallClock: () => 0 }));
  const real = { ...fs } as Functions;
  const isOurs = (first: unknown): boolean => {
    if (!isThere()) return false;
    if (typeof first === 'number') return machine().fs.files.holds(first);
    if (typeof first !== 'string' && !Buffer.isBuffer(first) && !(first instanceof URL)) return false;
    const path = pathText(first);
    if (machine().holds(path)) return true;
    if (!path.startsWith('/proc/')) return false;
    const fd = /^\/proc\/self\/fd\/(\d+)$/.exec(path)?.[1];
    return fd !== undefined && machine().fs.files.holds(Number(fd));
  };
  const choose = (name: string): AnyFunction => {
    const original = real[name] as AnyFunction;
    let last: { readonly fs: MemoryFs; readonly ours: AnyFunction } | null = null;
    return (...args) => {
      if (isOurs(args[0])) {
        const { fs: current } = machine();
        if (last?.fs !== current)
          last = { fs: current, ours: (current.sync as Functions)[name] as AnyFunction };
        return last.ours(...args);
      }
      if (isThere() && name === 'readFileSync' && typeof args[0] === 'string') {
        const text = machine().systemFile(args[0]);
        if (text !== null) return text;
      }
      return original(...args);
    };
  };
  for (const name of Object.keys(names.sync)) {
    Object.assign(fs, { [name]: Object.assign(choose(name), real[name]) });
  }
  const native = (path: string) =>
    isOurs(path)
      ? machine().fs.sync.realpathSync.native(path)
      : (real['realpathSync'] as typeof fs.realpathSync).native(path);
  Object.assign(fs.realpathSync, { native });
  for (const name of Object.keys(names.promises)) {
    const chosen: AnyFunction = async (...args) => {
      if (isOurs(args[0])) return ((machine().fs.promises as Functions)[name] as AnyFunction)(...args);
      const text = machine().systemFile(pathText(args[0] as string));
      if (text === null) throw fileError('ENOENT', name, pathText(args[0] as string));
      return text;
    };
    Object.assign(fsPromises, { [name]: chosen });
  }
  syncBuiltinESMExports();
}
