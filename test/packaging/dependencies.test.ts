import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean; readonly version: string }>
  >;
}

async function json<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8')) as T;
}

describe('S21: the packages that the program needs', () => {
  it('have each its reason in docs/dependencies.md, and no other has one', async () => {
    const { dependencies } = await json<Package>('package.json');
    const page = await readFile(new URL('../../docs/dependencies.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^- ((?:`[\w@/-]+`(?:,\s+)?)+): \S/gm)];
    const named = rows.flatMap(([, names = '']) =>
      Array.from(names.matchAll(/`(.+?)`/g), ([, name = '']) => name),
    );
    expect(named.sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('are pinned to one version each', async () => {
    const { dependencies } = await json<Package>('package.json');
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('run no script when they are installed', async () => {
    const { packages } = await json<Lock>('package-lock.json');
    const needed = Object.entries(packages).filter(([name, { dev }]) => name !== '' && dev !== true);
    expect(needed.length).toBeGreaterThan(50);
    expect(needed.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });

  it('have no form-data in which a file name could forge a header', async () => {
    const { packages } = await json<Lock>('package-lock.json');
    const versions = Object.entries(packages).filter(([name]) => name.endsWith('node_modules/form-data'));
    expect(versions.length).toBeGreaterThan(0);
    for (const [, { version }] of versions) {
      const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
      expect(major * 10_000 + minor * 100 + patch).toBeGreaterThanOrEqual(40_006);
    }
  });
});
