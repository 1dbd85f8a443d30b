import { opendirSync } from 'node:fs';

/** How large a tree is, as far as it matters. */
export interface TreeSize {
  readonly directories: number;
  readonly entries: number;
}

/** Counts directories and entries below `root`, and stops when either is beyond `limit`. Never throws. */
export function countDirectories(root: string, limit: TreeSize): TreeSize {
  const waiting = [root];
  let directories = 0;
  let entries = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    directories += 1;
    try {
      const directory = opendirSync(path, { bufferSize: 256 });
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        entries += 1;
        if (entry.isDirectory() && !entry.name.startsWith('.')) waiting.push(`${path}/${entry.name}`);
        if (entries > limit.entries) break;
      }
      directory.closeSync();
    } catch {
      // It cannot be read, so it needs no counting.
    }
    if (directories > limit.directories || entries > limit.entries) break;
  }
  return { directories: directories + waiting.length, entries };
}
