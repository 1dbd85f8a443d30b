import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { allRows, readTestedRows, rowsNamedIn } from '../support/repository/fault-rows.ts';

interface PageRow {
  readonly number: string;
  readonly what: string;
  readonly held: string;
}

let page: readonly PageRow[];
let toCome: ReadonlySet<string>;
let tested: Awaited<ReturnType<typeof readTestedRows>>;

beforeAll(async () => {
  const text = await readFile('docs/fault-matrix.md', 'utf8');
  page = Array.from(
    text.matchAll(/^\| ([FHINPS]\d+) +\| (.+?) +\| (.+?) +\|$/gm),
    ([, number = '', what = '', held = '']) => ({ number, what, held }),
  );
  toCome = new Set((/^To come: (.*)\.$/m.exec(text)?.[1] ?? '').split(', ').filter(Boolean));
  tested = await readTestedRows('test');
});

const isReason = ({ held }: PageRow) => held.startsWith('no test: ');

describe('the fault matrix', () => {
  it('has every row once, in order', () => {
    expect(page.map(({ number }) => number)).toEqual(allRows);
  });

  it('holds each row by a test that bears its number, or says why there is none', () => {
    const open = page.filter(({ number }) => !tested.has(number) && !toCome.has(number));
    expect(open.filter((row) => !isReason(row))).toEqual([]);
  });

  it('names only files that hold the row', () => {
    const wrong = page.flatMap((row) =>
      isReason(row)
        ? []
        : Array.from(row.held.matchAll(/`(.+?)`/g), ([, file = '']) => file)
            .filter((file) => tested.get(row.number)?.has(file) !== true)
            .map((file) => `${row.number}: ${file}`),
    );
    expect(wrong).toEqual([]);
  });

  it('gives reasons in words, and promises nothing that it does not list', () => {
    expect(page.filter((row) => isReason(row) && row.held.split(' ').length < 6)).toEqual([]);
    const empty = page.filter(
      ({ number, held }) => !held.includes('`') && !held.startsWith('no test: ') && !toCome.has(number),
    );
    expect(empty).toEqual([]);
  });
});

describe('the reader of test names', () => {
  it.each([
    [`it('F7: Word saves', …`, ['F7']],
    [`['F2, F3: editors', …]`, ['F2', 'F3']],
    [`    row: 'N5',`, ['N5']],
    [`it('counts it once (N7, N9)', …`, ['N7', 'N9']],
    [`  // 'P3: not a test'`, []],
    [`const size = 'A4';`, []],
    [`expect(path).toBe('F');`, []],
  ])('finds in %s %j', (line, rows) => {
    expect([...rowsNamedIn(line)]).toEqual(rows);
  });
});
