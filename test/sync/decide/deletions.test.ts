import { describe, expect, it } from '@jest/globals';

import type { FileStat, FileIdentity } from '../../../src/model/document.ts';
import type { LedgerRecord, MountIdentity, RootIdentity } from '../../../src/model/ports/ledger-port.ts';
import { heldTogether, judgeMissing, uncompared } from '../../../src/sync/decide/deletions.ts';
import { FolderView } from '../../../src/sync/folders/folder-view.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';
import type { Task, TaskEvent } from '../../../src/sync/tasks/task.ts';
import { recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const root: RootIdentity = { path: '/inbox', dev: 1, ino: 10 };
const reason = { code: 'any', message: 'any' };
const minuteMs = 60_000;

/** A folder of 40 documents, of which the first `count` are gone from device `dev`. */
function missing(count: number, { dev = 1, held = 0 } = {}) {
  const records = new Map<string, LedgerRecord>();
  for (let index = 0; index < 40; index += 1) {
    records.set(`d/${index}.txt`, recordOf({ docId: `${index}`, stat: statOf({ ino: index + 1, dev }) }));
  }
  const ledger = { get: ({ path }: { path: string }) => records.get(path) };
  const tasks = new TaskStore(ledger, () => 0);
  for (let index = 0; index < count; index += 1) {
    const ref = { folder: 'inbox', path: `d/${index}.txt` };
    const task = tasks.open(ref, { present: false, priority: 'live', at: 0 });
    move(tasks, task, { kind: 'inspectionStarted', at: 0 }, { kind: 'missing', at: 0, device: 1 });
    move(tasks, task, index < held ? { kind: 'held', reason } : { kind: 'grace', dueAt: 5 });
  }
  return { ledger, tasks, records };
}

function move(tasks: TaskStore, task: Task, ...events: readonly TaskEvent[]): void {
  for (const event of events) tasks.apply(task, event);
}

interface Circumstances {
  readonly gone?: number;
  readonly held?: number;
  /** So many others are kept at the service. */
  readonly kept?: number;
  /** Of the recorded files. */
  readonly dev?: number;
  /** Devices that were seen together. */
  readonly seen?: readonly [number, number];
  readonly heldFor?: string;
  readonly approved?: readonly string[];
  readonly removed?: readonly { readonly at: number; readonly count: number; readonly documents?: number }[];
  readonly known?: RootIdentity | undefined;
  readonly now?: RootIdentity | null;
  readonly isRootChanged?: boolean;
  readonly mounted?: readonly string[];
  readonly mounts?: readonly string[];
  /** Of the remembered mounts, and of `d` as it was listed. */
  readonly mountIdentities?: readonly MountIdentity[];
  readonly listed?: FileIdentity;
}

function verdict(given: Circumstances) {
  const { tasks, ledger } = missing(given.gone ?? 1, {
    ...(given.dev === undefined ? {} : { dev: given.dev }),
    held: given.held ?? 0,
  });
  for (let index = 40 - (given.kept ?? 0); index < 40; index += 1) {
    const ref = { folder: 'inbox', path: `d/${index}.txt` };
    const task = tasks.open(ref, { present: false, priority: 'live', at: 0 });
    move(tasks, task, { kind: 'inspectionStarted', at: 0 }, { kind: 'dormant', reason });
  }
  const view = new FolderView();
  if (given.isRootChanged === true) {
    view.scanBegins({ dev: 9, ino: 9 }, 0);
    view.scanEnds(false, false, 0);
  }
  if (given.listed !== undefined) view.noteDirectory('d', given.listed, 0);
  if (given.seen !== undefined) view.noteDevice(...given.seen);
  return judgeMissing('inbox', {
    tasks,
    ledger: {
      ...ledger,
      answer: ({ path }) => (given.approved?.includes(path) === true ? 'delete' : undefined),
      removals: () => given.removed ?? [],
      count: () => 40,
      root: () => ('known' in given ? given.known : root),
      mounts: () => given.mounted ?? [],
      mountIdentities: () => given.mountIdentities ?? [],
    },
    view,
    root: given.now === undefined ? root : given.now,
    mounts: given.mounts ?? [],
    heldFor: given.heldFor,
    limits: { maxDeleteCount: 10, maxDeletePercent: 50, inDoubt: 'retry' },
    clock: { now: () => 20 * minuteMs },
  });
}

const allow = { kind: 'allow' };
const disappeared = (gone = '') => ({
  kind: 'hold',
  reason: `more than 10 documents, and more than 50 % of all in the folder, disappeared within ten minutes${gone}`,
});
const anotherRoot = {
  kind: 'hold',
  reason: 'the folder is not the same directory as before, and documents are missing from it',
};
const unmounted = {
  kind: 'hold',
  reason: 'a volume was mounted or unmounted below the folder, and documents are missing since',
};

const mountedAt = (ino: number): FileIdentity => ({ ino, birthtimeMs: 100 + ino, dev: 1 });
const remembered: Circumstances = {
  mounted: ['d'],
  mounts: ['d'],
  mountIdentities: [{ path: 'd', ...mountedAt(5) }],
};

describe('deletions of one folder are judged together', () => {
  it.each<readonly [string, Circumstances, object]>([
    ['few go out', { gone: 20 }, allow],
    ['many are held', { gone: 21 }, disappeared()],
    ['those that are held already count', { gone: 21, held: 20 }, disappeared()],
    ['what is held already is not judged again', { gone: 21, held: 21 }, allow],
    [
      'what went otherwise since is no document of the folder any more',
      { gone: 20, removed: [{ at: 15 * minuteMs, count: 8, documents: 1_000 }] },
      disappeared(', with 8 that are deleted already'),
    ],
    ['what is kept at the service is no part of the whole', { gone: 12, kept: 18 }, disappeared()],
    ['what a person approved does not count', { gone: 21, approved: ['d/20.txt'] }, allow],
    [
      'what comes beside a hold is held with it',
      { heldFor: 'held before' },
      { kind: 'hold', reason: 'held before' },
    ],
    ['the same root lets them go', { now: { ...root, path: '/elsewhere' } }, allow],
    ['another root holds them', { now: { ...root, ino: 11 } }, anotherRoot],
    ['a root that was another one at the last scan holds them', { isRootChanged: true }, anotherRoot],
    ['a root that cannot be read holds them', { now: null }, anotherRoot],
    ['of an unknown root nothing is held', { known: undefined }, allow],
    ['files of another device hold them', { dev: 2 }, unmounted],
    ['files of a device that was seen there do not', { dev: 2, seen: [2, 1] }, allow],
    ['nor files of an unknown device', { dev: 0 }, allow],
    ['a mount that is gone holds what lay on it', { mounted: ['d'] }, unmounted],
    ['one that is still there does not', { mounted: ['d'], mounts: ['d'] }, allow],
    ['nor one that the files did not lie on', { mounted: ['d/0', 'e'] }, allow],
    ['nor one that was listed as it is remembered', { ...remembered, listed: mountedAt(5) }, allow],
    ['another directory that is mounted there does', { ...remembered, listed: mountedAt(6) }, unmounted],
  ])('%s', (_, given, expected) => {
    expect(verdict(given)).toEqual(expected);
  });
});

describe('a file that is gone, and a new one', () => {
  const stat = statOf({ size: 33, ino: 1 });

  /** The document `d/0.txt` is gone since 100 ms; `new.txt` stands there. */
  function newcomer(seen: FileStat, ...events: readonly TaskEvent[]) {
    const { tasks, ledger, records } = missing(0);
    records.set('d/0.txt', recordOf({ stat }));
    const gone = tasks.open(
      { folder: 'inbox', path: 'd/0.txt' },
      { present: false, priority: 'live', at: 0 },
    );
    move(tasks, gone, { kind: 'inspectionStarted', at: 0 }, { kind: 'missing', at: 100, device: 1 });
    const ref = { folder: 'inbox', path: 'new.txt' };
    const first = { present: true, priority: 'live', at: 0, seen: { stat: seen, fingerprint: '' } } as const;
    const other = tasks.open(ref, first);
    move(tasks, other, ...events);
    return { tasks, ledger, gone, other };
  }

  const inspected = { kind: 'inspectionStarted', at: 0 } as const;
  const ready = (since: number) => ({ kind: 'ready', operation: 'upload', bulkKey: null, since }) as const;
  const likeIt = statOf({ size: 33, ino: 2 });

  it.each<readonly [string, FileStat, readonly TaskEvent[], boolean]>([
    ['is compared first where it has not been inspected', likeIt, [], true],
    ['is compared first while it is inspected', likeIt, [inspected], true],
    ['is compared first while it settles', likeIt, [inspected, { kind: 'settling', dueAt: 9 }], true],
    ['is compared again where that was before it went', likeIt, [inspected, ready(99)], true],
    ['was compared with it', likeIt, [inspected, ready(100)], false],
    ['has failed', likeIt, [inspected, { kind: 'failed', reason, recorded: false, attempts: 1 }], false],
    ['is compared first by its inode number', statOf({ size: 7, ino: 1 }), [], true],
    ['is no other of another size', statOf({ size: 7, ino: 2 }), [], false],
  ])('of its size %s', (_, seen, events, expected) => {
    const { tasks, gone } = newcomer(seen, ...events);
    expect(uncompared(tasks, gone, stat)).toHaveLength(expected ? 1 : 0);
  });

  it('was compared with it under the name by which it goes out', () => {
    const { tasks, gone } = newcomer(likeIt, inspected, { kind: 'settling', dueAt: null });
    const first = {
      present: true,
      priority: 'live',
      at: 0,
      seen: { stat: likeIt, fingerprint: '' },
    } as const;
    const former = tasks.open({ folder: 'inbox', path: 'former.txt' }, first);
    move(tasks, former, inspected, ready(0));
    expect(uncompared(tasks, gone, stat)).toHaveLength(2);
    move(tasks, former, { kind: 'deliveryStarted', delivery: 1 });
    expect(uncompared(tasks, gone, stat)).toEqual([]);
  });
});

describe('what is held with deletions that may not go out', () => {
  it('is what was judged, and all whose grace is over, but not what is inspected now, is held or sent, or was approved', () => {
    const { tasks, ledger } = missing(6, { held: 1 });
    const taskAt = (index: number) => tasks.get({ folder: 'inbox', path: `d/${index}.txt` }) as Task;
    const inspected: TaskEvent[] = [{ kind: 'due' }, { kind: 'inspectionStarted', at: 0 }];
    for (const index of [1, 2]) move(tasks, taskAt(index), ...inspected);
    const evidence = {
      tasks,
      ledger: {
        ...ledger,
        answer: ({ path }: { path: string }) => (path === 'd/3.txt' ? ('delete' as const) : undefined),
      },
    };
    const names = (now: number) =>
      heldTogether([taskAt(1)], 'inbox', evidence as never, now - 5)
        .map(({ ref }) => ref.path)
        .sort();
    expect(names(4)).toEqual(['d/1.txt']);
    expect(names(5)).toEqual(['d/1.txt', 'd/4.txt', 'd/5.txt']);
  });
});
