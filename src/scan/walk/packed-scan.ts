import type { DirectoryScan, DocumentEntry, Skip, ScanCause } from '../../model/document.ts';
import { joinPath } from '../../model/document.ts';

/** One directory's scan, packed to cross from thread to thread. */
export interface PackedScan {
  readonly directory: string;
  readonly cause: ScanCause;
  /** Names of the entries, `/` between them. */
  readonly names: string;
  /** Six numbers for each entry. */
  readonly stamps: Float64Array;
  /** The context of each entry; one for all where all are equal. */
  readonly contexts: readonly string[];
  readonly skips: readonly Skip[];
  readonly subdirectories: readonly string[];
  readonly device: number;
}

/** An entry before it is packed. */
export interface NamedEntry extends Omit<DocumentEntry, 'path'> {
  readonly name: string;
}

const width = 6;

/** Packs entries; the buffer of `stamps` may be transferred. */
export function packEntries(
  entries: readonly NamedEntry[],
): Pick<PackedScan, 'names' | 'stamps' | 'contexts'> {
  const stamps = new Float64Array(entries.length * width);
  let at = 0;
  for (const { stamp } of entries) {
    stamps[at] = stamp.size;
    stamps[at + 1] = stamp.mtimeMs;
    stamps[at + 2] = stamp.ctimeMs;
    stamps[at + 3] = stamp.birthtimeMs;
    stamps[at + 4] = stamp.ino;
    stamps[at + 5] = stamp.dev;
    at += width;
  }
  const first = entries[0]?.context;
  const equal = entries.every(({ context }) => context === first);
  return {
    names: entries.map(({ name }) => name).join('/'),
    stamps,
    contexts: equal ? (first === undefined ? [] : [first]) : entries.map(({ context }) => context),
  };
}

/** Gives back what was packed. */
export function unpackScan(folder: string, packed: PackedScan): DirectoryScan {
  const { directory, cause, stamps, contexts, skips, subdirectories, device } = packed;
  const names = stamps.length === 0 ? [] : packed.names.split('/');
  const entries = names.map((name, index): DocumentEntry => {
    const at = index * width;
    return {
      path: joinPath(directory, name),
      stamp: {
        size: stamps[at] ?? 0,
        mtimeMs: stamps[at + 1] ?? 0,
        ctimeMs: stamps[at + 2] ?? 0,
        birthtimeMs: stamps[at + 3] ?? 0,
        ino: stamps[at + 4] ?? 0,
        dev: stamps[at + 5] ?? 0,
      },
      context: (contexts.length === 1 ? contexts[0] : contexts[index]) ?? '',
    };
  });
  return { folder, directory, cause, entries, skips, subdirectories, device };
}
