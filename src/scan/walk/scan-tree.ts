import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { directoriesTo, directoryOf, joinPath, nameOf, sameDirectory } from '../../model/document.ts';
import type { ScanCause } from '../../model/document.ts';
import { isAttachmentDirectory } from '../../model/names-and-types.ts';
import { countPacked } from '../../model/packed-files.ts';
import type { PackedScan } from '../../model/packed-files.ts';
import type { RootIdentity } from '../../model/ports/ledger-port.ts';
import type { FolderState } from '../folder-state.ts';
import { nothingListed } from '../rules/attachment-lists.ts';
import type { WatchSet } from '../watch/watch-set.ts';
import { statOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';
import { readRoot, realRoot } from './root-identity.ts';
import { readAgain } from './directory-state.ts';
import type { DirectoryState, UnreadDirectory } from './directory-state.ts';
import { visitDirectory } from './visit-directory.ts';
import type { ListedVisit, Visit } from './visit-directory.ts';
import type { VisitContext } from './list-documents.ts';

/** One scan to do. */
interface ScanJob {
  readonly cause: ScanCause;
  /** Directories with events, or everything. Those that are not known stand for the nearest that is. */
  readonly targets: readonly string[] | 'all';
  /** The root as it was when the job began. */
  readonly root: RootIdentity;
}

/** What a scan works with. */
interface ScanTools {
  readonly folder: FolderState;
  readonly watches: WatchSet;
  /** Takes packed directories; resolves when there is room for more. */
  readonly send: (batch: readonly PackedScan[]) => Promise<void>;
}

/** What a scan found, besides what it sent. */
interface TreeScan {
  /** Directories in which something was not as it was the last time; new ones too. */
  readonly changed: readonly string[];
  /** The most entries that one of the directories, or all together when everything was scanned, had. */
  readonly entries: number;
}

/**
 * The root became another one, went or cannot be read, and `why`, while it was scanned: what was not sent yet is thrown
 * away.
 */
export class RootLostError extends Error {
  readonly why: UnreadDirectory | null;

  constructor(why: UnreadDirectory | null) {
    super('the root is another one');
    this.why = why;
  }
}

/** A batch goes out when it holds so many entries, */
const batchEntries = 1_500;
/** or so many directories. */
const batchDirectories = 200;

/**
 * Scans directories: lists them, sends what is in them, visits what is new below, forgets what is gone. Rejects with
 * RootLostError.
 */
export async function scanTree({ folder, watches, send }: ScanTools, job: ScanJob): Promise<TreeScan> {
  const { tree } = folder;
  const planned = new Map<string, boolean>();
  const stack: string[] = [];
  const visited = new Set<string>();
  const redone = new Set<string>();
  const changed: string[] = [];
  /** Where files ceased to be attachments as their documents' directories went, and where documents lost some, or may have some. */
  const freed = new Set<string>();
  let batch: PackedScan[] = [];
  let batched = 0;
  let entries = 0;
  const context: VisitContext = {
    cause: job.cause,
    realRoot: realRoot(folder.root),
    slice: createTimeSlice(32),
    watch: watches.watch,
  };

  const targets = job.targets === 'all' ? [''] : job.targets;
  for (const target of targets) plan(tree.nearest(target), job.targets === 'all');
  await visitPlanned();
  for (const directory of freed) if (tree.has(directory)) plan(directory, false);
  await visitPlanned();
  await flush();
  return { changed, entries };

  function plan(directory: string, deep: boolean): void {
    if (!planned.has(directory)) stack.push(directory);
    planned.set(directory, deep || planned.get(directory) === true);
  }

  /** Once more, for what only became known after the directory had been read. */
  function redo(directory: string): void {
    if (redone.has(directory) || !tree.has(directory)) return;
    redone.add(directory);
    plan(directory, false);
  }

  function forget(directory: string): void {
    for (const [gone, state] of tree.forget(directory, folder.observations.now())) {
      watches.forget(gone);
      for (const one of [gone, ...state.attachmentDirectories]) {
        folder.observations.forget(one);
        for (const dependent of folder.attachmentLists.dependents(one)) freed.add(dependent);
      }
      for (const path of folder.attachmentLists.set(gone, nothingListed)) freed.add(directoryOf(path));
    }
  }

  async function visitPlanned(): Promise<void> {
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) await visit(next);
  }

  async function visit(directory: string): Promise<void> {
    const deep = planned.get(directory) === true;
    planned.delete(directory);
    const visit = await visitDirectory(folder, directory, context);
    if (visit.kind === 'listed') {
      await note(directory, visit, deep);
      if (batch.length >= batchDirectories || batched >= batchEntries) await flush();
      return;
    }
    if (visit.kind === 'unreadable') {
      const { shut } = visit;
      const before = tree.get(directory);
      freeze(directory, visit);
      if (shut !== null) {
        batch.push(shut.packed);
        await flush();
        // Below it what its rules left out is not left out any more.
        const below = deep || before?.rules !== tree.get(directory)?.rules;
        for (const child of shut.children) planChild(joinPath(directory, child.name), child, below);
        return;
      }
      // Without its root nothing can be said of a folder.
      if (directory === '') throw new RootLostError(visit);
      // Its watch may have failed, or ended, with the rights: another is set when it can be listed again.
      watches.forget(directory);
    } else {
      if (directory === '') throw new RootLostError(null);
      forget(directory);
      redo(tree.nearest(directoryOf(directory)));
    }
  }

  async function note(directory: string, visit: ListedVisit, deep: boolean): Promise<void> {
    const { before, state, children, packed } = visit;
    // What was frozen may have changed in any place below.
    const below = deep || visit.inherits || before === undefined || before.unreadable !== null;
    const deepFrom = visit.inherits || directory === '' ? 'from here' : 'from above';
    batch.push(below ? { ...packed, deep: deepFrom } : packed);
    const count = countPacked(packed.files) + packed.skips.length;
    batched += count;
    entries = job.targets === 'all' ? entries + count : Math.max(entries, count);
    forgetOld(directory, before, state);
    for (const child of children) planChild(joinPath(directory, child.name), child, below);
    // One that could not be read counts as changed: its watch may be set later than it was listed.
    if (before?.signature !== state.signature || before.unreadable !== null) {
      changed.push(directory);
      const inside = [...(before?.attachmentDirectories ?? []), ...state.attachmentDirectories];
      // Directories whose documents depend on files in it.
      const dependents = [directory, ...inside].flatMap(folder.attachmentLists.dependents);
      // What its rules leave out is no attachment: of what was read before it that was not known.
      if (before === undefined)
        for (const dependent of dependents) if (visited.has(dependent)) freed.add(dependent);
      if (job.targets !== 'all' && !visited.has(directory))
        for (const dependent of dependents) if (!visited.has(dependent)) redo(dependent);
    }
    visited.add(directory);
    for (const path of visit.reattached) {
      // One in a directory of attachments is looked at with what holds that; so are the documents that list it.
      const inside = directoriesTo(path).find((at) => isAttachmentDirectory(nameOf(at)));
      for (const one of [inside ?? path, ...folder.attachmentLists.ownersOf(path)])
        if (directoryOf(one) !== directory) redo(directoryOf(one));
    }
    await context.slice();
  }

  /** What is in a directory no longer. */
  function forgetOld(directory: string, before: DirectoryState | undefined, state: DirectoryState): void {
    if (before === undefined) return;
    for (const name of before.children) if (!state.children.has(name)) forget(joinPath(directory, name));
    for (const path of before.attachmentDirectories) {
      if (state.attachmentDirectories.includes(path)) continue;
      watches.forget(path);
      folder.observations.forget(path);
    }
  }

  function planChild(path: string, { stats }: Entry, deep: boolean): void {
    const known = tree.get(path);
    const another = known !== undefined && stats !== null && !sameDirectory(known, statOf(stats));
    if (another && known.unreadable === null) forget(path);
    const frozen = known !== undefined && known.unreadable !== null;
    if (known === undefined || another || deep || frozen || stats === null)
      plan(path, deep || another || frozen);
  }

  /** What was known of an unreadable directory and all below it stays as it is, but for rules that are not valid any more. */
  function freeze(directory: string, visit: Visit & { kind: 'unreadable' }): void {
    const { message, isPassing, code, shut } = visit;
    const known = tree.get(directory) ?? neverRead(folder, directory);
    const seen = shut?.children.map(({ name }) => name) ?? [];
    const found = { message, hidesLists: true };
    const now = folder.observations.now();
    tree.set(directory, {
      ...known,
      ...(shut !== null && code !== undefined && { ownRules: undefined, rules: shut.rules }),
      children: new Set([...known.children, ...seen]),
      unreadable: { message, isPassing, code },
      again: isPassing ? readAgain(known.again, found, now) : null,
    });
  }

  async function flush(): Promise<void> {
    const root = readRoot(folder.root);
    if (root.kind !== 'there' || !sameDirectory(root.identity, job.root)) throw new RootLostError(null);
    if (batch.length === 0) return;
    const full = batch;
    batch = [];
    batched = 0;
    await send(full);
  }
}

/** What is known of a directory that could not be read when it was found: nothing but what holds above it. */
function neverRead({ tree, rules, fingerprint }: FolderState, directory: string): DirectoryState {
  const above = tree.get(directoryOf(directory));
  return {
    dev: 0,
    ino: 0,
    birthtimeMs: 0,
    uid: -1,
    nameCount: 0,
    signature: 0,
    cameAt: -Infinity,
    listedAt: -Infinity,
    rules: above?.rules ?? rules,
    rulesKey: '',
    defaultsKey: '',
    fingerprint: above?.fingerprint ?? fingerprint,
    children: new Set(),
    attachmentDirectories: [],
    attached: 0,
    polled: above?.polled ?? false,
    unwatched: false,
    unreadable: null,
    again: null,
  };
}
