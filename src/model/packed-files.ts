import { knownInode } from './document.ts';
import type { DirectoryScan, DocumentEntry, FileStat } from './document.ts';
import type { ShareMode } from './metadata/metadata.ts';

/** Files of one directory in a tenth of the memory that objects take; the buffer of `stats` may be transferred. */
export type PackedFiles = Readonly<ReturnType<typeof packFiles>>;

export const packedFields = ['size', 'mtimeMs', 'ctimeMs', 'birthtimeMs', 'ino', 'dev'] as const;
export const packedWidth = packedFields.length;

export function packFiles(files: readonly DocumentEntry[]) {
  const names: string[] = [];
  const stats = new Float64Array(files.length * packedWidth);
  const fingerprints: string[] = [];
  const ownModes = new Map<string, ShareMode>();
  const known = new Map<string, string>();
  let at = 0;
  for (const { name, stat, fingerprint, ownMode } of files) {
    if (ownMode !== undefined) ownModes.set(name, ownMode);
    names.push(name);
    stats[at] = stat.size;
    stats[at + 1] = stat.mtimeMs;
    stats[at + 2] = stat.ctimeMs;
    stats[at + 3] = stat.birthtimeMs;
    stats[at + 4] = knownInode(stat.ino);
    stats[at + 5] = stat.dev;
    at += packedWidth;
    // Texts that came from another thread are as many as there are files.
    const first = known.get(fingerprint);
    if (first === undefined) known.set(fingerprint, fingerprint);
    fingerprints.push(first ?? fingerprint);
  }
  if (known.size === 1) fingerprints.length = 1;
  return {
    /** Joined by `/`, which no name holds. */
    names: names.join('/'),
    /** `packedFields` of each file, in this order. */
    stats,
    /** The fingerprint of each; one for all where all are equal. */
    fingerprints,
    /** Sharing modes of own sidecars, by name; null: there are none. */
    ownModes: ownModes.size === 0 ? null : ownModes,
  };
}

export function unpackFiles(packed: PackedFiles): readonly DocumentEntry[] {
  if (countPacked(packed) === 0) return [];
  return packed.names.split('/').map((name, index) => ({ name, ...packedSeen(packed, name, index) }));
}

/** The file of this name and number. */
export function packedSeen(packed: PackedFiles, name: string, index: number): Omit<DocumentEntry, 'name'> {
  const stat = packedStat(packed, index);
  const fingerprint = packedFingerprint(packed, index);
  const ownMode = packed.ownModes?.get(name);
  return ownMode === undefined ? { stat, fingerprint } : { stat, fingerprint, ownMode };
}

export function countPacked({ stats }: Pick<PackedFiles, 'stats'>): number {
  return stats.length / packedWidth;
}

export function packedStat({ stats }: Pick<PackedFiles, 'stats'>, index: number): FileStat {
  const at = index * packedWidth;
  return {
    size: stats[at] ?? 0,
    mtimeMs: stats[at + 1] ?? 0,
    ctimeMs: stats[at + 2] ?? 0,
    birthtimeMs: stats[at + 3] ?? 0,
    ino: stats[at + 4] ?? 0,
    dev: stats[at + 5] ?? 0,
  };
}

export function packedFingerprint(
  { fingerprints }: Pick<PackedFiles, 'fingerprints'>,
  index: number,
): string {
  return (fingerprints.length === 1 ? fingerprints[0] : fingerprints[index]) ?? '';
}

/** One directory's scan, packed to cross from thread to thread. */
export interface PackedScan extends Omit<DirectoryScan, 'folder' | 'entries'> {
  readonly files: PackedFiles;
}

/** Gives back what was packed. */
export function unpackScan(folder: string, { files, ...scan }: PackedScan): DirectoryScan {
  return { ...scan, folder, entries: unpackFiles(files) };
}
