import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  /** Writes a file, directories and all; gives its absolute path. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>;
  readonly join: (...names: string[]) => string;
  readonly remove: () => Promise<void>;
}

const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A private directory of a test's own. */
export function temporaryFolder(): Promise<TemporaryFolder> {
  return folderIn(tmpdir());
}

/**
 * One on a file system in memory, where there is one: for a ledger beside what is tested. A disk would take longer for
 * its hundreds of fsyncs than everything else in the test.
 */
export function temporaryFolderInMemory(): Promise<TemporaryFolder> {
  return folderIn(memory);
}

async function folderIn(parent: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, 'ingestd-test-'));
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    join: (...names) => join(path, ...names),
    // A process that ends may still write into it.
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
