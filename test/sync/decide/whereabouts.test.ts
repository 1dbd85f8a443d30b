import { describe, expect, it } from '@jest/globals';

import type { FileStat, Inspection } from '../../../src/model/document.ts';
import type { FolderPort, FoundFiles } from '../../../src/model/ports/folder-port.ts';
import type { LedgerRecord } from '../../../src/model/ports/ledger-port.ts';
import { findInFolders, whereaboutsOf } from '../../../src/sync/decide/whereabouts.ts';
import type { Whereabouts } from '../../../src/sync/decide/whereabouts.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const seenAt = Date.UTC(2026, 0, 1);

type Around = Parameters<typeof whereaboutsOf>[1];

/** A search that found nothing, and nothing known beside it. */
const nothingKnown: Around = {
  search: { files: [], unreadable: [], isUnlisted: false, look: null },
  covered: [],
  ledger: { get: () => undefined, directory: () => undefined },
  seenElsewhere: () => null,
  tasks: { get: () => undefined },
  inspect: () => Promise.resolve(undefined),
  hash: () => Promise.resolve(null),
  seenAt,
  hasStood: () => true,
  wasHidden: false,
};

describe('a file that is found nowhere', () => {
  it.each([
    ['has changed since, or came from elsewhere', false, false, 'hidden'],
    ['looks as it did when the file was there', true, false, 'nowhere'],
    ['looks so, where it has been held before for as long as one cannot be read', true, true, 'hidden'],
  ])('may be in an unreadable directory that %s', async (_, stood, wasHidden, kind) => {
    const unreadable = [{ folder: 'inbox', path: 'new/closed', look: '1' }];
    const found = await whereaboutsOf(
      { ref: { folder: 'inbox', path: 'dir/a.txt' }, record: recordOf() },
      {
        ...nothingKnown,
        search: { ...nothingKnown.search, unreadable },
        hasStood: () => stood,
        wasHidden,
      },
    );
    expect(found.kind).toBe(kind);
  });
});

describe('a file that is found nowhere, whose directory stands elsewhere, is what was saved there', () => {
  const directory = { ino: 5, birthtimeMs: 1, dev: 1 };
  const ignored: Inspection = { kind: 'ignored', code: 'ignored', message: 'any', stat: statOf() };
  const gone: Inspection = { kind: 'ignored', code: 'ignored', message: 'any', presence: 'gone' };

  it.each<readonly [string, Inspection, LedgerRecord | undefined, number, Whereabouts['kind']]>([
    ['though it is ignored', ignored, undefined, 1, 'kept'],
    ['though it was not compared yet', { kind: 'document', ...comparedOf() }, undefined, 1, 'unclear'],
    ['unless that is gone', gone, undefined, 1, 'nowhere'],
    ['unless a record is there', ignored, recordOf(), 1, 'nowhere'],
    ['unless nobody can tell that it is that directory', ignored, undefined, 0, 'nowhere'],
  ])('%s', async (_, found, other, birthtimeMs, kind) => {
    const place = await whereaboutsOf(
      { ref: { folder: 'inbox', path: 'dir/a.txt' }, record: recordOf() },
      {
        ...nothingKnown,
        ledger: { get: () => other, directory: () => ({ ...directory, birthtimeMs }) },
        seenElsewhere: () => ({ folder: 'inbox', path: 'moved' }),
        inspect: () => Promise.resolve(found),
      },
    );
    expect(place.kind).toBe(kind);
    if (place.kind === 'kept') expect(place.at?.ref.path).toBe('moved/a.txt');
  });
});

describe('a file that is found nowhere may lie below a mount', () => {
  it.each([
    ['that came after it was last seen', 1, true, 'hidden'],
    ['that came in that moment', 0, true, 'hidden'],
    ['unless that was there before', -1, true, 'nowhere'],
    ['unless what lies below is another device', 1, false, 'nowhere'],
  ])('%s', async (_, since, mayHold, kind) => {
    const until = seenAt + since;
    const covered = [{ folder: 'inbox', path: 'disk', until, isAway: false, mayHold: () => mayHold }];
    const found = await whereaboutsOf(
      { ref: { folder: 'inbox', path: 'a.txt' }, record: recordOf() },
      { ...nothingKnown, covered },
    );
    expect(found.kind).toBe(kind);
  });
});

