import { describe, expect, it } from '@jest/globals';
import { WatchedFolders } from '../../../src/sync/folders/watched-folders.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';
import type { BareMountPoint, RootIdentity } from '../../../src/model/ports/ledger-port.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { simulatedFolder } from '../../support/worlds/simulated-folder.ts';

const removeGraceMs = 5_000;
const common = { log: silentLog, removeGraceMs, settleMs: 0 };

describe('new documents may go out', () => {
  /** When the scan is over. */
  function scanned(seenAt: number | undefined) {
    const clock = manualClock();
    const port = simulatedFolder({ name: 'inbox', clock, settleMs: 0, nextInode: () => 1 });
    const root = { path: '/inbox', dev: 1, ino: 1 };
    const folders = new WatchedFolders([{ settings: { name: 'inbox', onRemove: 'delete' }, port }], {
      clock,
      ledger: { root: () => ({ ...root, seenAt }), bareMountPoints: () => [] },
      ...common,
    });
    const view = folders.viewOf('inbox');
    view.scanBegins(root, clock.now());
    view.scanEnds(true, true, clock.monotonic());
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

describe('a moment', () => {
  const root = { path: '/inbox', dev: 1, ino: 1 };

  it.each<readonly [string, Partial<RootIdentity>, Partial<BareMountPoint>]>([
    ['a scan began', { seenAt: 1 }, {}],
    ['a directory began to look so', { unreadable: [{ path: 'd', look: 'x', since: 1 }] }, {}],
    ['another root came', { covered: { dev: 2, until: 1 } }, {}],
    ['something was mounted', {}, { until: 1 }],
    ['something was mounted no longer', {}, { since: 1 }],
  ])('is later than when %s, though the clock was set back', async (_, known, bare) => {
    const clock = manualClock();
    const ahead = 3_600_000;
    // With times of before the clock was set.
    const later = <T>(one: T): T =>
      JSON.parse(JSON.stringify(one), (_key, value: unknown) => (value === 1 ? clock.now() + ahead : value));
    const port = simulatedFolder({ name: 'inbox', clock, settleMs: 0, nextInode: () => 1 });
    const folders = new WatchedFolders([{ settings: { name: 'inbox', onRemove: 'delete' }, port }], {
      clock,
      ledger: {
        root: () => ({ ...root, ...later(known) }),
        bareMountPoints: () => [{ path: 'm', until: null, ...later(bare) }],
      },
      ...common,
    });
    const first = folders.moment();
    expect(first).toBeGreaterThanOrEqual(clock.now() + ahead);
    clock.jump(-ahead);
    await clock.advance(5);
    expect(folders.moment()).toBe(first + 5);
  });
});

describe('a directory that came', () => {
  it.each([
    ['after', true],
    ['before', false],
  ])(
    'is compared where a polled folder was listed %s that, whether it is busy or not',
    async (_, isCovered) => {
      const clock = manualClock();
      const came = 30_000;
      const coveredUntil = isCovered ? came : came - 1;
      const folderOf = (name: string, health: { readonly busy: boolean; readonly coveredUntil: number }) => {
        const port = simulatedFolder({ name, clock, settleMs: 0, nextInode: () => 1 });
        const settings = { name, onRemove: 'delete' } as const;
        return { settings, port: { ...port, health: () => ({ ...port.health(), ...health }) } };
      };
      const folders = new WatchedFolders(
        [
          folderOf('watched', { busy: false, coveredUntil: Infinity }),
          folderOf('polled', { busy: false, coveredUntil }),
        ],
        { clock, ledger: { root: () => undefined, bareMountPoints: () => [] }, ...common },
      );
      for (const name of folders.names) {
        folders.viewOf(name).scanBegins({ dev: 1, ino: 1 }, clock.now());
        folders.viewOf(name).scanEnds(true, true, clock.monotonic());
      }
      await clock.advance(came - clock.monotonic());
      folders.viewOf('watched').noteDirectory('d', { dev: 1, ino: 7, birthtimeMs: 7 }, clock.monotonic());
      expect(folders.isArrivalCovered({ folder: 'watched', path: 'd' })).toBe(isCovered);
    },
  );
});
