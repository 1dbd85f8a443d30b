import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it('every attack on the page of security tests names a test that is there, and what holds', async () => {
  const page = await readFile('docs/security-tests.md', 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('- '));
  expect(rows.length).toBeGreaterThan(30);
  const wrong = [];
  for (const row of rows) {
    const named = [...row.matchAll(/`([\w/.-]+\.ts)` "([^"]+)"/g)];
    if (named.length === 0) wrong.push(`${row}: names no test`);
    for (const [, file = '', title = ''] of named) {
      if (!(await hasTest(file, title))) wrong.push(`no test "${title}" in ${file}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Whether a title of `file` holds `words`: text in quotes on a line that is no comment. */
async function hasTest(file: string, words: string): Promise<boolean> {
  const path = join('test', file);
  if (!existsSync(path)) return false;
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  return lines.some((line) => line.includes(words) && /['"`]/.test(line));
}
