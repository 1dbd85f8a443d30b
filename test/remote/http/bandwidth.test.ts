import { once } from 'node:events';
import { Readable } from 'node:stream';

import { afterEach, describe, expect, it } from '@jest/globals';

import { systemClock } from '../../../src/lib/time/clock.ts';
import { createBandwidth, throttled } from '../../../src/remote/http/bandwidth.ts';
import type { Bandwidth } from '../../../src/remote/http/bandwidth.ts';
import { eventually } from '../../support/eventually.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { closeWorlds, startClientWorld } from '../client-world.ts';

afterEach(closeWorlds);

/** Takes as fast as it may; counts into `taken`. */
async function takeForEver(bandwidth: Bandwidth, taken: { bytes: number }): Promise<void> {
  for (;;) {
    await bandwidth.take(bandwidth.pieceBytes);
    taken.bytes += bandwidth.pieceBytes;
  }
}

describe('the upload bandwidth', () => {
  it.each([
    ['1 kB/s', 1_000, 1],
    ['1 kB/s, four at once', 1_000, 4],
    ['333 kB/s, four at once', 333_000, 4],
    ['12.5 MB/s, four at once', 12_500_000, 4],
  ])('is exact to 5 %% over any ten seconds: %s', async (_name, bytesPerSecond, requests) => {
    const clock = manualClock();
    const bandwidth = createBandwidth(bytesPerSecond, clock);
    const taken = { bytes: 0 };
    for (let index = 0; index < requests; index += 1) void takeForEver(bandwidth, taken);
    for (let window = 0; window < 2; window += 1) {
      const before = window === 0 ? 0 : taken.bytes;
      await clock.advance(10_000);
      const bytes = taken.bytes - before;
      expect(bytes / (bytesPerSecond * 10)).toBeGreaterThan(0.95);
      expect(bytes / (bytesPerSecond * 10)).toBeLessThan(1.05);
    }
  });

  it('is not saved up while nothing is sent, and does not follow the wall clock', async () => {
    const clock = manualClock();
    const bandwidth = createBandwidth(100_000, clock);
    await clock.advance(60_000);
    clock.jump(-3_600_000);
    const taken = { bytes: 0 };
    void takeForEver(bandwidth, taken);
    await clock.advance(5_000);
    clock.jump(7_200_000);
    await clock.advance(5_000);
    expect(taken.bytes / 1_000_000).toBeGreaterThan(0.95);
    expect(taken.bytes / 1_000_000).toBeLessThan(1.05);
  });

  it('passes a failing body on as it fails', async () => {
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(10);
        throw Object.assign(new Error('gone'), { code: 'content-changed' });
      })(),
    );
    const { stream } = throttled({ stream: body, bytes: 20 }, createBandwidth(1_000_000, systemClock));
    stream.resume();
    const [error] = (await once(stream, 'error')) as [unknown];
    expect(error).toMatchObject({ code: 'content-changed' });
  });

  it('is shared by all requests on real sockets, whose bodies arrive whole', async () => {
    const bytes = 250_000;
    const world = await startClientWorld({ maxKilobytesPerSecond: 250, bytes });
    const uploads = Promise.all([1, 2, 3].map(() => world.call('upload')));
    await eventually(() => world.service.requests.length === 3);
    const received = () => world.service.requests.reduce((sum, request) => sum + request.bytes(), 0);
    const begun = { at: performance.now(), bytes: received() };
    await eventually(() => received() > 600_000);
    const rate = (received() - begun.bytes) / (performance.now() - begun.at);
    // No faster; how much slower is up to the machine.
    expect(rate).toBeLessThan(250 * 1.15);
    expect((await uploads).map(({ outcome }) => outcome.kind)).toEqual(['accepted', 'accepted', 'accepted']);
    const [first] = world.service.requests;
    expect(first?.parts().find(({ name }) => name === 'file')?.body).toHaveLength(bytes);
  });
});
