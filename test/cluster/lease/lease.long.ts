import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { forgetHost } from '../../../src/cluster/fleet/whole-fleet.ts';
import { openCluster } from '../../../src/cluster/open-cluster.ts';
import { openFolderMemory } from '../../../src/cluster/lease/folder-memory.ts';
import type { FolderMemory } from '../../../src/cluster/lease/folder-memory.ts';
import { Lease } from '../../../src/cluster/lease/lease.ts';
import type { FolderPlace } from '../../../src/cluster/lease/directory-location.ts';
import { fleetTimes } from '../../../src/cluster/fleet-times.ts';
import { openLink } from '../../../src/cluster/redis/connection.ts';
import type { RedisLink } from '../../../src/cluster/redis/connection.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import { parseRedisAddress } from '../../../src/lib/server/redis-address.ts';
import type { LeaseTraces } from '../../../src/model/ports/write-lease-port.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';
import { cableTo } from '../support/cable.ts';
import type { Cable } from '../support/cable.ts';
import { wait } from '../support/fleet-host.ts';
import { missingRedis, settle, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';

const times = {
  ...fleetTimes,
  lifeMs: 1_200,
  beatMs: 200,
  marginMs: 100,
  failoverMs: 600,
  unreachableMs: 500,
  shareMs: 60_000,
};
const prefix = 'ingestd:{lease}';

/** A folder of one file system for all hosts: `share`, `share/part`; or of one machine: `folder@boot`. */
const placeAt = (path: string): FolderPlace => {
  const names = path.split('/');
  return {
    key: `key-${path}`,
    path,
    above: names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/')),
    machine: path.split('@')[1] ?? 'share',
    name: `name-${path}`,
  };
};
const holderOf = (lease: Lease, path: string) => lease.folderHolder(placeAt(path))?.host ?? null;

describeWhere(missingRedis, 'the lease of a state directory', () => {
  let redis: RedisServer;
  let links: RedisLink[];
  let cables: Cable[];
  let memories: FolderMemory[];
  let memory: TemporaryFolder;
  /** What the directory says. */
  let traces: LeaseTraces;
  beforeEach(async () => {
    redis = await startRedis();
    links = [];
    cables = [];
    memories = [];
    memory = await temporaryFolder();
    traces = { highestFence: 0, endedFence: 0, alone: null };
  });
  afterEach(async () => {
    for (const link of links) link.close();
    for (const cable of cables) await cable.remove();
    await redis.remove();
    for (const one of memories) await one.close();
    await memory.remove();
  });

  interface Options {
    readonly port?: number;
    readonly aloneShare?: number;
    readonly isFirst?: boolean;
    /** What it is the lease of. */
    readonly name?: string;
    readonly folders?: readonly string[];
    /** Left out: those that are there. */
    readonly configured?: readonly string[];
    readonly skewMs?: () => number;
    /** It remembers what another host of this name knew, and so does the next one. */
    readonly remembers?: boolean;
  }

  async function hostOf(host: string, options: Options = {}): Promise<Lease> {
    const { port = redis.port, aloneShare = 0, isFirst = false, skewMs = () => 0 } = options;
    const { name = 'directory', folders = [], configured = folders, remembers = false } = options;
    const address = parseRedisAddress(`redis://127.0.0.1:${port}`);
    if (address === null) throw new Error('no address');
    const clock = { ...systemClock, now: () => systemClock.now() + skewMs() };
    const path = memory.join(remembers ? `${host}.json` : `${host}-${links.length}.json`);
    const own = await openFolderMemory({ path, clock });
    memories.push(own);
    let lease: Lease | null = null;
    const link = openLink({
      address,
      clock,
      log: recordedLog(),
      prefix,
      channels: ['wake'],
      onMessage: () => lease?.hear(),
      onChange: () => lease?.hear(),
    });
    links.push(link);
    await link.tried;
    lease = new Lease({
      session: link.session,
      name,
      host,
      prefix,
      aloneShare,
      isFirst,
      folders: folders.map(placeAt),
      configured: Object.fromEntries(configured.map((path) => [placeAt(path).name, 1])),
      traces: async () => traces,
      memory: own,
      times,
      clock,
      onChange: () => {},
    });
    lease.begin();
    return lease;
  }

  async function cabled(): Promise<Cable> {
    const cable = await cableTo(redis.port);
    cables.push(cable);
    return cable;
  }

  const holder = async (host: string, options?: Options): Promise<Lease> => {
    const lease = await hostOf(host, options);
    await lease.taken;
    const highestFence = Math.max(traces.highestFence, lease.fence);
    const alone = lease.alone === null ? null : { ...lease.alone, fence: lease.fence };
    traces = { ...traces, highestFence, alone };
    return lease;
  };

  /** How long after its start another host has the lease, ms. */
  const heldBy = async (host: string): Promise<{ readonly lease: Lease; readonly afterMs: number }> => {
    const started = performance.now();
    const lease = await hostOf(host);
    await lease.taken;
    return { lease, afterMs: performance.now() - started };
  };

  it('is one host’s, and the next one’s at once when it is given back, with a higher fence', async () => {
    settle(redis, 'lease');
    const a = await holder('a');
    const b = await hostOf('b');
    await eventually(() => b.holder?.isThere);
    expect(b.holder).toMatchObject({ host: 'a', isAlone: false });
    await wait(times.lifeMs * 1.5);
    expect([a.holds(), b.holds()]).toEqual([true, false]);
    await a.release();
    await eventually(() => b.holds(), { withinMs: times.lifeMs });
    expect([a.fence, b.fence]).toEqual([1, 2]);
  });

  it.each([undefined, 'archive'])(
    'is had at once by who has just made the state directory, named %s, though Redis is new',
    async (host) => {
      const address = parseRedisAddress(redis.url);
      if (address === null) throw new Error('no address');
      const directory = await temporaryFolder();
      const cluster = await openCluster({
        settings: { redis: address, account: 'lease', host, aloneShare: 0 },
        requestsPerMinute: 50,
        stateDir: directory.path,
        service: { ingestUrl: 'http://127.0.0.1', username: 'a' },
        clock: systemClock,
        log: recordedLog(),
      });
      const lease = await cluster.enter({ traces: async () => traces, folders: [], configured: null });
      await eventually(() => lease.holds(), { withinMs: fleetTimes.lifeMs });
      await cluster.close();
      await directory.remove();
    },
  );

  it('ends for a host that is cut off before another takes it (H4)', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    const b = await hostOf('b');
    await eventually(() => b.holder?.isThere);
    cable.cut();
    let both = 0;
    await eventually(
      () => {
        if (b.holds() && (a.holds() || !a.lapsed.aborted)) both += 1;
        return b.holds();
      },
      { everyMs: 5 },
    );
    expect([both, a.holds(), b.fence]).toEqual([0, false, 2]);
    await expect(a.confirm()).rejects.toThrow('the lease of the state directory is lost');
    cable.join();
    await wait(times.lifeMs);
    expect([a.holds(), b.holds()]).toEqual([false, true]);
  });

  it('ends after its time when Redis is away', async () => {
    settle(redis, 'lease');
    const a = await holder('a');
    const killed = performance.now();
    await redis.kill();
    expect(await a.lost).toMatch(/could not be renewed/);
    expect(performance.now() - killed).toBeGreaterThan(times.lifeMs / 2);
    expect(a.holds()).toBe(false);
  });

  it('stays with its holder where Redis comes back empty, and its fence goes on from the names in the directory (H9)', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    traces = { ...traces, highestFence: 41 };
    await redis.kill();
    await redis.start();
    const b = await hostOf('b');
    await wait(times.lifeMs * 1.5);
    expect([a.holds(), b.holds(), b.holder?.host]).toEqual([true, false, 'a']);
    cable.cut();
    await eventually(() => b.holds());
    expect([a.holds(), b.fence]).toEqual([false, 42]);
  });

  it('is nobody’s for as long as it lasts where Redis comes back empty', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    await redis.kill();
    cable.cut();
    await redis.start();
    const { lease: b, afterMs } = await heldBy('b');
    expect(afterMs).toBeGreaterThan(times.lifeMs / 2);
    expect([a.holds(), b.fence]).toEqual([false, 2]);
  });

  it('is there at once for whoever has just made the directory, whatever Redis remembers', async () => {
    const a = await hostOf('a', { isFirst: true });
    await eventually(() => a.holds(), { withinMs: times.lifeMs });
  });

  it('is not believed to be free by a Redis that may be an old one (H10)', async () => {
    settle(redis, 'lease');
    await (await holder('a')).release();
    redis.command('SAVE');
    await redis.kill();
    await redis.start();
    expect((await heldBy('b')).afterMs).toBeGreaterThan(times.lifeMs / 2);
  });

  it('stays with a host that may send without Redis, until a person says that it is gone', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    redis.command('ZADD', `${prefix}:seen`, '1', 'a');
    const a = await holder('a', { port: cable.port, aloneShare: 5 });
    const b = await hostOf('b');
    cable.cut();
    await wait(times.lifeMs * 2);
    expect([a.holds(), b.holds(), b.holder?.isAlone]).toEqual([true, false, true]);
    const session = links[1]?.session();
    if (session === null || session === undefined) throw new Error('no session');
    expect(await forgetHost(session, { host: 'a', times: { ...times, unreachableMs: 10 } })).toMatchObject({
      kind: 'forgotten',
    });
    await eventually(() => b.holds(), { withinMs: times.lifeMs * 2 });
  });

  it.each(['empty', 'as it was before'])(
    'stays with a host that may send without Redis where Redis comes back %s',
    async (how) => {
      settle(redis, 'lease');
      await (await holder('c')).release();
      if (how !== 'empty') redis.command('SAVE');
      const cable = await cabled();
      const a = await holder('a', { port: cable.port, aloneShare: 5 });
      cable.cut();
      await redis.kill();
      await redis.start();
      // The fleet has gone on for more than one window.
      settle(redis, 'lease');
      const b = await hostOf('b');
      await wait(times.lifeMs * 3);
      expect([a.holds(), b.holds(), b.holder]).toEqual([
        true,
        false,
        expect.objectContaining({ host: 'a', isAlone: true }),
      ]);
      expect(redis.command('HGET', `${prefix}:shares`, 'a')).toBe('5');
      const session = links.at(-1)?.session();
      if (session === null || session === undefined) throw new Error('no session');
      await forgetHost(session, { host: 'a', times: { ...times, unreachableMs: 10 } });
      await eventually(() => b.holds());
      expect(b.fence).toBe(3);
    },
  );

  it('is not taken from who may still renew it in a Redis that was replaced', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    await holder('a', { port: cable.port });
    redis.command('SAVE');
    cable.cut();
    await redis.kill();
    await redis.start();
    settle(redis, 'lease');
    const restedMs = times.lifeMs + times.marginMs + times.failoverMs / 2;
    expect((await heldBy('b')).afterMs).toBeGreaterThan(restedMs);
  });

  it('is there at once for whoever finds that its last holder has ended on this machine', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port, aloneShare: 5 });
    cable.cut();
    traces = { highestFence: a.fence, endedFence: a.fence, alone: null };
    const b = await hostOf('b');
    await eventually(() => b.holds(), { withinMs: times.lifeMs });
    expect(b.fence).toBe(2);
  });

  it('is not there at once where another host has had it since, or Redis may have forgotten who', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port });
    redis.command('SAVE');
    cable.cut();
    traces = { highestFence: a.fence + 1, endedFence: a.fence, alone: null };
    const { lease: b, afterMs } = await heldBy('b');
    expect(afterMs).toBeGreaterThan(times.lifeMs / 2);
    await b.release();
    traces = { ...traces, highestFence: a.fence };
    await redis.kill();
    await redis.start();
    expect((await heldBy('c')).afterMs).toBeGreaterThan(times.lifeMs / 2);
  });

  const forget = async (host: string) => {
    const session = links.at(-1)?.session();
    if (session === null || session === undefined) throw new Error('no session');
    return forgetHost(session, { host, times: { ...times, unreachableMs: 10 } });
  };

  it('comes with its folders, which outlive it: another ledger has one when a person says so', async () => {
    settle(redis, 'lease');
    const a = await holder('a', { name: 'first', folders: ['share'] });
    const b = await holder('b', { name: 'second', folders: ['share', 'other'] });
    await eventually(() => b.folderHolder(placeAt('share'))?.isRunning);
    expect([holderOf(a, 'share'), holderOf(b, 'share'), holderOf(b, 'other')]).toEqual([null, 'a', null]);
    expect(await forget('a')).toEqual({ kind: 'alive' });
    let told = 0;
    b.listen(() => (told += 1));
    await a.release();
    await eventually(() => b.folderHolder(placeAt('share'))?.isRunning === false);
    await wait(times.lifeMs * 2);
    expect([holderOf(b, 'share'), told]).toEqual(['a', 0]);
    expect(await forget('a')).toEqual({ kind: 'forgotten', share: 0, folders: 1 });
    await eventually(() => holderOf(b, 'share') === null);
    expect(told).toBe(1);
    const again = await holder('a', { name: 'first', folders: ['share'] });
    expect(holderOf(again, 'share')).toBe('b');
  });

  it('keeps its folders when its host is cut off, or runs again with another ledger', async () => {
    settle(redis, 'lease');
    const cable = await cabled();
    const a = await holder('a', { port: cable.port, name: 'first', folders: ['share'] });
    const b = await holder('b', { name: 'second', folders: ['share'] });
    cable.cut();
    await eventually(() => !a.holds());
    await wait(times.lifeMs * 2);
    expect(holderOf(b, 'share')).toBe('a');
    const other = await holder('a', { name: 'third', folders: ['share'] });
    expect(holderOf(other, 'share')).toBe('a');
    redis.command('ZADD', `${prefix}:seen`, String(Date.now() + 60_000), 'a');
    expect(await forget('a')).toEqual({ kind: 'forgotten', share: 0, folders: 1 });
    expect(await forget('a')).toEqual({ kind: 'alive' });
  });

  it('goes with its folders to who stands by for the same ledger', async () => {
    settle(redis, 'lease');
    const a = await holder('a', { name: 'first', folders: ['share'] });
    const c = await hostOf('c', { name: 'second', folders: ['share'] });
    await c.taken;
    const b = await hostOf('b', { name: 'first', folders: ['share'] });
    await a.release();
    await eventually(() => b.holds() && holderOf(b, 'share') === null);
    await eventually(() => holderOf(c, 'share') === 'b');
    expect(await forget('a')).toMatchObject({ kind: 'unknown' });
  });

  it('gives up a folder that is no longer configured, and none that is only not there', async () => {
    settle(redis, 'lease');
    const folders = ['share', 'other'];
    await (await holder('a', { name: 'first', folders })).release();
    const b = await holder('b', { name: 'second', folders });
    expect([holderOf(b, 'share'), holderOf(b, 'other')]).toEqual(['a', 'a']);
    await (await holder('a', { name: 'first', folders: [], configured: folders })).release();
    await wait(times.beatMs * 2);
    expect([holderOf(b, 'share'), holderOf(b, 'other')]).toEqual(['a', 'a']);
    await holder('a', { name: 'first', folders: ['other'] });
    await eventually(() => holderOf(b, 'share') === null);
    expect(holderOf(b, 'other')).toBe('a');
  });

  it('gives up what its own machine had before it was restarted, and nothing of another machine', async () => {
    settle(redis, 'lease');
    const configured = ['in@boot-1', 'in@boot-2', 'out@boot-2', 'in@boot-3'];
    const known = () => redis.command('HKEYS', `${prefix}:folders`).split('\n').toSorted();
    const pass = async (host: string, folder: string) =>
      (await holder(host, { name: 'first', folders: [folder], configured })).release();
    await pass('a', 'in@boot-1');
    await pass('b', 'in@boot-2');
    expect(known()).toEqual(['key-in@boot-1', 'key-in@boot-2']);
    await pass('b', 'out@boot-2');
    expect(known()).toEqual(['key-in@boot-1', 'key-in@boot-2', 'key-out@boot-2']);
    await pass('b', 'in@boot-3');
    expect(known()).toEqual(['key-in@boot-1', 'key-in@boot-3']);
  });

  it('keeps its folders where Redis comes back empty', async () => {
    settle(redis, 'lease');
    const a = await holder('a', { name: 'first', folders: ['share'] });
    const b = await holder('b', { name: 'second', folders: ['share'] });
    await redis.kill();
    await redis.start();
    await wait(times.lifeMs * 2);
    expect([a.holds(), b.holds(), holderOf(a, 'share'), holderOf(b, 'share')]).toEqual([
      true,
      true,
      null,
      'a',
    ]);
  });

  it.each([
    ['around', 'share', 'share/part/one'],
    ['inside', 'share/part/one', 'share'],
  ] as const)('has no folder with one of another lease %s it', async (where, first, second) => {
    settle(redis, 'lease');
    const a = await holder('a', { name: 'first', folders: [first] });
    const b = await holder('b', { name: 'second', folders: [second, 'share-of-its-own', 'other/part'] });
    await wait(times.lifeMs * 1.5);
    expect(b.folderHolder(placeAt(second))).toMatchObject({ host: 'a', where });
    expect([holderOf(b, 'share-of-its-own'), holderOf(b, 'other/part')]).toEqual([null, null]);
    await a.release();
    await forget('a');
    await eventually(() => holderOf(b, second) === null);
    // It was the first one's, and is the second one's from now on.
    const again = await holder('a', { name: 'again', folders: [first] });
    expect(holderOf(again, first)).toBe('b');
  });

  it('does not get a folder back at once that an old Redis says it had', async () => {
    settle(redis, 'lease');
    const b = await holder('b', { name: 'second', folders: ['share'] });
    redis.command('SAVE');
    await b.release();
    await forget('b');
    const a = await holder('a', { name: 'first', folders: ['share'] });
    await eventually(() => holderOf(a, 'share') === null);
    await redis.kill();
    await redis.start();
    const again = await hostOf('b', { name: 'second', folders: ['share'] });
    let both = 0;
    const until = performance.now() + times.lifeMs * 4;
    await eventually(
      () => {
        const isBs = again.holds() && holderOf(again, 'share') === null;
        if (isBs && a.holds() && holderOf(a, 'share') === null) both += 1;
        return performance.now() > until;
      },
      { withinMs: times.lifeMs * 5, everyMs: 5 },
    );
    expect(both).toBe(0);
  });

  const knownFolders = () => redis.command('HKEYS', `${prefix}:folders`).split('\n').toSorted();
  /** As another host has put it back that knew it before. */
  const recall = (path: string, ledger: string) => {
    const { key, name, above } = placeAt(path);
    const text = [ledger, path, 'recalled', 'a', name, 'share', ...above].join(' ');
    redis.command('HSET', `${prefix}:folders`, key, text);
    redis.command('HINCRBY', `${prefix}:folders:version`, 'changes', '1');
  };

  it('is not given a folder that an older Redis does not know, and another host does', async () => {
    settle(redis, 'lease');
    const b = await holder('b', { name: 'second', folders: ['other'] });
    redis.command('SAVE');
    const a = await holder('a', { name: 'first', folders: ['share'] });
    const c = await holder('c', { name: 'third', folders: ['share'] });
    await eventually(() => holderOf(c, 'share') === 'a');
    await a.release();
    await redis.kill();
    await redis.start();
    settle(redis, 'lease');
    await eventually(() => knownFolders().includes('key-share'));
    await wait(times.lifeMs * 2);
    expect([b.holds(), c.holds(), holderOf(c, 'share')]).toEqual([true, true, 'a']);
  });

  it('puts nothing back that is in the way of what Redis knows', async () => {
    settle(redis, 'lease');
    const a = await holder('a', { name: 'first', folders: ['share', 'gone'] });
    const b = await holder('b', { name: 'second', remembers: true });
    await wait(times.beatMs * 3);
    await a.release();
    await b.release();
    redis.command('FLUSHALL');
    settle(redis, 'lease');
    await holder('c', { name: 'third', folders: ['share/part'] });
    await holder('b', { name: 'second', remembers: true });
    expect(knownFolders()).toEqual(['key-gone', 'key-share/part']);
  });

  it.each(['share', 'share/part'])('keeps its folder where an outdated host puts back %s', async (path) => {
    settle(redis, 'lease');
    const a = await holder('c', { name: 'third', folders: ['share'] });
    recall(path, 'first');
    if (path !== 'share') redis.command('HDEL', `${prefix}:folders`, 'key-share');
    await wait(times.lifeMs * 1.5);
    expect([a.holds(), holderOf(a, 'share'), knownFolders()]).toEqual([true, null, ['key-share']]);
    expect(redis.command('HGET', `${prefix}:folders`, 'key-share')).toMatch(/^third share \w{40} c /);
  });

  it('gives up what another host puts back of it that it has no more', async () => {
    settle(redis, 'lease');
    await holder('a', { name: 'first', folders: ['share'] });
    recall('old', 'first');
    await eventually(() => knownFolders().join() === 'key-share');
  });

  it('is nobody’s where its folders cannot be had with it', async () => {
    settle(redis, 'lease');
    redis.command('HSET', `${prefix}:folders`, 'key-other', 'of-another-version');
    const a = await hostOf('a', { folders: ['share'] });
    await eventually(() => a.trouble !== null);
    expect([a.holds(), redis.command('EXISTS', `${prefix}:lease:directory`)]).toEqual([false, '0']);
    expect(a.trouble).toMatch(/another version of ingestd wrote the folders of this account/);
    redis.command('DEL', `${prefix}:folders`);
    await eventually(() => a.holds(), { withinMs: times.lifeMs });
  });

  it('is asked for again by a holder whose clock has jumped, before it writes on', async () => {
    settle(redis, 'lease');
    let skew = 0;
    const a = await holder('a', { skewMs: () => skew });
    skew = 3_600_000;
    expect(a.holds()).toBe(false);
    await a.confirm();
    expect([a.holds(), a.fence]).toEqual([true, 1]);
  });
});
