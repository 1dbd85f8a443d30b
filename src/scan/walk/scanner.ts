import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import { sameDirectory } from '../../model/document.ts';
import type { PackedScan } from '../../model/packed-files.ts';
import type { Watcher } from '../watch/backend.ts';
import type { WatchSet } from '../watch/watch-set.ts';
import type { FolderState } from '../folder-state.ts';
import { nothingListed } from '../rules/attachment-lists.ts';
import { readRoot } from './root-identity.ts';
import type { UnreadDirectory } from './directory-state.ts';
import { unreadableDirectories } from './unreadable-directories.ts';
import type { ScanOutcome, ScanReport, ScanRequest, UnreadPlace } from './scan-request.ts';
import { RootLostError, scanTree } from './scan-tree.ts';

/** So many of the directories that are not read again by themselves are named. */
const namedUnreadable = 100;

/**
 * Up to this size chokidar watches a tree; a larger one is watched by `fs.watch` directly, so that 100,000 files start
 * in little time and memory: measured, in 1.4 s and 115 MB in place of 3.1 s and 153 MB; 10,000 files in 1.0 s with both.
 * What costs is chiefly that chokidar sets its watches late; when this was measured, everything was read once more after
 * that. How large a tree is only its first scan tells: until chokidar has taken over, `fs.watch` watches it.
 */
const chokidarUpTo = { directories: 3_000, entries: 30_000 };

/** Who watches a tree of the size that its scan has shown; `outOfWatches`: the system had none left at the last try. */
export function chooseBackend(outOfWatches: boolean, directories: number, entries: number): Watcher['kind'] {
  const isOrdinary = directories <= chokidarUpTo.directories && entries <= chokidarUpTo.entries;
  return isOrdinary && !outOfWatches ? 'chokidar' : 'native';
}

export type Scanner = ReturnType<typeof createScanner>;

/** Answers scans, one at a time. */
export function createScanner(
  folder: FolderState,
  watches: WatchSet,
  send: (batch: readonly PackedScan[]) => Promise<void>,
) {
  const { tree, scanned, backend, root: path } = folder;
  /** Whose directories the tree holds. */
  let treeRoot: RootIdentity | null = null;
  let outOfWatches = false;

  async function scan(request: ScanRequest): Promise<ScanOutcome> {
    const root = readRoot(path);
    if (root.kind === 'unavailable') return root;
    const another = treeRoot === null || !sameDirectory(treeRoot, root.identity);
    if (another && request.targets !== 'all') return { kind: 'moved' };
    if (another || request.fromScratch) await begin(root.identity);
    const targets = request.targets === 'withoutEvents' ? directoriesWithoutEvents() : request.targets;
    const job = { cause: request.cause, targets, root: root.identity };
    const result = await scanTree({ folder, watches, send }, job).catch((error: unknown) => {
      if (error instanceof RootLostError) return error;
      throw error;
    });
    if (result instanceof RootLostError) return broken(result.why);
    const { changed, entries } = result;
    if (scanned.root === null && targets === 'all')
      await watches.change(backend ?? chooseBackend(outOfWatches, tree.size(), entries));
    await watches.armed();
    if (targets === 'all') scanned.root = root.identity;
    folder.observations.prune();
    tree.pruneMissed(folder.observations.now() - folder.removeGraceMs);
    return {
      kind: 'scanned',
      full: targets === 'all',
      root: root.identity,
      unreadable: targets === 'all' ? unreadableDirectories(folder) : [],
      changed,
      report: report(),
    };
  }

  async function begin(root: RootIdentity): Promise<void> {
    for (const [directory] of tree.entries()) folder.attachmentLists.set(directory, nothingListed);
    tree.clear(folder.observations.now());
    treeRoot = root;
    scanned.root = null;
    await watches.begin(folder.settings.watch === 'polling' ? null : 'native');
  }

  /** What a scan that broke off says: the root went, is another one, or cannot be used, and why. */
  function broken(why: UnreadDirectory | null): ScanOutcome {
    const root = readRoot(path);
    if (root.kind === 'unavailable') return root;
    const same = treeRoot !== null && sameDirectory(treeRoot, root.identity);
    treeRoot = null;
    scanned.root = null;
    if (!same) return { kind: 'moved' };
    const code = why?.code ?? (why?.isPassing === false ? 'folder-unreadable' : 'folder-unavailable');
    return { kind: 'unavailable', code, message: `${path}: ${why?.message ?? 'it cannot be listed'}` };
  }

  function directoriesWithoutEvents(): readonly string[] | 'all' {
    if (tree.get('')?.polled === true) return 'all';
    const withoutEvents: string[] = [];
    for (const [directory, { polled, unwatched, unreadable }] of tree.entries()) {
      if (polled || unwatched || unreadable?.isPassing === false) withoutEvents.push(directory);
    }
    return withoutEvents;
  }

  function report(): ScanReport {
    const unreadable: UnreadPlace[] = [];
    let unreadableTotal = 0;
    let attached = 0;
    let unwatched = 0;
    let eventless = false;
    let areSomeBarred = false;
    for (const [directory, state] of tree.entries()) {
      attached += state.attached;
      if (state.unwatched) unwatched += 1;
      eventless ||= state.polled || state.unwatched;
      areSomeBarred ||= state.unreadable?.isPassing === false;
      const why = state.unreadable ?? state.again;
      if (why === null) continue;
      unreadableTotal += 1;
      if (state.again !== null || unreadable.length < namedUnreadable)
        unreadable.push({
          path: directory,
          message: why.message,
          code: state.unreadable?.code,
          isListed: state.unreadable === null,
          againAt: state.again?.dueAt ?? null,
        });
    }
    return {
      directories: tree.size(),
      watches: watches.count(),
      attached,
      backend: watches.backend(),
      polled: tree.get('')?.polled ?? false,
      eventlessFileSystem: watches.eventlessFileSystem(),
      eventless,
      withoutEvents: eventless || areSomeBarred,
      unwatched,
      unreadable,
      unreadableTotal,
    };
  }

  return {
    scan,
    /** The watcher lost count: where it was for want of watches, the other one is taken from the next beginning. */
    noteLost: (code: string): void => {
      outOfWatches ||= code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE';
    },
  };
}
