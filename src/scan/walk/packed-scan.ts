import type { DirectoryScan, DocumentEntry, Skip, ScanCause } from '../../model/document.ts';

/** One directory's scan, packed to cross from thread to thread. */
export interface PackedScan {
  readonly directory: string;
  readonly cause: ScanCause;
  /** Names of the entries, `/` between them. */
  readonly names: string;
  /** Six numbers for each entry. */
  readonly fileStats: Float64Array;
  /** The fingerprint of each entry; one for all where all are equal. */
  readonly fingerprints: readonly string[];
  readonly skips: readonly Skip[];
  readonly subdirectories: readonly string[];
  readonly identity: DirectoryScan['identity'];
}

const width = 6;

/** Packs entries; the buffer of `fileStats` may be transferred. */
export function packEntries(
  entries: readonly DocumentEntry[],
): Pick<PackedScan, 'names' | 'fileStats' | 'fingerprints'> {
  const names: string[] = [];
  const fileStats = new Float64Array(entries.length * width);
  let at = 0;
  for (const { name, stat } of entries) {
    names.push(name);
    fileStats[at] = stat.size;
    fileStats[at + 1] = stat.mtimeMs;
    fileStats[at + 2] = stat.ctimeMs;
    fileStats[at + 3] = stat.birthtimeMs;
    fileStats[at + 4] = stat.ino;
    fileStats[at + 5] = stat.dev;
    at += width;
  }
  const first = entries[0]?.fingerprint;
  const equal = entries.every(({ fingerprint }) => fingerprint === first);
  return {
    names: names.join('/'),
    fileStats,
    fingerprints: equal
      ? first === undefined
        ? []
        : [first]
      : entries.map(({ fingerprint }) => fingerprint),
  };
}

/** Gives back what was packed. */
export function unpackScan(folder: string, packed: PackedScan): DirectoryScan {
  const { directory, cause, fileStats, fingerprints, skips, subdirectories, identity } = packed;
  const names = fileStats.length === 0 ? [] : packed.names.split('/');
  const entries = names.map((name, index): DocumentEntry => {
    const at = index * width;
    return {
      name,
      stat: {
        size: fileStats[at] ?? 0,
        mtimeMs: fileStats[at + 1] ?? 0,
        ctimeMs: fileStats[at + 2] ?? 0,
        birthtimeMs: fileStats[at + 3] ?? 0,
        ino: fileStats[at + 4] ?? 0,
        dev: fileStats[at + 5] ?? 0,
      },
      fingerprint: (fingerprints.length === 1 ? fingerprints[0] : fingerprints[index]) ?? '',
    };
  });
  return { folder, directory, cause, entries, skips, subdirectories, identity };
}
