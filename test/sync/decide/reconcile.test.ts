import { describe, expect, it } from '@jest/globals';

import { nameOf, sameStat } from '../../../src/model/document.ts';
import type { FileStat, ScanCause } from '../../../src/model/document.ts';
import { ignoreFileCode } from '../../../src/model/errors.ts';
import type { DirectoryRecords, Failure, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { reconcile } from '../../../src/sync/decide/reconcile.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';
import { keptCode } from '../../../src/sync/tasks/task.ts';
import type { Task, TaskEvent } from '../../../src/sync/tasks/task.ts';
import { recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const stat = statOf();
const other = statOf({ size: 11, mtimeMs: 2_000 });
const reason = { code: 'any', message: 'any' };

interface Known {
  readonly cause?: ScanCause;
  /** Files of the directory `d` as they are listed; the fingerprint is `f` unless said. */
  readonly files?: Readonly<Record<string, FileStat>>;
  readonly fingerprint?: string;
  /** Records of the folder by path. */
  readonly records?: Readonly<Record<string, Partial<LedgerRecord>>>;
  readonly failures?: Readonly<Record<string, Partial<Failure>>>;
  /** Tasks by path: whether the file was there, as what, and what has happened to it since. */
  readonly tasks?: Readonly<Record<string, readonly [boolean, FileStat | null, ...TaskEvent[]]>>;
  /** New files that wait unread. */
  readonly backlog?: Readonly<Record<string, FileStat>>;
  /** Names of what stands in the directory and is not sent. */
  readonly skips?: readonly string[];
  readonly leftOut?: string;
  /** How often the root has changed. */
  readonly changes?: number;
}

/** What differs in a listed directory, by the names of what is in it. */
function differences(known: Known): Readonly<Record<string, unknown>> {
  const records = new Map(
    Object.entries(known.records ?? {}).map(([path, parts]) => [
      path,
      recordOf({ fingerprint: 'f', ...parts }),
    ]),
  );
  const get = ({ path }: { path: string }) => records.get(path);
  const tasks = new TaskStore({ get }, () => 0);
  for (const [path, [present, seen, ...events]] of Object.entries(known.tasks ?? {})) {
    const first = { present, priority: 'live', at: 0 } as const;
    const task = tasks.open(
      { folder: 'inbox', path },
      { ...first, seen: seen === null ? null : { stat: seen, fingerprint: 'f' } },
    );
    for (const event of events) tasks.apply(task, event);
  }
  const waiting = Object.entries(known.backlog ?? {}).map(([name, one]) => ({
    name,
    stat: one,
    fingerprint: 'f',
    hasRecord: false,
  }));
  tasks.backlog.replace('inbox', 'd', waiting, 0);
  const entries = Object.entries(known.files ?? {}).map(([name, one]) => ({
    name,
    stat: one,
    fingerprint: known.fingerprint ?? 'f',
  }));
  const found = reconcile(
    {
      folder: 'inbox',
      directory: 'd',
      cause: known.cause ?? 'event',
      entries,
      skips: (known.skips ?? []).map((name) => ({ path: `d/${name}`, ...reason })),
      leftOut: known.leftOut ?? '',
      subdirectories: [],
      identity: { dev: 1, ino: 1, birthtimeMs: 1 },
    },
    {
      tasks,
      ledger: {
        recordsIn: () => recordsOf(records),
        failure: ({ path }) => {
          const parts = known.failures?.[path];
          const whole = { ...reason, attempts: 1, history: [], stat, fingerprint: 'f' };
          return parts === undefined ? undefined : { ...whole, ...parts };
        },
        findByFile: ({ ino }) =>
          [...records]
            .filter(([, record]) => record.stat.ino === ino)
            .map(([path, record]) => ({ ref: { folder: 'inbox', path }, record })),
        root: () => ({ path: '/inbox', dev: 1, ino: 1, changes: known.changes }),
      },
    },
  );
  const named = (task: Task) => nameOf(task.ref.path);
  const all = {
    found: found.found.map(({ name }) => name),
    backlog: found.backlog.map(({ name, hasRecord }) => `${name}${hasRecord ? ' recorded' : ''}`),
    refused: found.refused.map(({ path }) => nameOf(path)),
    changed: found.changed.map(({ task, entry }) => `${named(task)} ${entry.stat.size}`),
    touched: found.touched.map(({ task, present }) => `${named(task)} ${present ? 'there' : 'gone'}`),
    gone: found.gone.map(nameOf),
    proof: found.proof === null ? [] : [found.proof],
  };
  return Object.fromEntries(Object.entries(all).filter(([, names]) => names.length > 0));
}

function recordsOf(records: ReadonlyMap<string, LedgerRecord>): DirectoryRecords {
  const here = new Map(
    [...records].filter(([path]) => path.startsWith('d/')).map(([path, record]) => [nameOf(path), record]),
  );
  return {
    size: here.size,
    keys: () => here.keys(),
    get: (name) => here.get(name),
    rootChange: (name) => here.get(name)?.rootChange,
    match: (name, seen) => {
      const record = here.get(name);
      if (record === undefined) return 'none';
      if (!sameStat(record.stat, seen.stat)) return 'other';
      return record.fingerprint === seen.fingerprint ? 'same' : 'stat';
    },
  };
}

const inspected: TaskEvent = { kind: 'inspectionStarted', at: 0 };
const sending: readonly TaskEvent[] = [
  inspected,
  { kind: 'ready', operation: 'modify', bulkKey: null, since: 0 },
  { kind: 'deliveryStarted', delivery: 1 },
];
const dormant = (code: string): TaskEvent => ({ kind: 'dormant', reason: { code, message: '' } });
const shut: TaskEvent = {
  kind: 'unreadable',
  dueAt: 9,
  reason: { code: ignoreFileCode, message: '' },
  isPassing: false,
};
const missing: readonly TaskEvent[] = [
  inspected,
  { kind: 'missing', at: 0, device: 1 },
  { kind: 'grace', dueAt: 9 },
];

describe('a directory that is listed, compared with what is known of it', () => {
  it.each<readonly [string, Known, object]>([
    ['a new file is found', { files: { a: stat } }, { found: ['a'] }],
    ['a new file of the first scan waits unread', { cause: 'start', files: { a: stat } }, { backlog: ['a'] }],
    [
      'a new file of the first scan that could be a recorded one is found',
      { cause: 'start', files: { a: stat }, records: { 'e/b': {} } },
      { found: ['a'] },
    ],
    [
      'a new file of the first scan with the size of one that is missing is found',
      {
        cause: 'start',
        files: { a: statOf({ ino: 70, size: 99 }) },
        records: { 'e/b': { stat: statOf({ ino: 8, size: 99 }) } },
        tasks: { 'e/b': [false, null, ...missing] },
      },
      { found: ['a'] },
    ],
    [
      'a file whose sidecar changed is found, and proves the root',
      { files: { a: stat }, records: { 'd/a': {} }, fingerprint: 'g' },
      { found: ['a'], proof: ['a'] },
    ],
    ['a recorded file that is not listed is gone', { records: { 'd/a': {}, 'e/b': {} } }, { gone: ['a'] }],
    [
      'nothing else in its directory is',
      { files: { b: stat }, records: { 'd/a': {}, 'd/b': {} } },
      { gone: ['a'], proof: ['b'] },
    ],
    [
      'a file that was refused as it is stays refused',
      { files: { a: stat }, failures: { 'd/a': {} } },
      { refused: ['a'], proof: ['a'] },
    ],
    [
      'a file that was refused and has changed is found, at the first scan too',
      { cause: 'start', files: { a: other }, failures: { 'd/a': {} } },
      { found: ['a'] },
    ],
    ['a file that waits unread goes on', { files: { a: stat }, backlog: { a: stat } }, { backlog: ['a'] }],
  ])('%s', (_, known, expected) => {
    expect(differences(known)).toEqual(expected);
  });

  it.each<readonly [string, Known, object]>([
    ['as it was seen', { files: { a: stat }, tasks: { 'd/a': [true, stat] } }, {}],
    ['with other bytes', { files: { a: other }, tasks: { 'd/a': [true, stat] } }, { changed: ['a 11'] }],
    [
      'with another sidecar',
      { files: { a: stat }, fingerprint: 'g', tasks: { 'd/a': [true, stat] } },
      { changed: ['a 10'] },
    ],
    ['that nobody has seen', { files: { a: stat }, tasks: { 'd/a': [true, null] } }, { changed: ['a 10'] }],
    ['that comes back', { files: { a: stat }, tasks: { 'd/a': [false, stat] } }, { changed: ['a 10'] }],
    [
      'that is being sent',
      { files: { a: stat }, tasks: { 'd/a': [true, stat, ...sending] } },
      { changed: ['a 10'] },
    ],
    [
      'just as it was recorded',
      { files: { a: stat }, records: { 'd/a': {} }, tasks: { 'd/a': [true, stat] } },
      { touched: ['a there'], proof: ['a'] },
    ],
    [
      'below an ignore file that was not valid',
      { files: { a: stat }, tasks: { 'd/a': [true, stat, inspected, shut] } },
      { touched: ['a there'] },
    ],
    ['that is not listed any more', { tasks: { 'd/a': [true, stat] } }, { touched: ['a gone'] }],
    [
      'whose file was gone, while something that is not sent stands in its place',
      { records: { 'd/a': {} }, tasks: { 'd/a': [false, stat] }, skips: ['a'] },
      { touched: ['a gone'] },
    ],
    [
      'whose file was gone, while one that a rule leaves out stands in its place',
      { records: { 'd/a': {} }, tasks: { 'd/a': [false, stat] }, leftOut: 'a' },
      { touched: ['a gone'] },
    ],
    ['without a record or a file', { tasks: { 'd/a': [false, stat] } }, { touched: ['a gone'] }],
    [
      'that is kept, and stays so',
      { records: { 'd/a': {} }, tasks: { 'd/a': [true, stat, inspected, dormant(keptCode)] } },
      {},
    ],
  ])('a task of a file %s', (_, known, expected) => {
    expect(differences(known)).toEqual(expected);
  });

  it.each<readonly [string, Known, boolean]>([
    ['what was recorded before the root changed', { records: { 'd/a': {} }, changes: 1 }, true],
    [
      'what was recorded under the accepted root',
      { records: { 'd/a': { rootChange: 1 } }, changes: 1 },
      true,
    ],
    ['not what was recorded since it changed', { records: { 'd/a': { rootChange: 2 } }, changes: 1 }, false],
    ['not what is another file', { records: { 'd/a': { stat: other } }, changes: 1 }, false],
    ['what was refused before', { failures: { 'd/a': {} }, changes: 1 }, true],
    ['not what was refused since', { failures: { 'd/a': { rootChange: 1 } } }, false],
  ])('%s proves the root', (_, known, expected) => {
    expect('proof' in differences({ files: { a: stat }, ...known })).toBe(expected);
  });
});
