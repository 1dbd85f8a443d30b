import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { sharedPermit } from '../../src/cluster/permits/shared-permit.ts';
import { followRedisTime } from '../../src/cluster/redis/redis-time.ts';
import { manualClock } from '../support/manual-clock.ts';

const run = promisify(execFile);
const times = { validMs: 2_000, lifeMs: 15_000 };

describe('a permit in the hands of its host', () => {
  const given = () => {
    const clock = manualClock();
    const asked: number[] = [];
    const now = () => ({ monotonic: clock.monotonic(), wall: clock.now() });
    const permit = sharedPermit({
      heldAt: now(),
      clock,
      times,
      lease: null,
      ask: () => asked.push(1),
      end: () => {},
    });
    return { clock, permit, asked, now };
  };

  it('begins within two seconds of its grant and not later', async () => {
    const { clock, permit } = given();
    await clock.advance(2_000);
    expect(permit.guard.mayBegin()).toBe(true);
    const late = given();
    await late.clock.advance(2_001);
    expect(late.permit.guard.mayBegin()).toBe(false);
    expect(late.permit.isBegun).toBe(false);
  });

  it('is confirmed at once while it is fresh, and by Redis when it is not', async () => {
    const { clock, permit, asked, now } = given();
    await permit.guard.confirm();
    expect(asked).toEqual([]);
    await clock.advance(5_000);
    const confirmed = permit.guard.confirm();
    expect(asked).toEqual([1]);
    permit.renewed(now());
    await confirmed;
    expect(permit.guard.mayBegin()).toBe(true);
  });

  it('is refused where Redis no longer has it', async () => {
    const { clock, permit } = given();
    await clock.advance(5_000);
    const confirmed = permit.guard.confirm();
    permit.lose();
    await expect(confirmed).rejects.toMatchObject({ code: 'permit-lost' });
    expect(permit.guard.signal.aborted).toBe(true);
    await expect(permit.guard.confirm()).rejects.toMatchObject({ code: 'permit-lost' });
  });

  it('lets a body go on for fifteen seconds after the last renewal', async () => {
    const { clock, permit, now } = given();
    permit.guard.mayBegin();
    await clock.advance(14_000);
    permit.renewed(now());
    await clock.advance(15_000);
    expect(permit.guard.mayGoOn()).toBe(true);
    await clock.advance(1);
    expect(permit.guard.mayGoOn()).toBe(false);
    permit.expire();
    expect(permit.guard.signal.aborted).toBe(true);
  });

  it('has run out for a machine that slept, although its monotonic clock stood still', () => {
    const { clock, permit } = given();
    permit.guard.mayBegin();
    clock.jump(120_000);
    expect(permit.guard.mayGoOn()).toBe(false);
  });
});

describe('a permit that counts as long as the lease', () => {
  it('can be one of sixty-four, without a warning between the lines of the log', async () => {
    const script = `
      import { createLease } from './build/cluster/lease/lease.js';
      import { sharedPermit } from './build/cluster/permits/shared-permit.js';
      const lease = createLease({ redis: {} });
      for (let index = 0; index < 64; index += 1) {
        const { guard } = sharedPermit({ lease, times: {} });
        guard.signal.addEventListener('abort', () => {});
        guard.lapsed.addEventListener('abort', () => {});
      }`;
    const { stderr } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stderr).toBe('');
  });
});

describe("the watch on Redis's clock", () => {
  const at = (monotonic: number, wall = monotonic) => ({ monotonic, wall });

  it('takes what the way there and back can explain', () => {
    const time = followRedisTime(250);
    expect(time.isSteady(1_000_000, at(0), at(5))).toBe(true);
    expect(time.isSteady(1_005_000, at(5_000), at(5_010))).toBe(true);
    // The second command was three seconds on its way.
    expect(time.isSteady(1_012_990, at(10_000), at(13_000))).toBe(true);
  });

  it.each([
    ['forward', 3_600_000],
    ['forward by little', 400],
    ['back', -3_600_000],
  ])('sees a jump %s, once', (_name, jump) => {
    const time = followRedisTime(250);
    time.isSteady(1_000_000, at(0), at(5));
    expect(time.isSteady(1_005_000 + jump, at(5_000), at(5_005))).toBe(false);
    expect(time.isSteady(1_010_000 + jump, at(10_000), at(10_005))).toBe(true);
  });

  it('is not misled by a machine that slept or whose own clock was set', () => {
    const time = followRedisTime(250);
    time.isSteady(1_000_000, at(0), at(5));
    expect(time.isSteady(4_600_000, at(1_000, 3_600_000), at(1_005, 3_600_005))).toBe(true);
    expect(time.isSteady(4_605_000, at(6_000, 0), at(6_005, 5))).toBe(true);
  });
});
