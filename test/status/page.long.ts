import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { FleetStatus } from '../../src/model/report/fleet.ts';
import type { Why } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { axeProblems } from './support/axe.ts';
import { chromiumFound, openBrowser } from './support/browser.ts';
import { focused, folded, hears, region, says, stateOf, unfold } from './support/on-page.ts';
import { busyStatus } from './support/busy-status.ts';
import { aFleet, aHost } from './support/a-fleet.ts';
import { aFolder } from './support/fake-control.ts';
import { describeWhere } from '../support/needs.ts';
import { ofAllTests } from '../support/of-each-test.ts';
import { openStatusWorld } from './support/status-world.ts';
import type { StatusWorld, WorldOptions } from './support/status-world.ts';

const httpToken = '0123456789abcdef';

/** First view, everything that is loaded for it. */
const MAX_PAGE_BYTES = 100_000;
const MAX_VERDICT_MS = 300;

const firstPaint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity";

const heldPaths = busyStatus().held?.flatMap(({ folder, paths }) => paths.map((path) => `${folder}/${path}`));

const ignored = { kind: 'ignored', code: 'ignore-rule', message: 'the pattern "*.docx" ignores it' };

const markup = `<img src=x onerror="window.hit=1">"><script>window.hit=1</script>\u202Efdp.exe`;

