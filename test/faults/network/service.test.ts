import { afterEach, describe, expect, it } from '@jest/globals';

import { startScriptedService, steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import { closeNetworkWorlds, filledNetworkWorld, startNetworkWorld, textFiles } from './network-world.ts';
import type { NetworkWorld } from './network-world.ts';

const minute = 60_000;
const hour = 60 * minute;

afterEach(closeNetworkWorlds);

const codes = (world: NetworkWorld) => world.status().reasons.map(({ code }) => code);

describe('a storm of an hour', () => {
  const storms: readonly (readonly [row: string, name: string, step: Step | null, reason: string])[] = [
    ['N1', 'refused connections', null, 'service-unavailable'],
    ['N19', '503', steps.html(503), 'service-unavailable'],
    ['N18', '429 without Retry-After', steps.html(429), 'rate-limited'],
    ['N21', 'login pages', steps.html(), 'service-unavailable'],
    ['N26, A7', 'redirects', steps.redirect('http://127.0.0.2:9/'), 'redirect'],
    ['N8', '401, whatever the token', steps.xml(401), 'credentials-refused'],
  ];

  it.each(storms)(
    '%s: of %s costs a few requests, loses nothing and ends by itself',
    async (_, __, step, reason) => {
      const world = await filledNetworkWorld(1);
      const { service } = world;
      const before = { requests: world.status().totals.requests, tokens: service.tokenRequests.length };
      if (step === null) await service.away();
      else service.always(step);
      world.write(textFiles(12, 'new '));
      await world.pass(hour);

      expect(codes(world)).toEqual([reason]);
      expect(world.status()).toMatchObject({ state: reason === 'rate-limited' ? 'paused' : 'degraded' });
      expect(world.status().folders[0]).toMatchObject({ synced: 1, failed: 0 });
      // Four under way at once, and then one that tries: at most every five minutes when it has lasted for long.
      expect(world.status().totals.requests - before.requests).toBeGreaterThan(4);
      expect(world.status().totals.requests - before.requests).toBeLessThan(40);
      expect(service.tokenRequests.length - before.tokens).toBeLessThan(20);

      if (step === null) await service.back();
      else service.fix();
      await world.quiesce();
      expect(world.disagreements()).toEqual([]);
      expect(world.strays()).toEqual([]);
      expect(world.status()).toMatchObject({ state: 'idle', reasons: [], failures: [] });
      expect(service.documents.size).toBe(13);
    },
  );
});

describe('one document among others', () => {
  it('N6: that the service cuts off each time holds nobody up, and is tried again for ever at a distance', async () => {
    const world = await filledNetworkWorld(1);
    const { service } = world;
    const poison: Step = (request) =>
      Number(request.headers['content-length']) > 1_000_000
        ? steps.resetBeforeBody()(request)
        : service.work(request);
    service.always(poison);
    world.write({ 'poison.txt': 'p'.repeat(7_500_000) });
    await world.pass(hour);
    const attempts = service.requests.length - 1;
    expect(attempts).toBeGreaterThan(8);
    expect(attempts).toBeLessThan(60);
    expect(world.status().failures).toMatchObject([{ path: 'poison.txt', attempts }]);

    world.write({ 'good.txt': 'good' });
    await world.pass(10_000);
    expect(world.ledger().get({ folder: 'inbox', path: 'good.txt' })).toBeDefined();
    service.fix();
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toEqual([]);
  });

  it('N34: whose upload does not end lets all others go ahead', async () => {
    const world = await filledNetworkWorld(3);
    const { service } = world;
    service.script(service.stalling(steps.silence()));
    world.write({ 'slow.txt': 'slow' });
    await world.until(() => world.status().queue.inFlight === 1);
    world.write({ '0.txt': 'changed', 'new.txt': 'new' });
    world.folder.remove('1.txt');
    world.folder.scan();
    await world.until(() => world.status().folders[0]?.synced === 3 && service.documents.size === 3);
    expect(world.status()).toMatchObject({ queue: { inFlight: 1 }, transfers: [{ path: 'slow.txt' }] });
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
  });

  it('N34: whose answer takes its time holds no more than its own place in the minute', async () => {
    const world = await filledNetworkWorld(0);
    const { service } = world;
    service.script(service.stalling(steps.silence()));
    world.write(textFiles(60));
    await world.until(() => world.ledger().count('inbox') === 49);
    expect(world.status().rate).toMatchObject({ limit: 50, used: 50 });
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
  });
});

describe('access', () => {
  it('N14: a 403 of everything is no fault of the documents', async () => {
    const world = await filledNetworkWorld(1);
    const { service } = world;
    service.always(steps.refuse('no access', 403));
    world.write(textFiles(10, 'new '));
    await world.pass(hour);
    expect(world.status()).toMatchObject({ state: 'degraded' });
    expect(codes(world)).toEqual(['no-access']);
    expect(world.status().folders[0]?.failed).toBeLessThanOrEqual(2);
    expect(service.requests.length).toBeLessThan(20);
    service.fix();
    await world.quiesce();
    await world.engine().retry(null);
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toEqual([]);
  });

  it('to three uploads without a docId: nothing goes on by itself, and nobody knows how long that takes (7.22)', async () => {
    const world = await filledNetworkWorld(1);
    world.service.always(steps.json(200, { success: {} }));
    world.write(textFiles(6, 'new '));
    await world.pass(hour);
    expect(codes(world)).toEqual(['uploads-stopped']);
    const { state, health, queue } = world.status();
    expect([state, health, queue.pending > 0, queue.etaSeconds]).toEqual(['degraded', 'error', true, null]);
  });
});

describe('documents that the service does not know', () => {
  it('N15: are uploaded again where onMissing says so, and keep their docId until that is done', async () => {
    const world = await filledNetworkWorld(3, { service: { onMissing: 'upload' } });
    const { service } = world;
    const docId = world.ledger().get({ folder: 'inbox', path: '0.txt' })?.docId ?? '';
    service.documents.delete(docId);
    world.write({ '0.txt': 'changed' });
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
    expect(world.ledger().get({ folder: 'inbox', path: '0.txt' })?.docId).not.toBe(docId);
    expect(service.requests.slice(3).map(({ method }) => method)).toEqual(['PUT', 'POST']);
  });

  it('N30: fail alone when a bulk modify names one of them; the others are done', async () => {
    const world = await filledNetworkWorld(4);
    const { service } = world;
    const docId = world.ledger().get({ folder: 'inbox', path: '2.txt' })?.docId ?? '';
    service.documents.delete(docId);
    for (let index = 0; index < 4; index += 1) {
      world.folder.describe(`${index}.txt`, { customTags: [{ name: 'tag', operation: 'ADD' }] });
    }
    await world.sync();
    expect(world.disagreements()).toEqual(['2.txt is not at the service']);
    expect(world.status().failures).toMatchObject([{ path: '2.txt', code: 'missing-at-service' }]);
    expect(world.status().failures[0]?.message).toContain(docId);
    expect(service.requests).toHaveLength(4 + 1 + 4);
  });

  it('N30: do not keep a bulk delete from its others', async () => {
    const world = await filledNetworkWorld(4);
    const { service } = world;
    service.documents.delete(world.ledger().get({ folder: 'inbox', path: '2.txt' })?.docId ?? '');
    for (const path of ['0.txt', '1.txt', '2.txt']) world.folder.remove(path);
    await world.sync();
    expect(world.disagreements()).toEqual([]);
    expect(world.strays()).toEqual([]);
    expect(world.status()).toMatchObject({ state: 'idle', failures: [], held: [] });
    expect(service.requests).toHaveLength(4 + 1 + 3);
  });
});

describe('the service asks to wait', () => {
  const now = 'Thu, 01 Jan 2026 00:00:00 GMT';
  it.each([
    ['90', {}, 90_000],
    ['86400', {}, 15 * minute],
    ['Thu, 01 Jan 2026 00:02:00 GMT', { Date: now }, 2 * minute],
  ])('N17: with Retry-After %s (%j), and nobody sends anything for that long', async (value, date, ms) => {
    const world = await filledNetworkWorld(1);
    const { service, clock } = world;
    service.script(steps.answer(429, '', { ...date, 'Retry-After': value }));
    world.write({ 'new.txt': 'new' });
    await world.shown();
    const until = Date.parse(world.status().rate.pausedUntil ?? '');
    expect(until - clock.now()).toBe(ms);
    expect(world.status()).toMatchObject({ state: 'paused' });
    const before = service.requests.length;
    world.write(textFiles(6, 'others '));
    await world.pass(ms - 10);
    expect(service.requests).toHaveLength(before);
    await world.quiesce();
    expect(world.disagreements()).toEqual([]);
    expect(service.requests).toHaveLength(before + 7);
  });
});

describe('other hosts and connections', () => {
  it.each([303, 307])('N26: a redirect by %i takes no secret and no byte elsewhere', async (status) => {
    const other = await startScriptedService();
    try {
      const world = await startNetworkWorld();
      const { service } = world;
      service.scriptTokens(steps.redirect(`${other.authUrl}/auth`, status));
      world.write(textFiles(1));
      await world.shown();
      expect(codes(world)).toEqual(['redirect']);
      service.script(steps.redirect(`${other.ingestUrl}/upload`, status));
      await world.quiesce();
      expect(other.connections()).toBe(0);
      expect(world.disagreements()).toEqual([]);
      expect(world.strays()).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

describe('the sliding minute', () => {
  it('is not too short for what goes out in one call, however many documents that are', async () => {
    const world = await startNetworkWorld({ service: { requestsPerMinute: 20 } });
    const files = textFiles(30);
    world.write(files);
    await world.quiesce();
    for (const path of Object.keys(files)) world.folder.describe(path, { customTags: [{ name: 'q3' }] });
    world.folder.scan();
    const reached = new Set<string>();
    await world.until(() => {
      for (const { message } of world.limitReached()) reached.add(message);
      return world.activities.some(({ what }) => what === 'modified');
    });
    expect([[...reached], world.engine().totals.modified]).toEqual([[], 30]);
  });

  it('N33: holds at the service across restarts, whenever they come', async () => {
    const world = await startNetworkWorld({ service: { requestsPerMinute: 20 } });
    const { service, clock } = world;
    const arrivals: number[] = [];
    service.always(async (request) => {
      arrivals.push(clock.monotonic());
      await service.work(request);
    });
    world.write(textFiles(90));
    for (const arrived of [7, 20, 33, 41]) {
      await world.until(() => arrivals.length >= arrived);
      await world.restart();
    }
    await world.until(() => world.limitReached().length === 1);
    await world.quiesce();
    expect(world.limitReached()).toEqual([]);
    const fullest = Math.max(
      ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + minute).length),
    );
    expect(fullest).toBe(20);
    expect(world.disagreements()).toEqual([]);
    expect(world.strays().length).toBeLessThanOrEqual(world.status().possibleDuplicates);
  });
});
