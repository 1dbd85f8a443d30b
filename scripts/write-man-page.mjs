// Writes man/ingestd.1 from the commands and the settings, for `npm pack`. It is started with the types taken out of what
// it imports.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { manPage } from './docs/man-page.ts';

const directory = fileURLToPath(new URL('../man', import.meta.url));
mkdirSync(directory, { recursive: true });
writeFileSync(`${directory}/ingestd.1`, manPage());
