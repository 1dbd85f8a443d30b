// Bundles the simulation with the real code: loaded file by file, each of its processes would take seconds to begin.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * For the processes that run the bundle. On one thread, with few collections of garbage, and with less code optimised
 * that runs for a moment only, they need two thirds of the processor's time.
 */
export const nodeOptions = [
  '--single-threaded',
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--interrupt-budget=1000000',
  '--always-sparkplug',
];

/** Gives the path of the bundle. `fault`: one of the planted faults, in its copy of the code; left out: none. */
export async function bundleSimulation(directory, fault) {
  const outfile = `${directory}run-seeds.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: ['test/simulate/run-seeds.ts'],
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
    plugins: fault === undefined ? [] : [plant(fault)],
    // What a planted fault breaks is read from what the judge says.
    sourcemap: fault === undefined ? 'inline' : false,
    logLevel: 'warning',
  });
  return outfile;
}

function plant({ file, from, to }) {
  const setup = (bundle) =>
    bundle.onLoad({ filter: new RegExp(`/${file.replaceAll('.', String.raw`\.`)}$`) }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes(from)) throw new Error(`${file} has no place for the planted fault: ${from}`);
      return { contents: text.replace(from, () => to), loader: 'ts' };
    });
  return { name: 'planted-fault', setup };
}
