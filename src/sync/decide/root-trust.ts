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

/** What was refused counts as what was taken does: in another root it would be forgotten, and sent once more. */
function isNothingKnown(ledger: Pick<LedgerPort, 'count' | 'failures'>, folder: string): boolean {
  if (ledger.count(folder) > 0) return false;
  for (const [ref] of ledger.failures()) if (ref.folder === folder) return false;
  return true;
}
