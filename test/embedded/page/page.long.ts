import { expect, it } from '@jest/globals';

import { chromiumFound, openBrowser } from '../../status/support/browser.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofAllTests, ofEachTest } from '../../support/of-each-test.ts';
import { startTrial } from '../support/trial.ts';

describeWhere(chromiumFound ? null : 'chromium', 'the page of the embedded service', () => {
  const browser = ofAllTests(openBrowser);
  const trial = ofEachTest(() => startTrial());

  it('shows a document, its style and its download; what stands in it is never run', async () => {
    const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    await trial.upload(`${markup.replaceAll('/', '')}.txt`, 'content', { title: markup });
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => said.push('dialog')));
    page.on('console', (message) => said.push(message.text()));
    await page.goto(trial.service.pageUrl);
    await page.locator('summary').click();
    expect(await page.locator('dd').first().innerText()).toBe(markup);
    expect(await page.evaluate("getComputedStyle(document.querySelector('ol')).listStyleType")).toBe('none');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dd a').click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of (await download.createReadStream()) as AsyncIterable<Buffer>)
      chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('content');
    // Chromium asks for an icon by itself.
    expect(said.filter((text) => !text.includes('404'))).toEqual([]);
    await page.close();
  });
});
