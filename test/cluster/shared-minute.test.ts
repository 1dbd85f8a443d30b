import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { fleetTimes } from '../../src/cluster/fleet-times.ts';
import { createSharedMinute } from '../../src/cluster/permits/shared-minute.ts';
import type { Redis } from '../../src/cluster/redis/connection.ts';
import type { LimiterPort, Permit } from '../../src/model/ports/service-port.ts';
import { createLimiter } from '../../src/remote/limiter.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';

describe('the limiter of a host', () => {
  let clock: ManualClock;
  /** Null: Redis is away. */
  let session: Redis | null;
  let minute: ReturnType<typeof createSharedMinute>;
  let limiter: LimiterPort;
  let changes = 0;

  /** A connection whose Redis grants whatever is wanted, or does what `answer` says. */
  const connection = (answer?: () => Promise<string>) => {
    const asked: string[] = [];
    const opened: Redis = {
      runId: 'run',
      prefix: 'ingestd:{t}',
      evaluate: async (_script, _keys, [request = '{}']) => {
        asked.push(request);
        const { ids } = JSON.parse(request) as { ids: readonly string[] };
        const now = 1_000_000 + clock.monotonic();
        return answer?.() ?? JSON.stringify({ now, granted: ids.length, epoch: 1 });
      },
    };
    return { asked, opened };
  };

  const begin = (first: Redis) => {
    session = first;
    minute = createSharedMinute({
      redis: {
        get runId() {
          return session?.runId ?? '';
        },
        prefix: 'ingestd:{t}',
        evaluate: async (...call) => session?.evaluate(...call),
      },
      host: 'h',
      limit: 50,
      times: fleetTimes,
      clock,
      log: recordedLog(),
      waitsToJoin: true,
      mayAsk: () => true,
      onReset: () => {},
      onChange: () => {
        changes += 1;
      },
    });
    minute.join([], null);
    limiter = createLimiter({ requestsPerMinute: 50, clock, recent: [], source: minute });
  };

  beforeEach(() => {
    clock = manualClock();
  });
  afterEach(async () => {
    limiter.close();
    await minute.leave();
  });

  it('asks on a new connection at once, though the answer of the old one is given up later', async () => {
    let giveUp = () => {};
    const never = new Promise<string>((_resolve, reject) => {
      giveUp = () => reject(new Error('no answer in time'));
    });
    begin(connection(() => never).opened);
    const permit = limiter.take();
    await clock.advance(0);
    const next = connection();
    session = next.opened;
    minute.call();
    giveUp();
    await clock.advance(0);
    expect(next.asked).not.toEqual([]);
    (await permit).giveBack();
  });

  /** Permits that were given, once Bottleneck has had its turns. */
  const taken = async (count: number) => {
    const permits: Permit[] = [];
    for (let one = 0; one < count; one += 1)
      void limiter.take().then(
        (permit) => permits.push(permit),
        () => {},
      );
    await settled();
    return permits;
  };
  const settled = async () => {
    for (let turn = 0; turn < 50; turn += 1) {
      await clock.advance(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  it('takes no more than its own minute holds, whatever Redis grants', async () => {
    begin(connection().opened);
    const permits = await taken(60);
    await eventually(async () => {
      await settled();
      return permits.length >= 50;
    });
    permits[0]?.spent();
    await settled();
    expect(permits).toHaveLength(50);
    await clock.advance(60_000);
    await eventually(async () => {
      await settled();
      return permits.length > 50;
    });
    expect(permits).toHaveLength(51);
  });

  it('gives back what Redis grants while the service has asked for a pause, and takes it afterwards', async () => {
    let answer = (_text: string) => {};
    const { asked, opened } = connection();
    const evaluate: Redis['evaluate'] = async (...words) => {
      const text = await opened.evaluate(...words);
      const isGrant = /"granted":1/.test(String(text)) && !asked.slice(0, -1).some(grants);
      return isGrant ? new Promise((resolve) => (answer = () => resolve(text))) : text;
    };
    const grants = (request: string) => /"ids":\["/.test(request);
    begin({ ...opened, evaluate });
    const permits = await taken(1);
    limiter.pause(5_000, 'too busy');
    answer('');
    await settled();
    expect(permits).toEqual([]);
    expect(asked.some((request) => /"returned":\["/.test(request))).toBe(true);
    await clock.advance(5_000);
    await settled();
    expect(permits).toHaveLength(1);
  });

  it('says how much is used by its own count, once Redis has been away for a window', async () => {
    const now = () => 1_000_000 + clock.monotonic();
    begin(connection(async () => JSON.stringify({ now: now(), used: 7, epoch: 1 })).opened);
    minute.call();
    await settled();
    expect(limiter.status().used).toBe(7);
    session = null;
    await clock.advance(fleetTimes.windowMs);
    expect(limiter.status().used).toBe(0);
  });

  it('says what keeps a new fleet waiting when another host has made it longer', async () => {
    let openMs = 2_000;
    const now = () => 1_000_000 + clock.monotonic();
    begin(connection(async () => JSON.stringify({ now: now(), epoch: 1, openMs })).opened);
    await settled();
    await clock.advance(2_000);
    expect(minute.opening()).toBeNull();
    openMs = 58_000;
    const told = changes;
    minute.call();
    await settled();
    expect(minute.opening()?.code).toBe('fleet-opens');
    expect(changes).toBeGreaterThan(told);
  });

  it('lets no request wait for a permit that nobody confirms any more', async () => {
    begin(connection().opened);
    const { guard } = await limiter.take();
    session = null;
    minute.call();
    await clock.advance(fleetTimes.validMs);
    const confirmed = expect(guard?.confirm()).rejects.toMatchObject({ code: 'permit-lost' });
    limiter.close();
    await minute.leave();
    await confirmed;
    expect(guard?.signal.aborted).toBe(true);
  });
});
