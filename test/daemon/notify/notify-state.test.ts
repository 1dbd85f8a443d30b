import { describe, expect, it } from '@jest/globals';

import type { NotifyEvent } from '../../../src/daemon/notify/event.ts';
import { nextNotifyState } from '../../../src/daemon/notify/notify-state.ts';
import type { NotifyState } from '../../../src/daemon/notify/notify-state.ts';
import type { FailureStatus, Status } from '../../../src/model/report/status.ts';
import { aFailure, aFolder, aStatus } from '../../status/support/fake-control.ts';

const afterMs = 300_000;
const begin: NotifyState = {
  waiting: {},
  announced: [],
  owesRecovery: false,
  clearSince: null,
  queues: {},
};

function failed(path: string, more: Partial<FailureStatus> = {}): FailureStatus {
  return { ...aFailure(path, 'double-extension', 'more than one dot'), ...more };
}

/** What is announced when the status is this at these seconds. */
function story(...steps: readonly (readonly [seconds: number, status: Partial<Status>])[]) {
  let state = begin;
  const events: NotifyEvent[] = [];
  for (const [seconds, status] of steps) {
    const next = nextNotifyState(state, aStatus(status), { now: seconds * 1_000, afterMs });
    ({ state } = next);
    if (next.event !== null) events.push(next.event);
  }
  return { state, events };
}

const announced = ({ events }: { readonly events: readonly NotifyEvent[] }) =>
  events.map(({ kind, folder, path, code, troublesTotal }) => [kind, folder, path, code, troublesTotal]);

const folders = [aFolder({ failed: 1 })];
const one = { folders, failures: [failed('a.b.pdf')] };
const two = { folders, failures: [failed('a.b.pdf'), failed('c.d.pdf')] };

