import { nameOf } from '../../model/document.ts';
import type { IgnoreRules } from './ignore-patterns.ts';

/**
 * Directories in which desktops and file servers keep what was deleted, snapshots, thumbnails and their own files.
 * Lower case: these systems do not tell case apart. Names that start with a dot are ignored anyway.
 */
const bins: ReadonlySet<string> = new Set([
  // Windows, and NTFS and FAT disks wherever they are mounted
  '$recycle.bin',
  'recycler',
  'recycled',
  'system volume information',
  'found.000',
  // Synology
  '#recycle',
  '#snapshot',
  '@eadir',
  '@tmp',
  '@sharebin',
  '@sharesnap',
  // QNAP
  '@recycle',
  '@recently-snapshot',
  '@__thumb',
  // NetApp
  '~snapshot',
  // macOS
  'network trash folder',
  'temporary items',
  'thevolumesettingsfolder',
  '__macosx',
  // ext2 to ext4
  'lost+found',
]);

/** Ignores the bins and system directories of desktops and file servers; a person's patterns can take one back. */
export const binRules: IgnoreRules = {
  judge: (path, isDirectory) => {
    const name = nameOf(path);
    if (!isDirectory || !bins.has(name.toLowerCase())) return null;
    return { pattern: name, place: "ingestd's own list of bins and system directories" };
  },
};
