import { describe, expect, it } from '@jest/globals';

import { fileKey, refKey, replacedPath, sameFile } from '../../../src/model/document.ts';
import type { DocumentRef, FileStat, Inspection } from '../../../src/model/document.ts';
import type { LedgerEntry, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { changesOf, findMove, isStillTrue, moveUnsent } from '../../../src/sync/decide/find-moves.ts';
import type { Move, MoveDecision } from '../../../src/sync/decide/find-moves.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';
import type { TaskEvent } from '../../../src/sync/tasks/task.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

/** A file: its inode number and content. */
type File = readonly [ino: number, content: string, parts?: Partial<FileStat>];

interface Place {
  /** What stands, by folder and path. */
  readonly disk: Readonly<Record<string, File>>;
  /** What stood there when it was sent. */
  readonly records?: Readonly<Record<string, File>>;
  /** The path that is asked about. */
  readonly at?: string;
  /** Paths of records that are known to be missing, though nobody inspected them for this. */
  readonly missing?: readonly string[];
  /** What came of the search for those. */
  readonly outcome?: readonly TaskEvent[];
  /** For how long they may come back. */
  readonly graceMs?: number;
  /** Folders whose root is another one than the ledger knows. */
  readonly changedRoots?: readonly string[];
  readonly unavailable?: readonly string[];
  /** What has happened to the tasks of files that stand there. */
  readonly tasks?: Readonly<Record<string, readonly TaskEvent[]>>;
  /** Files whose uploads have gone out and are not answered yet. */
  readonly goneOut?: Readonly<Record<string, File>>;
  /** What an inspection finds instead; undefined: its folder is not configured. */
  readonly finds?: Readonly<Record<string, Inspection | undefined>>;
  /** What reading gives: null, another file by now; an error, it cannot be read. */
  readonly reads?: Readonly<Record<string, null | Error>>;
}

const statOfFile = ([ino, content, parts]: File) =>
  statOf({ ino, size: content.length, birthtimeMs: 100 + ino, ...parts });
const refOf = (key: string): DocumentRef => ({
  folder: key.slice(0, key.indexOf('/')),
  path: key.slice(key.indexOf('/') + 1),
});

function ledgerOf(records: Readonly<Record<string, File>>, gone: Readonly<Record<string, File>> = {}) {
  const known = new Map<string, LedgerRecord>(
    Object.entries(records).map(([key, file]) => [
      key,
      recordOf({ docId: `doc of ${key}`, sha256: file[1], stat: statOfFile(file), fingerprint: 'f' }),
    ]),
  );
  return {
    folders: () => [],
    root: () => undefined,
    get: (ref: DocumentRef) => known.get(refKey(ref)),
    intents: () =>
      Object.entries(gone).map(([key, file]) => ({
        id: key,
        ref: refOf(key),
        stat: statOfFile(file),
        size: file[1].length,
        at: 0,
      })),
    findByFile: (file: FileStat) =>
      [...known]
        .filter(([, { stat }]) => fileKey(stat) === fileKey(file))
        .map(([key, record]) => ({ ref: refOf(key), record })),
  };
}

async function moveIn(place: Place): Promise<MoveDecision> {
  const { disk, records = {}, at = 'inbox/new', missing = [], finds = {}, reads = {} } = place;
  const ledger = ledgerOf(records, place.goneOut);
  const tasks = new TaskStore(ledger, () => 0);
  for (const key of missing) {
    const task = tasks.open(refOf(key), { present: false, priority: 'live', at: 0 });
    tasks.apply(task, { kind: 'inspectionStarted', at: 0 });
    tasks.apply(task, { kind: 'missing', at: 0, device: 1 });
    for (const event of place.outcome ?? []) tasks.apply(task, event);
  }
  for (const [key, file] of Object.entries(disk)) {
    const seen = { stat: statOfFile(file), fingerprint: '' };
    const task = tasks.open(refOf(key), { present: true, priority: 'live', at: 0, seen });
    for (const event of place.tasks?.[key] ?? []) tasks.apply(task, event);
  }
  const documentAt = (key: string) => ({
    ...comparedOf().document,
    ref: refOf(key),
    stat: statOfFile(disk[key] ?? [0, '']),
  });
  const inspect = async (ref: DocumentRef): Promise<Inspection | undefined> => {
    const key = refKey(ref);
    if (key in finds) return finds[key];
    return key in disk ? { kind: 'document', document: documentAt(key) } : { kind: 'absent', device: 1 };
  };
  const hash = (ref: DocumentRef): Promise<string | null> => {
    const read = reads[refKey(ref)];
    if (read instanceof Error) return Promise.reject(read);
    return Promise.resolve(read === null ? null : (disk[refKey(ref)]?.[1] ?? null));
  };
  const task = tasks.get(refOf(at));
  if (task === undefined) throw new Error(`nothing stands at ${at}`);
  const isRootChanged = (folder: string) => place.changedRoots?.includes(folder) === true;
  const isUnavailable = (folder: string) => place.unavailable?.includes(folder) === true;
  const graceMs = () => place.graceMs ?? 0;
  const isFound = (stat: FileStat) =>
    Promise.resolve(Object.values(disk).some((file) => sameFile(statOfFile(file), stat)));
  const mayStand = async ({ record: { stat } }: LedgerEntry) => stat.birthtimeMs !== 0 && isFound(stat);
  const evidence = { ledger, tasks, isRootChanged, isUnavailable, graceMs, inspect, hash, isFound, mayStand };
  return findMove(task, documentAt(at), evidence);
}

/** `from → to`, and what is left: `from` or, where an overwritten document takes that path, `from = whose`. */
function words(decision: MoveDecision): string {
  if (decision.kind !== 'move') return decision.kind;
  const steps = decision.steps.map(
    ({ entry, to, isEdited }) => `${refKey(entry.ref)} → ${refKey(to)}${isEdited ? ' edited' : ''}`,
  );
  const left = decision.left.map(
    ({ ref, takenBy }) => `${refKey(ref)}${takenBy === null ? '' : ` = ${takenBy.record.docId}`}`,
  );
  return `${steps.toSorted().join(', ')}; left: ${left.join(', ')}`;
}

const inspected: TaskEvent = { kind: 'inspectionStarted', at: 0 };
const sending: readonly TaskEvent[] = [
  inspected,
  { kind: 'ready', operation: 'upload', bulkKey: null, since: 0 },
  { kind: 'deliveryStarted', delivery: 1 },
];

const one: File = [1, 'one'];
const unknown = (code: string): Inspection => ({ kind: 'unknown', code, message: '' });
const hidden = (presence?: 'gone' | 'unseen'): Inspection => ({
  kind: 'ignored',
  code: 'ignored',
  message: '',
  ...(presence === undefined ? null : { presence }),
});
/** A file with a record, and another with its content; nothing stands at the path of the record. */
const copied = (key: string, birthtimeMs = 9): Place => ({
  disk: { 'inbox/new': one },
  records: { [key]: [2, 'one', { birthtimeMs }] },
  missing: [key],
});
const renamed: Place = { disk: { 'inbox/new': one }, records: { 'inbox/old': one } };
const follows = 'inbox/old → inbox/new; left: inbox/old';
/** The same file under a second name, and in a folder that was taken out of the configuration. */
const linked: Place = { ...renamed, disk: { 'inbox/new': one, 'inbox/old': one } };
const removed = (birth: Partial<FileStat> = {}, now = birth): Place => ({
  disk: { 'inbox/new': [1, 'one', now] },
  records: { 'gone/old': [1, 'one', birth] },
  finds: { 'gone/old': undefined },
});
const held: readonly TaskEvent[] = [{ kind: 'held', reason: { code: 'held', message: '' } }];
const unborn = { birthtimeMs: 0 };
/** A file that bears the number of one that is gone. */
const reusedNumber: Place = {
  disk: { 'inbox/new': [1, 'other', unborn] },
  records: { 'inbox/old': [1, 'one', unborn] },
  missing: ['inbox/old'],
};
const goesOut: Place = { disk: linked.disk, tasks: { 'inbox/old': sending } };
const otherGoneOut: File = [2, 'two'];

describe('the document of a file that stands at a path', () => {
  it.each<readonly [string, Place, string]>([
    ['is new where nothing is gone', { disk: renamed.disk }, 'none'],
    [
      'is new where the file of the same content is not listed and stands all the same',
      { ...copied('inbox/ignored'), finds: { 'inbox/ignored': hidden() } },
      'none',
    ],
    [
      'is new where only another root says that the file of the same content is gone',
      { ...copied('other/old'), changedRoots: ['other'] },
      'none',
    ],
    ['is that of its own path', { ...renamed, records: { 'inbox/new': [1, 'old'] } }, 'none'],
    [
      'is not decided where the service does not know that of its own path, and the file is on its way under another name',
      {
        disk: { 'inbox/new': one, 'inbox/sent': one },
        records: { 'inbox/new': [2, 'old'] },
        tasks: {
          'inbox/new': [inspected, { kind: 'replan', unknownDocId: 'doc of inbox/new' }, inspected],
          'inbox/sent': sending,
        },
      },
      'settling',
    ],
    ['is that of the path that the file left', renamed, follows],
    [
      'is that of a path where rules hide what cannot be read',
      { ...renamed, disk: { 'inbox/new': [1, 'edited'] }, finds: { 'inbox/old': hidden('unseen') } },
      'inbox/old → inbox/new edited; left: inbox/old',
    ],
    ['is that of the missing file with its content', copied('inbox/old'), follows],
    ['is unclear while that may come back', { ...copied('inbox/old'), graceMs: 5 }, 'settling'],
    ['is new where it is older than the missing file with its content', copied('inbox/old', 102), 'none'],
    [
      'is new where the missing file with its content was seen at another path: it is a copy',
      { ...copied('inbox/old'), disk: { 'inbox/new': one, 'inbox/moved': [2, 'one', { birthtimeMs: 9 }] } },
      'none',
    ],
    ['is new where it is a hard link of one that stands', linked, 'none'],
    [
      'is new where nothing can be said of the other path',
      { ...renamed, finds: { 'inbox/old': unknown('folder-missing') } },
      'none',
    ],
    [
      'is that of a folder which cannot be read',
      { ...removed(), finds: { 'gone/old': unknown('folder-missing') }, unavailable: ['gone'] },
      'gone/old → inbox/new; left: gone/old',
    ],
    [
      'is that of a folder which shows the same files by now, where birth times are unknown',
      { ...removed(unborn), finds: { 'gone/old': unknown('folder-shown-twice') }, unavailable: ['gone'] },
      'gone/old → inbox/new; left: gone/old',
    ],
    [
      'is that of a folder whose root is another one by now, where birth times are unknown: of its number, size and time',
      { ...removed(unborn), finds: {}, changedRoots: ['gone'] },
      'gone/old → inbox/new; left: gone/old',
    ],
    [
      'is not that of such a folder where birth times are unknown, and the times differ',
      removed({ birthtimeMs: 0 }, { birthtimeMs: 0, mtimeMs: 7 }),
      'none',
    ],
    [
      'is that of a path which is empty, and not listed since, where files have no numbers: by size, time and content',
      { disk: { 'inbox/new': [0, 'one'] }, records: { 'inbox/old': [0, 'one'] } },
      'inbox/old → inbox/new; left: inbox/old',
    ],
    [
      'is not that of such a path with other content',
      { disk: { 'inbox/new': [0, 'two'] }, records: { 'inbox/old': [0, 'one'] } },
      'none',
    ],
    ['is new where birth times are unknown, and another file has the number (7.19)', reusedNumber, 'none'],
    [
      'is that of a held one with the same content, where birth times are unknown',
      { ...reusedNumber, disk: { 'inbox/new': [1, 'one', unborn] }, outcome: held },
      follows,
    ],
    ['is unclear while it is another file', { ...renamed, reads: { 'inbox/new': null } }, 'settling'],
    [
      'is that of the path that the file left, though it cannot be read',
      { ...renamed, reads: { 'inbox/new': new Error('EIO') } },
      'inbox/old → inbox/new edited; left: inbox/old',
    ],
    [
      'is new where it cannot be read, and another file has the number',
      { ...reusedNumber, reads: { 'inbox/new': new Error('EIO') } },
      'none',
    ],
    [
      'is that of its number, size and time where birth times are unknown, edited',
      {
        disk: { 'inbox/new': [1, 'eno', unborn] },
        records: { 'inbox/old': [1, 'one', unborn] },
        missing: ['inbox/old'],
      },
      'inbox/old → inbox/new edited; left: inbox/old',
    ],
    [
      'is that of the link of the same directory where names differ',
      {
        disk: { 'inbox/x/c': one },
        records: { 'inbox/a': one, 'inbox/x/b': one },
        at: 'inbox/x/c',
      },
      'inbox/x/b → inbox/x/c; left: inbox/x/b',
    ],
    [
      'is that of the link of the same name before that of the same directory',
      {
        disk: { 'inbox/x/b': one },
        records: { 'inbox/x/a': one, 'inbox/y/b': one },
        at: 'inbox/x/b',
      },
      'inbox/y/b → inbox/x/b; left: inbox/y/b',
    ],
    [
      'is that of the file, and not of a missing one with its content',
      {
        disk: { 'inbox/new': one, 'inbox/old': [9, 'other'] },
        records: { 'inbox/old': one, 'inbox/gone': [2, 'one'] },
        missing: ['inbox/gone'],
      },
      'none',
    ],
    [
      'is new where several are missing that have its content',
      {
        disk: { 'inbox/new': [1, 'one', { birthtimeMs: 900 }] },
        records: { 'inbox/a': [2, 'one'], 'inbox/b': [3, 'one'] },
        missing: ['inbox/a', 'inbox/b'],
      },
      'none',
    ],
    ['is unclear while the same file goes out under another name', goesOut, 'settling'],
    [
      'is unclear while it goes out itself and the same file has gone out under another name',
      {
        disk: renamed.disk,
        tasks: { 'inbox/new': sending },
        goneOut: { 'inbox/old': one, 'inbox/other': otherGoneOut },
      },
      'settling',
    ],
    [
      'is new while an edit of the file goes out that bears its inode number on another device',
      { ...goesOut, disk: { 'inbox/new': one, 'inbox/old': [1, 'one', { dev: 2 }] } },
      'none',
    ],
  ])('%s', async (_, place, expected) => {
    expect(words(await moveIn(place))).toBe(expected);
  });

  const swapped: Place = {
    disk: { 'inbox/a': [2, 'two'], 'inbox/b': [1, 'one'] },
    records: { 'inbox/a': [1, 'one'], 'inbox/b': [2, 'two'] },
    at: 'inbox/a',
  };
  it.each<readonly [string, Place]>([
    [
      'cannot be read for a moment, and only its number tells that it is the same',
      { ...removed(unborn), finds: { 'gone/old': unknown('unreadable-now') } },
    ],
    [
      'cannot be looked at, where it came from to the place of another one (7.1)',
      { ...swapped, finds: { 'inbox/b': unknown('unreadable') } },
    ],
  ])('is not concluded while its old path %s', async (_, place) => {
    await expect(moveIn(place)).rejects.toMatchObject({ code: 'unreadable-now' });
  });

  const bornLess: Place = {
    disk: { 'inbox/a': [2, 'two', unborn], 'inbox/b': [1, 'one', unborn] },
    records: { 'inbox/a': [1, 'one', unborn], 'inbox/b': [2, 'two', unborn] },
    at: 'inbox/a',
  };
  const replaced = 'inbox/b/(its file was replaced)/b';
  const over: Place = {
    disk: { 'inbox/b': [1, 'one'] },
    records: { 'inbox/a': [1, 'one'], 'inbox/b': [2, 'two'] },
    at: 'inbox/b',
  };
  const shift: Place = {
    disk: { 'inbox/b': [1, 'one'], 'inbox/c': [2, 'two'] },
    records: { 'inbox/a': [1, 'one'], 'inbox/b': [2, 'two'] },
  };
  /** All went on by one place, and at the first of them stands what is new. */
  const rotated: Place = {
    disk: { 'inbox/a': [9, 'new'], 'inbox/b': [1, 'one'], 'inbox/c': [2, 'two'] },
    records: { 'inbox/a': [1, 'one'], 'inbox/b': [2, 'two'] },
  };
  const alsoPushed: Readonly<Record<string, File>> = { ...rotated.records, 'inbox/c': [3, 'three'] };
  const settles: Inspection = { kind: 'settling', againMs: 50 };
  const isUnfit: Inspection = { kind: 'unfit', code: 'sidecar-invalid', message: '' };

  it.each<readonly [string, Place, string]>([
    ['changes places in a swap', swapped, 'inbox/a → inbox/b, inbox/b → inbox/a; left: '],
    [
      'goes on in a chain, seen from its middle',
      { ...shift, at: 'inbox/b' },
      'inbox/a → inbox/b, inbox/b → inbox/c; left: inbox/a',
    ],
    [
      'changes places in a swap whose other half cannot be sent as it stands',
      { ...swapped, finds: { 'inbox/b': isUnfit } },
      'inbox/a → inbox/b, inbox/b → inbox/a; left: ',
    ],
    [
      'changes places in a swap whose other half lies below an ignore file that is not valid',
      {
        ...swapped,
        finds: {
          'inbox/b': { ...unknown('ignore-file-invalid'), stat: statOfFile([1, 'one']) } as Inspection,
        },
      },
      'inbox/a → inbox/b, inbox/b → inbox/a; left: ',
    ],
    ...(['ignored', 'unfit'] as const).map(
      (kind) =>
        [
          `changes places in a swap though its file stands under another name as well, which is ${kind}`,
          {
            ...swapped,
            disk: { ...swapped.disk, 'inbox/0': [1, 'one'] },
            records: { ...swapped.records, 'inbox/0': [1, 'one'] },
            finds: { 'inbox/0': kind === 'unfit' ? isUnfit : { ...hidden(), stat: statOfFile([1, 'one']) } },
            at: 'inbox/b',
          } as Place,
          'inbox/a → inbox/b, inbox/b → inbox/a; left: ',
        ] as const,
    ),
    [
      'is unclear where what came in its place was seen by no scan yet',
      { ...shift, disk: { 'inbox/c': [2, 'two'] }, at: 'inbox/c', finds: { 'inbox/b': settles } },
      'settling',
    ],
    [
      'stays in its own folder where a file of another one comes over it',
      { ...over, records: { 'other/a': [1, 'one'], 'inbox/b': [2, 'two'] } },
      `other/a → inbox/b; left: other/a, ${replaced} = doc of inbox/b`,
    ],
    [
      'stays so where one was missing there already',
      { ...over, records: { 'other/a': [1, 'one'], 'inbox/b': [2, 'two'], [replaced]: [3, 'three'] } },
      `other/a → inbox/b; left: other/a, ${replacedPath(replaced)} = doc of inbox/b`,
    ],
    [
      'comes over another one, though its file was edited on the way',
      { ...over, disk: { 'inbox/b': [1, 'edited'] } },
      'inbox/a → inbox/b edited; left: inbox/a, inbox/b/(its file was replaced)/b = doc of inbox/b',
    ],
    ...['inbox/b', 'inbox/c'].map(
      (at) =>
        [
          `goes on in a rotation, but for the one in whose place a new file stands, seen from ${at}`,
          { ...rotated, at },
          'inbox/b → inbox/c; left: inbox/b',
        ] as const,
    ),
    [
      'comes over another one from the name of two that it left, and the other name keeps its own',
      {
        disk: { 'inbox/a': [1, 'one'], 'inbox/c': [1, 'one'] },
        records: { 'inbox/a': [1, 'one'], 'inbox/b': [1, 'one'], 'inbox/c': [3, 'three'] },
        at: 'inbox/c',
      },
      'inbox/b → inbox/c; left: inbox/b, inbox/c/(its file was replaced)/c = doc of inbox/c',
    ],
    ['stays where a new file stands in its place', { ...rotated, at: 'inbox/a' }, 'none'],
    [
      'stays in a rotation that overwrites the last one',
      { ...rotated, records: alsoPushed, at: 'inbox/c' },
      'none',
    ],
    [
      'stays where a backup that overwrites the last one was made of it',
      { ...rotated, disk: { 'inbox/a': [9, 'new'], 'inbox/b': [1, 'one'] }, at: 'inbox/b' },
      'none',
    ],
    [
      'is unclear while one of a swap is another file',
      { ...swapped, reads: { 'inbox/b': null } },
      'settling',
    ],
    [
      'changes places in a swap where one of them cannot be read, and its birth time proves it',
      { ...swapped, reads: { 'inbox/b': new Error('EIO') } },
      'inbox/a → inbox/b edited, inbox/b → inbox/a; left: ',
    ],
    [
      'changes places so where birth times are unknown, by number, size and time',
      { ...bornLess, reads: { 'inbox/b': new Error('EIO') } },
      'inbox/a → inbox/b edited, inbox/b → inbox/a; left: ',
    ],
  ])('%s', async (_, place, expected) => {
    expect(words(await moveIn(place))).toBe(expected);
  });
});

describe('a move that was worked out', () => {
  async function worked(place: Place): Promise<Move> {
    const decision = await moveIn(place);
    if (decision.kind !== 'move') throw new Error(decision.kind);
    return decision;
  }

  const rename = () => worked({ disk: { 'inbox/new': [1, 'one'] }, records: { 'inbox/a': [1, 'one'] } });

  it.each<readonly [string, () => Promise<Move>, Readonly<Record<string, File>>, boolean]>([
    ['is true while nothing has changed', rename, { 'inbox/a': [1, 'one'] }, true],
    ['is true no more when its record has gone', rename, {}, false],
    ['is true no more when its record has other bytes', rename, { 'inbox/a': [1, 'new'] }, false],
    [
      'is true no more when a record has come to its path',
      rename,
      { 'inbox/a': [1, 'one'], 'inbox/new': [3, 'six'] },
      false,
    ],
  ])('%s', async (_, work, now, expected) => {
    expect(isStillTrue(ledgerOf(now), await work())).toBe(expected);
  });

  it('takes what the record has learned meanwhile along, and the old stat of an edited file', async () => {
    const edited = await worked({ disk: { 'inbox/new': [1, 'edited'] }, records: { 'inbox/a': [1, 'one'] } });
    const learned = { ...recordOf({ docId: 'doc of inbox/a' }), possibleDuplicates: 3 };
    const [put] = changesOf({ get: () => learned, answer: () => undefined }, edited).filter(
      ({ kind }) => kind === 'put',
    );
    expect(put).toMatchObject({ record: { possibleDuplicates: 3, stat: statOfFile([1, 'one']) } });
  });

  it('leaves the attachments of a document that is pushed into another folder where they are', () => {
    const attachment = { name: 'x.csv', path: 'x.csv', stat: statOf({ ino: 9 }), sha256: 'x' };
    const takenBy = { ref: refOf('inbox/b'), record: recordOf({ attachments: [attachment] }) };
    const [put] = changesOf(
      { get: () => undefined, answer: () => undefined },
      { kind: 'move', steps: [], left: [{ ref: refOf('other/a'), takenBy }] },
    );
    expect(put).toMatchObject({ record: { attachments: [{ ...attachment, folder: 'inbox' }] } });
  });

  it('does not leave the overwritten document the file that has come to its place, seen there before', () => {
    const entryOf = (path: string) => ({
      ref: refOf(path),
      record: recordOf({ docId: path, standing: statOf({ ino: 9 }) }),
    });
    const [entry, takenBy] = [entryOf('inbox/a'), entryOf('inbox/b')];
    const steps = [{ entry, to: takenBy.ref, stat: entry.record.stat, isEdited: true }];
    const left = [{ ref: entry.ref, takenBy }];
    const known = { get: () => undefined, answer: () => 'keep' as const };
    const [put, ended, kept] = changesOf(known, { kind: 'move', steps, left });
    expect(put).toMatchObject({ record: { docId: 'inbox/b', standing: undefined } });
    // What a person keeps stays kept.
    expect([ended, kept]).toMatchObject([
      { kind: 'unapprove', paths: ['b'] },
      { kind: 'approve', paths: ['a'], keeps: true },
    ]);
  });
});

describe('a record whose file stands where it is not sent', () => {
  const entry = { ref: refOf('inbox/a'), record: recordOf({ stat: statOfFile([1, 'one']) }) };
  const removeAlike = (one: string, other: string) => (one === 'keeping') === (other === 'keeping');

  const ledger = { get: (ref: DocumentRef) => (ref.path === 'b' ? recordOf({ docId: 'b' }) : undefined) };

  it.each<readonly [string, File, string]>([
    ['inbox/.a', [1, 'one'], 'inbox/a → inbox/.a; left: inbox/a'],
    ['other/a.bak', [1, 'edited'], 'inbox/a → other/a.bak edited; left: inbox/a'],
    ['keeping/a.bak', [1, 'one'], 'none'],
    ['inbox/b', [1, 'one'], 'inbox/a → inbox/b; left: inbox/a, inbox/b/(its file was replaced)/b = b'],
  ])(
    'follows it to %s, but not into a folder that does otherwise with what is removed',
    (at, file, expected) => {
      const move = moveUnsent(entry, { ref: refOf(at), stat: statOfFile(file) }, ledger, removeAlike);
      expect(words(move ?? { kind: 'none' })).toBe(expected);
    },
  );
});
