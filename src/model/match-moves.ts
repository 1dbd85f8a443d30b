import { directoryOf, isBirthKnown, isSameFile, nameOf, refKey, sameFile } from './document.ts';
import type { DocumentRef, FileStat } from './document.ts';
import { filesOfRecord } from './ports/ledger-port.ts';
import type { LedgerEntry } from './ports/ledger-port.ts';

/** A document at a path that has no record. */
export interface Newcomer {
  readonly ref: DocumentRef;
  readonly stat: FileStat;
  /** Null: not read; then only the file itself can prove it. */
  readonly sha256: string | null;
}

/** A record whose file is not at its path. */
export interface MissingEntry extends LedgerEntry {
  /** The file that was seen there last, if it is another one: it was saved there, and not sent yet. */
  readonly seen?: FileStat | undefined;
}

/** Where a new document came from, and how one knows. */
interface Move {
  readonly match: LedgerEntry;
  /**
   * `inode`: the same file with the same content. `content`: the only missing one with this content.
   * `edited`: the same file by its birth time, or as it was seen, with other content.
   */
  readonly proof: 'inode' | 'content' | 'edited';
}

/**
 * Finds the missing record that a new document is; null: it is new. What proves more goes first: same file and content;
 * same file by its birth time, whatever its content; equal content that only one missing record has. An inode that was
 * used again (F13) shows in its birth time only: where that is unknown, what has changed since it was seen is another
 * file (7.19). What is older than the recorded file on one device is no copy of it. Give it what is missing and nothing
 * else: the docId of a document that is still somewhere is never taken.
 */
export function matchMove(found: Newcomer, missing: readonly MissingEntry[]): Move | null {
  const { ref, stat, sha256 } = found;
  const same = missing.filter((one) => isFileOf(one, stat));
  const sameContent = missing.filter(({ record }) => record.sha256 === sha256);

  const unchanged = nearest(
    sameContent.filter((one) => same.includes(one)),
    ref,
  );
  if (unchanged !== null) return { match: unchanged, proof: 'inode' };
  const edited = nearest(
    same.filter((one) => isFileOf(one, stat, isSameFile)),
    ref,
  );
  if (edited !== null) return { match: edited, proof: 'edited' };
  const [only] = sameContent;
  if (only === undefined || sameContent.length > 1 || isOlder(stat, only.record.stat)) return null;
  return { match: only, proof: 'content' };
}

function isOlder(one: FileStat, other: FileStat): boolean {
  return isBirthKnown(one, other) && one.dev === other.dev && one.birthtimeMs < other.birthtimeMs;
}

/** The missing records that a new file could be, before it is read; none: reading it would not help. */
export function candidates<T extends MissingEntry>(found: FileStat, missing: readonly T[]): readonly T[] {
  return missing.filter((one) => one.record.stat.size === found.size || isFileOf(one, found));
}

/** Whether this is the recorded file, or the one that was seen in its place; by its number, or as `isSame` tells. */
export function isFileOf(
  { record, seen }: MissingEntry,
  stat: FileStat,
  isSame: typeof isSameFile = sameFile,
): boolean {
  return [...filesOfRecord(record), ...(seen === undefined ? [] : [seen])].some((file) => isSame(file, stat));
}

/** Hard links of one file are equal in all but their paths: the one whose path changed least, then the first by name. */
function nearest(records: readonly LedgerEntry[], ref: DocumentRef): LedgerEntry | null {
  const distance = ({ ref: { folder, path } }: LedgerEntry): number =>
    (nameOf(path) === nameOf(ref.path) ? 0 : 2) +
    (folder === ref.folder && directoryOf(path) === directoryOf(ref.path) ? 0 : 1);
  const sorted = records.toSorted(
    (a, b) => distance(a) - distance(b) || (refKey(a.ref) < refKey(b.ref) ? -1 : 1),
  );
  return sorted[0] ?? null;
}