describeWhere(chromiumFound ? null : 'chromium', 'with Chromium', () => {
  const browser = ofAllTests(openBrowser);
  const contexts = new Map<string, Promise<BrowserContext>>();
  const worlds: StatusWorld[] = [];
  const pages: Page[] = [];
  const complaints: string[] = [];

  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
    for (const world of worlds.splice(0)) await world.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  const open = async (options: WorldOptions = {}) => {
    const world = await openStatusWorld(options);
    worlds.push(world);
    return world;
  };

  /** Contexts are slow to make; the ports, and with them the origins, are new for each test. */
  const contextFor = (options: BrowserContextOptions) => {
    const key = JSON.stringify(options);
    const context = contexts.get(key) ?? browser.newContext(options);
    contexts.set(key, context);
    return context;
  };

  const visit = async (world: StatusWorld, options: BrowserContextOptions = {}) => {
    const page = await (await contextFor(options)).newPage();
    pages.push(page);
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('ERR_CONNECTION_REFUSED')) {
        complaints.push(message.text());
      }
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(world.url)) complaints.push(`a request to ${request.url()}`);
    });
    await page.goto(world.url);
    await page.getByRole('main').waitFor();
    return page;
  };

  const shown = async (options: WorldOptions = {}) => {
    const world = await open(options);
    return [world, await visit(world)] as const;
  };

  describe('the page in a browser', () => {
    it('shows the headline soon, says without its script what it needs, and weighs less than 100 KB', async () => {
      const world = await open({ status: busyStatus() });
      const plain = await (await contextFor({ javaScriptEnabled: false })).newPage();
      pages.push(plain);
      await plain.goto(world.url);
      expect(await plain.locator('body').innerText()).toMatch(/needs JavaScript/);

      const page = await visit(world);
      const bytes = await page.evaluate<number>(
        'performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize ?? 0), 0)',
      );
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(MAX_PAGE_BYTES);
      // The machine may be busy with other tests: one view in a few has to be that quick.
      await eventually(async () => {
        await page.reload();
        await page.getByRole('main').waitFor();
        return (await page.evaluate<number>(firstPaint)) < MAX_VERDICT_MS;
      });
    });

    it('follows what happens without being loaded again', async () => {
      const [world, page] = await shown({
        status: { folders: [aFolder({ onDisk: 2, synced: 1, pending: 1 })] },
      });
      await says(page, 'Delivering 1 document');
      world.control.happen({ path: 'new/report.pdf', what: 'uploaded' });
      world.control.change({
        state: 'idle',
        folders: [aFolder({ onDisk: 2, synced: 2 })],
        rate: { limit: 50, used: 12, windowSeconds: 60, pausedUntil: null, nextFreeSeconds: 0 },
      });
      await says(page, 'All 2 documents delivered');
      expect(await stateOf(page)).toBe('Up to date');
      // What happened comes by itself, and not with the status.
      await eventually(async () =>
        (await region(page, 'Recent activity').innerText()).includes('inbox/new/report.pdf'),
      );
      await page.getByRole('status').filter({ hasText: 'Up to date' }).waitFor();
      const inProgress = await unfold(page, 'In progress');
      await inProgress.getByText('12 of 50 requests in the last minute').waitFor();
      await (await unfold(page, 'Deliveries')).getByText('1 uploaded', { exact: true }).waitFor();
    });

    it('says a burst as one line that opens', async () => {
      const world = await open();
      for (let index = 0; index < 12; index += 1) world.control.happen({ path: `q3/${index}.pdf` });
      world.control.happen({ path: 'q3/0.pdf' });
      world.control.happen({ path: 'q3/12.pdf', what: 'modified' });
      const rows = region(await visit(world), 'Recent activity').getByRole('listitem');
      await eventually(async () => (await rows.count()) === 2);
      await rows.getByText('inbox/q3 (12 documents)').click();
      await eventually(async () => (await rows.getByRole('button', { name: /^inbox.q3/ }).count()) > 12);
    });

    it('says so where it does not list all failures of one cause', async () => {
      const [first] = busyStatus().failures ?? [];
      const failures = Array.from({ length: 510 }, (_, at) => ({ ...first!, path: `deck.${at}.pptx` }));
      const page = await visit(await open({ status: { failures, failuresTotal: 510 } }));
      const group = page.getByRole('article', { name: 'More than one dot in the name' });
      await group.getByText('Show 507 more').click();
      await eventually(async () => (await group.getByRole('listitem').count()) === 510);
    });

    it('shows failures by cause, what to do once, and offers to retry what that may help', async () => {
      const status = busyStatus();
      const [world, page] = await shown({ status });
      const names = page.getByRole('article', { name: 'More than one dot in the name' });
      expect((await names.innerText()).match(/accepts only one/g)).toHaveLength(1);
      const titles = await page.getByRole('heading', { level: 2 }).allInnerTexts();
      expect(titles.slice(0, 3)).toEqual(['Failed 10', 'Deletions held', 'In doubt 1']);
      const sidecars = page.getByRole('article', { name: 'Invalid sidecar' });
      expect((await sidecars.innerText()).match(/Correct the file/g)).toHaveLength(1);
      expect(await names.getByRole('listitem').count()).toBe(3);
      await names.getByText('Show 3 more').click();
      await eventually(async () => (await names.getByRole('listitem').count()) === 6);
      await names.getByText('When that is fixed, it is sent by itself.').waitFor();
      // A name is not accepted by being sent again.
      expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(1);
      const refused = (status.failures ?? []).map((one) => ({ ...one, code: 'http-422' })).slice(0, 6);
      world.control.change({ failures: refused, failuresTotal: 6 });
      const retryAll = page.getByRole('button', { name: /^Retry all 6/ });
      await retryAll.dblclick();
      await hears(page, 'Done.');
      expect(world.control.calls).toEqual([
        {
          retry: [1, 5, 2, 6, 3, 4].map(
            (index) => `inbox/2026/q${((index - 1) % 4) + 1}/deck.v${index}.pptx`,
          ),
        },
      ]);
      for (const [retried, words] of [
        [4, '4 of 6 retried. What waited is tried now.'],
        [0, 'Nothing to retry. What waited is tried now.'],
      ] as const) {
        await page.route('**/api/retry', (route) => route.fulfill({ json: { retried } }));
        await retryAll.click();
        await hears(page, words);
      }
      world.control.change({ failures: [], failuresTotal: 0, folders: [aFolder()] });
      await region(page, 'Failed').waitFor({ state: 'hidden' });
    });

    it('keeps the parts of a path in their order, whatever their script, and breaks lines between them', async () => {
      const path = `${'تقرير'.repeat(9)}/${'ملخص'.repeat(9)}.pdf`;
      const failures = [{ folder: 'inbox', path, code: 'x', message: 'no', attempts: 1, retryAt: null }];
      const page = await visit(await open({ status: { failures, failuresTotal: 1 } }));
      const boxes = async () => {
        const parts = await region(page, 'Failed').getByRole('button').locator('bdi').all();
        return await Promise.all(parts.map((one) => one.boundingBox()));
      };
      const wide = (await boxes()).map((one) => one?.x ?? 0);
      expect(wide).toEqual(wide.toSorted((a, b) => a - b));
      await page.setViewportSize({ width: 600, height: 700 });
      const [folder, first, second] = (await boxes()).map((one) => one?.y ?? 0);
      expect([first, (second ?? 0) > (first ?? 0)]).toEqual([folder, true]);
    });

    it('retries a thousand long names at once', async () => {
      const [first] = busyStatus().failures ?? [];
      const refused = { ...first!, code: 'http-422' };
      const pathOf = (at: number) => `${'ü'.repeat(100)}/${at}.pdf`;
      const failures = Array.from({ length: 1000 }, (_, at) => ({ ...refused, path: pathOf(at) }));
      const [world, page] = await shown({
        status: { failures, failuresTotal: 1234, folders: [aFolder({ onDisk: 1234, failed: 1234 })] },
      });
      await page.getByRole('button', { name: /^Retry all 1,000/ }).click();
      await hears(page, 'Done.');
      expect(world.control.calls).toEqual([{ retry: failures.map(({ path }) => `inbox/${path}`) }]);
      await page.getByText('and 234 more').waitFor();
    });

    it('approves held deletions in two steps, by keyboard alone, with a way back', async () => {
      const [world, page] = await shown({ status: busyStatus() });
      const held = region(page, 'Deletions held');
      expect(await held.innerText()).toContain('37 files missing from inbox');
      await held.getByText('Show the files').click();
      await eventually(async () => (await held.getByRole('listitem').count()) === 37);
      await held.getByRole('button', { name: 'Keep at the service' }).waitFor();
      const about = await unfold(page, 'About');
      await page.getByRole('button', { name: 'Delete 37 documents…' }).focus();
      await page.keyboard.press('Enter');
      const question = page.getByRole('dialog');
      await question.waitFor();
      expect(await focused(page)).toBe('Cancel');
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('Delete 37 documents…');
      expect(world.control.calls).toEqual([]);
      await page.keyboard.press('Enter');
      await question.getByRole('button', { name: 'Keep at the service' }).click();
      await question.waitFor({ state: 'detached' });
      await eventually(() => world.control.calls.splice(0).length === 1);
      await page.keyboard.press('Enter');
      await question.waitFor();
      // Asked again before the browser tells that it was closed.
      await page.evaluate(`document.querySelector('dialog').close(); document.activeElement.click()`);
      await question.waitFor();
      // What comes in meanwhile does not take the question away.
      world.control.change({ pid: 4712 });
      await about.getByText('process 4712').waitFor();
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Keep at the service');
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Delete 37 documents');
      await page.keyboard.press('Enter');
      await eventually(() => world.control.calls.length > 0);
      expect(world.control.calls).toEqual([{ approve: 'inbox', most: 37, paths: heldPaths }]);
      world.control.change({ folders: [aFolder({ state: 'unavailable' })] });
      await held.getByText('which you can when the folder is available again').waitFor();
      expect(await held.getByRole('button', { name: /Delete|Keep/ }).count()).toBe(0);
    });

    it('gives the focus to the heading above when what had it goes, and takes it from nobody', async () => {
      const { held = [] } = busyStatus();
      const [world, page] = await shown({ status: { held } });
      const recent = region(page, 'Recent activity');
      const has = (words: string) => eventuallyHolds(async () => expect(await focused(page)).toBe(words));
      const push = async (name: string) => {
        for (let at = 0; at < 100; at += 1) world.control.happen({ path: `${at}/${name}.pdf` });
        await recent.getByText(`99/${name}.pdf`).waitFor();
      };
      await push('a');
      await recent.getByRole('button', { name: 'inbox/99/a.pdf' }).focus();
      await push('b');
      await has('Recent activity ');
      await region(page, 'Deletions held').getByRole('button', { name: 'Keep at the service' }).click();
      world.control.change({ held: [] });
      await has('Nothing to deliver yet');
      await page.evaluate('document.activeElement.blur()');
      await push('d');
      expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
    });

    it('deletes no more than the question said when it was opened', async () => {
      const [world, page] = await shown({ status: busyStatus() });
      await page.getByRole('button', { name: 'Delete 37 documents…' }).click();
      const [held] = busyStatus().held ?? [];
      world.control.change({ held: [{ ...held!, count: 400 }] });
      await page.getByText('400 files missing').waitFor();
      await page.getByText('Show the files').dispatchEvent('click');
      await page.getByText('and 363 more').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Delete 37 documents', exact: true }).click();
      await eventually(() => world.control.calls.length > 0);
      expect(world.control.calls).toEqual([{ approve: 'inbox', most: 37, paths: heldPaths }]);
      await page.getByRole('button', { name: 'Delete 400 documents…' }).waitFor();
    });

    it('names the folder that something happened to, and offers no story of it', async () => {
      const [world, page] = await shown();
      world.control.happen({ path: '', what: 'paused', by: 'page' });
      world.control.happen({ path: '', what: 'held', documents: 4, message: 'many' });
      const rows = region(page, 'Recent activity').getByRole('listitem');
      await eventually(async () => (await rows.count()) === 2);
      expect(await rows.first().innerText()).toContain('inbox (4 documents)');
      expect(await rows.getByRole('button').count()).toBe(0);
    });

    it('says so where it does not list all that is skipped', async () => {
      const [first] = busyStatus().skipped ?? [];
      const skipped = Array.from({ length: 1000 }, (_, at) => ({ ...first!, path: `${at}.png` }));
      const [world, page] = await shown({ status: { skipped, skippedTotal: 10_000 } });
      await (await unfold(page, 'Skipped')).getByText('and 9,000 more').waitFor();
      // Names that are not UTF-8 look alike.
      const alike = ['a', 'b'].map((pathBytes) => ({ ...first!, path: '�.png', pathBytes }));
      world.control.change({ skipped: alike, skippedTotal: 2 });
      await eventually(async () => (await folded(page, 'Skipped').getByRole('listitem').count()) === 2);
    });

    it('shows a pause as a pause, with its beginning, gives no time while it lasts, and ends it', async () => {
      const message =
        'sending is paused for all folders, since 2026-01-01T12:00:00Z, on the page, until 2099-01-15T12:00:00Z';
      const [world, page] = await shown({
        status: {
          state: 'paused',
          paused: ['inbox'],
          reasons: [{ code: 'paused', message }],
          folders: [aFolder({ onDisk: 3, synced: 1, pending: 2 })],
          queue: { pending: 2, inFlight: 0, waiting: 0, etaSeconds: 120 },
        },
      });
      await says(page, 'Paused');
      expect(await stateOf(page)).toBe('Paused');
      const wrong = page.getByRole('list', { name: 'What is wrong' });
      await wrong
        .getByText(
          /^Sending is .*, since Jan [12], 2026, \d\d:00, on the page, until Jan 1[56], 2099, \d\d:00\.$/,
        )
        .waitFor();
      await page.getByText('1 of 3 documents delivered', { exact: true }).waitFor();
      expect(await (await unfold(page, 'In progress')).innerText()).not.toContain('left');
      expect(await axeProblems(page)).toEqual([]);
      await page.getByRole('button', { name: 'Resume inbox' }).click();
      await eventually(() => world.control.calls.length === 1);
      expect(world.control.calls).toEqual([{ resume: 'inbox' }]);
      // With a failure beside it, there is more than a pause.
      world.control.change({ folders: [aFolder({ onDisk: 3, synced: 1, pending: 1, failed: 1 })] });
      await eventually(async () => (await stateOf(page)) === 'Attention');
    });

    it('names what waits, and for what, and calls nothing failed that is retried', async () => {
      const retryAt = new Date(Date.now() + 60_000).toISOString();
      const place = {
        folder: 'inbox',
        code: 'sidecar-missing',
        message: 'waiting for its sidecar a.pdf.meta.json',
      };
      const [, page] = await shown({
        status: {
          state: 'working',
          folders: [aFolder({ onDisk: 4, synced: 1, waiting: 3 })],
          queue: { pending: 0, inFlight: 0, waiting: 3, etaSeconds: 0 },
          waiting: [{ ...place, path: 'a.pdf' }],
          waitingTotal: 1,
          waitingFor: { settling: 1, sidecar: 1, attachment: 0, retry: 1, other: 0 },
          failures: [
            { folder: 'inbox', path: 'b.pdf', code: 'http-503', message: 'no answer', attempts: 1, retryAt },
          ],
          failuresTotal: 1,
          unconfigured: [{ name: 'archive', documents: 12 }],
        },
      });
      await says(page, '3 documents waiting (1 still changing, 1 for a sidecar, 1 to be retried)');
      expect(await stateOf(page)).toBe('Waiting');
      expect(await folded(page, 'In progress').innerText()).toContain('nothing now');
      expect(await region(page, 'Failed').count()).toBe(0);
      const waiting = await unfold(page, 'Waiting');
      expect(await waiting.innerText()).toMatch(
        /3 documents[^]*Waiting for its sidecar a.pdf.meta.json\.[^]*No answer\. Next attempt at \d\d:\d\d\.[^]*and 1 more/,
      );
      await page.getByText('archive is no longer configured. The service keeps its 12 documents.').waitFor();
      expect(await axeProblems(page)).toEqual([]);
    });

    it('dismisses possible duplicates, and names a document in doubt once', async () => {
      const duplicates = [
        { folder: 'inbox', path: 'twice.pdf', copies: 2 },
        { folder: 'inbox', path: '2026/q3/transcript.pdf', copies: 1 },
      ];
      const counts = { possibleDuplicates: 3, recordedDuplicates: 2 };
      const [world, page] = await shown({ status: { ...busyStatus(), duplicates, ...counts } });
      await page.getByRole('button', { name: 'Dismiss twice.pdf' }).click();
      await eventually(() => world.control.calls.length === 1);
      expect(world.control.calls).toEqual([
        { resolve: 'inbox/twice.pdf', resolution: { action: 'dismiss' } },
      ]);
      expect(await region(page, 'Possible duplicates').getByRole('listitem').count()).toBe(1);
    });

    it('says of each upload in doubt whether it is sent again by itself', async () => {
      const [doubt] = busyStatus().inDoubt ?? [];
      const inDoubt = [true, false].map((holds) => ({ ...doubt!, path: `${holds}.pdf`, holds }));
      const page = await visit(await open({ status: { inDoubt, inDoubtTotal: 2 } }));
      const [held, sent] = await region(page, 'In doubt').getByRole('listitem').allInnerTexts();
      expect(held).toMatch(/true\.pdf[^]*; it is not sent until you decide\.\s+Since .*\d\./);
      expect(sent).toMatch(
        /false\.pdf[^]*; ingestd sends it again by itself while .* may then have two copies\./,
      );
      // Its story has the same three answers, and none that sends it without a question.
      await page.getByRole('button', { name: 'inbox/true.pdf', exact: true }).click();
      const story = page.getByRole('dialog', { name: 'inbox/true.pdf' });
      await story.getByText('It is at the service…').waitFor();
      await story.getByRole('button', { name: 'Dismiss true.pdf' }).waitFor();
      await story.getByRole('button', { name: 'Send again: true.pdf' }).waitFor();
      expect(await story.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    });

    it('says once what is the same of all uploads in doubt', async () => {
      const [doubt] = busyStatus().inDoubt ?? [];
      const inDoubt = ['a', 'b', 'c', 'd'].map((path) => ({ ...doubt!, path, holds: true }));
      const page = await visit(await open({ status: { inDoubt, inDoubtTotal: 4 } }));
      const card = region(page, 'In doubt');
      expect((await card.innerText()).split('it is not sent until you decide')).toHaveLength(2);
      expect(await card.getByRole('button', { name: 'Dismiss' }).count()).toBe(3);
      await card.getByText('Show 1 more').click();
      await card.getByRole('button', { name: 'Dismiss d' }).waitFor();
    });

    it('keeps what is said of folders in line, however long their names are', async () => {
      const folders = Array.from({ length: 12 }, (_, index) =>
        aFolder({
          name: `${'long '.repeat(index % 3 === 0 ? 18 : 2)}${index}`,
          onDisk: 1,
          waiting: index % 2,
        }),
      );
      const page = await visit(await open({ status: { folders } }), {
        viewport: { width: 1280, height: 900 },
      });
      const buttons = await region(page, 'Folders')
        .getByRole('button', { name: /^Rescan long/ })
        .all();
      const tops = await Promise.all(buttons.map(async (one) => (await one.boundingBox())?.y));
      expect(tops).toHaveLength(12);
      expect(new Set(tops).size).toBe(4);
    });

    it('is never green while something needs a person, and says what in headline, pill and title', async () => {
      const failed = [aFolder({ onDisk: 36, synced: 17, failed: 9, skipped: 10 })];
      const [world, page] = await shown({ status: { state: 'idle', folders: failed } });
      await says(page, '9 documents failed');
      expect(await stateOf(page)).toBe('Attention');
      await eventuallyHolds(async () => {
        expect(await page.title()).toBe('9 documents failed · ingestd');
        expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('assets/icon-attention.svg');
      });
      // Words and bar have the same whole: the documents.
      await page.getByText('17 of 26 documents delivered').waitFor();
      // What is skipped has a part of its own.
      expect(await region(page, 'Overview').innerText()).toMatch(/9 failed$/);
      const grown = '[...document.querySelectorAll(".bar > *")].map((one) => one.style.flexGrow)';
      expect(await page.evaluate(grown)).toEqual(['17', '9']);
      // An empty disk was mounted: that is no invitation to begin.
      const since = '2026-01-01T00:00:00Z';
      const hold = { folder: 'inbox', count: 101, since, reason: 'all at once', paths: [] };
      world.control.change({ folders: [aFolder({ held: 101 })], held: [hold] });
      await says(page, '101 deletions held');
      expect(await region(page, 'Begin').count()).toBe(0);
      const reasons = [{ code: 'credentials-refused', message: 'the service refused the password' }];
      world.control.change({ state: 'degraded', reasons });
      await says(page, 'Credentials refused');
      expect(await stateOf(page)).toBe('Error');
      expect(await region(page, 'Fleet').count()).toBe(0);
      const wrong = page.getByRole('list', { name: 'What is wrong' });
      expect(await wrong.innerText()).toMatch(/^The service refused the password\.\n/);
      const asked = [{ code: 'rate-limited', message: 'the service asked to wait' }];
      world.control.change({ state: 'idle', reasons: asked });
      await eventually(async () => (await wrong.innerText()).startsWith('The service asked to wait.\n'));
    });

    it('marks a trial as one, and names service, account and configuration', async () => {
      const [, page] = await shown({ status: { trial: true, service: 'http://127.0.0.1:7520' } });
      expect(await page.getByRole('banner').innerText()).toContain('Trial');
      await page.getByText('on this machine, and nowhere else').waitFor();
      const about = await (await unfold(page, 'About')).innerText();
      for (const words of ['http://127.0.0.1:7520', 'ada', '/etc/ingestd/ingestd.yaml'])
        expect(about).toContain(words);
    });

    it('shows at most eight transfers, never more bytes than there are and never all before the end', async () => {
      const transfers = Array.from({ length: 30 }, (_, index) => ({
        ...transfer(`${index}.pdf`),
        bytesSent: index === 0 ? 300 : 50,
        bytesTotal: 200,
      }));
      const [world, page] = await shown({ status: { ...busyStatus(), transfers } });
      const inProgress = await unfold(page, 'In progress');
      const rows = inProgress.getByRole('listitem');
      expect(await rows.count()).toBe(8);
      await inProgress.getByText('Show 22 more').waitFor();
      expect(await rows.first().getByRole('progressbar').getAttribute('value')).toBe('198');
      expect(await rows.first().innerText()).toContain('waiting for an answer');
      world.control.change({ transfers: transfers.map((one) => ({ ...one, bytesSent: 51 })) });
      await rows.nth(1).getByText('51 B of 200 B').waitFor();
    });

    it.each([
      ['four', 'nine failures', nineFailures(), 4],
      ['four and a half', 'something of everything', busyStatus(), 4.5],
    ])('is no longer than %s screens of a phone with %s', async (_screens, _with, status, screens) => {
      const world = await open({ status });
      for (let index = 0; index < 30; index += 1) world.control.happen({ path: `${index}/${index}.pdf` });
      const page = await visit(world, { viewport: { width: 360, height: 740 } });
      const rows = region(page, 'Recent activity').getByRole('listitem');
      await eventually(async () => (await rows.count()) === 3);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(screens * 740);
    });

    it('tells the whole story of a file where its name is pressed, and what happens to it meanwhile', async () => {
      const busy = busyStatus();
      const failures = (busy.failures ?? []).map((one) =>
        one.path === '2026/q3/memo.docx' ? { ...one, code: 'http-422' } : one,
      );
      const [world, page] = await shown({ status: { ...busy, failures } });
      const name = page.getByRole('button', { name: 'inbox/2026/q3/memo.docx', exact: true });
      await name.focus();
      await page.keyboard.press('Enter');
      const story = page.getByRole('dialog', { name: 'inbox/2026/q3/memo.docx' });
      await story.getByText(/^Delivered .*, shared with your default group$/).waitFor();
      expect(world.control.calls).toEqual([{ why: 'inbox/2026/q3/memo.docx' }]);
      // What only a program wants to know is folded.
      expect(await story.innerText()).not.toMatch(/d-1|\{|http-503|\dT\d/);
      await story.getByText('Details and 1 event').click();
      await story.getByText('docId').waitFor();
      expect(await story.innerText()).toMatch(
        /\(from file name\)[^]*\{"mode":"DEFAULT"\}[^]*d-1[^]*upload: away$/m,
      );
      await story.getByText('Ignore this file…').click();
      await story.getByText('/2026/q3/memo.docx', { exact: true }).waitFor();
      expect(await axeProblems(page)).toEqual([]);
      world.control.happen({ path: '2026/q3/other.docx' });
      world.control.happen({ path: '2026/q3/memo.docx' });
      await eventually(() => world.control.calls.length === 2);
      await story.getByRole('button', { name: 'Retry' }).click();
      await hears(page, 'Done.');
      await page.keyboard.press('Escape');
      await story.waitFor({ state: 'hidden' });
      expect(await focused(page)).toBe('inbox/2026/q3/memo.docx');
    });

    it('offers to keep a document whose deletion was refused, though its file is ignored by now', async () => {
      const path = '2026/q3/memo.docx';
      const failure = { folder: 'inbox', path, code: 'http-403', message: 'no', attempts: 1, retryAt: null };
      const [world, page] = await shown({ status: { failures: [failure], failuresTotal: 1 } });
      await page.route('**/api/why*', async (route) => {
        const response = await route.fetch();
        const why = (await response.json()) as Why;
        const at = '2026-01-31T14:00:00.000Z';
        const attempts = [{ at, operation: 'delete', code: 'http-403', message: 'no' }];
        const { message } = ignored;
        const decisions = [{ at, what: 'failed', folder: 'inbox', path, docId: null, message, documents: 1 }];
        const json = { ...why, verdict: ignored, fix: 'Ask for permission.', attempts, decisions };
        await route.fulfill({ response, json });
      });
      await page.getByRole('button', { name: `inbox/${path}`, exact: true }).click();
      const keep = page.getByRole('dialog').getByRole('button', { name: 'Keep at the service' });
      await keep.waitFor();
      await page.getByRole('dialog').getByText('Details and 2 events').click();
      // What it is, why, what to do; nothing twice.
      expect(await page.getByRole('dialog').innerText()).toMatch(
        /^[^]*\nThe pattern "\*\.docx" ignores it\. Delivered .*\s+The title stays\.\s+Next: nothing\s+Ask for permission\.\s+Retry\s+Keep(?![^]*the pattern)[^]*failed$/m,
      );
      await keep.click();
      await eventually(() => world.control.calls.length === 2);
      expect(world.control.calls[1]).toEqual({ keep: `inbox/${path}` });
    });

    it('tells the newest story of a file, though the answer before it comes later', async () => {
      const [world, page] = await shown({ status: busyStatus() });
      const path = '2026/q3/memo.docx';
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      let asked = 0;
      await page.route('**/api/why*', async (route) => {
        asked += 1;
        const isFirst = asked === 1;
        const response = await route.fetch();
        const why = (await response.json()) as object;
        if (isFirst) await released;
        await route.fulfill({ response, json: { ...why, next: isFirst ? 'of before' : 'of now' } });
      });
      await page.getByRole('button', { name: `inbox/${path}`, exact: true }).click();
      await eventually(() => asked === 1);
      world.control.happen({ path });
      await page.getByText('Next: of now').waitFor();
      const late = page.waitForResponse('**/api/why*');
      release();
      await (await late).finished();
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
      expect(await page.getByRole('dialog').innerText()).toContain('Next: of now');
    });

    it('asks less often for documents where a search takes long', async () => {
      const [world, page] = await shown();
      let asked = 0;
      await page.route('**/api/documents*', async (route) => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 500));
        await route.continue();
      });
      await (await unfold(page, 'Documents')).getByText('4 found').waitFor();
      for (let synced = 1; synced <= 10; synced += 1) {
        world.control.change({ folders: [aFolder({ onDisk: synced, synced })] });
        await says(page, synced === 1 ? '1 document delivered' : `All ${synced} documents delivered`);
      }
      expect(asked).toBeLessThanOrEqual(3);
      const before = asked;
      await eventually(() => asked > before);
    });

    it('tells what the daemon says when it refuses', async () => {
      const [world, page] = await shown({ status: busyStatus() });
      world.control.failWith(new Error('detail'));
      await page.getByRole('button', { name: 'Dismiss 2026/q3/transcript.pdf' }).click();
      await hears(page, 'see the log');
      await page.route('**/api/resolve', (route) => route.abort());
      await page.getByRole('button', { name: 'Dismiss 2026/q3/transcript.pdf' }).click();
      await hears(page, 'The daemon does not answer. It may still do what you asked for.');
      complaints.splice(0);
    });

    it('S7: shows names and messages that are markup as the text they are', async () => {
      const world = await open({
        status: { ...hostileStatus(), fleet: { host: markup, hosts: 1 } },
        fleet: async () => hostileFleet(),
      });
      world.control.happen({ folder: markup, path: markup, message: markup, what: markup });
      const page = await visit(world);
      for (const title of ['In progress', 'Waiting', 'Skipped', 'Documents']) await unfold(page, title);
      await region(page, 'Fleet').getByRole('listitem').waitFor();
      const names = 'Overview, Failed, Deletions held, In doubt, Folder, Recent activity, Fleet'.split(', ');
      for (const place of [
        ...names.map((name) => region(page, name)),
        ...['In progress', 'Waiting', 'Skipped'].map((title) => folded(page, title)),
      ]) {
        await eventually(async () => (await place.innerHTML()).includes('&lt;img src=x'));
      }
      expect(await page.locator('body').innerText()).toContain('\\u202efdp.exe');
      await region(page, 'Failed')
        .getByRole('button', { name: /window.hit/ })
        .last()
        .click();
      await page.getByText('Next: nothing').waitFor();
      expect(await page.getByRole('dialog').innerHTML()).toContain('&lt;img src=x');
      expect(await page.evaluate('window.hit')).toBeUndefined();
      expect(await page.locator('main img').count()).toBe(0);
      expect(await page.locator('script').count()).toBe(1);
    });

    it('says that the daemon is away, comes back with it and can act again', async () => {
      const first = await open({ status: busyStatus() });
      const page = await visit(first);
      await page.getByRole('button', { name: 'Dismiss 2026/q3/transcript.pdf' }).click();
      await eventually(() => first.control.calls.length === 1);
      await page.getByRole('button', { name: 'Delete 37 documents…' }).click();
      await first.stop();
      await page.getByRole('alert').waitFor({ state: 'attached' });
      // What reaches nobody is not offered.
      await page
        .getByRole('button', { name: 'Delete 37 documents', exact: true })
        .waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(await stateOf(page)).toBe('Offline');
      await says(page, 'ingestd does not answer');
      const http = { host: '127.0.0.1', port: first.port };
      const second = await open({ http, status: { ...busyStatus(), state: 'idle' } });
      await page.getByRole('alert').waitFor({ state: 'hidden' });
      await eventually(async () => (await stateOf(page)) === 'Attention');
      await page.getByRole('button', { name: 'Dismiss 2026/q3/transcript.pdf' }).click();
      await eventually(() => second.control.calls.length === 1);
      complaints.splice(0);
    });

    it('invites to put a first file in, and no longer once it is there', async () => {
      const [world, page] = await shown();
      await page.getByRole('heading', { name: 'Put a file into /srv/inbox' }).waitFor();
      await page.getByText('Nothing yet.').waitFor();
      world.control.change({ folders: [aFolder({ onDisk: 1, pending: 1 })] });
      await region(page, 'Begin').waitFor({ state: 'hidden' });
    });

    it('does not grow, however long it is open', async () => {
      const [world, page] = await shown({ status: busyStatus() });
      const nodes = () => page.evaluate<number>('document.querySelectorAll("*").length');
      const session = await page.context().newCDPSession(page);
      const about = await unfold(page, 'About');
      /** Of the page's own objects, in MB, after everything that is garbage was collected. */
      const heap = async () => {
        await session.send('HeapProfiler.collectGarbage');
        return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
      };
      const flood = async (from: number) => {
        for (let round = 0; round < 5; round += 1) {
          for (let index = 0; index < 400; index += 1) {
            world.control.happen({ path: `${from}/${round}/${index}.pdf`, message: `words ${index}` });
          }
          world.control.change({ transfers: [transfer(`${from}/${round}`)], pid: from + round });
          await about.getByText(`process ${from + round}`).waitFor();
        }
        await region(page, 'Recent activity').getByText(`${from}/4/399.pdf`).waitFor();
      };
      await flood(1000);
      const before = { nodes: await nodes(), heap: await heap() };
      await flood(2000);
      expect(await nodes()).toBeLessThanOrEqual(before.nodes);
      expect(await heap()).toBeLessThan(before.heap + 1);
      expect(await region(page, 'Recent activity').getByRole('listitem').count()).toBe(3);
    });

    it('asks the browser for the token, which goes to this port of the host only', async () => {
      const world = await open({ httpToken });
      const given: IncomingHttpHeaders[] = [];
      const other = createServer(({ headers }, response) => {
        given.push(headers);
        response.end();
      }).listen(0, '127.0.0.1');
      other.unref();
      await once(other, 'listening');
      const stranger = await (await contextFor({})).newPage();
      pages.push(stranger);
      await expect(stranger.goto(world.url)).rejects.toThrow('ERR_INVALID_AUTH_CREDENTIALS');
      const page = await visit(world, { httpCredentials: { username: 'anybody', password: httpToken } });
      await page.getByRole('button', { name: 'Pause inbox' }).click();
      await eventually(() => world.control.calls.length === 1);
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      expect(given[0]).not.toHaveProperty('authorization');
      expect(given[0]).not.toHaveProperty('cookie');
      complaints.splice(0);
    });

    it.each([
      ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
      ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
      ['360 pixels wide', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
    ] as const)('is accessible: %s', async (_name, options) => {
      const world = await open({
        status: { ...busyStatus(), reasons: [{ code: 'credentials-refused', message: 'refused' }] },
      });
      world.control.happen({ what: 'failed', message: 'words' });
      const page = await visit(world, { ...options, reducedMotion: 'reduce' });
      await page.getByText('Show the files').click();
      for (const title of ['In progress', 'Documents', 'Skipped', 'Deliveries', 'About'])
        await unfold(page, title);
      await page.getByRole('img', { name: /in the last 24 hours/ }).waitFor();
      expect(await axeProblems(page)).toEqual([]);
      for (const opener of ['Delete 37 documents…', /^Send again: /]) {
        await page.getByRole('button', { name: opener }).click();
        expect(await axeProblems(page)).toEqual([]);
        await page.getByRole('button', { name: 'Cancel' }).click();
      }
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBe(0);
    });

    it('is accessible with nothing in it and the daemon away', async () => {
      const world = await open();
      const page = await visit(world, { reducedMotion: 'reduce' });
      await region(page, 'Begin').waitFor();
      await world.stop();
      await page.getByRole('alert').waitFor();
      expect(await axeProblems(page)).toEqual([]);
      complaints.splice(0);
    });
  });
});

