import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** A directory that `make` fills once in a run of the slow tests, which share it and do not change it. */
export async function makeOnce(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const shared = process.env['INGESTD_MADE_ONCE'];
  if (shared === undefined) throw new Error('run it by npm run test:packaging');
  const directory = join(shared, name);
  if (existsSync(directory)) return directory;
  // Under its name only when it is complete.
  const unfinished = `${directory}.unfinished`;
  await mkdir(unfinished, { recursive: true });
  await make(unfinished);
  await rename(unfinished, directory);
  return directory;
}
