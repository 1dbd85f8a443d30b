import { sameDirectory, sameInode } from '../../model/document.ts';
import type { RootMarks } from '../../model/document.ts';
import type { UnreadableDirectory } from '../../model/ports/folder-port.ts';
import type { Change, LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { FolderView } from './folder-view.ts';

/**
 * Whether a folder's root is still the one that the ledger knows: by its identity, because a recorded file was found
 * unchanged in it (`isProven`), or because nothing is known that could be lost.
 */
export function isRootTrusted(
  ledger: Pick<LedgerPort, 'root' | 'count' | 'failures'>,
  folder: string,
  { root, isProven }: { readonly root: RootIdentity; readonly isProven: boolean },
): boolean {
  const known = ledger.root(folder);
  if (known === undefined || sameDirectory(known, root) || isProven) return true;
  // What was refused counts as what was taken does: in another root it would be forgotten, and sent once more.
  return ledger.count(folder) === 0 && [...ledger.failures()].every(([ref]) => ref.folder !== folder);
}

/**
 * The number of `changes` that the root of a folder has, or would have if the directory that stands there were
 * accepted. Undefined: it is the one that the ledger knows.
 */
function nextRootChange(known: RootIdentity | undefined, root: RootMarks | null): number | undefined {
  if (known === undefined || root === null || sameDirectory(known, root)) return undefined;
  return (known.changes ?? 0) + 1;
}

/**
 * A root as the ledger is to know it, once it is accepted: another directory counts as one change more. `keeps` ends
 * with it, because a person who approves has seen what is missing.
 */
export function acceptedRoot(
  known: RootIdentity | undefined,
  root: RootIdentity,
  seenAt: number | undefined,
): RootIdentity {
  return { ...root, seenAt, changes: nextRootChange(known, root) ?? known?.changes };
}

/** A root in whose place one of another device has come, by a mount or its end: `until` then. Undefined: none has. */
export function coveredRoot(
  before: RootMarks | undefined,
  root: RootMarks | undefined,
  until: number,
): RootIdentity['covered'] {
  if (before === undefined || root === undefined || before.dev === root.dev) return undefined;
  return sameInode(before, root) ? undefined : { dev: before.dev, until };
}

/** So many directories that cannot be read are remembered. */
const mostUnreadable = 1_000;

/** Since when these directories have looked as they do now, as far as that is known; undefined: there are none. */
export function unreadableSince(
  known: RootIdentity | undefined,
  found: readonly UnreadableDirectory[],
  now: number,
): RootIdentity['unreadable'] {
  const unreadable = found.slice(0, mostUnreadable).flatMap(({ path, look }) => {
    if (look === null) return [];
    const before = known?.unreadable?.find((one) => one.path === path && one.look === look);
    return [{ path, look, since: before?.since ?? now }];
  });
  return unreadable.length === 0 ? undefined : unreadable;
}

/** Whether a directory that cannot be read is known to have looked at the moment `seenAt` as it does now. */
export function hasStoodSo(
  root: RootIdentity | undefined,
  { path, look }: UnreadableDirectory,
  seenAt: number,
): boolean {
  const known = root?.unreadable?.find((one) => one.path === path);
  return known !== undefined && known.look === look && known.since <= seenAt;
}

/** A record or a failure as it is written down: under another root than the ledger's it proves nothing later. */
export function markRoot(
  change: Change,
  ledger: Pick<LedgerPort, 'root'>,
  folders: { readonly view: (folder: string) => { readonly root: RootMarks | null } | undefined },
): Change {
  if (change.kind !== 'put' && change.kind !== 'fail') return change;
  const { folder } = change.ref;
  const seen = folders.view(folder);
  if (seen === undefined) return change;
  const rootChange = nextRootChange(ledger.root(folder), seen.root);
  if (change.kind === 'fail') return { ...change, failure: { ...change.failure, rootChange } };
  if (change.record.rootChange === rootChange) return change;
  return { ...change, record: { ...change.record, rootChange } };
}

/** Whether what was written down under a root proves the root that the ledger knows: it was recorded in it, or before. */
export function provesRoot(known: RootIdentity | undefined, rootChange: number | undefined): boolean {
  return rootChange === undefined || rootChange <= (known?.changes ?? 0);
}

/** Whether `root`, which stands there (null: none that can be read), is not the one whose documents the ledger knows. */
export function isOtherRoot(
  known: RootIdentity | undefined,
  view: Pick<FolderView, 'otherRoot'>,
  root: RootMarks | null,
): boolean {
  const isChanged = view.otherRoot !== undefined || root === null;
  return isChanged || (known !== undefined && !sameDirectory(known, root));
}
