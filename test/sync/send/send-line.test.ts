import { beforeEach, describe, expect, it } from '@jest/globals';

import { maxBulkDocuments } from '../../../src/model/operation.ts';
import { SendLine } from '../../../src/sync/send/send-line.ts';
import type { LineConditions } from '../../../src/sync/send/send-line.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';
import type { SendKind } from '../../../src/model/operation.ts';
import { isReady } from '../../../src/sync/tasks/task.ts';
import type { ReadyTask } from '../../../src/sync/tasks/task.ts';

const fair: LineConditions = {
  paused: new Set(),
  mayUpload: () => true,
  isQuiet: true,
  inGrace: 0,
  isProbing: false,
  now: 0,
};
const busy: LineConditions = { ...fair, isQuiet: false };
const pausedInbox: LineConditions = { ...fair, paused: new Set(['inbox']) };

let tasks: TaskStore;
let line: SendLine;

beforeEach(() => {
  tasks = new TaskStore({ get: () => undefined }, () => 0);
  line = new SendLine();
});

function readyAt(
  path: string,
  operation: SendKind,
  bulkKey: string | null = null,
  narrows = false,
): ReadyTask {
  const first = { present: true, priority: 'live', at: 7, seen: null } as const;
  const task = tasks.open({ folder: 'inbox', path }, first);
  tasks.apply(task, { kind: 'inspectionStarted', at: 0 });
  tasks.apply(task, { kind: 'ready', operation, bulkKey, narrows, since: 0 });
  if (!isReady(task)) throw new Error('not ready');
  return task;
}

describe('a document that is ready', () => {
  it('goes out by itself, deletions last', () => {
    const about = { source: 'inbox', atMs: 7 };
    expect(line.enter(readyAt('a', 'upload'), busy)).toEqual({ key: 'inbox/a', level: 4, ...about });
    expect(line.enter(readyAt('b', 'delete'), busy)).toEqual({ key: 'inbox/b', level: 1, ...about });
  });

  it('goes before everything else where the service shares it more widely than it should', () => {
    expect(line.enter(readyAt('a', 'modify', null, true), busy)).toMatchObject({ level: 5 });
    expect(line.enter(readyAt('b', 'modify', 'key', true), fair)).toBeNull();
    expect(line.release(fair)).toMatchObject([{ level: 5 }]);
  });

  it('waits as an upload until it is certain that it is no move', () => {
    const unsure = { ...fair, mayUpload: () => false };
    const task = readyAt('a', 'upload');
    expect(line.enter(task, unsure)).toBeNull();
    expect(line.enter(readyAt('b', 'modify'), unsure)).not.toBeNull();
    expect(line.release(unsure)).toEqual([]);
    expect(line.isGathering(fair.paused)).toBe(true);
    expect(line.release(fair)).toMatchObject([{ key: task.key }]);
    expect(line.isGathering(fair.paused)).toBe(false);
  });

  it('of a paused folder is counted and waits for the end of the pause', () => {
    const task = readyAt('a', 'modify');
    expect(line.enter(task, pausedInbox)).toBeNull();
    expect(line.pausedCount(pausedInbox.paused)).toBe(1);
    expect(line.isGathering(pausedInbox.paused)).toBe(false);
    expect(line.tasksUnder(task.key, task, pausedInbox)).toEqual([]);
    expect(line.release(fair)).toMatchObject([{ key: task.key }]);
  });

  it('is not sent under its key when it is ready no more', () => {
    const task = readyAt('a', 'modify');
    line.enter(task, fair);
    expect(line.tasksUnder(task.key, task, fair)).toEqual([task]);
    tasks.apply(task, { kind: 'touched' });
    expect(line.tasksUnder(task.key, task, fair)).toEqual([]);
  });
});

describe('documents that can share a call', () => {
  it('gather until no others are on their way', () => {
    const both = [readyAt('a', 'modify', 'same'), readyAt('b', 'modify', 'same')];
    for (const task of both) expect(line.enter(task, fair)).toBeNull();
    expect(line.release(busy)).toEqual([]);
    const [entry] = line.release(fair);
    expect(line.tasksUnder(entry?.key ?? '', undefined, fair)).toEqual(both);
    expect(line.tasksUnder(entry?.key ?? '', undefined, pausedInbox)).toEqual([]);
  });

  it('gather as deletions while others wait out their grace, and for five seconds at most', () => {
    line.enter(readyAt('a', 'delete', 'same'), fair);
    const others = { ...fair, inGrace: 1 };
    expect(line.release(others)).toEqual([]);
    expect(line.release({ ...others, now: 4_999 })).toEqual([]);
    expect(line.release({ ...others, now: 5_000 })).toHaveLength(1);
  });

  it('go out at once when a call is full, and no more of them', () => {
    const entries = Array.from({ length: maxBulkDocuments + 1 }, (_, index) =>
      line.enter(readyAt(`${index}`, 'modify', 'same'), busy),
    );
    expect(entries.slice(0, maxBulkDocuments - 1).every((entry) => entry === null)).toBe(true);
    const key = entries[maxBulkDocuments - 1]?.key ?? '';
    expect(line.tasksUnder(key, undefined, busy)).toHaveLength(250);
    // Two requests.
    expect(line.savedCount(busy.paused)).toBe(maxBulkDocuments - 1);
    expect(line.savedCount(pausedInbox.paused)).toBe(0);
  });

  it('are gathered no more when they have left', () => {
    const task = readyAt('a', 'modify', 'same');
    line.enter(task, fair);
    line.leave(task, 'same');
    expect(line.release(fair)).toEqual([]);
    expect(line.isGathering(fair.paused)).toBe(false);
  });
});
