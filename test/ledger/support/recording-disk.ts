import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { realDisk } from '../../../src/ledger/disk-operations.ts';
import type { Disk, DiskFile } from '../../../src/ledger/disk-operations.ts';
import type { Image } from './state-image.ts';

/** What would be found if the machine stopped at one moment. */
export interface Moment {
  /** What had just been done, or half done. */
  readonly step: string;
  /** After a SIGKILL: everything that was written. */
  readonly killed: Image;
  /** After a power loss: only what was synced, names and content. */
  readonly powerLost: Image;
  /** Commits that had resolved, and that had been asked for. */
  readonly acknowledged: number;
  readonly asked: number;
}

interface Inode {
  content: Buffer;
  synced: Buffer;
}

export interface RecordingDisk extends Disk {
  readonly moments: readonly Moment[];
  readonly counts: { acknowledged: number; asked: number; syncs: number };
}

/** The real disk, and beside it a picture of what a stop after each single step would leave. */
export function recordingDisk(): RecordingDisk {
  const moments: Moment[] = [];
  const counts = { acknowledged: 0, asked: 0, syncs: 0 };
  const names = new Map<string, Inode>();
  let durable = new Map<string, Inode>();

  function remember(step: string): void {
    const { acknowledged, asked } = counts;
    const killed = new Map([...names].map(([path, { content }]) => [basename(path), content]));
    const powerLost = new Map([...durable].map(([path, { synced }]) => [basename(path), synced]));
    moments.push({ step, killed, powerLost, acknowledged, asked });
  }

  function watched(path: string, file: DiskFile, inode: Inode): DiskFile {
    return {
      ...file,
      write: async (bytes, position) => {
        const half = Math.floor(bytes.byteLength / 2);
        inode.content = written(inode.content, Buffer.from(bytes.subarray(0, half)), position);
        remember(`half a write to ${basename(path)}`);
        await file.write(bytes, position);
        inode.content = written(inode.content, Buffer.from(bytes), position);
        remember(`write to ${basename(path)}`);
      },
      sync: async () => {
        await file.sync();
        counts.syncs += 1;
        inode.synced = inode.content;
        remember(`sync of ${basename(path)}`);
      },
      truncate: async (size) => {
        await file.truncate(size);
        inode.content = inode.content.subarray(0, size);
        remember(`truncate of ${basename(path)}`);
      },
    };
  }

  return {
    moments,
    counts,
    create: async (path) => {
      const file = await realDisk.create(path);
      const inode = { content: Buffer.alloc(0), synced: Buffer.alloc(0) };
      names.set(path, inode);
      remember(`create ${basename(path)}`);
      return watched(path, file, inode);
    },
    open: async (path) => {
      const content = await readFile(path);
      const inode = names.get(path) ?? { content, synced: content };
      names.set(path, inode);
      return watched(path, await realDisk.open(path), inode);
    },
    rename: async (from, to) => {
      await realDisk.rename(from, to);
      move(names, from, to);
      remember(`rename to ${basename(to)}`);
    },
    link: async (from, to) => {
      await realDisk.link(from, to);
      const inode = names.get(from);
      if (inode !== undefined) names.set(to, inode);
      remember(`link to ${basename(to)}`);
    },
    remove: async (path) => {
      await realDisk.remove(path);
      names.delete(path);
      remember(`remove ${basename(path)}`);
    },
    syncDirectory: async (path) => {
      await realDisk.syncDirectory(path);
      durable = new Map(names);
      remember('sync of the directory');
    },
  };
}

function move(names: Map<string, Inode>, from: string, to: string): void {
  const inode = names.get(from);
  if (inode === undefined) return;
  // Two names of one file: rename does nothing at all.
  if (names.get(to) === inode) return;
  names.delete(from);
  names.set(to, inode);
}

function written(content: Buffer, bytes: Buffer, position: number): Buffer {
  const after = Buffer.alloc(Math.max(content.length, position + bytes.length));
  content.copy(after);
  bytes.copy(after, position);
  return after;
}
