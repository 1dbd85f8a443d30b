import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';

const rowsSchema = z.array(
  z.strictObject({
    section: z.string().regex(/^[1-9](\.\d+)?$/),
    statement: z.string().min(10),
    service: z.string().optional(),
    client: z.string().optional(),
  }),
);

let rows: z.infer<typeof rowsSchema>;

beforeAll(async () => {
  rows = rowsSchema.parse(JSON.parse(await readFile('test/embedded/interface/conformance.json', 'utf8')));
});

it('every statement of the interface names a test that is there', async () => {
  const wrong: string[] = [];
  for (const { section, statement, service, client } of rows) {
    const named = [service, client].filter((test) => test !== undefined);
    if (named.length === 0) wrong.push(`${section} ${statement}: names no test`);
    for (const test of named)
      if (!(await isThere(test))) wrong.push(`${section} ${statement}: no test ${test}`);
  }
  expect(wrong).toEqual([]);
});

it('the statements stand in the order of the interface and cover its sections', () => {
  const sections = rows.map(({ section }) => Number(section.replace('2.10', '2.95')));
  expect(sections).toEqual(sections.toSorted((a, b) => a - b));
  // Sections 3 and 6 state nothing.
  expect([...new Set(sections.map(Math.floor))]).toEqual([1, 2, 4, 5, 7, 8, 9]);
});

/** Whether a title of the file holds the words: text in quotes on a line that is no comment. */
async function isThere(test: string): Promise<boolean> {
  const [file = '', ...title] = test.split(': ');
  const path = join('test', file);
  if (!existsSync(path)) return false;
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  return lines.some((line) => line.includes(title.join(': ')) && /['"`]/.test(line));
}