describe('a file that is found', () => {
  const record = recordOf({ stat: statOf({ ino: 8 }) });
  const ref = { folder: 'inbox', path: 'a.txt' };
  const there = { folder: 'inbox', path: 'dir/b.txt' };
  const document: Inspection = { kind: 'document', document: { ...comparedOf().document, ref: there } };
  const message = 'some words';

  interface Found {
    readonly found?: Inspection | undefined;
    readonly stat?: FileStat;
    readonly path?: string;
    readonly isNamed?: boolean;
    /** The record of the path where it stands. */
    readonly other?: LedgerRecord;
    /** What the service or a rule refused there. */
    readonly failed?: { readonly recorded: boolean; readonly code?: string };
    /** What reading it gives. */
    readonly sha256?: string | null | Error;
    readonly missing?: LedgerRecord;
  }

  const whereabouts = ({ missing = record, ...given }: Found) => {
    const file = {
      folder: 'inbox',
      path: given.path ?? there.path,
      stat: given.stat ?? missing.stat,
      isNamed: given.isNamed ?? true,
    };
    const tasks = new TaskStore({ get: () => given.other }, () => 0);
    if (given.failed !== undefined) {
      const task = tasks.open(there, { present: true, priority: 'live', at: 0 });
      tasks.apply(task, { kind: 'inspectionStarted', at: 0 });
      const { recorded, code = 'any' } = given.failed;
      tasks.apply(task, { kind: 'failed', reason: { code, message }, attempts: 1, recorded });
    }
    return whereaboutsOf(
      { ref, record: missing },
      {
        ...nothingKnown,
        search: { ...nothingKnown.search, files: [file] },
        ledger: { ...nothingKnown.ledger, get: () => given.other },
        tasks,
        inspect: () => Promise.resolve('found' in given ? given.found : document),
        hash: () =>
          given.sha256 instanceof Error
            ? Promise.reject(given.sha256)
            : Promise.resolve(given.sha256 ?? null),
      },
    );
  };

  const unborn = recordOf({ stat: statOf({ ino: 8, birthtimeMs: 0 }), sha256: 'aa' });

  const unnumbered = recordOf({ stat: statOf({ ino: 0, birthtimeMs: 7 }), sha256: 'aa' });

  it.each<readonly [string, Found, Whereabouts['kind']]>([
    ['below a directory that cannot be read', { found: unknown('unreadable') }, 'kept'],
    ['where nothing can be said for the moment', { found: unknown('not-scanned') }, 'unclear'],
    ['while it is written', { found: { kind: 'settling', againMs: 1 } }, 'unclear'],
    ['where it is gone again', { found: { kind: 'absent', device: 1 } }, 'unclear'],
    ['in a folder that is not configured any more', { found: undefined }, 'unclear'],
    ['where it is ignored', { found: { kind: 'ignored', code: 'ignored', message } }, 'kept'],
    ['where it is skipped', { found: { kind: 'skipped', code: 'unsupported-type', message } }, 'kept'],
    ['where it breaks a rule', { found: { kind: 'unfit', code: 'double-extension', message } }, 'kept'],
    ['where it waits', { found: { kind: 'waiting', code: 'any', message, againMs: null } }, 'kept'],
    ['under a name that cannot be sent', { isNamed: false }, 'kept'],
    ['as a document that has not been compared yet', {}, 'unclear'],
    ['as a document that a rule refuses', { failed: { recorded: false } }, 'unclear'],
    ['as a hard link that the service refused', { failed: { recorded: true } }, 'nowhere'],
    ['where it is in doubt', { failed: { recorded: true, code: 'in-doubt' } }, 'unclear'],
    ['as the own file of another record', { other: record }, 'nowhere'],
    ['in the place of another record’s file, not compared yet', { other: recordOf() }, 'unclear'],
    ['at its own path', { path: 'a.txt' }, 'unclear'],
    ['by its inode number and content', { missing: unborn, sha256: 'aa' }, 'unclear'],
    ['by its inode number alone', { missing: unborn, sha256: 'bb' }, 'nowhere'],
    ['by its inode number, with another size', { missing: unborn, stat: statOf({ size: 11 }) }, 'nowhere'],
    [
      'by its times without an inode number, and its content',
      { missing: unnumbered, sha256: 'aa' },
      'unclear',
    ],
    ['by its times without an inode number alone', { missing: unnumbered, sha256: 'bb' }, 'nowhere'],
    [
      'as the own file of another record, without an inode number',
      { missing: unnumbered, sha256: 'aa', other: unnumbered },
      'nowhere',
    ],
    ['by its times, and is changing', { missing: unnumbered, found: unknown('unreadable') }, 'unclear'],
    ['by content', { missing: unnumbered, sha256: 'aa', other: { ...unnumbered, sha256: 'b' } }, 'unclear'],
    ['by its inode number, and cannot be read', { missing: unborn, sha256: new Error('EIO') }, 'unclear'],
  ])('%s', async (_, given, expected) => {
    expect((await whereabouts(given)).kind).toBe(expected);
  });

  it('is kept with the words of the place where it stands', async () => {
    expect(await whereabouts({ found: { kind: 'ignored', code: 'ignored', message } })).toMatchObject({
      kind: 'kept',
      at: { ref: { folder: 'inbox', path: 'dir/b.txt' } },
      reason: {
        code: 'kept-elsewhere',
        message: 'its file is inbox/dir/b.txt now, which is not sent (some words); the document is kept',
      },
    });
  });

  it('keeps its record where it was while size and time alone tell that it may be this one', async () => {
    const found: Inspection = { kind: 'unfit', code: 'unreadable', message };
    const unread = { missing: unnumbered, found, sha256: new Error('EACCES') };
    expect(await whereabouts(unread)).toMatchObject({ kind: 'kept', at: null });
    expect(await whereabouts({ ...unread, missing: unborn })).toMatchObject({ at: { ref: there } });
  });
});