function transfer(path: string): Status['transfers'][number] {
  return { folder: 'inbox', path, operation: 'upload', bytesSent: 1, bytesTotal: 2, documents: 1 };
}

function nineFailures(): Partial<Status> {
  const { failures = [], ...busy } = busyStatus();
  const nothing = { held: [], inDoubt: [], inDoubtTotal: 0, possibleDuplicates: 0, recordedDuplicates: 0 };
  return { ...busy, ...nothing, failures: failures.slice(1), failuresTotal: 9 };
}

function hostileFleet(): FleetStatus {
  const host = aHost(markup, { version: markup, health: 'error', headline: markup, failuresTotal: 1 });
  return aFleet([host], { health: 'error', account: markup });
}

function hostileStatus(): Partial<Status> {
  const since = '2026-01-01T00:00:00Z';
  const place = { folder: markup, path: markup };
  return {
    state: 'degraded',
    reasons: [{ code: markup, message: markup }],
    folders: [aFolder({ name: markup, path: markup, onDisk: 1, failed: 1 })],
    failures: [{ ...place, code: markup, message: markup, attempts: 2, retryAt: null }],
    failuresTotal: 1,
    waiting: [{ ...place, code: markup, message: markup }],
    waitingTotal: 1,
    unconfigured: [{ name: markup, documents: 1 }],
    skipped: [{ ...place, code: markup, message: markup }],
    skippedTotal: 1,
    held: [{ folder: markup, count: 1, since, reason: markup, paths: [markup] }],
    inDoubt: [{ ...place, since, count: 1, message: `lost: ${markup}` }],
    inDoubtTotal: 1,
    transfers: [{ ...transfer(markup), folder: markup, operation: markup }],
  };
}
