import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
// @ts-expect-error: it is read by the programs of the simulation too, which are no TypeScript.
import { plantedFaults } from './simulate/planted/planted-faults.mjs';
import { readFolders, readImports } from './support/repository/read-imports.ts';
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

  it('have the place that each planted fault of the simulation changes', async () => {
    const faults = Object.values<{ readonly file: string; readonly from: string }>(plantedFaults);
    expect(faults.length).toBeGreaterThan(40);
    for (const { file, from } of faults) expect(await readFile(file, 'utf8')).toContain(from);
  });

  it('have a rule for every package that is installed to run', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: object };
    expect(withoutImporters(Object.keys(manifest.dependencies))).toEqual([]);
  });
});
