import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Builds the page as `npm run build` does, into a folder of the test's own: what is in `dist` may be older. */
export async function buildPage(): Promise<{ readonly root: URL; readonly remove: () => Promise<void> }> {
  const folder = await temporaryFolder();
  await promisify(execFile)(process.execPath, [join('scripts', 'build-page.mjs'), folder.path]);
  return { root: pathToFileURL(`${folder.path}/`), remove: folder.remove };
}
