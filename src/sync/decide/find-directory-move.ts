import {
  directoryOf,
  hasGone,
  isBirthKnown,
  joinPath,
  nameOf,
  refKey,
  sameStat,
  sameFile,
} from '../../model/document.ts';
import type { DocumentRef, FileIdentity, FileStat } from '../../model/document.ts';
import type { DirectoryMove } from '../../model/metadata/held-mode.ts';
import type { Change, DirectoryRef, LedgerPort } from '../../model/ports/ledger-port.ts';
import { leftAfter } from './find-moves.ts';
import type { Move, MoveEvidence, MoveStep } from './find-moves.ts';

/** What is known of directories: where their records are, and where scans saw them. */
export interface DirectoryEvidence extends Pick<MoveEvidence, 'inspect'> {
  readonly ledger: Pick<LedgerPort, 'get' | 'recordsIn' | 'directory' | 'placesOf'>;
  /** The directory that was listed last at a path; null: none is there; undefined: not known yet. */
  readonly standing: (place: DirectoryRef) => FileIdentity | null | undefined;
  /** Where a directory was listed last that is not where its records are; null: nowhere. */
  readonly seenElsewhere: (directory: FileIdentity) => DirectoryRef | null;
  /** Whether all that changed before a directory came to this path has been listed. */
  readonly isArrivalCovered: (place: DirectoryRef) => boolean;
  /** Whether a person is asked about the deletion of a document, or has decided it. */
  readonly isAsked: (ref: DocumentRef) => boolean;
  /** A file that differs from what is recorded at its path, as it was listed last; null: none was. */
  readonly seen: (ref: DocumentRef) => FileStat | null;
}

/** A directory that has left the path of its records. */
interface MovedDirectory {
  readonly identity: FileIdentity;
  readonly from: DirectoryRef;
  readonly to: DirectoryRef;
  /** The one that stands at `from` now; null: none does. */
  readonly successor: FileIdentity | null;
}

/**
 * `unclear`: more has to be listed first. `stale`: the old path of a directory has to be listed again first; where the
 * file alone was moved, that can be told already. `moved`: with all that changed places with one another.
 */
type DirectoryMoves =
  | { readonly kind: 'none' | 'unclear' | 'stale' }
  | { readonly kind: 'moved'; readonly directories: readonly MovedDirectory[] };

/** So many files are inspected together. */
const inspectedAtOnce = 64;
/** A directory none of whose first files proves it is judged file by file. */
const mostForProof = 256;

const none = { kind: 'none' } as const;
const unclear = { kind: 'unclear' } as const;

/**
 * Which directories have to be moved in the ledger before a path can be compared with it: another directory stands at
 * its path than the one that held the records there, or one whose records are elsewhere. What is seen first in it
 * may be new, or have another name by now.
 *
 * For example, `A` is renamed to `B` and then `C` to `A`. For a file of `A`, the way to the last: the directory of its
 * records stands at `B`, from which none was pushed. Then back: the one at `B` has come from `A`, the one at `A` from
 * `C`, where none stands now. Moved are `A` to `B` and `C` to `A`, in this order.
 */
export function findMovedDirectories(ref: DocumentRef, evidence: DirectoryEvidence): DirectoryMoves {
  for (let path = directoryOf(ref.path); path !== ''; path = directoryOf(path)) {
    const found = findMovedTo({ folder: ref.folder, path }, ref, evidence);
    if (found.kind !== 'none') return found;
  }
  return none;
}

function findMovedTo(here: DirectoryRef, ref: DocumentRef, evidence: DirectoryEvidence): DirectoryMoves {
  const { ledger, standing, seenElsewhere, isArrivalCovered } = evidence;
  const identity = standing(here);
  if (identity === null || identity === undefined || identity.ino === 0) return none;
  const recorded = ledger.directory(here);
  if (recorded !== undefined && sameFile(recorded, identity)) return none;
  const origin = originOf(here, identity, ledger);
  const isInIt = directoryOf(ref.path) === here.path;
  const hasLeft = isInIt && recorded !== undefined && ledger.get(ref) !== undefined;
  if (origin === null && !hasLeft) return none;

  // To the last of those that were pushed from their paths, then back along the paths from which each has come.
  let last: DirectoryRef = here;
  for (const passed = new Set([refKey(here)]); ; passed.add(refKey(last))) {
    const pushed = ledger.directory(last);
    const there = standing(last);
    if (pushed === undefined || !there || sameFile(pushed, there)) break;
    const next = seenElsewhere(pushed);
    if (next === null && !isArrivalCovered(last)) return unclear;
    if (next === null || passed.has(refKey(next))) break;
    last = next;
  }
  const directories: MovedDirectory[] = [];
  let to = last;
  do {
    const moved = standing(to);
    const from = moved ? originOf(to, moved, ledger) : null;
    if (!moved || from === null) break;
    const successor = standing(from);
    if (successor === undefined) return unclear;
    // One directory at two paths is a mount or a link, unless its old path is about to be listed.
    if (successor !== null && sameFile(successor, moved))
      return isArrivalCovered(to) ? none : { kind: 'stale' };
    directories.push({ identity: moved, from, to, successor });
    to = from;
  } while (refKey(to) !== refKey(last));
  return directories.length === 0 ? none : { kind: 'moved', directories };
}

