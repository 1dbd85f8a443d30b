import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { readFolders, readImports } from './support/repository/read-imports.ts';
import { folderOfEachTest } from './support/folder-of-each-test.ts';
import { brokenWalls, brokenWidths, impureFiles, withoutImporters } from './support/repository/walls.ts';

describe('the imports of the source', () => {
  it('stand', async () => {
    const files = await readImports('src');
    expect(files.length).toBeGreaterThan(10);
    expect(brokenWalls(files)).toEqual([]);
    expect(impureFiles(files)).toEqual([]);
  });

  it('stand in folders, and their tests too, that are not too wide to read at a glance', async () => {
    expect(brokenWidths(await readFolders('src'))).toEqual([]);
    // `test` itself holds a folder for each of `src`, and those of what is no part of it.
    expect(brokenWidths(await readFolders('test'), ['.'])).toEqual([]);
  });

  it('stand as ARCHITECTURE.md draws them: each path and name there is there', async () => {
    const page = await readFile('ARCHITECTURE.md', 'utf8');
    const paths = [...page.matchAll(/\b(?:src|test|docs)\/[\w./-]*\w/g)].map(([path]) => path);
    const table = page.split('## Where do I change')[1]?.split('\n## ')[0] ?? '';
    const places = [...table.matchAll(/`([\w-]+\/[\w./-]+)`/g)].map(([, place = '']) => `src/${place}`);
    expect(places.length).toBeGreaterThan(50);
    expect([...new Set([...paths, ...places])].filter((path) => !existsSync(path))).toEqual([]);
    const files = await readImports('src');
    const sources = await Promise.all(files.map(({ path }) => readFile(`src/${path}`, 'utf8')));
    const names = [...page.matchAll(/`([#a-zA-Z]+[a-z][A-Z]\w*|#[a-z]\w+)`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !sources.some((text) => text.includes(name)))).toEqual([]);
    const rooms = new Set(
      files.map(({ path }) => path.split('/')[0] ?? '').filter((name) => !name.endsWith('.ts')),
    );
    expect([...rooms].filter((room) => !page.includes(`| \`src/${room}\``))).toEqual([]);
  });

  it('have a rule for every package that is installed to run', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: object };
    expect(withoutImporters(Object.keys(manifest.dependencies))).toEqual([]);
  });
});

describe('the check of imports, given a tree with forbidden ones', () => {
  const house = folderOfEachTest();
  const broken = async (sources: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(sources)) await house.write(name, text);
    return brokenWalls(await readImports(house.path));
  };

  const foundWide = async () => brokenWidths(await readFolders(house.path));

  it.each([
    ['a room that knows another', 'sync/a.ts', `import { b } from '../ledger/b.ts';`, /sync.*ledger\/b\.ts/],
    ['by a type alone', 'sync/a.ts', `import type { B } from '../ledger/b.ts';`, /ledger\/b\.ts/],
    ['by an export', 'scan/a.ts', `export * from '../remote/b.ts';`, /scan.*remote\/b\.ts/],
    ['by a dynamic import', 'log/a.ts', `export const b = () => import('../status/b.ts');`, /status\/b\.ts/],
    ['by the type of an import', 'log/a.ts', `export type B = import('../status/b.ts').B;`, /status\/b\.ts/],
    [
      'by the URL of a worker',
      'scan/a.ts',
      `export const b = new Worker(new URL('../ledger/b.ts', import.meta.url));`,
      /scan.*ledger\/b\.ts/,
    ],
    ['a room that knows the daemon', 'status/a.ts', `import { b } from '../daemon/b.ts';`, /daemon\/b\.ts/],
    ['a model that knows a room', 'model/a.ts', `import { b } from '../log/b.ts';`, /model.*log\/b\.ts/],
    [
      'a model that reads files',
      'model/a.ts',
      `import { readFile } from 'node:fs/promises';`,
      /model is pure/,
    ],
    ['a core with a package', 'model/a.ts', `import got from 'got';`, /no package but zod/],
    [
      'an embedded service that knows the client',
      'embedded/a.ts',
      `import '../remote/b.ts';`,
      /remote\/b\.ts/,
    ],
    ['a command that goes past the daemon', 'cli/a.ts', `import '../remote/b.ts';`, /remote\/b\.ts/],
    [
      'a package in the wrong file',
      'sync/a.ts',
      `import chokidar from 'chokidar';`,
      /may not import chokidar/,
    ],
    [
      'a deep import in the wrong file',
      'cli/a.ts',
      `import { Low } from 'lowdb/node';`,
      /may not import lowdb/,
    ],
    [
      'a package that nobody named',
      'log/a.ts',
      `import _ from 'lodash';`,
      /lodash, which no file may import/,
    ],
    ['a room that nobody named', 'utils/a.ts', `import { b } from '../model/b.ts';`, /utils.*model\/b\.ts/],
    [
      'a way out of the source',
      'log/a.ts',
      `import p from '../../package.json';`,
      /out of the source folder/,
    ],
  ])('sees %s', async (_name, path, text, words) => {
    const found = await broken({ [path]: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(words);
  });

  it('sees what decides and reads files or waits, itself or in what it calls', async () => {
    const pure = ['relate', 'classify-by-name', 'fingerprint'].map((name) => `scan/rules/${name}.ts`);
    for (const name of pure) await house.write(name, `import type { Stats } from 'node:fs';`);
    await house.write(
      'scan/rules/sort-entries.ts',
      `import { a } from './a.ts';\nimport type { B } from './b.ts';`,
    );
    await house.write(
      'scan/rules/a.ts',
      `import { lstatSync } from 'node:fs';\nexport const a = async () => {};`,
    );
    await house.write('scan/rules/b.ts', `import { lstatSync } from 'node:fs';`);
    expect(impureFiles(await readImports(house.path))).toEqual([
      'scan/rules/a.ts reads files',
      'scan/rules/a.ts waits',
    ]);
  });

  it('sees a cycle of three files', async () => {
    const found = await broken({
      'log/a.ts': `import './b.ts';`,
      'log/b.ts': `import { c } from './c.ts';\nexport const b = c;`,
      'log/c.ts': `import type { A } from './a.ts';\nexport const c: A = 1;`,
    });
    expect(found).toEqual(['cycle: log/a.ts → log/b.ts → log/c.ts → log/a.ts']);
  });

  it('sees a folder of sixteen entries, and lets fifteen stand', async () => {
    for (let number = 1; number <= 14; number += 1) await house.write(`log/file-${number}.css`, '');
    await house.write('log/inner/a.ts', '');
    expect(await foundWide()).toEqual([]);
    await house.write('log/file-15.ts', '');
    expect(await foundWide()).toEqual(['log has 16 entries, more than 15']);
  });

  it('lets a sound house stand', async () => {
    const found = await broken({
      'model/a.ts': `import type { Readable } from 'node:stream';\nimport { z } from 'zod';\nexport type A = Readable;`,
      'scan/watch/chokidar-backend.ts': `import { watch } from 'chokidar';\nimport type { A } from '../../model/a.ts';`,
      'daemon/open-daemon.ts': `import '../scan/watch/chokidar-backend.ts';`,
      'cli/run.ts': `import '../daemon/open-daemon.ts';\nimport { Command } from 'commander';`,
      'main.ts': `import './cli/run.ts';`,
    });
    expect(found).toEqual([]);
  });
});
