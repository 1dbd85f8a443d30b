import { afterEach, describe, expect, it } from '@jest/globals';

import { systemClock } from '../../src/lib/time/clock.ts';
import { steps } from '../support/services/scripted-service.ts';
import { closeWorlds, operationNames, startClientWorld } from './client-world.ts';
import type { ClientWorld } from './client-world.ts';

afterEach(closeWorlds);

/** A question that gets these answers in turn, the last one from then on; what it was asked with is noted. */
function question(world: ClientWorld, ...answers: readonly boolean[]) {
  const asked: { connections: number; heads: number; bytes: number }[] = [];
  const stillFollows = () => {
    const { service } = world;
    const bytes = service.requests.reduce((sum, request) => sum + request.bytes(), 0);
    asked.push({ connections: service.connections(), heads: service.requests.length, bytes });
    return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? true);
  };
  return { asked, stillFollows };
}

describe('whether a request still follows', () => {
  it.each(operationNames)(
    'is asked of %s when its connection stands: at no, not a byte goes',
    async (name) => {
      const world = await startClientWorld();
      await world.tokens.access();
      const before = world.service.connections();
      const { asked, stillFollows } = question(world, false);
      const { outcome } = await world.call(name, { stillFollows });
      expect(outcome).toMatchObject({ kind: 'withdrawn', sent: 'nothing' });
      expect(asked).toEqual([{ connections: before + 1, heads: 0, bytes: 0 }]);
      expect([world.service.requests.length, world.limiter.status().used]).toEqual([0, 0]);
    },
  );

  it('is asked again of the repetition with a new token', async () => {
    const world = await startClientWorld();
    world.service.script(steps.answer(401, ''));
    const { asked, stillFollows } = question(world, true, false);
    const { outcome } = await world.call('remove', { stillFollows });
    expect(outcome).toMatchObject({ kind: 'withdrawn', sent: 'nothing' });
    expect(asked.map(({ heads }) => heads)).toEqual([0, 1]);
    expect(world.service.requests).toHaveLength(1);
  });

  it('is asked before the last piece of a body that takes longer than an answer holds', async () => {
    const world = await slowWorld();
    const { asked, stillFollows } = question(world, true);
    const { outcome } = await world.call('upload', { stillFollows });
    expect(outcome.kind).toBe('accepted');
    expect(asked.map(({ heads }) => heads)).toEqual([0, 1]);
    const [request] = world.service.requests;
    expect(asked[1]?.bytes).toBeLessThan(request?.bytes() ?? 0);
    expect(asked[1]?.bytes).toBeGreaterThan(20_000);
  });

  it('keeps the last piece back where it does not, and ends the request', async () => {
    const world = await slowWorld();
    const { stillFollows } = question(world, true, false);
    const { outcome } = await world.call('upload', { stillFollows });
    expect(outcome).toMatchObject({ kind: 'withdrawn', sent: 'part' });
    expect(world.service.requests.map((request) => request.complete())).toEqual([false]);
    expect(world.limiter.status().used).toBe(1);
  });

  it('leaves an upload in doubt that was answered before its last piece', async () => {
    const world = await slowWorld();
    world.service.script(
      steps.answerEarly(200, JSON.stringify({ success: { docId: 'd', message: 'done' } })),
    );
    const { stillFollows } = question(world, true, false);
    const { outcome } = await world.call('upload', { stillFollows });
    expect(outcome).toMatchObject({ kind: 'unknown' });
  });

  it('is asked once of a body that has left while the answer holds', async () => {
    const clock = { ...systemClock, monotonic: () => 0 };
    const world = await startClientWorld({ bytes: 100, clock });
    const { asked, stillFollows } = question(world, true);
    const { outcome } = await world.call('upload', { stillFollows });
    expect([outcome.kind, asked.length]).toEqual(['accepted', 1]);
  });

  it.each([
    [
      'once more where the answer took longer than it holds: the process may have been frozen',
      [60_000],
      'withdrawn',
      [true, false],
    ],
    ['three times at most: a slow disk has the last word', [60, 60, 60], 'accepted', [true, true, true]],
  ])('is asked %s', async (_, lasting, expected, given) => {
    let jumpedMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + jumpedMs };
    const world = await startClientWorld({ clock });
    let asked = 0;
    const stillFollows = () => {
      jumpedMs += lasting[asked] ?? 0;
      asked += 1;
      return Promise.resolve(given[asked - 1] ?? true);
    };
    const { outcome } = await world.call('remove', { stillFollows });
    expect([outcome.kind, asked]).toEqual([expected, given.length]);
    expect(world.service.requests).toHaveLength(expected === 'accepted' ? 1 : 0);
  });

  it('is not told by what never answers: nothing goes out', async () => {
    const world = await startClientWorld({ connectSeconds: 0.2 });
    const { outcome } = await world.call('remove', { stillFollows: () => new Promise(() => {}) });
    expect([outcome.kind, world.service.requests.length]).toEqual(['withdrawn', 0]);
  });
});

/** Half a second for a document. */
function slowWorld(): Promise<ClientWorld> {
  return startClientWorld({ bytes: 40_000, maxKilobytesPerSecond: 80 });
}