/** The path at which the ledger has the records of a directory that stands elsewhere now. */
function originOf(
  place: DirectoryRef,
  identity: FileIdentity,
  { placesOf }: Pick<LedgerPort, 'placesOf'>,
): DirectoryRef | null {
  return placesOf(identity).find((origin) => refKey(origin) !== refKey(place)) ?? null;
}

/**
 * The move of records whose files have gone with their directories, as many as fit in one step. Where birth times are
 * unknown, a directory counts as moved where at least one of its files stands in it as it is recorded, so that a number
 * that was used again proves nothing. A record whose file is in neither directory goes along, and is missing there, but
 * for what a person is asked about or has decided. One whose file stands at its own path stays, as one does that would
 * push the record of that very file. Null: nothing is to be moved.
 */
export async function planDirectoryMove(
  directories: readonly MovedDirectory[],
  first: DocumentRef,
  evidence: DirectoryEvidence,
  mostAtOnce = 5_000,
): Promise<Move | null> {
  const { ledger } = evidence;
  const recorded = directories.flatMap(({ from }) => [...ledger.recordsIn(from.folder, from.path).keys()]);
  const names = [...new Set([nameOf(first.path), ...recorded])];
  for (let at = 0; at < names.length; at += mostAtOnce) {
    const steps = new Map<string, MoveStep>();
    for (const directory of directories) {
      const found = await stepsOf(directory, names.slice(at, at + mostAtOnce), evidence);
      if (found === null) return null;
      for (const step of found) steps.set(refKey(step.to), step);
    }
    if (steps.size === 0) continue;
    const isLast = at + mostAtOnce >= names.length;
    return {
      kind: 'move',
      steps: [...steps.values()],
      left: leftAfter([...steps.values()], ledger),
      directories: isLast ? identitiesAfter(directories) : [],
    };
  }
  return null;
}

/** The topmost directory that was moved, as far as that shows: the one that records have gone with, or one above it. */
function topmostMoved(
  { from, to }: DirectoryMove,
  { standing }: Pick<DirectoryEvidence, 'standing'>,
): DirectoryMove {
  const above = {
    from: { ...from, path: directoryOf(from.path) },
    to: { ...to, path: directoryOf(to.path) },
  };
  // Where the one that it was in stands, it has left that.
  const hasLeft = above.from.path === '' || above.to.path === '' || standing(above.from) !== null;
  if (hasLeft || nameOf(from.path) !== nameOf(to.path)) return { from, to };
  return topmostMoved(above, { standing });
}

/** Null: nothing proves that it is the directory of these records. */
async function stepsOf(
  directory: MovedDirectory,
  names: readonly string[],
  evidence: DirectoryEvidence,
): Promise<readonly MoveStep[] | null> {
  const { identity, from, to, successor } = directory;
  const { ledger, inspect, isAsked, seen } = evidence;
  const moved = topmostMoved(directory, evidence);
  const steps: MoveStep[] = [];
  const before = ledger.directory(from);
  let isProven = before !== undefined && isBirthKnown(before, identity);
  const compare = async (name: string): Promise<void> => {
    const source = { folder: from.folder, path: joinPath(from.path, name) };
    const target = { folder: to.folder, path: joinPath(to.path, name) };
    const [left, found] = await Promise.all([inspect(source), inspect(target)]);
    const record = ledger.get(source);
    if (record === undefined || found === undefined || found.kind === 'unknown') return;
    if (hasGone(found) && (found.kind !== 'absent' || left?.kind !== 'absent' || isAsked(source))) return;
    const stat = found.kind === 'document' ? found.document.stat : null;
    // One that settles still, because another file was here a moment ago, is the file that it is.
    const file = stat ?? seen(target);
    const isOwn = left?.kind === 'document' && sameFile(left.document.stat, record.stat);
    // What stands at its old path may be in a new directory that was not listed yet.
    const isNewcomer =
      left !== undefined && left.kind !== 'unknown' && file !== null && sameFile(file, record.stat);
    const isOther = !isOwn && (successor !== null || isNewcomer);
    // In a folder that is not configured any more nobody looks: the file has left with its directory.
    if (!isOther && left !== undefined && !hasGone(left)) return;
    const own = ledger.get(target);
    if (own !== undefined && file !== null && sameFile(own.stat, file)) return;
    const isUnchanged = stat !== null && sameStat(stat, record.stat);
    isProven ||= file !== null && sameFile(file, record.stat);
    steps.push({
      entry: { ref: source, record },
      to: target,
      stat: isUnchanged ? stat : record.stat,
      isEdited: stat !== null && !isUnchanged,
      with: moved,
    });
  };
  const recorded = names.filter((name) => ledger.recordsIn(from.folder, from.path).get(name) !== undefined);
  for (let at = 0; at < recorded.length; at += inspectedAtOnce) {
    if (!isProven && steps.length >= mostForProof) return null;
    await Promise.all(recorded.slice(at, at + inspectedAtOnce).map(compare));
  }
  return isProven || steps.length === 0 ? steps : null;
}

/** Which directories hold the records of all paths in question from then on. */
function identitiesAfter(
  directories: readonly MovedDirectory[],
): readonly Extract<Change, { kind: 'directory' }>[] {
  const targets = new Set(directories.map(({ to }) => refKey(to)));
  return [
    ...directories
      .filter(({ from }) => !targets.has(refKey(from)))
      .map(({ from, successor }) => ({ kind: 'directory', ...from, identity: successor }) as const),
    ...directories.map(({ to, identity }) => ({ kind: 'directory', ...to, identity }) as const),
  ];
}
