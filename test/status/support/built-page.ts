import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const source = join('src', 'status', 'page');

/** Builds the page as `npm run build` does, into a folder of the test's own: what is in `dist` may be older. */
export async function buildPage(): Promise<{ readonly root: URL; readonly remove: () => Promise<void> }> {
  const folder = await temporaryFolder();
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    join(source, 'tsconfig.json'),
    '--outDir',
    folder.path,
  ]);
  for (const name of ['index.html', 'page.css', 'icon.svg']) {
    await copyFile(join(source, name), folder.join('status', 'page', name));
  }
  return { root: pathToFileURL(`${folder.path}/`), remove: folder.remove };
}
