import type { Locator, Page } from 'playwright-core';

import { eventually } from '../../support/eventually.ts';

/** The headline comes to say this. */
export async function says(page: Page, words: string): Promise<void> {
  const headline = page.getByRole('heading', { level: 1 });
  await eventually(async () => (await headline.innerText()) === words);
}

/** The page comes to say this of what was asked for. */
export function hears(page: Page, words: string, timeout = 15_000): Promise<void> {
  return page.getByRole('status', { name: 'Feedback' }).getByText(words).waitFor({ timeout });
}

/** The word or two at the top of the page. */
export function stateOf(page: Page): Promise<string> {
  return page.getByRole('banner').getByRole('paragraph').last().innerText();
}

/** A part of the page. */
export function region(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** A part that is folded. */
export function folded(page: Page, title: string): Locator {
  return page.getByRole('group').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
}

/** Opens a part that is folded. */
export async function unfold(page: Page, title: string): Promise<Locator> {
  const part = folded(page, title);
  await page.getByRole('heading', { name: title, exact: true }).click();
  await part.locator(':scope > :not(summary)').first().waitFor({ state: 'attached' });
  return part;
}

/** The words on what has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.textContent');
}