function unknown(code: string): Inspection {
  return { kind: 'unknown', code, message: 'any' };
}

describe('a file that is looked for in all folders', () => {
  const file = statOf({ ino: 1 });
  const folder = (name: string, found: FoundFiles | null): Pick<FolderPort, 'name' | 'find'> => ({
    name,
    find: () => Promise.resolve(found),
  });

  it('is found in each, with the directories that may hide it', async () => {
    const inbox = {
      files: [],
      unreadable: [{ path: 'closed', look: '1' }],
      unlisted: ['new'],
      look: 1,
    };
    const nothing = { unreadable: [], unlisted: [], look: 2 };
    const beside = { files: [{ path: 'a.pdf', stat: file, isNamed: true }], ...nothing };
    const lost = [[file], [statOf({ ino: 2 })]];
    const search = await findInFolders(
      lost,
      [folder('inbox', inbox), folder('beside', beside)],
      () => undefined,
    );
    const unreadable = [{ folder: 'inbox', path: 'closed', look: '1' }];
    const files = [{ folder: 'beside', path: 'a.pdf', stat: file, isNamed: true }];
    expect(lost.map(search)).toEqual([
      { files, unreadable, isUnlisted: true, look: '1,2' },
      { files: [], unreadable, isUnlisted: true, look: '1,2' },
    ]);
  });

  it.each([
    ['on its own device', file.dev, 1],
    ['of which no device is known', undefined, 1],
    ['on another device', file.dev + 1, 0],
  ])('may be in a root that cannot be read, %s: %j', async (_, device, hiding) => {
    const lost = [file];
    const search = await findInFolders([lost], [folder('inbox', null)], () => device);
    expect(search(lost).unreadable).toHaveLength(hiding);
    expect(search(lost).look).toBeNull();
  });
});
