// Builds what runs: `dist/program`, bundled. Finding and loading a thousand modules of ours and of the libraries one by
// one takes a fifth of a start with 100,000 documents. Bundles lie as deep as the sources, for what is found by its
// place.
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildPage } from './build-page.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = 'dist/program';
const main = `${root}dist/main.js`;

await mkdir(`${root}dist`, { recursive: true });
const options = {
  absWorkingDir: root,
  outdir: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Libraries of the older kind call it for Node's own modules.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  alias: {
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    'http2-wrapper': './scripts/no-http2.js',
    'mime-types': './scripts/no-mime-types.cjs',
  },
  external: [
    // Reads proxy scripts, which are not supported.
    'pac-proxy-agent',
    // Fastify asks for them where routes have schemas or are called without a socket: none are. 0.8 MB to parse.
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    'light-my-request',
    // `debug` takes it where it is there, which is only beside the tools of development.
    'supports-color',
  ],
  // The full texts of all licences are in one file, below.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
// The thread is one file: parts that it shared with the rest would be so many more to find and load for both.
const builds = await Promise.all([
  build({ ...options, entryPoints: { main: 'src/main.ts' }, splitting: true }),
  build({ ...options, entryPoints: { 'scan-worker': 'src/scan/worker/scan-worker.ts' } }),
]);
const pageInputs = (await buildPage(`${root}dist/status/page`)).inputs;
const metafile = {
  inputs: Object.assign({}, pageInputs, ...builds.map(({ metafile: { inputs } }) => inputs)),
  outputs: Object.assign({}, ...builds.map(({ metafile: { outputs } }) => outputs)),
};
// A daemon may be running from here, and npx builds once more without being asked: what is the same stays in its place.
const built = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
for (const name of await readdir(`${root}${program}`)) {
  if (!built.has(name)) await rm(`${root}${program}/${name}`, { recursive: true });
}
await writeFile(`${root}dist/THIRD-PARTY-LICENSES.txt`, await thirdPartyLicenses(root, metafile));
// Earlier builds left the page as many files.
for (const name of ['lib', 'model']) await rm(`${root}dist/${name}`, { recursive: true, force: true });
await writeFile(main, "#!/usr/bin/env node\nimport './program/main.js';\n");
await chmod(main, 0o755);
