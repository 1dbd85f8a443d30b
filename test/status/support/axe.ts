import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const source = readFile(join('node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** What axe-core finds wrong with the page as it is now: the rule and the element. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(await source);
  const { violations } = await page.evaluate<{
    violations: { id: string; help: string; nodes: { target: string[] }[] }[];
  }>('axe.run()');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`),
  );
}
