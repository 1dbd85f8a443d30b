import type { DirectoryScan, DocumentEntry, Skip, ScanCause } from '../../model/document.ts';
import { joinPath } from '../../model/document.ts';

/** One directory's sweep, packed to cross from thread to thread. */
export interface PackedSweep {
  readonly directory: string;
  readonly cause: ScanCause;
  /** Names of the sightings, `/` between them. */
  readonly names: string;
  /** Six numbers for each sighting. */
  readonly stamps: Float64Array;
  /** The context of each sighting; one for all where all are equal. */
  readonly contexts: readonly string[];
  readonly skips: readonly Skip[];
  readonly subdirectories: readonly string[];
  readonly device: number;
}

/** A sighting before it is packed. */
export interface NamedSighting extends Omit<DocumentEntry, 'path'> {
  readonly name: string;
}

const width = 6;

/** Packs sightings; the buffer of `stamps` may be transferred. */
export function packSightings(
  sightings: readonly NamedSighting[],
): Pick<PackedSweep, 'names' | 'stamps' | 'contexts'> {
  const stamps = new Float64Array(sightings.length * width);
  let at = 0;
  for (const { stamp } of sightings) {
    stamps[at] = stamp.size;
    stamps[at + 1] = stamp.mtimeMs;
    stamps[at + 2] = stamp.ctimeMs;
    stamps[at + 3] = stamp.birthtimeMs;
    stamps[at + 4] = stamp.ino;
    stamps[at + 5] = stamp.dev;
    at += width;
  }
  const first = sightings[0]?.context;
  const equal = sightings.every(({ context }) => context === first);
  return {
    names: sightings.map(({ name }) => name).join('/'),
    stamps,
    contexts: equal ? (first === undefined ? [] : [first]) : sightings.map(({ context }) => context),
  };
}

/** Gives back what was packed. */
export function unpackSweep(folder: string, packed: PackedSweep): DirectoryScan {
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
