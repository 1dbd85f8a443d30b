// Takes a picture of the page, as it was last built, in each of its states: node --import
// ./test/soak/register-typescript.mjs test/status/support/pictures.ts DIRECTORY [STATE…]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Status } from '../../../src/model/report/status.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { createDeliveryHistory } from '../../../src/status/metrics/delivery-history.ts';
import type { DeliveryHistory } from '../../../src/status/metrics/delivery-history.ts';
import { openBrowser } from './browser.ts';
import { busyStatus } from './busy-status.ts';
import { aFolder } from './fake-control.ts';
import { openStatusWorld } from './status-world.ts';

const busy = busyStatus();
const calm: Partial<Status> = {
  ...busy,
  failures: [],
  failuresTotal: 0,
  held: [],
  inDoubt: [],
  inDoubtTotal: 0,
  possibleDuplicates: 0,
  recordedDuplicates: 0,
  duplicates: [],
  folders: (busy.folders ?? []).map((folder) => ({
    ...folder,
    failed: 0,
    held: 0,
    onDisk: folder.onDisk - folder.failed,
  })),
};
const many = Array.from({ length: 30 }, (_, index) => ({
  ...(busy.transfers ?? [])[0]!,
  path: `2026/q3/report-${index + 1}.pdf`,
  bytesSent: index * 3_000_000,
}));

const states: Readonly<Record<string, Partial<Status>>> = {
  empty: { trial: true, service: 'http://127.0.0.1:7520' },
  busy: { ...calm, transfers: many },
  failed: { ...calm, failures: busy.failures ?? [], failuresTotal: 10, folders: busy.folders ?? [] },
  held: {
    ...calm,
    held: busy.held ?? [],
    folders: [aFolder({ held: 37, path: '/srv/research/inbox' })],
    transfers: [],
    queue: { pending: 0, inFlight: 0, waiting: 0, etaSeconds: 0 },
  },
  doubt: {
    ...calm,
    state: 'idle',
    inDoubt: busy.inDoubt ?? [],
    inDoubtTotal: 1,
    possibleDuplicates: 3,
    recordedDuplicates: 2,
    duplicates: [{ folder: 'inbox', path: 'a/b.pdf', copies: 2 }],
    transfers: [],
  },
  everything: busy,
  offline: calm,
  waiting: {
    ...calm,
    state: 'working',
    folders: [aFolder({ path: '/srv/scans', onDisk: 25, synced: 21, waiting: 4 })],
    queue: { pending: 0, inFlight: 0, waiting: 4, etaSeconds: 0 },
    waiting: [
      {
        folder: 'inbox',
        path: 'scan-1.pdf',
        code: 'sidecar-missing',
        message: 'waiting for its sidecar scan-1.pdf.meta.json',
      },
      {
        folder: 'inbox',
        path: 'scan-2.pdf',
        code: 'sidecar-missing',
        message: 'waiting for its sidecar scan-2.pdf.meta.json',
      },
    ],
    waitingTotal: 2,
    failures: [
      {
        folder: 'inbox',
        path: 'late.pdf',
        code: 'http-503',
        message: 'the service answered 503',
        attempts: 2,
        retryAt: new Date(Date.now() + 40_000).toISOString(),
      },
    ],
    failuresTotal: 1,
    transfers: [],
    unconfigured: [{ name: 'archive', documents: 12 }],
  },
  pausedAll: {
    ...calm,
    state: 'paused',
    paused: (calm.folders ?? []).map(({ name }) => name),
    reasons: [{ code: 'paused', message: 'sending is paused for all folders' }],
    transfers: [],
    queue: { pending: 13, inFlight: 0, waiting: 2, etaSeconds: 0 },
  },
  paused: {
    ...calm,
    paused: ['inbox'],
    reasons: [{ code: 'paused', message: 'sending is paused for inbox' }],
    transfers: [],
  },
  refused: {
    ...calm,
    state: 'degraded',
    auth: { state: 'refused', expiresAt: null },
    reasons: [{ code: 'credentials-refused', message: 'the service refused the user name or the password' }],
    transfers: [],
  },
  configuration: {
    ...calm,
    reasons: [
      {
        code: 'configuration-refused',
        message: '/etc/ingestd/ingestd.yaml line 12: http.port: 0.5 is not a whole number',
      },
    ],
  },
  unavailable: {
    ...calm,
    state: 'degraded',
    folders: [
      ...(calm.folders ?? []).slice(0, 1),
      aFolder({ name: 'nas', path: '/mnt/nas', state: 'unavailable' }),
    ],
    reasons: [{ code: 'folder-missing', message: '/mnt/nas does not exist' }],
  },
};

/** Deliveries of a day at work, for the chart. */
function aDay(): DeliveryHistory {
  const deliveries = createDeliveryHistory(systemClock);
  const now = systemClock.now();
  for (let step = 0; step < 288; step += 1) {
    const wave = Math.max(0, Math.sin(step / 11) * 9 + Math.sin(step / 3) * 4);
    const record = (what: string, documents: number) => {
      if (documents >= 1)
        deliveries.record(
          {
            at: '',
            folder: 'inbox',
            path: '',
            what,
            docId: null,
            message: null,
            documents: Math.round(documents),
          },
          now - step * 300_000,
        );
    };
    record('uploaded', wave);
    record('modified', wave / 3);
    record('deleted', step % 29 === 0 ? 3 : 0);
    record('failed', step % 41 === 0 ? 2 : 0);
  }
  return deliveries;
}

const [directory = 'pictures', ...chosen] = process.argv.slice(2);
await mkdir(directory, { recursive: true });
const browser = await openBrowser();
for (const [name, status] of Object.entries(states)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  for (const [scheme, width, height] of [
    ['light', 1280, 800],
    ['dark', 1280, 800],
    ['light', 360, 740],
    ['light', 2560, 1300],
  ] as const) {
    const world = await openStatusWorld({ status, deliveries: aDay() });
    for (let index = 0; index < 12; index += 1) {
      world.control.happen({
        path: `2026/q3/note-${index}.pdf`,
        what: index % 4 === 3 ? 'modified' : 'uploaded',
      });
    }
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: { width, height },
      reducedMotion: 'reduce',
    });
    const page: Page = await context.newPage();
    await page.goto(world.url);
    await page.waitForSelector('body[data-loaded]');
    await page.locator('#chart-top').waitFor({ state: 'attached' });
    if (name === 'offline') {
      await world.stop();
      await page.locator('#offline').waitFor({ state: 'visible' });
    }
    const length = await page.evaluate<number>('document.documentElement.scrollHeight');
    process.stdout.write(`${name} ${scheme} ${width}: ${length} pixels high\n`);
    await page.screenshot({
      path: join(directory, `${name}-${scheme}-${width}.png`),
      fullPage: width === 360,
    });
    await context.close();
    await world.close();
  }
}
await browser.close();
