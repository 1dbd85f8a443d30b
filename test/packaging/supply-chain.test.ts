import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly unknown[];
}

/**
 * Where in the lock file each package stands of which `dist` contains code, from the paths that esbuild leaves there.
 */
let bundled: readonly string[];
let lock: Lock;

beforeAll(async () => {
  lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
  const found = new Set<string>();
  for (const name of await readdir('dist/program')) {
    const text = await readFile(join('dist/program', name), 'utf8');
    const paths = text.matchAll(/^\s*\/\/ ((?:.*\/)?node_modules\/(?:@[^/\s]+\/)?[^/\s]+)\//gm);
    for (const [, path = ''] of paths) found.add(path);
  }
  bundled = [...found];
  expect(bundled.length).toBeGreaterThan(50);
});

describe('each package of which dist contains code', () => {
  it('is in THIRD-PARTY-LICENSES.txt, with the text of its licence', async () => {
    const parts = (await readFile('dist/THIRD-PARTY-LICENSES.txt', 'utf8')).split(/\n={80}\n/);
    const missing = bundled.filter((path) => {
      const title = `${nameOf(path)} ${lock.packages[path]?.version} (`;
      const part = parts.map((one) => one.trim()).find((one) => one.startsWith(title)) ?? '';
      return !/permi(t|ssion)/i.test(part) || part.length < 400;
    });
    expect(missing).toEqual([]);
  });

  it('is in the list of materials, which is made from the lock file without a network', async () => {
    await run('npm', ['run', '--silent', 'sbom'], {
      env: { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
    });
    const sbom = JSON.parse(await readFile('dist/sbom.cdx.json', 'utf8')) as {
      readonly bomFormat: string;
      readonly metadata: { readonly component: Component };
      readonly components: readonly Component[];
    };
    const { bomFormat, metadata, components } = sbom;
    expect({ bomFormat, name: metadata.component.name }).toEqual({ bomFormat: 'CycloneDX', name: 'ingestd' });
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
    const missing = bundled.filter((path) => {
      return !listed.has(`${nameOf(path)}@${lock.packages[path]?.version}`);
    });
    expect(missing).toEqual([]);
    expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  });

  it('is one that is installed to run', () => {
    expect(bundled.filter((path) => lock.packages[path]?.dev === true)).toEqual([]);
  });
});

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
