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

/** A private directory of a test's own. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'ingestd-test-'));
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    join: (...names) => join(path, ...names),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
