import { beforeEach, describe, expect, it } from '@jest/globals';

import type { DocumentRef } from '../../../src/model/document.ts';
import type { LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';
import type { Task, TaskEvent } from '../../../src/sync/tasks/task.ts';
import { recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const reason = { code: 'any', message: 'any' };
const inspected: TaskEvent = { kind: 'inspectionStarted', at: 0 };
const ready: TaskEvent = { kind: 'ready', operation: 'upload', bulkKey: null, since: 0 };
const missing: TaskEvent = { kind: 'missing', at: 0, device: 1 };

let records: Map<string, LedgerRecord>;
let now: number;
let tasks: TaskStore;

beforeEach(() => {
  records = new Map();
  now = 0;
  tasks = new TaskStore({ get: ({ path }: DocumentRef) => records.get(path) }, () => now);
});

const refOf = (path: string, folder = 'inbox'): DocumentRef => ({ folder, path });

function present(path: string, ...events: readonly TaskEvent[]): Task {
  const first = {
    present: true,
    priority: 'backlog',
    at: 0,
    seen: { stat: statOf(), fingerprint: '' },
  } as const;
  return after(tasks.open(refOf(path), first), events);
}

/** Of a file that is gone, with a record. */
function gone(path: string, ...events: readonly TaskEvent[]): Task {
  if (!records.has(path)) records.set(path, recordOf({ stat: statOf({ size: 33 }) }));
  const task = tasks.open(refOf(path), { present: false, priority: 'backlog', at: 0 });
  return after(task, [inspected, missing, ...events]);
}

function after(task: Task, events: readonly TaskEvent[]): Task {
  for (const event of events) tasks.apply(task, event);
  return task;
}

const paths = (found: Iterable<Task>) => [...found].map(({ ref }) => ref.path);

const sending: TaskEvent = { kind: 'deliveryStarted', delivery: 1 };
const failed: TaskEvent = { kind: 'failed', reason, recorded: true, attempts: 1 };
const settling: TaskEvent = { kind: 'settling', dueAt: 1 };
const waitsForSidecar: TaskEvent = {
  kind: 'waiting',
  dueAt: null,
  reason: { ...reason, code: 'sidecar-missing' },
};

describe('what is counted of a folder', () => {
  it.each<readonly [string, () => Task, { readonly waitingFor?: object; readonly [count: string]: unknown }]>(
    [
      ['a new file', () => present('a'), { pending: 1, withRecord: 0 }],
      ['a file that is inspected', () => present('a', inspected), { pending: 1 }],
      ['a file that is ready', () => present('a', inspected, ready), { pending: 1 }],
      ['a file that is sent', () => present('a', inspected, ready, sending), { pending: 1 }],
      [
        'a file that settled and is inspected once more',
        () => present('a', inspected, settling, { kind: 'due' }),
        { pending: 0, waiting: 1, waitingFor: { settling: 1 } },
      ],
      [
        'a file that waits for its sidecar',
        () => present('a', inspected, waitsForSidecar),
        { waiting: 1, waitingFor: { sidecar: 1 } },
      ],
      ['a file that failed', () => present('a', inspected, failed), { failed: 1 }],
      ['a file that was never sent and is gone', () => present('a', { kind: 'touched', present: false }), {}],
      ['a file that is ignored by now', () => present('a', inspected, { kind: 'dormant', reason }), {}],
      [
        'a removal that waits out its grace',
        () => gone('a', { kind: 'grace', dueAt: 1 }),
        { removingLater: 1, withRecord: 1 },
      ],
      ['a removal that is ready', () => gone('a', ready), { removing: 1, withRecord: 1 }],
      ['a removal that is held', () => gone('a', { kind: 'held', reason }), { held: 1, withRecord: 1 }],
      [
        'a removal that the service refused',
        () => gone('a', ready, sending, failed),
        { held: 1, withRecord: 1 },
      ],
    ],
  )('is %s, and nothing when it is done', (_, make, expected) => {
    const nothing = tasks.counts('inbox');
    const task = make();
    const { waitingFor, ...counts } = tasks.counts('inbox');
    const differing = Object.entries(expected).filter(([key]) => key !== 'waitingFor');
    const all = { ...nothing, withRecord: counts.withRecord, ...Object.fromEntries(differing) };
    expect({ ...counts, waitingFor }).toMatchObject({
      ...all,
      waitingFor: {
        ...nothing.waitingFor,
        ...expected.waitingFor,
      },
    });
    tasks.close(task);
    expect([tasks.counts('inbox'), [...tasks.all()]]).toEqual([nothing, []]);
  });

  it('is what waits unread, too', () => {
    const file = (name: string, hasRecord: boolean) => ({
      name,
      hasRecord,
      stat: statOf(),
      fingerprint: '',
    });
    tasks.backlog.replace('inbox', '', [file('a', true), file('b', false)], 0);
    present('c');
    expect(tasks.counts('inbox')).toMatchObject({ pending: 3, withRecord: 1 });
    expect(tasks.counts('other')).toMatchObject({ pending: 0, withRecord: 0 });
  });
});

describe('a task', () => {
  it('is found by its path, its key and its directory, until it is closed', () => {
    now = 7;
    const task = present('d/e/a');
    const found = () => [
      tasks.get(refOf('d/e/a')),
      tasks.byKey('inbox/d/e/a'),
      tasks.inDirectory('inbox', 'd/e').get('a'),
    ];
    expect([found(), task.since, tasks.has(task)]).toEqual([[task, task, task], 7, true]);
    expect(tasks.open(refOf('d/e/a'), { present: false, priority: 'live', at: 0 })).toBe(task);
    expect([task.present, task.ref]).toEqual([true, refOf('d/e/a')]);
    tasks.close(task);
    expect([found(), tasks.has(task)]).toEqual([[undefined, undefined, undefined], false]);
    expect(tasks.inDirectory('inbox', 'd/e').size).toBe(0);
  });

  it('that was closed changes no more, and neither does the next one at its path', () => {
    const old = present('a');
    tasks.close(old);
    const next = present('a');
    tasks.apply(old, inspected);
    tasks.close(old);
    expect([old.state.kind, next.state.kind, tasks.get(refOf('a'))]).toEqual(['inspect', 'inspect', next]);
    expect(tasks.counts('inbox').pending).toBe(1);
  });

  it('is found by its state, in the order of coming', () => {
    present('a', inspected);
    present('b');
    present('c', inspected);
    expect([paths(tasks.in('inspecting')), paths(tasks.in('inspect')), tasks.in('held').size]).toEqual([
      ['a', 'c'],
      ['b'],
      0,
    ]);
  });
});

describe('a file that is gone', () => {
  it('is found by its folder and by the size that was recorded, until it is back or not ours any more', () => {
    const task = gone('a', { kind: 'grace', dueAt: 1 });
    const found = () => [
      paths(tasks.missing('inbox')),
      paths(tasks.missingOfSize(33)),
      tasks.isMissingOfSize(33),
    ];
    expect(found()).toEqual([['a'], ['a'], true]);
    expect([tasks.isMissingOfSize(10), tasks.missing('other').size]).toEqual([false, 0]);
    after(task, [{ kind: 'due' }, inspected, { kind: 'found', seen: { stat: statOf(), fingerprint: '' } }]);
    expect(found()).toEqual([[], [], false]);
    gone('b', { kind: 'dormant', reason });
    expect(found()).toEqual([[], [], false]);
  });
});

describe('a file that stands', () => {
  it('is found by its inode number, and as a new one by its size or inode number', () => {
    const seen = (size: number, ino: number) => ({ stat: statOf({ size, ino }), fingerprint: '' });
    const first = { present: true, priority: 'live', at: 0 } as const;
    records.set('recorded', recordOf());
    tasks.open(refOf('size'), { ...first, seen: seen(5, 1) });
    tasks.open(refOf('inode'), { ...first, seen: seen(6, 9) });
    tasks.open(refOf('both'), { ...first, seen: seen(5, 9) });
    tasks.open(refOf('recorded'), { ...first, seen: seen(5, 9) });
    tasks.open(refOf('unseen'), first);
    tasks.open(refOf('neither'), { ...first, seen: seen(6, 1) });
    const like = statOf({ size: 5, ino: 9 });
    expect(paths(tasks.presentLike(like))).toEqual(['inode', 'both', 'recorded']);
    expect(paths(tasks.newcomersLike(like)).toSorted()).toEqual(['both', 'inode', 'size']);
    tasks.close(tasks.get(refOf('both')) as Task);
    expect(paths(tasks.presentLike(like))).toEqual(['inode', 'recorded']);
    expect(paths(tasks.newcomersLike(like)).toSorted()).toEqual(['inode', 'size']);
  });
});
