// npm run test:nodes [VERSION…]: the whole suite under each version of Node that ingestd promises to run on. They come
// from the npm registry as `node-OS-CPU`, the packages that hold nothing but a binary, and are kept in node_modules.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode } from './fetch-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const asked = process.argv.slice(2);
const versions = asked.length > 0 ? asked : ['20.19', '22', '24'];

function run(command, words, options = {}) {
  return spawnSync(command, words, { cwd: root, stdio: 'inherit', ...options }).status ?? 1;
}

function testUnder(binary) {
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const words = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest];
  return run(binary, [...words, '--selectProjects', 'fast'], { env });
}

for (const script of ['build', 'build:modules'])
  if (run('npm', ['run', '--silent', script]) !== 0) process.exit(1);
const failed = [];
for (const version of versions) {
  const binary = fetchNode(version)?.binary ?? null;
  const title = binary === null ? version : String(spawnSync(binary, ['--version']).stdout).trim();
  console.log(`\n==> the suite under Node ${title}`);
  if (binary === null || testUnder(binary) !== 0) failed.push(title);
}
console.log(failed.length === 0 ? '\nall versions passed' : `\nfailed under: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
