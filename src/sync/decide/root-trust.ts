import type { LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import { sameRoot } from '../../model/same-file.ts';

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
  return known === undefined || sameRoot(known, root) || isProven || isNothingKnown(ledger, folder);
}

/**
 * The number of `changes` that the root of a folder has, or would have if the directory that stands there were accepted.
 * Undefined: it is the one that the ledger knows.
 */
export function nextRootChange(
  known: RootIdentity | undefined,
  root: Pick<RootIdentity, 'dev' | 'ino'> | null,
): number | undefined {
  if (known === undefined || root === null || sameRoot(known, root)) return undefined;
  return (known.changes ?? 0) + 1;
}

/** A root as the ledger is to know it, once it is accepted: another directory counts as one change more. */
export function acceptedRoot(
  known: RootIdentity | undefined,
  root: RootIdentity,
  seenAt: number | undefined,
): RootIdentity {
  return { ...root, seenAt, changes: nextRootChange(known, root) ?? known?.changes };
}

/** Whether what was written down under a root proves the root that the ledger knows: it was recorded in it, or before. */
export function provesRoot(known: RootIdentity | undefined, rootChange: number | undefined): boolean {
  return rootChange === undefined || rootChange <= (known?.changes ?? 0);
}

/** What was refused counts as what was taken does: in another root it would be forgotten, and sent once more. */
function isNothingKnown(ledger: Pick<LedgerPort, 'count' | 'failures'>, folder: string): boolean {
  if (ledger.count(folder) > 0) return false;
  for (const [ref] of ledger.failures()) if (ref.folder === folder) return false;
  return true;
}
