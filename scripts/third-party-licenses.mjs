import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const licenseFile = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

/** For packages that name the MIT licence and bring no text of it. */
const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * The licences of all packages that an esbuild `metafile` says were bundled, each with its full text. Throws when a
 * package has none: it must not be bundled then.
 */
export async function thirdPartyLicenses(root, metafile) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const parts = await Promise.all([...folders].sort().map((folder) => describe(join(root, folder))));
  const head =
    'The program in this directory contains the following packages. Each is under the licence below it.';
  return `${[head, ...new Set(parts)].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

async function describe(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => licenseFile.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  if (texts.length === 0) {
    if (license !== 'MIT') throw new Error(`${name} ${version} (${license}) has no text of its licence`);
    texts.push(`Copyright (c) ${author?.name ?? author ?? `the authors of ${name}`}\n\n${mit}`);
  }
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}
