import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';

import { chromiumFound, openBrowser } from '../../status/support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { startTrial } from '../support/trial.ts';
import type { Trial } from '../support/trial.ts';

describeWhere(chromiumFound ? null : 'chromium', 'the page of the embedded service', () => {
  let browser: Browser;
  let trial: Trial;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    trial = await startTrial();
    page = await browser.newPage();
  });
  afterEach(async () => {
    await page.close();
    await trial.close();
  });

  const names = () => page.locator('.document .name').allInnerTexts();
  const answered = (search: string) => page.waitForResponse((answer) => searchOf(answer.url()) === search);

  it('shows what was searched last, though an answer to an older search comes after it', async () => {
    await trial.upload('apple.txt', 'content');
    await trial.upload('pear.txt', 'content');
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(
      (url) => searchOf(url.href) === 'a',
      async (route) => {
        await released;
        await route.continue();
      },
    );
    await page.goto(trial.service.pageUrl);
    await eventually(async () => (await names()).length === 2);
    await page.locator('#words').fill('a');
    await page.locator('#words').fill('pear');
    await eventually(async () => (await names()).join() === 'pear.txt');
    const late = answered('a');
    release();
    await late;
    // Asked again since.
    await answered('pear');
    expect(await names()).toEqual(['pear.txt']);
  });
});

function searchOf(url: string): string | null {
  return new URL(url).searchParams.get('search');
}
