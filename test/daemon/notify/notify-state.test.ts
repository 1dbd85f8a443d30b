import { describe, expect, it } from '@jest/globals';

import type { NotifyEvent } from '../../../src/daemon/notify/event.ts';
import { nextNotifyState } from '../../../src/daemon/notify/notify-state.ts';
import type { NotifyState } from '../../../src/daemon/notify/notify-state.ts';
import type { Activity, Status } from '../../../src/model/report/status.ts';
import { aFolder, aStatus } from '../../status/support/fake-control.ts';

const afterMs = 300_000;
const times = { afterMs, isAll: true };
const begin: NotifyState = {
  waiting: {},
  announced: [],
  owesRecovery: false,
  clearSince: null,
  queues: {},
};

/** An entry of the log that is not over. */
function entry(what: string, path: string, code: string, more: Partial<Activity> = {}): Activity {
  return { at: '', folder: 'inbox', path, what, code, docId: null, message: 'x', documents: 1, ...more };
}

const failed = (path: string, code = 'double-extension') =>
  entry('failed', path, code, { message: 'more than one dot' });
const problem = (code: string, folder = '', path = '') => entry('problem', path, code, { folder });

/** What is announced when this is wrong at these seconds; where the status is not given, it needs attention. */
function story(
  ...steps: readonly (readonly [seconds: number, open: readonly Activity[], status?: Partial<Status>])[]
) {
  let state = begin;
  const events: NotifyEvent[] = [];
  for (const [seconds, open, status] of steps) {
    const statusNow = () => aStatus(status ?? { folders: open.length === 0 ? [] : [aFolder({ failed: 1 })] });
    const next = nextNotifyState(state, open, statusNow, { ...times, now: seconds * 1_000 });
    ({ state } = next);
    if (next.event !== null) events.push(next.event);
  }
  return { state, events };
}

const announced = ({ events }: { readonly events: readonly NotifyEvent[] }) =>
  events.map(({ kind, folder, path, code, troublesTotal }) => [kind, folder, path, code, troublesTotal]);

const one = [failed('a.b.pdf')];
const two = [failed('a.b.pdf'), failed('c.d.pdf')];

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
    expect(announced(story([0, one], [200, []], [400, one], [699, one]))).toEqual([]);
  });

  it('is another event for what comes later', () => {
    const later = announced(story([0, one], [300, one], [301, two], [601, two]));
    expect(later.map(([, , path]) => path)).toEqual(['a.b.pdf', 'c.d.pdf']);
  });

  it('is no limit, and no pause', () => {
    const open = [entry('limit', '', 'rate-limited'), problem('fleet-paused')];
    expect(announced(story([0, open], [900, open]))).toEqual([]);
  });

  it.each([
    ['service-unavailable', problem('service-unavailable'), null],
    ['not-taken', failed('d.pdf', 'not-taken'), 'inbox'],
  ])('is what may pass by itself only when it has lasted: %s', (code, away, folder) => {
    expect(announced(story([0, one], [299, [...one, away]], [300, [...one, away]]))).toEqual([
      ['trouble', 'inbox', 'a.b.pdf', 'double-extension', 1],
    ]);
    expect(announced(story([0, [away]], [300, [away]]))).toEqual([
      ['trouble', folder, away.path || null, code, 1],
    ]);
  });

  it('is what the log tells of, each folder and each place by itself', () => {
    const all = [
      problem('folder-missing', 'inbox'),
      problem('folder-missing', 'second'),
      problem('x', 'inbox', 'a'),
    ];
    const steps = all.flatMap((_, index): [number, Activity[]][] => {
      const now = all.slice(0, index + 1);
      return [
        [index * 1_000, now],
        [index * 1_000 + 300, now],
      ];
    });
    expect(announced(story(...steps))).toEqual([
      ['trouble', 'inbox', null, 'folder-missing', 1],
      ['trouble', 'second', null, 'folder-missing', 1],
      ['trouble', 'inbox', 'a', 'x', 1],
    ]);
  });

  it('is that credentials are refused, deletions held by their folders, uploads in doubt', () => {
    const held = ['a', 'b'].map((path) => entry('held', path, 'held', { message: 'many at once' }));
    const open = [problem('credentials-refused'), ...held, entry('in doubt', 'd.pdf', 'econnreset')];
    const [event] = story([0, open], [300, open]).events;
    expect(event?.troubles).toMatchObject([
      { code: 'credentials-refused', folder: null },
      { code: 'held', folder: 'inbox', path: null, message: '2 held: many at once' },
      { code: 'in-doubt', path: 'd.pdf' },
    ]);
  });

  it.each([
    ['ok', {}, /: everything is in order again$/],
    [
      'attention',
      { possibleDuplicates: 2, recordedDuplicates: 2, paused: ['inbox'], folders: [aFolder(), aFolder()] },
      /: the announced problems have ended; this still needs attention:\nFolder inbox paused, 2 possible duplicates$/,
    ],
  ])('is a recovery that tells what else needs attention: %s', (health, after, text) => {
    const state = story([0, one], [300, one], [400, [], after], [700, [], after]);
    expect(state.events.at(-1)).toMatchObject({
      kind: 'recovery',
      health,
      text: expect.stringMatching(text),
    });
  });

  it('is the recovery, when nothing has been wrong for as long', () => {
    const until = story([0, one], [300, one], [400, []], [699, []]);
    expect(announced(until)).toHaveLength(1);
    const clear = nextNotifyState(until.state, [], () => aStatus({}), { ...times, now: 700_000 });
    expect(clear.event).toMatchObject({
      kind: 'recovery',
      folder: null,
      path: null,
      code: null,
      troublesTotal: 0,
    });
    expect(clear.nextMs).toBeNull();
    // Wrong again meanwhile: the time starts over, and it is announced once.
    expect(announced(story([0, one], [300, one], [400, []], [500, two], [600, []], [899, []]))).toHaveLength(
      1,
    );
    expect(announced(story([0, one], [300, one], [400, []], [500, two], [600, []], [900, []]))).toHaveLength(
      2,
    );
  });

  it('is no recovery while other things may be wrong, and nothing twice', () => {
    const { state } = story([0, one], [300, one]);
    const step = (from: NotifyState, seconds: number, open: readonly Activity[], isAll: boolean) =>
      nextNotifyState(from, open, () => aStatus({}), { now: seconds * 1_000, afterMs, isAll });
    const away = step(step(state, 400, [], false).state, 900, [], false);
    expect([away.event, step(away.state, 1_300, one, true).event]).toEqual([null, null]);
  });

  it('comes with the time of the next evaluation', () => {
    const first = nextNotifyState(begin, one, () => aStatus({}), { ...times, now: 1_000 });
    expect(first.nextMs).toBe(afterMs);
    // The clock was set back by an hour: nobody waits an hour longer.
    expect(nextNotifyState(first.state, one, () => aStatus({}), { ...times, now: -3_600_000 }).nextMs).toBe(
      afterMs,
    );
  });
});
