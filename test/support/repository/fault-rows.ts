import { readdir, readFile } from 'node:fs/promises';

const row = '[AFHINPS]\\d{1,2}';
/** `'F13: …'`, `'F2, F3: …'`, and the bare number of a table's row: `'N5'`. */
const leading = new RegExp(`['"\`](${row}(?:(?:, | and )${row})*)(?=:|['"\`])`, 'g');
/** `'… (N7, N9)'`, `'… (interface 4.2, S1)'`. */
const inBrackets = new RegExp(`['"\`].*\\(([^()]*\\b${row}[^()]*)\\)`, 'g');

/** The list of rows itself. */
const noTests = new Set(['faults/faults.ts']);

/** Row → the test files, from `test/`, with a test that bears its number in its name. */
export async function readTestedRows(root: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tested = new Map<string, Set<string>>();
  const files = await readdir(root, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.ts') && !noTests.has(name)).sort()) {
    const text = await readFile(`${root}/${file}`, 'utf8');
    for (const number of rowsNamedIn(text)) tested.set(number, (tested.get(number) ?? new Set()).add(file));
  }
  return tested;
}

/** The numbers that names of tests in a source bear. */
function rowsNamedIn(source: string): ReadonlySet<string> {
  const lines = source.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  const named = lines.flatMap((line) =>
    [...line.matchAll(leading), ...line.matchAll(inBrackets)].flatMap(([, numbers = '']) =>
      Array.from(numbers.matchAll(new RegExp(`\\b${row}\\b`, 'g')), ([number]) => number),
    ),
  );
  return new Set(named);
}
