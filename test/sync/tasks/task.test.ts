import { describe, expect, it } from '@jest/globals';

import { newFacts, next, waitOf } from '../../../src/sync/tasks/task.ts';
import type { EventKind, StateKind, TaskEvent, TaskFacts, TaskState } from '../../../src/sync/tasks/task.ts';
import { statOf } from '../../support/fixtures/model-fixtures.ts';

const reason = { code: 'some', message: 'some reason' };
const seen = { stat: statOf({ size: 7 }), fingerprint: 'c' };

const states: Record<StateKind, TaskState> = {
  inspect: { kind: 'inspect' },
  inspecting: { kind: 'inspecting', dirty: false, since: 1 },
  settling: { kind: 'settling', dueAt: 5 },
  waiting: { kind: 'waiting', dueAt: 5, reason },
  grace: { kind: 'grace', dueAt: 5 },
  ready: { kind: 'ready', operation: 'modify', bulkKey: null, since: 1 },
  sending: { kind: 'sending', dirty: false, delivery: 3 },
  retry: { kind: 'retry', dueAt: 5, reason },
  failed: { kind: 'failed', reason, recorded: true },
  held: { kind: 'held', reason },
  dormant: { kind: 'dormant', reason },
};

const events: Record<EventKind, TaskEvent> = {
  touched: { kind: 'touched' },
  seen: { kind: 'seen', seen, liveAt: 9 },
  due: { kind: 'due' },
  refused: { kind: 'refused', reason, attempts: 4 },
  retryRequested: { kind: 'retryRequested', at: 9 },
  decided: { kind: 'decided', at: 9, hasRecord: true },
  recordCame: { kind: 'recordCame', dirty: true },
  recordLeft: { kind: 'recordLeft' },
  held: { kind: 'held', reason },
  inspectionStarted: { kind: 'inspectionStarted', at: 2 },
  found: { kind: 'found', seen },
  hashed: { kind: 'hashed', stat: seen.stat, sha256: 'aa' },
  formatRead: { kind: 'formatRead', format: { stat: seen.stat, missing: null, since: 1 } },
  settling: { kind: 'settling', dueAt: 8 },
  waiting: { kind: 'waiting', dueAt: null, reason },
  unreadable: { kind: 'unreadable', dueAt: 8, reason, isPassing: true },
  missing: { kind: 'missing', at: 2, device: 1 },
  grace: { kind: 'grace', dueAt: 8 },
  dormant: { kind: 'dormant', reason },
  ready: { kind: 'ready', operation: 'upload', bulkKey: null, since: 2 },
  deliveryStarted: { kind: 'deliveryStarted', delivery: 4 },
  delivered: { kind: 'delivered' },
  deleted: { kind: 'deleted' },
  replan: { kind: 'replan' },
  withdrawn: { kind: 'withdrawn', wait: null },
  retryLater: { kind: 'retryLater', dueAt: 8, reason, attempts: 2, untaken: null },
  failed: { kind: 'failed', reason, recorded: true, attempts: 2 },
};

/** Where each event leads from each state; states that are not named stay as they are. `+`: the same, and dirty. */
const table: Record<EventKind, Partial<Record<StateKind, StateKind | `${StateKind}+`>>> = {
  touched: { ...allTo('inspect'), inspecting: 'inspecting+', sending: 'sending+' },
  seen: { ...allTo('inspect'), inspecting: 'inspecting+', sending: 'sending+' },
  due: { settling: 'inspect', waiting: 'inspect', grace: 'inspect', retry: 'inspect' },
  refused: { inspect: 'failed' },
  retryRequested: { failed: 'inspect', retry: 'inspect' },
  decided: { ...allTo('inspect'), inspecting: 'inspecting+', sending: 'sending+' },
  recordCame: { ...allTo('inspect'), inspecting: 'inspecting+', sending: 'sending+' },
  recordLeft: {},
  held: { ...allTo('held'), dormant: 'dormant' },
  inspectionStarted: { inspect: 'inspecting' },
  found: {},
  hashed: {},
  formatRead: {},
  settling: { inspecting: 'settling', sending: 'settling' },
  waiting: { inspecting: 'waiting' },
  unreadable: { inspecting: 'retry', sending: 'retry' },
  missing: {},
  grace: { inspecting: 'grace' },
  dormant: { inspecting: 'dormant' },
  ready: { inspecting: 'ready' },
  deliveryStarted: { ready: 'sending' },
  delivered: { sending: 'inspect' },
  deleted: { sending: 'inspect' },
  replan: { inspecting: 'inspect', sending: 'inspect' },
  withdrawn: { sending: 'inspect' },
  retryLater: { inspecting: 'retry', sending: 'retry' },
  failed: { inspecting: 'failed', sending: 'failed' },
};

/** Answers of an inspection or a request that a dirty task does not take: it is inspected again. */
const conclusions: readonly EventKind[] = ['waiting', 'unreadable', 'grace', 'dormant', 'ready', 'failed'];

const stateKinds = Object.keys(states) as StateKind[];
const cases = (Object.keys(events) as EventKind[]).flatMap((event) =>
  stateKinds.map((state) => ({ state, event, leadsTo: table[event][state] ?? state })),
);

function allTo(kind: StateKind): Partial<Record<StateKind, StateKind>> {
  return Object.fromEntries(Object.keys(states).map((state) => [state, kind]));
}

