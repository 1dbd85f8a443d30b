import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { installationWithService } from '../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../support/processes/daemon-process.ts';
import { ofAllTests, ofEachTest } from '../support/of-each-test.ts';
import { eventually } from '../support/eventually.ts';
import { steps } from '../support/services/scripted-service.ts';
import { axeProblems } from './support/axe.ts';
import { chromiumFound, openBrowser } from './support/browser.ts';
import { hears, region, says as headlineSays, stateOf, unfold } from './support/on-page.ts';
import { describeWhere } from '../support/needs.ts';

/** The page of the program itself, over a real ledger and a service on a socket. */
describeWhere(chromiumFound ? null : 'chromium', 'with Chromium', () => {
  const browser = ofAllTests(openBrowser);
  const place = ofEachTest(() =>
    installationWithService({
      more: {
        folders: [
          { name: 'inbox', path: './inbox' },
          { name: 'scans', path: './scans', sidecar: 'required' },
        ],
        safety: { inDoubt: 'hold', maxDeleteCount: 2, maxDeletePercent: 10 },
      },
    }),
  );
  let daemon: RunningDaemon;
  let page: Page;

  beforeEach(() => mkdir(place.home.join('scans')));
  afterEach(() => page.close());

  const open = async () => {
    daemon = await place.start();
    page = await browser.newPage();
    await page.goto((await daemon.fetch('/')).url);
    await page.getByRole('main').waitFor();
  };
  const put = (path: string, text = path) => writeFile(place.home.join(path), text);
  const says = (text: string) => headlineSays(page, text);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  it('pauses, resumes and scans for real', async () => {
    await open();
    await put('inbox/a.pdf');
    await says('1 document delivered');
    await press('Pause all folders');
    await says('Paused');
    expect(await page.getByRole('button', { name: /^Resume all/ }).count()).toBe(1);
    await page.getByText(/, since \d\d:\d\d, on the page\.$/).waitFor();
    await put('inbox/b.pdf');
    await eventually(async () => (await daemon.status()).queue.pending === 1);
    await press('Resume scans');
    await says('Folder inbox paused');
    expect(await stateOf(page)).toBe('Paused');
    expect(place.service.requests).toHaveLength(1);
    expect(await page.getByRole('button', { name: /^Resume/ }).count()).toBe(1);
    await press('Resume inbox');
    await says('All 2 documents delivered');
    await press('Rescan scans');
    await hears(page, 'Done.');
    expect(place.service.requests).toHaveLength(2);
    await press('Pause all folders');
    await says('Paused');
    await rm(join(place.inbox, 'b.pdf'));
    await page.getByText('1 of 1 document delivered, 1 to delete', { exact: true }).waitFor();
    expect((await place.run('status')).out).toContain('1 of 1 document delivered, 1 to delete');
  });

  it('says that the daemon does not answer, to a button too, when it hangs and when it is gone', async () => {
    await open();
    const unanswered = 'The daemon does not answer.';
    daemon.signal('SIGSTOP');
    await press('Rescan inbox');
    await hears(page, unanswered, 60_000);
    daemon.signal('SIGCONT');
    await press('Rescan scans');
    await hears(page, 'Done.');
    await daemon.end('SIGKILL');
    // The page may know by then, and hide its buttons.
    const rescan = page.getByRole('button', { name: 'Rescan inbox', includeHidden: true });
    await rescan.dispatchEvent('click');
    await hears(page, unanswered);
  });

  it('ends doubts in three ways, and asks before it sends again', async () => {
    await open();
    for (const name of ['adopt', 'again', 'dismiss']) {
      place.service.script(steps.resetAfterBody());
      await put(`inbox/${name}.pdf`);
      await page.getByRole('button', { name: `Dismiss ${name}.pdf` }).waitFor();
    }
    await says('3 uploads in doubt');
    const uploads = () => place.service.requests.filter(({ method }) => method === 'POST').length;
    const before = uploads();
    await press('Send again: again.pdf');
    await press('Cancel');
    expect(uploads()).toBe(before);
    await press('Send again: again.pdf');
    await page.getByRole('dialog', { name: 'Send again: again.pdf?' }).getByText('two copies').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await press('Send again');
    await eventually(() => uploads() === before + 1);
    await page.getByRole('button', { name: 'Send again: again.pdf' }).waitFor({ state: 'detached' });
    const row = region(page, 'In doubt').getByRole('listitem').filter({ hasText: 'adopt.pdf' });
    await row.getByText('It is at the service…').click();
    await row.getByLabel('Document id').fill('doc-77');
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    await press('Dismiss dismiss.pdf');
    await region(page, 'In doubt').waitFor({ state: 'hidden' });
    expect(uploads()).toBe(before + 1);
    expect((await place.run('ledger', 'export', '--json')).out).toContain('doc-77');
  });

  it('says who can see each document, and shares one as stated after a question', async () => {
    await place.configure({ service: { documentUrl: 'https://documents.example/{docId}' } });
    await put('inbox/a.pdf');
    await put('inbox/a.pdf.meta.json', '{"shareInfo": {"mode": "NONE"}}');
    await put('inbox/b.pdf');
    await open();
    await says('All 2 documents delivered');
    const documents = await unfold(page, 'Documents');
    const row = documents.getByRole('listitem').filter({ hasText: 'a.pdf' });
    await row.getByText('private').waitFor();
    expect(await row.getByRole('link').getAttribute('href')).toMatch(/^https:\/\/documents.example\/doc-\d/);
    expect(await axeProblems(page)).toEqual([]);
    await documents.getByLabel('Find documents').fill('B.pdf');
    await documents.getByText('1 found').waitFor();
    await documents.getByText('shared with your default group').waitFor();
    await rm(join(place.inbox, 'a.pdf.meta.json'));
    const line = await unfold(page, '1 document is shared less widely than stated now');
    await line.getByText(/^Kept private: its former sidecar said NONE; nothing states/).waitFor();
    await eventually(async () => (await stateOf(page)) === 'Up to date');
    await press('Share 1 document as stated…');
    await page.getByRole('dialog').getByText('see inbox/a.pdf (shared with your default group).').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await press('Share 1 document as stated');
    await line.waitFor({ state: 'hidden' });
    await documents.getByLabel('Find documents').fill('a.pdf');
    await documents.getByText('inbox/a.pdf').waitFor();
    await documents.getByText('shared with your default group').waitFor();
  });

  it('never calls a document delivering that waits for its sidecar or still changes', async () => {
    await open();
    await says('Nothing to deliver yet');
    const headlines = new Set<string>();
    const watch = async () => {
      const status: unknown = await (await daemon.fetch('/api/status')).json();
      const { headline } = status as { headline: string };
      headlines.add(headline);
      return headline;
    };
    await put('scans/a.pdf');
    await eventually(async () => (await watch()) === '1 document waiting for a sidecar');
    for (let round = 0; round < 20; round += 1) {
      await put('scans/a.pdf', `changed ${round}`);
      await watch();
    }
    await press('Rescan scans');
    await eventually(async () => (await watch()) === '1 document waiting for a sidecar');
    expect([...headlines].filter((words) => words.startsWith('Delivering'))).toEqual([]);
    // The page hears of it a moment after the daemon says so.
    await eventually(async () => (await stateOf(page)) === 'Waiting');
    const documents = await unfold(page, 'Documents');
    await documents.getByLabel('Find documents').fill('SCANS');
    await documents.getByText(/its sidecar a\.pdf\.meta\.json is missing/i).waitFor();
    await put('scans/a.pdf.meta.json', '{}');
    await says('1 document delivered');
  });

  it('shows what happened over restarts, and follows it', async () => {
    await put('inbox/early.pdf');
    await put('inbox/two.dots.pdf');
    await open();
    await says('1 document failed');
    // Delivered after the restart, it would be one line with what comes next.
    await eventually(async () => (await daemon.status()).totals.uploaded === 1);
    await page.close();
    await daemon.end('SIGTERM');
    await open();
    const rows = page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem');
    await eventually(async () => (await rows.count()) === 3);
    await page.getByText(/^Show \d+ more/).click();
    await rows.filter({ hasText: 'early.pdf' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await put('inbox/late.pdf');
    await rows.filter({ hasText: 'late.pdf' }).waitFor();
    expect(await rows.first().innerText()).toContain('late.pdf');
  });
});
