import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../node_modules/.cache/nodes', import.meta.url));
const system = process.platform === 'win32' ? 'win' : process.platform;
const name = `node-${system}-${process.arch}`;

/**
 * The Node of a version, from the npm registry's packages that hold nothing but a binary and its licence. They are kept
 * in node_modules, so that the second time needs no network. Gives the package's directory, the binary in it, and the
 * integrity that npm has checked; null where it cannot be had.
 */
export function fetchNode(version) {
  const home = join(cache, version);
  const directory = join(home, 'node_modules', name);
  const binary = join(directory, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(binary)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
    const words = ['install', '--silent', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    const { status } = spawnSync('npm', [...words, `${name}@${version}`], { cwd: home, stdio: 'inherit' });
    if (status !== 0) return null;
  }
  const lock = JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8'));
  return { directory, binary, integrity: lock.packages[`node_modules/${name}`].integrity };
}
