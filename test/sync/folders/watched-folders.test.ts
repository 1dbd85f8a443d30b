import { describe, expect, it } from '@jest/globals';
import { WatchedFolders } from '../../../src/sync/folders/watched-folders.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { simulatedFolder } from '../../support/worlds/simulated-folder.ts';

const removeGraceMs = 5_000;

describe('new documents may go out', () => {
  /** When the scan is over. */
  function scanned(seenAt: number | undefined) {
    const clock = manualClock();
    const port = simulatedFolder({ name: 'inbox', clock, settleMs: 0, nextInode: () => 1 });
    const root = { path: '/inbox', dev: 1, ino: 1 };
    const folders = new WatchedFolders([{ settings: { name: 'inbox', onRemove: 'delete' }, port }], {
      clock,
      ledger: { root: () => ({ ...root, seenAt }) },
      removeGraceMs,
      settleMs: 0,
    });
    const view = folders.viewOf('inbox');
    view.scanBegins(root, clock.now());
    view.scanEnds({ isTrusted: true, isReadWhole: true, now: clock.monotonic() });
    return { clock, mayUpload: () => folders.mayUpload('inbox') };
  }

  it.each([
    ['at once where no earlier process has seen the folder', undefined, 0],
    ['after the grace period where one has', 1, removeGraceMs],
  ])('%s', async (_, seenAt, waitMs) => {
    const { clock, mayUpload } = scanned(seenAt);
    if (waitMs > 0) {
      await clock.advance(waitMs - 1);
      expect(mayUpload()).toBe(false);
      await clock.advance(1);
    }
    expect(mayUpload()).toBe(true);
  });
});
