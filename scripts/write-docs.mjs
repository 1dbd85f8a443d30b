// Writes the files that are made from the settings, the fixes and the table of conformance.
// `npm run docs` starts it with the types taken out of what it imports.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './docs/generated-files.ts';
import { conformancePage } from './conformance-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const rows = JSON.parse(await readFile(join(root, 'test/embedded/interface/conformance.json'), 'utf8'));
const files = [...generatedFiles(), ['docs/conformance.md', conformancePage(rows)]];
for (const [path, text] of files) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
