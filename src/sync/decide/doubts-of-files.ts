import { hasGone, nameOf, refKey, sameStat, sameFile } from '../../model/document.ts';
import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import type { Doubt } from '../../model/ports/ledger-port.ts';

/**
 * Uploads in doubt that were of the file which stands at a path now, found by its identity, wherever it was when it was
 * sent. Only reads.
 */
export async function doubtsOfFile(
  { ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
  doubts: readonly Doubt[],
  inspect: (ref: DocumentRef) => Promise<Inspection | undefined>,
): Promise<{
  /**
   * Of this path, whatever has become of its file, and of one that the file has left: as they are from now on, with its
   * path and its stat, so that they go with whatever is done to it next. Those that say so already are left out.
   */
  readonly following: readonly Doubt[];
  /** Of another path at which something stands, or may: a hard link, a copy that was saved in the file's place. */
  readonly elsewhere: readonly Doubt[];
}> {
  const following: Doubt[] = [];
  const elsewhere: Doubt[] = [];
  for (const doubt of doubts) {
    const isSame = doubt.stat !== undefined && sameFile(doubt.stat, stat);
    if (refKey(doubt.ref) === refKey(ref)) {
      const isOutdated = doubt.stat === undefined ? doubt.holds : !sameStat(doubt.stat, stat);
      if (isOutdated) following.push({ ...doubt, ref, stat });
    } else if (isSame || isLikely(doubt, { ref, stat })) {
      const left = await inspect(doubt.ref);
      if (left === undefined || hasGone(left)) following.push({ ...doubt, ref, stat });
      else if (isSame) elsewhere.push(doubt);
    }
  }
  return { following, elsewhere };
}

/** A move between file systems gives the file another identity: its name, size and time stay. */
function isLikely({ ref, stat }: Doubt, document: Pick<FoundDocument, 'ref' | 'stat'>): boolean {
  if (stat === undefined || nameOf(ref.path) !== nameOf(document.ref.path)) return false;
  return stat.size === document.stat.size && stat.mtimeMs === document.stat.mtimeMs;
}
