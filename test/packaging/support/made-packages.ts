import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce, makeOnce } from './make-once.ts';

const run = promisify(execFile);

/** The archive that `npm pack` makes of this tree. */
export async function npmArchive(): Promise<string> {
  return onlyFile(madeOnce('archive'));
}

/** The Debian package of that archive, under a version of the test's choice. */
export async function debianPackage(version: string): Promise<string> {
  const archive = await npmArchive();
  return onlyFile(
    await makeOnce(`deb-${version}`, async (directory) => {
      const words = ['--archive', archive, '--version', version, '--to', directory, '--fast'];
      await run(process.execPath, ['scripts/package-deb.mjs', ...words]);
    }),
  );
}

async function onlyFile(directory: string): Promise<string> {
  const [name = ''] = await readdir(directory);
  return join(directory, name);
}
