import { describe, expect, it } from '@jest/globals';

import type { FileIdentity } from '../../../src/model/document.ts';
import type { BareMountPoint, MountIdentity, RootIdentity } from '../../../src/model/ports/ledger-port.ts';
import { FolderView } from '../../../src/sync/folders/folder-view.ts';
import { coveredMountPoints, mountsToRemember } from '../../../src/sync/folders/mounts.ts';
import { TaskStore } from '../../../src/sync/tasks/task-store.ts';

const mountedAt = (ino: number): FileIdentity => ({ ino, birthtimeMs: 100 + ino, dev: 1 });

const missing = [
  new TaskStore({ get: () => undefined }, () => 0).open(
    { folder: 'inbox', path: 'd/0.txt' },
    { present: false, priority: 'live', at: 0 },
  ),
];

describe('mounts are remembered', () => {
  const mounts = (
    known: readonly string[],
    now: readonly string[],
    given: Partial<ReturnType<typeof nothing>> = {},
  ) => {
    const { gone, identities, listed, isWhole, isFirst, bare, view } = { ...nothing(), ...given };
    for (const [path, identity] of Object.entries(listed)) view.noteDirectory(path, identity, 0);
    const ledger = {
      mounts: () => known,
      mountIdentities: () => identities,
      bareMountPoints: () => bare,
    };
    const change = mountsToRemember('inbox', {
      tasks: { missing: () => new Set(missing.slice(0, gone)) },
      ledger,
      view,
      mounts: now,
      isWhole,
      isFirst,
      now: 9,
    });
    return change === null ? null : [change.mounts, change.identities, change.bare];
  };
  const nothing = () => ({
    gone: 0,
    identities: [] as readonly MountIdentity[],
    listed: {} as Readonly<Record<string, FileIdentity>>,
    isWhole: true,
    isFirst: true,
    bare: [] as readonly BareMountPoint[],
    view: new FolderView(),
  });
  const d = { path: 'd', ...mountedAt(5) };

  it('with the directories that they are, when all was listed', () => {
    expect(mounts([], ['d'], { listed: { d: mountedAt(5) } })).toEqual([['d'], [d], []]);
    expect(mounts(['d'], ['d'], { listed: { d: mountedAt(5) } })).toEqual([['d'], [d], []]);
    expect(mounts(['d'], ['d'], { listed: { d: mountedAt(5) }, isWhole: false })).toBeNull();
    expect(mounts(['d'], ['d'], { listed: { d: mountedAt(5) }, identities: [d] })).toBeNull();
  });

  it('as others when nothing is missing below them', () => {
    const other = { listed: { d: mountedAt(6) }, identities: [d] };
    expect(mounts(['d'], ['d'], other)).toEqual([['d'], [{ path: 'd', ...mountedAt(6) }], []]);
    expect(mounts(['d'], ['d'], { ...other, gone: 1 })).toBeNull();
  });

  it('with those on which nothing is mounted, since when, and until when that was so', () => {
    const [open, opened, covered] = [
      { path: 'a', until: null },
      { path: 'a', until: null, since: 9 },
      { path: 'a', until: 5 },
    ];
    expect(mounts(['a', 'b'], ['b'])).toEqual([['a', 'b'], [], [opened]]);
    expect(mounts(['a', 'b'], ['b'], { bare: [{ ...opened, since: 4 }] })).toBeNull();
    expect(mounts(['a', 'b'], ['b'], { bare: [open] })).toBeNull();
    expect(mounts(['a', 'b'], ['a', 'b'], { bare: [open] })).toEqual([
      ['a', 'b'],
      [],
      [{ path: 'a', until: 9 }],
    ]);
    expect(mounts(['a'], ['a'], { bare: [covered] })).toBeNull();
    expect(mounts(['a'], [], { bare: [covered] })).toEqual([['a'], [], [opened]]);
  });

  it('as bare until now where they came over a directory that was listed, later than the first scan, or since an earlier process', () => {
    const bare = [{ path: 'a', until: 9 }];
    expect(mounts([], ['a'], { view: new FolderView(1) })).toEqual([['a'], [], bare]);
    const view = new FolderView();
    view.noteDirectory('a', mountedAt(4), 0);
    view.noteDirectory('a', mountedAt(5), 1);
    expect(mounts([], ['a'], { view, isWhole: false })).toEqual([['a'], [], bare]);
    expect(mounts([], ['a'])).toEqual([['a'], [], []]);
    // A directory of attachments is listed with its document's.
    expect(mounts([], ['a'], { isFirst: false })).toEqual([['a'], [], bare]);
  });
});

describe('files may lie out of sight', () => {
  const root = { path: '/inbox', dev: 1, ino: 2 };
  const covered = (view: FolderView, identity: RootIdentity) =>
    coveredMountPoints('inbox', { bareMountPoints: () => [], root: () => identity }, view).map(
      ({ path, until, mayHold }) => [path, until, mayHold(1), mayHold(9)],
    );

  it('on what was mounted, whatever their device, and below what is', () => {
    const bare: readonly BareMountPoint[] = [
      { path: 'a', until: null, since: 5 },
      { path: 'b', until: null },
      { path: 'c', until: 7 },
    ];
    const view = new FolderView();
    view.noteDirectory('', { ...mountedAt(1), dev: 1 }, 0);
    const found = coveredMountPoints('inbox', { bareMountPoints: () => bare, root: () => undefined }, view);
    expect(found.map(({ path, until, isAway, mayHold }) => [path, until, isAway, mayHold(9)])).toEqual([
      ['a', 5, true, true],
      ['c', 7, false, false],
    ]);
  });

  it('in either root, while another one stands there than the ledger knows', () => {
    const view = new FolderView();
    view.scanBegins({ ...root, dev: 9, ino: 3 }, 0);
    view.scanEnds(false, true, 1);
    const both = [true, false].map((isKnown) => ['', Infinity, isKnown, !isKnown]);
    expect(covered(view, root)).toEqual(both);
  });
});
