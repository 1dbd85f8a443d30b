import { beforeEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { createCircuitBreaker } from '../../../src/sync/send/circuit-breaker.ts';
import type { CircuitBreaker } from '../../../src/sync/send/circuit-breaker.ts';
import { busyOf, elsewhere } from '../../support/fixtures/model-fixtures.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { ManualClock } from '../../support/manual-clock.ts';

let clock: ManualClock;
let restMs: number;
let changes: number;
let breaker: CircuitBreaker;
let isIdle: boolean;

beforeEach(() => {
  clock = manualClock();
  restMs = 0;
  isIdle = false;
  changes = 0;
  breaker = createCircuitBreaker({
    clock,
    random: () => 0,
    restMs: () => restMs,
    changed: () => (changes += 1),
  });
});

const accepted: Outcome = { kind: 'accepted', docId: 'doc', warning: null };
const busy = busyOf({ sent: 'all' });
const tooMany = { ...busy, code: 'http-429', message: 'too many' } as const;
const away = { ...busy, code: 'econnrefused', message: 'away', sent: 'nothing' } as const;
const refused: Outcome = { kind: 'unauthorized', message: 'wrong password' };
const missing: Outcome = { kind: 'missing', message: 'unknown' };
const strange: Outcome = { ...away, code: 'not-the-service', message: 'a page', sent: 'all' };
const rejected: Outcome = { kind: 'rejected', code: 'http-422', message: 'no' };
const forbidden: Outcome = { kind: 'rejected', code: 'http-403', message: 'no access' };

/** How many requests may be under way of four, and how long until one may try. */
const state = () => [breaker.allowedInFlight(4), breaker.openMs()];
const start = '2026-01-01T00:00:00.000Z';
const minutesIn = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString();
const reasons = () => breaker.reasons(() => isIdle);
const codes = () => reasons().map(({ code }) => code);

function note(outcome: Outcome, times = 1, about = 'one'): void {
  for (let time = 0; time < times; time += 1) breaker.note(outcome, about);
}

function noteOf(outcome: Outcome, ...about: readonly string[]): void {
  for (const one of about) breaker.note(outcome, one);
}

describe('what the outcomes say of the service', () => {
  it('is nothing where one request was not answered', () => {
    note(busy);
    expect([state(), reasons(), breaker.unansweredInARow()]).toEqual([[4, 0], [], 1]);
  });

  it('is a reason, and holds nobody else back, where one document alone is not answered', () => {
    note(busy, 3);
    expect([state(), reasons()]).toEqual([
      [1, 0],
      [{ code: 'service-unavailable', message: 'busy', since: start }],
    ]);
  });

  it('is an outage where several are not answered: one at a time tries, with growing intervals', async () => {
    noteOf(busy, 'one', 'other');
    expect(state()).toEqual([0, 1_000]);
    await clock.advance(1_000);
    expect(state()).toEqual([1, 0]);
    note(busy, 1, 'one');
    expect(state()).toEqual([0, 2_000]);
    await clock.advance(2_000);
    note(accepted);
    expect([state(), reasons(), breaker.unansweredInARow()]).toEqual([[4, 0], [], 0]);
  });

  it('is an outage where one alone meets no service', () => {
    note(away, 2);
    expect(state()).toEqual([0, 1_000]);
  });

  it('is no outage where the same one fails again after another was accepted', () => {
    note(busy, 1, 'one');
    note(accepted, 1, 'other');
    note(busy, 1, 'other');
    expect([state(), reasons()]).toEqual([[4, 0], []]);
  });

  it('is that it is busy: it holds all back at once where it does not say for how long', () => {
    note(tooMany);
    expect([state(), codes(), breaker.unansweredInARow()]).toEqual([[0, 500], ['rate-limited'], 0]);
  });

  it('is left to the limiter where it says for how long it is busy', () => {
    note({ ...tooMany, retryAfterMs: 30_000 });
    expect([state(), codes()]).toEqual([[4, 0], []]);
    note({ ...tooMany, retryAfterMs: 30_000 });
    expect([state(), codes(), breaker.unansweredInARow()]).toEqual([[0, 30_000], ['rate-limited'], 0]);
  });

  it('is that the credentials are refused: 1, 5, then 15 minutes, or as long as the token endpoint rests', async () => {
    for (const minutes of [1, 5, 15, 15]) {
      // Those that are under way together find it out once.
      note(refused, 4);
      expect(state()).toEqual([0, minutes * 60_000]);
      await clock.advance(minutes * 60_000);
    }
    const code = 'credentials-refused';
    expect(reasons()).toEqual([{ code, message: 'wrong password', since: start }]);
    note(accepted);
    restMs = 4_000;
    note(refused);
    expect(state()).toEqual([0, 4_000]);
  });

  it('is that the address is wrong, until it is right', async () => {
    expect(breaker.isMisaddressed()).toBe(false);
    note(elsewhere, 4);
    expect([state(), breaker.isMisaddressed()]).toEqual([[0, 60_000], true]);
    // Two looks at both clocks differ by a little.
    clock.jump(-1);
    expect(reasons()).toEqual([
      { code: 'redirect', message: 'it is elsewhere', since: start, until: minutesIn(1) },
    ]);
    await clock.advance(60_000);
    note(accepted);
    expect([state(), breaker.isMisaddressed(), codes()]).toEqual([[4, 0], false, []]);
  });

  it('is that it knows none of our documents, from the third in a row on', () => {
    note(missing, 3, 'one');
    note(missing, 1, 'two');
    expect(breaker.manyMissing()).toBe(false);
    note(missing, 1, 'three');
    expect(breaker.manyMissing()).toBe(true);
    note(accepted);
    expect(breaker.manyMissing()).toBe(false);
    noteOf(missing, 'one', 'two');
    note(rejected);
    noteOf(missing, 'three', 'four');
    expect(breaker.manyMissing()).toBe(false);
  });

  it('is that something else answers at its address, whatever the document', () => {
    note(strange, 2);
    expect([state()[0], breaker.manyMissing()]).toEqual([0, false]);
    expect(reasons()).toMatchObject([{ code: 'not-the-service', message: 'a page' }]);
  });

  it.each([
    ['it breaks off in the middle of a body', { ...busy, code: 'epipe', sent: 'part' }, 'not-the-service'],
    ['it gives no answer', { kind: 'unknown', code: 'response-timeout', message: '' }, 'not-the-service'],
    ['nobody is there', away, 'service-unavailable'],
    ['the service takes a document', accepted, undefined],
  ] as const)('is, where something else answered, once %s', async (_, then, code) => {
    for (const outcome of [strange, strange, then]) {
      await clock.advance(breaker.openMs());
      note(outcome);
    }
    expect(reasons()[0]?.code).toBe(code);
  });

  it('is that nothing is allowed, from the third in a row on', async () => {
    note(forbidden, 2);
    note(rejected);
    note(forbidden, 2);
    expect([breaker.manyForbidden(), state(), codes()]).toEqual([false, [4, 0], []]);
    note(forbidden);
    expect([breaker.manyForbidden(), state()]).toEqual([true, [0, 60_000]]);
    expect(reasons()).toEqual([
      { code: 'no-access', message: 'no access', since: start, until: minutesIn(1) },
    ]);
    note(forbidden, 2);
    expect(breaker.openMs()).toBe(60_000);
    await clock.advance(60_000);
    note(forbidden);
    expect(breaker.openMs()).toBe(300_000);
    note(rejected);
    expect([breaker.manyForbidden(), state(), codes()]).toEqual([false, [4, 0], []]);
  });

  it.each([
    ['accepts', accepted],
    ['rejects', rejected],
    ['does not know', missing],
  ])('is that it is back when it %s a document', (_, answer) => {
    noteOf(busy, 'one', 'other');
    const before = changes;
    note(answer);
    expect([state(), reasons(), breaker.unansweredInARow()]).toEqual([[4, 0], [], 0]);
    expect(changes).toBeGreaterThan(before);
  });

  it('is no longer said where nothing is left to send, unless it keeps that from ever going', () => {
    noteOf(busy, 'one', 'other');
    isIdle = true;
    expect([codes(), breaker.unresolved()]).toEqual([[], 'service-unavailable']);
    note(elsewhere);
    expect(codes()).toEqual(['redirect']);
    breaker.close();
    expect(codes()).toEqual([]);
    isIdle = false;
    expect(codes()).toEqual(['redirect']);
  });

  it('does not hide that uploads are stopped, which only a person ends (7.32)', () => {
    for (let time = 0; time < 3; time += 1) breaker.noteWithoutDocId('no docId');
    noteOf(away, 'a', 'b');
    expect(codes()).toEqual(['service-unavailable', 'uploads-stopped']);
  });

  it('keeps nothing back when a person has fixed something, and is said until an answer shows that', () => {
    note(elsewhere);
    noteOf(missing, 'one', 'two', 'three');
    noteOf(busy, 'other', 'one');
    breaker.close();
    expect([state(), codes(), breaker.isMisaddressed(), breaker.manyMissing()]).toEqual([
      [4, 0],
      ['service-unavailable'],
      false,
      false,
    ]);
    expect(breaker.unansweredInARow()).toBe(0);
    note(rejected);
    expect([codes(), breaker.unresolved()]).toEqual([[], null]);
  });
});
