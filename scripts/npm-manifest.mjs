// Around `npm pack`: the package is the bundled program, so that it needs none of the packages that it was built from,
// no tool and no script. `slim` writes such a package.json before the archive is made, `restore` brings ours back.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = `${root}package.json`;
const kept = `${root}node_modules/.cache/ingestd/package.json`;

function slim() {
  const text = readFileSync(manifest, 'utf8');
  const { scripts, dependencies, devDependencies, overrides, ...rest } = JSON.parse(text);
  if (scripts === undefined)
    throw new Error('package.json is that of the archive: git checkout package.json');
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, text);
  writeFileSync(manifest, `${JSON.stringify(rest, null, 2)}\n`);
}

const [task] = process.argv.slice(2);
if (task === 'slim') slim();
else if (task === 'restore') renameSync(kept, manifest);
else throw new Error('usage: npm-manifest.mjs slim | restore');
