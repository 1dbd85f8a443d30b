import { existsSync, mkdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';

/** The directory that the slow tests of a run share. */
export function madeOnce(name: string): string {
  const shared = process.env['INGESTD_MADE_ONCE'];
  if (shared === undefined) throw new Error('run it by npm run test:packaging');
  return join(shared, name);
}

/** Longer than a root tree with packages takes on a slow machine. */
const longestMs = 280_000;

/** A directory that `make` fills once in a run of the slow tests, which share it and do not change it. */
export async function makeOnce(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const directory = madeOnce(name);
  if (existsSync(directory)) return directory;
  // Under its name only when it is complete.
  const unfinished = `${directory}.unfinished`;
  try {
    mkdirSync(unfinished);
  } catch {
    // Another test file makes it at this moment.
    await eventually(() => existsSync(directory), { withinMs: longestMs, everyMs: 200 });
    return directory;
  }
  await make(unfinished);
  await rename(unfinished, directory);
  return directory;
}
