import { hasGone, nameOf, refKey, sameStat, sameFile } from '../../model/document.ts';
import type { DocumentRef, FoundDocument, Inspection } from '../../model/document.ts';
import type { Doubt } from '../../model/ports/ledger-port.ts';

/** Uploads in doubt that were of the file which stands at a path now. */
interface DoubtsOfFile {
  /** Of this path, whatever has become of its file. */
  readonly here: readonly Doubt[];
  /** Of a path that this file has left: they go with it. */
  readonly coming: readonly Doubt[];
  /** Of another path at which something stands, or may: a hard link, a copy that was saved in the file's place. */
  readonly elsewhere: readonly Doubt[];
}

/** Finds the doubts about a document's file, by its identity, wherever it was when it was sent. Only reads. */
export async function doubtsOfFile(
  document: Pick<FoundDocument, 'ref' | 'stat'>,
  doubts: readonly Doubt[],
  inspect: (ref: DocumentRef) => Promise<Inspection | undefined>,
): Promise<DoubtsOfFile> {
  const key = refKey(document.ref);
  const here = doubts.filter(({ ref }) => refKey(ref) === key);
  const coming: Doubt[] = [];
  const elsewhere: Doubt[] = [];
  for (const doubt of doubts) {
    const isSame = doubt.stat !== undefined && sameFile(doubt.stat, document.stat);
    if (refKey(doubt.ref) === key || !(isSame || isLikely(doubt, document))) continue;
    const left = await inspect(doubt.ref);
    if (left === undefined || hasGone(left)) coming.push(doubt);
    else if (isSame) elsewhere.push(doubt);
  }
  return { here, coming, elsewhere };
}

/**
 * Doubts as they are from now on where a document stands that one of them is about: they bear its path and its stat, so
 * that they go with whatever is done to it next. None: they say so already.
 */
export function followingDoubts(
  { here, coming }: DoubtsOfFile,
  { ref, stat }: Pick<FoundDocument, 'ref' | 'stat'>,
): readonly Doubt[] {
  const isOutdated = (doubt: Doubt) => (doubt.stat === undefined ? doubt.holds : !sameStat(doubt.stat, stat));
  return [...here.filter(isOutdated), ...coming].map((doubt) => ({ ...doubt, ref, stat }));
}

/** A move between file systems gives the file another identity: its name, size and time stay. */
function isLikely({ ref, stat }: Doubt, document: Pick<FoundDocument, 'ref' | 'stat'>): boolean {
  if (stat === undefined || nameOf(ref.path) !== nameOf(document.ref.path)) return false;
  return stat.size === document.stat.size && stat.mtimeMs === document.stat.mtimeMs;
}
