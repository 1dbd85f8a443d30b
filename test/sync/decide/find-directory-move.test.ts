import { describe, expect, it } from '@jest/globals';

import { directoryOf, joinPath, nameOf, refKey, sameFile } from '../../../src/model/document.ts';
import type { DocumentRef, FileStat, Inspection, FileIdentity } from '../../../src/model/document.ts';
import type { DirectoryRef, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { planDirectoryMove, findMovedDirectories } from '../../../src/sync/decide/find-directory-move.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

/** A file's inode number; its content changes with `mtimeMs`. */
type File = number | readonly [ino: number, parts: Partial<FileStat>];

/** A directory's inode number, and its files by name. */
type Directory = readonly [ino: number, files?: Readonly<Record<string, File>>];

interface World {
  /** What was listed, by folder and path. */
  readonly disk: Readonly<Record<string, Directory>>;
  /** What the ledger has; inode number 0: it does not know the directory. */
  readonly ledger: Readonly<Record<string, Directory>>;
  /** The path that is asked about. */
  readonly at: string;
  /** What an inspection finds instead; undefined: its folder is not configured. */
  readonly finds?: Readonly<Record<string, Inspection | undefined>>;
  /** No scan has seen the files that stand there. */
  readonly unseen?: boolean;
  /** Folders that were not listed yet. */
  readonly unlisted?: readonly string[];
  /** Not all that changed lately was listed. */
  readonly isBehind?: boolean;
  /** So many names in one step. */
  readonly mostAtOnce?: number;
  /** No directory has a birth time. */
  readonly isBirthUnknown?: boolean;
}

const refOf = (key: string): DocumentRef => ({
  folder: key.slice(0, key.indexOf('/')),
  path: key.slice(key.indexOf('/') + 1),
});
const statOfFile = (file: File) =>
  typeof file === 'number'
    ? statOf({ ino: file, birthtimeMs: 100 + file })
    : statOf({ ino: file[0], birthtimeMs: 100 + file[0], ...file[1] });

async function movedIn(world: World): Promise<string> {
  const { disk, ledger, at, finds = {}, unlisted = [], isBehind = false, isBirthUnknown = false } = world;
  const identityOf = ([ino]: Directory): FileIdentity => ({
    ino,
    birthtimeMs: isBirthUnknown ? 0 : 1_000 + ino,
    dev: 1,
  });
  const recordAt = ({ folder, path }: DocumentRef): LedgerRecord | undefined => {
    const file = ledger[`${folder}/${directoryOf(path)}`]?.[1]?.[nameOf(path)];
    if (file === undefined) return undefined;
    return recordOf({ docId: `doc of ${folder}/${path}`, stat: statOfFile(file) });
  };
  const isKnown = ([ino]: Directory) => ino !== 0;
  const evidence = {
    ledger: {
      get: recordAt,
      recordsIn: (folder: string, path: string) => {
        const files = ledger[`${folder}/${path}`]?.[1] ?? {};
        return {
          size: Object.keys(files).length,
          keys: () => Object.keys(files),
          get: (name: string) => recordAt({ folder, path: joinPath(path, name) }),
          rootChange: () => undefined,
          match: () => 'none' as const,
        };
      },
      directory: (place: DirectoryRef) => {
        const known = ledger[refKey(place)];
        return known === undefined || !isKnown(known) ? undefined : identityOf(known);
      },
      placesOf: (identity: FileIdentity) =>
        Object.entries(ledger)
          .filter(([, known]) => isKnown(known) && sameFile(identityOf(known), identity))
          .map(([key]) => refOf(key)),
    },
    standing: (place: DirectoryRef) => {
      if (unlisted.includes(place.folder)) return undefined;
      const there = disk[refKey(place)];
      return there === undefined ? null : identityOf(there);
    },
    seenElsewhere: (identity: FileIdentity) => {
      const found = Object.entries(disk).find(
        ([key, there]) =>
          sameFile(identityOf(there), identity) && ledger[key]?.[0] !== there[0] && !isIn(unlisted, key),
      );
      return found === undefined ? null : refOf(found[0]);
    },
    isAsked: () => false,
    isArrivalCovered: () => !isBehind && unlisted.length === 0,
    inspect: (ref: DocumentRef): Promise<Inspection | undefined> => {
      const key = refKey(ref);
      if (key in finds) return Promise.resolve(finds[key]);
      const file = disk[`${ref.folder}/${directoryOf(ref.path)}`]?.[1]?.[nameOf(ref.path)];
      if (file === undefined) return Promise.resolve({ kind: 'absent', device: 1 });
      const { document } = comparedOf();
      return Promise.resolve({ kind: 'document', document: { ...document, ref, stat: statOfFile(file) } });
    },
    seen: (ref: DocumentRef): FileStat | null => {
      const file = disk[`${ref.folder}/${directoryOf(ref.path)}`]?.[1]?.[nameOf(ref.path)];
      return file === undefined || world.unseen === true ? null : statOfFile(file);
    },
  };
  const moved = findMovedDirectories(refOf(at), evidence);
  if (moved.kind !== 'moved') return moved.kind;
  const move = await planDirectoryMove(moved.directories, refOf(at), evidence, world.mostAtOnce);
  if (move === null) return 'not proven';
  const steps = move.steps.map(
    ({ entry, to, isEdited }) => `${refKey(entry.ref)} → ${refKey(to)}${isEdited ? ' edited' : ''}`,
  );
  const left = move.left.map(
    ({ ref, takenBy }) => `${refKey(ref)}${takenBy === null ? '' : ` = ${takenBy.record.docId}`}`,
  );
  const known = (move.directories ?? []).map(
    ({ folder, path, identity }) => `${folder}/${path} is ${identity?.ino ?? 'unknown'}`,
  );
  return [steps, left, known].map((list) => list.toSorted().join(', ')).join('; ');
}

function isIn(folders: readonly string[], key: string): boolean {
  return folders.includes(refOf(key).folder);
}

const ignored: Inspection = { kind: 'ignored', code: 'ignored', message: '' };
const settling: Inspection = { kind: 'settling', againMs: 50 };
const edited = (ino: number): File => [ino, { size: 11, mtimeMs: 2_000, ctimeMs: 2_000 }];

/** A directory with one file that was moved from a to b, and nothing in its place. */
const moved: World = {
  disk: { 'inbox/b': [10, { one: 11 }] },
  ledger: { 'inbox/a': [10, { one: 11 }] },
  at: 'inbox/b/one',
};
/** A directory that was moved to b, over the one there, with another in its place. */
const pushed: World = {
  disk: { 'other/a': [30, { one: 31, two: 32 }], 'inbox/b': [10, { one: 11, two: 12 }] },
  ledger: { 'other/a': [10, { one: 11, two: 12 }], 'inbox/b': [20, { one: 21 }] },
  at: 'inbox/b/one',
};
/** The same as `moved`, with another in its place, that is asked about. */
const elsewhere = (at: string, disk: World['disk']): World => ({ ...moved, disk, at });

/** A directory that was moved from a to b, and another in its place. */
const replaced: World = {
  disk: { 'inbox/a': [20, { one: 21, two: 22 }], 'inbox/b': [10, { one: 11, two: 12 }] },
  ledger: { 'inbox/a': [10, { one: 11, two: 12 }] },
  at: 'inbox/b/one',
};
const wholeMove =
  'inbox/a/one → inbox/b/one, inbox/a/two → inbox/b/two; inbox/a/one, inbox/a/two; inbox/a is 20, inbox/b is 10';

describe('I1: the records of a directory', () => {
  it.each<readonly [string, World, string]>([
    ['move with it, where another stands in its place', replaced, wholeMove],
    ['also when the other is asked about', { ...replaced, at: 'inbox/a/two' }, wholeMove],
    [
      'move with it while its files settle, because others were there a moment ago',
      { ...replaced, finds: { 'inbox/b/one': settling, 'inbox/b/two': settling } },
      wholeMove,
    ],
    [
      'move with it where new files stand at their old paths, in a directory that was not listed yet',
      {
        ...replaced,
        disk: { 'inbox/b': [10, { one: 11, two: 12 }] },
        finds: { 'inbox/a/one': settling, 'inbox/a/two': settling },
      },
      'inbox/a/one → inbox/b/one, inbox/a/two → inbox/b/two; inbox/a/one, inbox/a/two; inbox/a is unknown, inbox/b is 10',
    ],
    [
      'stay while its files settle and nobody has seen which they are',
      {
        ...replaced,
        isBirthUnknown: true,
        unseen: true,
        finds: { 'inbox/b/one': settling, 'inbox/b/two': settling },
      },
      'not proven',
    ],
    ['stay where it stands', elsewhere('inbox/a/one', { 'inbox/a': [10, { one: 99 }] }), 'none'],
    [
      'stay where it was saved by way of a copy in another directory: a directory that is not recorded',
      elsewhere('inbox/backup/one', { 'inbox/a': [10, { one: 99 }], 'inbox/backup': [20, { one: 11 }] }),
      'none',
    ],
    [
      'stay where another stands in its place and it is nowhere: restored from a copy',
      elsewhere('inbox/a/one', { 'inbox/a': [20, { one: 21 }] }),
      'none',
    ],
    [
      'stay where the ledger does not know which one it was',
      { ...replaced, ledger: { 'inbox/a': [0, { one: 11, two: 12 }] } },
      'none',
    ],
    [
      'stay where it has come back, whatever else was recorded there meanwhile',
      { ...replaced, ledger: { ...replaced.ledger, 'inbox/b': [10, { one: 11 }] } },
      'none',
    ],
    [
      'wait until all other folders are listed',
      {
        ...elsewhere('inbox/a/one', { 'inbox/a': [20, { one: 21 }], 'other/b': [10, { one: 11 }] }),
        unlisted: ['other'],
      },
      'unclear',
    ],
    [
      'wait until the path that it left is listed',
      { ...moved, ledger: { 'other/a': [10, { one: 11 }] }, unlisted: ['other'] },
      'unclear',
    ],
    [
      'move with it where nothing stands in its place: what was edited there, too',
      {
        disk: { 'inbox/b': [10, { one: 11, two: edited(99), new: 13 }] },
        ledger: { 'inbox/a': [10, { one: 11, two: 12 }] },
        at: 'inbox/b/two',
      },
      'inbox/a/one → inbox/b/one, inbox/a/two → inbox/b/two edited; inbox/a/one, inbox/a/two; inbox/a is unknown, inbox/b is 10',
    ],
    [
      'move with it, whatever of it is seen first: a file that is new in it, too',
      { ...replaced, disk: { ...replaced.disk, 'inbox/b': [10, { one: 11, new: 13 }] }, at: 'inbox/b/new' },
      'inbox/a/one → inbox/b/one; inbox/a/one; inbox/a is 20, inbox/b is 10',
    ],
    [
      'move in several steps where they are many, and are known to have moved with the last',
      { ...replaced, mostAtOnce: 1 },
      'inbox/a/one → inbox/b/one; inbox/a/one; ',
    ],
    [
      'move in several steps where they are many: the last',
      {
        ...replaced,
        mostAtOnce: 1,
        ledger: { 'inbox/a': [10, { two: 12 }], 'inbox/b': [0, { one: 11 }] },
        at: 'inbox/a/two',
      },
      'inbox/a/two → inbox/b/two; inbox/a/two; inbox/a is 20, inbox/b is 10',
    ],
    [
      'move to another folder',
      elsewhere('inbox/a/one', { 'inbox/a': [20, { one: 21 }], 'other/b/c': [10, { one: 11 }] }),
      'inbox/a/one → other/b/c/one; inbox/a/one; inbox/a is 20, other/b/c is 10',
    ],
    [
      'change places with those of another',
      {
        disk: { 'inbox/a': [20, { one: 21, two: 22 }], 'inbox/b': [10, { one: 11, two: edited(99) }] },
        ledger: { 'inbox/a': [10, { one: 11, two: 12 }], 'inbox/b': [20, { one: 21, two: 22 }] },
        at: 'inbox/a/two',
      },
      'inbox/a/one → inbox/b/one, inbox/a/two → inbox/b/two edited, inbox/b/one → inbox/a/one, inbox/b/two → inbox/a/two; ; inbox/a is 20, inbox/b is 10',
    ],
    [
      'move along a chain, whichever of them is asked about',
      {
        disk: {
          'inbox/a': [30, { one: 31 }],
          'inbox/b': [10, { one: 11 }],
          'inbox/c': [20, { one: 21 }],
        },
        ledger: { 'inbox/a': [10, { one: 11 }], 'inbox/b': [20, { one: 21 }] },
        at: 'inbox/b/one',
      },
      'inbox/a/one → inbox/b/one, inbox/b/one → inbox/c/one; inbox/a/one; inbox/a is 30, inbox/b is 10, inbox/c is 20',
    ],
    [
      'stay for the file that stands at its own path, and for the one that is in neither',
      {
        disk: { 'inbox/a': [20, { one: 11, two: 22, three: 23 }], 'inbox/b': [10, { one: 98, three: 13 }] },
        ledger: { 'inbox/a': [10, { one: 11, two: 12, three: 13 }] },
        at: 'inbox/b/three',
      },
      'inbox/a/three → inbox/b/three; inbox/a/three; inbox/a is 20, inbox/b is 10',
    ],
    [
      'stay for a file that has a record of its own where it is: a link led to it, and is gone',
      {
        disk: { 'inbox/b': [10, { one: edited(11), two: 12 }] },
        ledger: { 'inbox/link': [10, { one: 11, two: 12 }], 'inbox/b': [0, { one: 11 }] },
        at: 'inbox/b/one',
      },
      'inbox/link/two → inbox/b/two; inbox/link/two; inbox/b is 10, inbox/link is unknown',
    ],
    [
      'move with what is ignored in it, and stay with what cannot be read',
      {
        ...replaced,
        disk: {
          'inbox/a': [20, { one: 21, two: 22, three: 23 }],
          'inbox/b': [10, { one: 11, two: 12, three: 13 }],
        },
        ledger: { 'inbox/a': [10, { one: 11, two: 12, three: 13 }] },
        finds: {
          'inbox/b/two': ignored,
          'inbox/b/three': { kind: 'unknown', code: 'unreadable', message: '' },
        },
      },
      wholeMove,
    ],
    [
      'move with it out of a folder that is not configured any more, saved anew too; what is not there stays',
      {
        ...moved,
        ledger: { 'gone/a': [10, { one: 99, two: 12 }] },
        finds: { 'gone/a/one': undefined, 'gone/a/two': undefined },
      },
      'gone/a/one → inbox/b/one edited; gone/a/one; gone/a is unknown, inbox/b is 10',
    ],
    [
      'stay where none of its files is in the one that seems to be it by its number alone',
      {
        ...replaced,
        isBirthUnknown: true,
        disk: { ...replaced.disk, 'inbox/b': [10, { one: 98, two: 99 }] },
      },
      'not proven',
    ],
    [
      'move with it where all of its files were saved anew, and go missing with it where they were removed',
      { ...replaced, disk: { 'inbox/a': [20, {}], 'inbox/b': [10, { one: 98 }] } },
      'inbox/a/one → inbox/b/one edited, inbox/a/two → inbox/b/two; inbox/a/one, inbox/a/two; inbox/a is 20, inbox/b is 10',
    ],
    [
      'move with it on a file system without birth times, one edited: its number, its name and its directory’s number tell',
      {
        ...moved,
        isBirthUnknown: true,
        disk: { 'inbox/b': [10, { one: [11, { birthtimeMs: 0, mtimeMs: 7 }] }] },
      },
      'inbox/a/one → inbox/b/one edited; inbox/a/one; inbox/a is unknown, inbox/b is 10',
    ],
    [
      'stay where one stands at two paths: a mount or a link',
      elsewhere('inbox/b/one', { 'inbox/a': [10, { one: 11 }], 'inbox/b': [10, { one: 11 }] }),
      'none',
    ],
    [
      'are asked about once more where the path that it left has still to be listed',
      {
        ...elsewhere('inbox/b/one', { 'inbox/a': [10, { one: 11 }], 'inbox/b': [10, { one: 11 }] }),
        isBehind: true,
      },
      'stale',
    ],
    [
      'are missing at paths of their own where they are pushed aside and their files are nowhere',
      {
        disk: { 'inbox/a': [30, { one: 31 }], 'inbox/b': [10, { one: 11 }] },
        ledger: { 'inbox/a': [10, { one: 11 }], 'inbox/b': [20, { one: 21, two: 22 }] },
        at: 'inbox/a/one',
      },
      'inbox/a/one → inbox/b/one; inbox/a/one, inbox/b/one/(its file was replaced)/one = doc of inbox/b/one; inbox/a is 30, inbox/b is 10',
    ],
    [
      'leave one that they push from its path in its own folder',
      pushed,
      'other/a/one → inbox/b/one, other/a/two → inbox/b/two; inbox/b/one/(its file was replaced)/one = doc of inbox/b/one, other/a/one, other/a/two; inbox/b is 10, other/a is 30',
    ],
  ])('%s', async (_, world, expected) => {
    expect(await movedIn(world)).toBe(expected);
  });
});
