import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { missingRedis, settle, startRedis } from '../cluster/support/redis-server.ts';
import { installation } from '../support/processes/daemon-process.ts';
import type { Installation, RunningDaemon } from '../support/processes/daemon-process.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { ofAllTests, ofEachTest } from '../support/of-each-test.ts';
import { startScriptedService } from '../support/services/scripted-service.ts';
import { axeProblems } from './support/axe.ts';
import { chromiumFound, openBrowser } from './support/browser.ts';
import { region } from './support/on-page.ts';
import { promtool, promtoolFound } from './support/promtool.ts';

const missing = missingRedis ?? (chromiumFound ? null : 'chromium (Debian package chromium)');

describeWhere(missing, 'the page of any host', () => {
  const browser = ofAllTests(openBrowser);
  const redis = ofEachTest(() => startRedis());
  const service = ofEachTest(() => startScriptedService());
  const places: Installation[] = [];
  let page: Page;

  beforeEach(async () => {
    settle(redis, 'page');
    page = await browser.newPage({ reducedMotion: 'reduce' });
  });
  afterEach(async () => {
    await page.close();
    await Promise.all(places.splice(0).map((place) => place.remove()));
  });

  const start = async (name: string, files: readonly string[]): Promise<RunningDaemon> => {
    const place = await installation({
      ...service,
      more: { cluster: { redisUrl: redis.url, account: 'page', host: name } },
    });
    places.push(place);
    for (const file of files) await writeFile(join(place.inbox, file), `${name} ${file}`);
    return place.start();
  };
  const visit = async (daemon: RunningDaemon) => {
    await page.goto((await daemon.fetch('/')).url);
    await page.getByRole('main').waitFor();
  };
  const hosts = () => region(page, 'Fleet').getByRole('listitem');
  const host = (name: string) => hosts().filter({ hasText: name });
  const saysOf = (name: string, words: string, withinMs = 15_000) =>
    eventually(async () => (await host(name).innerText()).includes(words), { withinMs });

  it('shows all hosts, those that need a person first, and tells the metrics of them', async () => {
    const [well] = await Promise.all([start('alpha', ['a.pdf', 'b.pdf']), start('beta', ['two.dots.pdf'])]);
    const third = await start('gamma', ['c.pdf']);
    await visit(well);
    await eventually(async () => (await hosts().count()) === 3);
    await saysOf('beta', 'attention');
    await eventuallyHolds(async () =>
      expect(await hosts().getByRole('heading').allInnerTexts()).toEqual(['beta', 'alpha', 'gamma']),
    );
    await page.getByRole('link', { name: 'Fleet: 1 host needs attention. 3 hosts connected' }).waitFor();
    await saysOf('beta', '1 document failed');
    await saysOf('alpha', 'All 2 documents delivered');
    expect(await host('this host').getByRole('heading').allInnerTexts()).toEqual(['alpha']);
    expect(await region(page, 'Fleet').innerText()).toMatch(/\d+ of 50 requests used by all hosts/);
    expect(await axeProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await axeProblems(page)).toEqual([]);
    expect(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBe(0);

    const metrics = async () => (await well.fetch('/metrics')).text();
    await eventuallyHolds(async () => {
      const now = await metrics();
      expect(now).toContain('ingestd_fleet_host_health{host="beta"} 1');
      expect(now).toContain('ingestd_fleet_host_presence{host="gamma",presence="here"} 1');
      expect(now).toContain('ingestd_fleet_rate_limit_requests 50');
      expect(now).toMatch(/^ingestd_fleet_rate_used_requests [1-9]/m);
    });
    if (promtoolFound)
      expect(promtool(['check', 'metrics'], await metrics())).toEqual({ status: 0, output: '' });

    third.signal('SIGKILL');
    await saysOf('gamma', 'gone', 40_000);
    await saysOf('gamma', 'Last seen');
    await redis.kill();
    // Nothing is known of the others, and it is said why.
    await region(page, 'Fleet').waitFor({ state: 'detached' });
    await region(page, 'Overview').getByText('Redis cannot be reached').first().waitFor();
    expect((await well.fetch('/api/fleet')).status).toBe(503);
    await eventuallyHolds(async () => {
      const without = await metrics();
      expect(without).not.toMatch(/^ingestd_fleet_(?:host|rate)_\w+[ {]/m);
      expect(without).toContain('ingestd_fleet_hosts 0\n');
    });
  });
});
