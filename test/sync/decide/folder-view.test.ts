import { describe, expect, it } from '@jest/globals';

import { FolderView } from '../../../src/sync/decide/folder-view.ts';

const wall = Date.UTC(2026, 0, 1);
const old = { dev: 1, ino: 7, birthtimeMs: wall - 86_400_000 };

/** A view that has scanned `dir/closed` twice, at 1 and 2 s; the second listing of `dir` shows what is given. */
function viewOf({ dir = old, closed = old }: { dir?: typeof old; closed?: typeof old } = {}): FolderView {
  const view = new FolderView();
  view.tree.add('dir/closed');
  for (const [at, shown] of [
    [1_000, { dir: old, closed: old }],
    [2_000, { dir, closed }],
  ] as const) {
    view.scanBegins(wall + at - 500);
    view.noteDirectory('dir', shown.dir, at);
    view.noteDirectory('dir/closed', shown.closed, at);
    view.scanEnds(at);
    view.isScanned = true;
  }
  return view;
}

describe('the directory of a file that is gone (I1)', () => {
  const another = { ...old, ino: 8 };
  const gone = { since: 1_500, seenAt: wall + 500 };

  it.each<[string, FolderView, boolean]>([
    ['stands as it stood', viewOf(), true],
    ['is another one of its name', viewOf({ closed: another }), false],
    [
      'is another one with the inode number of the old',
      viewOf({ closed: { ...old, birthtimeMs: wall } }),
      false,
    ],
    ['lies in another one of the name of that above it', viewOf({ dir: another }), false],
  ])('%s', (_, view, expected) => {
    expect(view.hasStood('dir/closed', gone)).toBe(expected);
  });

  it('is not the one that stood there when it is gone, and comes again', () => {
    const view = viewOf();
    view.forgetDirectory('dir/closed');
    view.noteDirectory('dir/closed', old, 2_500);
    expect(view.hasStood('dir/closed', gone)).toBe(false);
    view.tree.vanished('', []);
    expect(view.hasStood('dir/closed', gone)).toBe(false);
  });

  it('is not the one that stood there before a restart when it was made since', () => {
    const view = new FolderView();
    view.tree.add('dir');
    view.noteDirectory('dir', { ...old, birthtimeMs: wall }, 10);
    expect(view.hasStood('dir', { since: 5, seenAt: wall - 1_000 })).toBe(false);
    expect(view.hasStood('dir', { since: 5, seenAt: wall + 1_000 })).toBe(true);
  });

  it('has stood long enough when a whole scan saw it before the file went', () => {
    const view = viewOf({ dir: another });
    expect(view.hasStood('dir/closed', { since: 3_000, seenAt: wall + 1_500 })).toBe(true);
  });
});
