// Bundles the simulation with the real code: loaded file by file, each of its processes would take seconds to begin.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('../../', import.meta.url);

/** From so many runs on, a process is faster with all its code optimised; below, optimising costs more than it gives. */
const manyRuns = 1_000;

/**
 * For a process that runs the bundle. On one thread, with few collections of garbage, and with less code optimised that
 * runs for a moment only, it needs two thirds of the processor's time.
 */
export function nodeOptions(runs) {
  const sparing = ['--interrupt-budget=1000000'];
  return [
    '--single-threaded',
    '--min-semi-space-size=32',
    '--max-semi-space-size=64',
    '--no-memory-reducer',
    '--always-sparkplug',
    ...(runs < manyRuns ? sparing : []),
  ];
}

/** Gives the path of the bundle of a program. `faults`: the planted faults in its copy of the code. */
export async function bundleSimulation(directory, { program = 'run-seeds', faults = {} } = {}) {
  // The code finds files by how deep it lies.
  const outfile = `${directory}${basename(program)}.mjs`;
  await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [`test/simulate/${program}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    external: [
      'pac-proxy-agent',
      '@fastify/ajv-compiler',
      '@fastify/fast-json-stringify-compiler',
      'light-my-request',
      'supports-color',
    ],
    plugins: [plant(faults)],
    // What a planted fault breaks is read from what the judge says.
    sourcemap: Object.keys(faults).length === 0 ? 'linked' : false,
    logLevel: 'warning',
  });
  return outfile;
}

/** Each fault behind a switch of its own: the one that `globalThis.planted` names is there, and no other. */
function plant(faults) {
  const setup = (bundle) =>
    bundle.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const here = Object.entries(faults).filter(([, { file }]) => path === new URL(file, root).pathname);
      if (here.length === 0) return undefined;
      const text = await readFile(path, 'utf8');
      return { contents: here.reduce((planted, one) => plantOne(planted, ...one), text), loader: 'ts' };
    });
  return { name: 'planted-faults', setup };
}

function plantOne(text, name, { file, from, to, before }) {
  if (!text.includes(from)) throw new Error(`${file} has no place for the planted fault: ${from}`);
  const isOff = `globalThis.planted !== '${name}'`;
  // Another fault at the same place is planted in what stands there without this one.
  const expression = () => `(${isOff} ? ${from} : ${to})`;
  const statement = () => `if (${isOff}) { ${from} } else { ${to} }`;
  const inserted = () => `if (!(${isOff})) { ${before} }\n${from}`;
  if (before !== undefined) return text.replace(from, inserted);
  return text.replace(from, from.endsWith(';') ? statement : expression);
}
