// Writes the files that are made from the settings and the fixes.
// `npm run docs` starts it with the types taken out of what it imports.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './docs/generated-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const [path, text] of generatedFiles()) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
