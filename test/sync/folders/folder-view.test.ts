import { describe, expect, it } from '@jest/globals';

import { FolderView } from '../../../src/sync/folders/folder-view.ts';

const wall = Date.UTC(2026, 0, 1);
const root = { dev: 1, ino: 1, birthtimeMs: 0 };
const old = { dev: 1, ino: 7, birthtimeMs: wall - 86_400_000 };

/** A view that has scanned `dir/closed` twice, at 1 and 2 s; the second listing of `dir` shows what is given. */
function viewOf({ dir = old, closed = old }: { dir?: typeof old; closed?: typeof old } = {}): FolderView {
  const view = new FolderView();
  view.know('dir/closed');
  for (const [at, shown] of [
    [1_000, { dir: old, closed: old }],
    [2_000, { dir, closed }],
  ] as const) {
    view.scanBegins(root, wall + at - 500);
    view.noteDirectory('dir', shown.dir, at);
    view.noteDirectory('dir/closed', shown.closed, at);
    view.scanEnds(true, true, at);
  }
  return view;
}

describe('what scans have said of a folder', () => {
  it('is when one of an earlier process began, where no later one is known any more', () => {
    const view = new FolderView(7);
    for (let scan = 1; scan <= 21; scan += 1) {
      view.scanBegins(old, wall + scan);
      view.sawAll(scan);
    }
    expect([1, 2, 3, 4].map((at) => view.lastScanBefore(at))).toEqual([7, 7, wall + 2, wall + 3]);
  });

  it('is what is skipped in each directory now, and how much', () => {
    const view = new FolderView();
    const skip = (path: string, code = 'empty-file') => ({ path, code, message: 'it is empty' });
    view.setSkips('a', [skip('a/1'), skip('a/2')]);
    view.setSkips('b', [skip('b/1'), skip('b/x.attachments', 'orphan-attachments')]);
    view.setSkips('a', [skip('a/2')]);
    expect([view.skipCount, [...view.skips()].map(({ path }) => path)]).toEqual([2, ['a/2', 'b/1']]);
    expect(view.orphanAttachments).toEqual([skip('b/x.attachments', 'orphan-attachments')]);
    view.know('b');
    view.vanished('', ['a']);
    view.setSkips('a', []);
    expect([view.skipCount, [...view.skips()], view.orphanAttachments]).toEqual([0, [], []]);
  });

  it('is whether the directory that was listed is another than before', () => {
    const view = new FolderView();
    const isNew = (identity: typeof old) => view.noteDirectory('dir', identity, 0);
    expect([isNew(old), isNew(old), isNew({ ...old, dev: 2 })]).toEqual([true, false, false]);
    // Roots of file systems have the same inode number as a rule, and not all know when a directory was made.
    const undated = { ...old, birthtimeMs: 0, dev: 3 };
    expect([isNew(undated), isNew(undated), isNew({ ...undated, dev: 4 })]).toEqual([true, false, true]);
  });

  it('is whether a directory was listed before it went', () => {
    const view = viewOf();
    view.know('dir/never');
    const gone = { 'dir/never': false, 'dir/closed': true, dir: true };
    expect(Object.fromEntries(view.vanished('', []))).toEqual(gone);
    expect(view.vanished('', []).size).toBe(0);
  });
});