describe('what is announced', () => {
  it('is a trouble that lasts, once, with what came up meanwhile', () => {
    expect(announced(story([0, one], [299, two]))).toEqual([]);
    const state = story([0, one], [299, two], [300, two], [900, two]);
    expect(announced(state)).toEqual([['trouble', 'inbox', 'a.b.pdf', 'double-extension', 2]]);
    expect(state.events[0]).toMatchObject({
      health: 'attention',
      text: expect.stringMatching(
        /^ingestd on .+: 2 problems:\ninbox\/a\.b\.pdf: More than one dot in the name: more than one dot\ninbox\/c/,
      ),
    });
  });

  it('is nothing of what ends before', () => {
    expect(announced(story([0, one], [200, {}], [400, one], [699, one]))).toEqual([]);
  });

  it('is another event for what comes later', () => {
    const later = announced(story([0, one], [300, one], [301, two], [601, two]));
    expect(later.map(([, , path]) => path)).toEqual(['a.b.pdf', 'c.d.pdf']);
  });

  it('is no failure that is retried, and no pause', () => {
    const retried = { failures: [failed('a.pdf', { retryAt: '2026-01-01T00:00:00Z' })] };
    const codes = ['paused', 'fleet-paused'];
    const paused = { paused: ['inbox'], reasons: codes.map((code) => ({ code, message: 'x' })) };
    expect(announced(story([0, retried], [900, retried]))).toEqual([]);
    expect(announced(story([0, paused], [900, paused]))).toEqual([]);
  });

  it('is what may pass by itself only when it has lasted', () => {
    const away = { reasons: [{ code: 'service-unavailable', message: 'no answer' }] };
    expect(announced(story([0, one], [299, { ...one, ...away }], [300, { ...one, ...away }]))).toEqual([
      ['trouble', 'inbox', 'a.b.pdf', 'double-extension', 1],
    ]);
    expect(announced(story([0, away], [300, away]))).toEqual([
      ['trouble', null, null, 'service-unavailable', 1],
    ]);
  });

  it('is what the log tells of, each folder by itself', () => {
    const missing = (folder: string) => ({
      code: 'folder-missing',
      folder,
      message: `/${folder} is not there`,
    });
    const first = { reasons: [missing('inbox')] };
    const both = { reasons: [missing('inbox'), missing('second')] };
    expect(announced(story([0, first], [300, first], [301, both], [601, both]))).toEqual([
      ['trouble', 'inbox', null, 'folder-missing', 1],
      ['trouble', 'second', null, 'folder-missing', 1],
    ]);
    const noFault = ['rate-limited', 'watch-limit'].map((code) => ({ code, message: 'x' }));
    expect(announced(story([0, { reasons: noFault }], [300, { reasons: noFault }]))).toEqual([]);
  });

  it('is that credentials are refused, deletions held, uploads in doubt', () => {
    const status: Partial<Status> = {
      reasons: [
        { code: 'credentials-refused', message: 'no' },
        { code: 'held', message: 'x' },
      ],
      held: [{ folder: 'inbox', count: 37, since: '', reason: 'many at once', paths: [] }],
      inDoubt: [{ folder: 'inbox', path: 'd.pdf', since: '', count: 1, message: 'no answer' }],
      failures: [failed('d.pdf', { code: 'in-doubt' })],
    };
    const [event] = story([0, status], [300, status]).events;
    expect(event?.troubles.map(({ code }) => code)).toEqual(['credentials-refused', 'held', 'in-doubt']);
  });

  it('is a document once, however many of its uploads are in doubt', () => {
    const doubt = { folder: 'inbox', path: 'd.pdf', since: '', count: 1, message: 'no answer' };
    const inDoubt = [doubt, { ...doubt, path: 'e.pdf' }, { ...doubt, since: 'later' }];
    const status = { inDoubt, inDoubtTotal: 3 };
    const [event] = story([0, status], [300, status]).events;
    expect(event?.troubles.map(({ path }) => path)).toEqual(['d.pdf', 'e.pdf']);
    expect(event).toMatchObject({ troublesTotal: 2, text: expect.stringContaining(': 2 problems:\n') });
  });

  it.each([
    ['ok', {}, /: everything is in order again$/],
    [
      'attention',
      { possibleDuplicates: 2, recordedDuplicates: 2, paused: ['inbox'], folders: [aFolder(), aFolder()] },
      /: the announced problems have ended; this still needs attention:\nFolder inbox paused, 2 possible duplicates$/,
    ],
  ])('is a recovery that tells what else needs attention: %s', (health, after, text) => {
    const state = story([0, one], [300, one], [400, after], [700, after]);
    expect(state.events.at(-1)).toMatchObject({
      kind: 'recovery',
      health,
      text: expect.stringMatching(text),
    });
  });

  it('is the recovery, when nothing has been wrong for as long', () => {
    const until = story([0, one], [300, one], [400, {}], [699, {}]);
    expect(announced(until)).toHaveLength(1);
    const clear = nextNotifyState(until.state, aStatus({}), { now: 700_000, afterMs });
    expect(clear.event).toMatchObject({
      kind: 'recovery',
      folder: null,
      path: null,
      code: null,
      troublesTotal: 0,
    });
    expect(clear.nextMs).toBeNull();
    // Wrong again meanwhile: the time starts over, and it is announced once.
    expect(announced(story([0, one], [300, one], [400, {}], [500, two], [600, {}], [899, {}]))).toHaveLength(
      1,
    );
    expect(announced(story([0, one], [300, one], [400, {}], [500, two], [600, {}], [900, {}]))).toHaveLength(
      2,
    );
  });

  it('is no recovery while a folder is being scanned after a restart, and nothing twice', () => {
    const scanning = { folders: [aFolder({ state: 'scanning' })] };
    const state = story([0, one], [300, one], [400, { state: 'starting' }], [900, scanning], [1_300, one]);
    expect(announced(state)).toHaveLength(1);
  });

  it('is nothing twice that a list of the status was too long to name meanwhile', () => {
    const many = { ...one, failuresTotal: 1 };
    const cut = { folders, failures: [failed('0.0.pdf')], failuresTotal: 2 };
    const state = story([0, many], [300, many], [301, cut], [601, cut], [602, many], [902, many]);
    expect(announced(state).map(([, , path]) => path)).toEqual(['a.b.pdf', '0.0.pdf']);
  });

  it('comes with the time of the next evaluation', () => {
    const first = nextNotifyState(begin, aStatus(one), { now: 1_000, afterMs });
    expect(first.nextMs).toBe(afterMs);
    // The clock was set back by an hour: nobody waits an hour longer.
    expect(nextNotifyState(first.state, aStatus(one), { now: -3_600_000, afterMs }).nextMs).toBe(afterMs);
  });
});