function taskIn(state: TaskState, facts: Partial<TaskFacts> = {}): TaskFacts {
  const first = { present: true, hasRecord: false, priority: 'backlog', at: 1, seen: null } as const;
  return { ...newFacts(first), ...facts, state };
}

function nameOf({ state }: TaskFacts): string {
  return 'dirty' in state && state.dirty ? `${state.kind}+` : state.kind;
}

describe('a task', () => {
  it.each(cases)('goes from $state with $event to $leadsTo', ({ state, event, leadsTo }) => {
    const task = taskIn(states[state]);
    const before = structuredClone(task);
    expect(nameOf(next(task, events[event]))).toBe(leadsTo);
    expect(task).toEqual(before);
  });

  it.each(conclusions)('that is dirty is inspected again whatever its inspection found: %s', (event) => {
    const task = taskIn({ kind: 'inspecting', dirty: true, since: 1 });
    expect(next(task, events[event]).state).toEqual({ kind: 'inspect' });
  });

  it('that is sent keeps what goes out as what was seen, and becomes live', () => {
    const task = taskIn(states.sending, { seen: { stat: statOf({ size: 1 }), fingerprint: '' } });
    expect(next(task, events.seen)).toMatchObject({ seen: { stat: { size: 1 } }, priority: 'live', at: 9 });
  });

  it.each(['delivered', 'replan', 'retryLater', 'failed'] as const)(
    'that changed while it was sent is seen as new by the next scan, though the change was taken back: %s',
    (event) => {
      const task = taskIn(states.sending, { seen });
      expect(next(task, events[event]).seen).toEqual(seen);
      expect(next(next(task, events.touched), events[event]).seen).toEqual({ ...seen, fingerprint: '' });
    },
  );

  it('whose deletion stays refused is still gone, so that whatever comes back is compared with its record', () => {
    const missing = next(taskIn(states.inspecting, { seen }), events.missing);
    const refused = { kind: 'failed', reason, recorded: true, attempts: 1, isGone: true } as const;
    expect(next(missing, refused)).toMatchObject({ present: false, gone: missing.gone, attempts: 1 });
    expect(next(missing, { ...refused, isGone: false })).toMatchObject({ present: true, gone: null });
  });

  it('keeps its place in the backlog when the first scan sees it once more', () => {
    const { priority, at } = next(taskIn(states.failed), { kind: 'seen', seen, liveAt: null });
    expect([priority, at]).toEqual(['backlog', 1]);
  });

  it('remembers since when its file is gone until it is found again', () => {
    const first = next(taskIn(states.inspecting), events.missing);
    const second = next({ ...first, state: states.inspecting }, { kind: 'missing', at: 50, device: 2 });
    expect([second.present, second.gone]).toEqual([false, { since: 2, device: 2 }]);
    expect(next(second, events.found)).toMatchObject({ present: true, gone: null, seen });
  });

  it('counts inspections in a row that could not read its place', () => {
    const once = next(taskIn(states.inspecting), events.unreadable);
    const twice = next({ ...once, state: states.inspecting }, events.unreadable);
    expect([once.unreadable, twice.unreadable]).toEqual([1, 2]);
    // Whether it can be opened shows only when it is sent.
    const fit = next(next({ ...twice, state: states.inspecting }, events.found), events.ready);
    expect([fit.unreadable, next({ ...fit, state: states.sending }, events.delivered).unreadable]).toEqual([
      2, 0,
    ]);
  });

  it('goes on waiting while it is inspected, until the inspection says otherwise', () => {
    const sidecar = { code: 'sidecar-missing', message: '' };
    const waiting = taskIn({ kind: 'waiting', dueAt: null, reason: sidecar });
    const again = next(waiting, events.touched);
    expect([waitOf(waiting), again.state.kind, waitOf(again)]).toEqual(['sidecar', 'inspect', 'sidecar']);
    const inspected = next(again, events.inspectionStarted);
    expect(waitOf(inspected)).toBe('sidecar');
    expect(waitOf(next(inspected, events.ready))).toBeNull();
    expect(waitOf(next(taskIn(states.sending), events.delivered))).toBeNull();
    const first = { present: true, hasRecord: false, at: 1, seen: null } as const;
    expect(waitOf(newFacts({ ...first, priority: 'live' }))).toBe('settling');
    expect(waitOf(newFacts({ ...first, priority: 'backlog' }))).toBeNull();
  });

  it('that was delivered starts afresh, and has a record', () => {
    const task = taskIn(states.sending, {
      attempts: 3,
      alone: true,
      unknownDocId: 'doc-1',
      reported: reason,
    });
    const clean = { attempts: 0, alone: false, unknownDocId: null, reported: null, hasRecord: true };
    expect(next(task, events.delivered)).toMatchObject(clean);
  });

  it('stays out of bulk calls once one with it failed, and unknown to the service until it is delivered', () => {
    const alone = next(taskIn(states.sending), { kind: 'replan', alone: true });
    const unknown = next({ ...alone, state: states.sending }, { kind: 'replan', unknownDocId: 'doc-1' });
    const again = next({ ...unknown, state: states.sending }, { kind: 'replan' });
    expect([again.alone, again.unknownDocId]).toEqual([true, 'doc-1']);
  });

  it('that a person wants tried again goes before the backlog, as if for the first time', () => {
    const task = taskIn(states.failed, { attempts: 7 });
    expect(next(task, events.retryRequested)).toMatchObject({ priority: 'retry', at: 9, attempts: 0 });
  });
});
