// Builds the status page into the directory that is given: one script, one style sheet, the page and its icon. Gives
// what esbuild says of the script.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/status/page');

export async function buildPage(directory) {
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    entryPoints: { page: join(source, 'main.tsx') },
    outdir: directory,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  await build({
    entryPoints: [join(source, 'page.css')],
    outdir: directory,
    minify: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'warning',
  });
  // The icon in a browser's tab shows the health.
  const icon = await readFile(join(source, 'icon.svg'), 'utf8');
  for (const [health, color] of Object.entries({ attention: '#b06a00', error: '#a92d21' })) {
    await writeFile(join(directory, `icon-${health}.svg`), icon.replace('#16694d', color));
  }
  for (const name of ['index.html', 'icon.svg']) await copyFile(join(source, name), join(directory, name));
  return metafile;
}
