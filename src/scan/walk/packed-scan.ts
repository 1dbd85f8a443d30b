import type { DirectoryScan, Skip, ScanCause } from '../../model/document.ts';
import { unpackFiles } from '../../model/packed-files.ts';
import type { PackedFiles } from '../../model/packed-files.ts';

/** One directory's scan, packed to cross from thread to thread. */
export interface PackedScan {
  readonly directory: string;
  readonly cause: ScanCause;
  readonly files: PackedFiles;
  readonly skips: readonly Skip[];
  readonly subdirectories: readonly string[];
  readonly identity: DirectoryScan['identity'];
  readonly changedMs: number;
}

/** Gives back what was packed. */
export function unpackScan(folder: string, { files, ...scan }: PackedScan): DirectoryScan {
  return { ...scan, folder, entries: unpackFiles(files) };
}
