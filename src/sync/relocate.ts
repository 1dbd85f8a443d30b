import { refKey } from '../model/document.ts';
import type { DocumentRef, FileStamp, FoundDocument } from '../model/document.ts';
import type { Change, LedgerEntry } from '../model/ports/ledger-port.ts';
import { claimPaths, forgetRecord, leavePath, noMove } from './claim-paths.ts';
import type { MoveResult } from './claim-paths.ts';
import { hashOnce } from './hash-once.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

interface Step {
  readonly entry: LedgerEntry;
  readonly to: DocumentRef;
  readonly stamp: FileStamp;
}

/** A chain longer than this is sent file by file. */
const longestChain = 1_000;

/**
 * Recognises documents that changed places: swaps, chains of renames, a rename over another document, where each file
 * in question is a recorded one by inode and content. Then the docIds follow their files in one commit, without a
 * request. A document whose file was overwritten takes the path that came free, where its file is missing: it is
 * deleted like any other, with grace and guard, or found again. Otherwise the path keeps its docId.
 */
export async function findRelocation(parts: Parts, task: Task, document: FoundDocument): Promise<MoveResult> {
  const steps = new Map<string, Step>();
  const moved = new Set<string>();
  const free: DocumentRef[] = [];
  const overwritten: LedgerEntry[] = [];
  const queue: { ref: DocumentRef; stamp: FileStamp }[] = [{ ref: task.ref, stamp: document.stamp }];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const key = refKey(place.ref);
    if (steps.has(key)) continue;
    const entry = await recordOfFile(parts, place.ref, place.stamp);
    if (entry === 'unclear') return 'unclear';
    if (entry === null || steps.size >= longestChain) return noMove(parts, task);
    // A hard link: one file stands at two paths, and its docId can have one.
    if (moved.has(entry.record.docId)) return noMove(parts, task);
    moved.add(entry.record.docId);
    steps.set(key, { entry, to: place.ref, stamp: place.stamp });
    const source = await standingAt(parts, entry.ref);
    if (source === 'unknown') return noMove(parts, task);
    if (source === null) free.push(entry.ref);
    else queue.push({ ref: entry.ref, stamp: source });
    const displaced = parts.ledger.get(place.ref);
    if (displaced === undefined || moved.has(displaced.docId)) continue;
    if (displaced.stamp.ino === place.stamp.ino) return noMove(parts, task);
    const target = newPlaceOf(parts, place.ref, displaced.stamp.ino);
    if (target === null) overwritten.push({ ref: place.ref, record: displaced });
    else queue.push(target);
  }
  const homeless = overwritten.filter(({ record }) => !moved.has(record.docId));
  const left = leave(free, homeless);
  if (left === null) return noMove(parts, task);
  return commitSteps(parts, task, { steps: [...steps.values()], left });
}

/** A path that nothing stands at any more, and the overwritten document that takes it. */
interface Left {
  readonly ref: DocumentRef;
  readonly takenBy: LedgerEntry | null;
}

/** Null: the overwritten document would come into another folder, whose settings are not its own. */
function leave(free: readonly DocumentRef[], overwritten: readonly LedgerEntry[]): readonly Left[] | null {
  const waiting = [...overwritten];
  const left = free.map((ref): Left => ({ ref, takenBy: waiting.shift() ?? null }));
  const isSound = left.every(({ ref, takenBy }) => takenBy === null || takenBy.ref.folder === ref.folder);
  return isSound && waiting.length === 0 ? left : null;
}

/** The record of the file that stands at a path now, if it is another path's, unchanged. `unclear`: it moved on. */
async function recordOfFile(
  parts: Parts,
  ref: DocumentRef,
  stamp: FileStamp,
): Promise<LedgerEntry | null | 'unclear'> {
  const port = parts.folder(ref.folder)?.port;
  const there = parts.desk.get(ref);
  for (const entry of parts.ledger.findByInode(stamp.ino)) {
    if (refKey(entry.ref) === refKey(ref) || entry.record.stamp.size !== stamp.size) continue;
    const reading = there === undefined ? port?.hash(ref.path, stamp) : hashOnce(parts, there, stamp);
    const sha256 = await reading?.catch(() => '');
    if (sha256 === null) return 'unclear';
    if (sha256 === entry.record.sha256) return entry;
  }
  return null;
}

/** The stamp of the document at a path, null: nothing is there. */
async function standingAt(parts: Parts, ref: DocumentRef): Promise<FileStamp | null | 'unknown'> {
  const look = await parts.folder(ref.folder)?.port.inspect(ref.path);
  if (look?.kind === 'absent') return null;
  return look?.kind === 'document' ? look.document.stamp : 'unknown';
}

/** Where a file that was pushed from its path has gone: among the paths that differ. */
function newPlaceOf(
  parts: Parts,
  from: DocumentRef,
  ino: number,
): { ref: DocumentRef; stamp: FileStamp } | null {
  for (const task of parts.desk.presentWithInode(ino)) {
    if (task.stamp !== null && task.key !== refKey(from)) return { ref: task.ref, stamp: task.stamp };
  }
  return null;
}

interface Relocation {
  readonly steps: readonly Step[];
  readonly left: readonly Left[];
}

async function commitSteps(parts: Parts, task: Task, relocation: Relocation): Promise<MoveResult> {
  const { steps, left } = relocation;
  if (!stillStands(parts, relocation)) return noMove(parts, task);
  const involved = [...steps.flatMap(({ entry, to }) => [entry.ref, to]), ...left.map(({ ref }) => ref)];
  const done = claimPaths(parts, task, involved);
  if (done === null) return 'unclear';
  // Before the commit: from here on nothing may be deleted for a path that was left.
  const came = new Set(left.filter(({ ref }) => leavePath(parts, ref)));
  await parts.commit(changesOf(parts, relocation)).finally(done);
  for (const { entry, to } of steps) {
    const arrived = parts.desk.get(to);
    if (arrived !== undefined)
      parts.desk.change(arrived, { hasRecord: true, again: true, movedAt: parts.clock.monotonic() });
    parts.totals.moved += 1;
    parts.tell({
      ...to,
      what: 'moved',
      docId: entry.record.docId,
      message: `from ${refKey(entry.ref)}`,
    });
  }
  for (const one of left) {
    const { ref, takenBy } = one;
    if (takenBy === null) forgetRecord(parts, ref, came.has(one));
    else parts.look(parts.desk.open(ref, { present: false, lane: 'live', at: parts.clock.now() }));
  }
  return 'moved';
}

function changesOf({ ledger }: Parts, { steps, left }: Relocation): readonly Change[] {
  return [
    ...left.flatMap(({ ref, takenBy }): readonly Change[] => [
      takenBy === null ? { kind: 'drop', ref } : { kind: 'put', ref, record: takenBy.record },
      { kind: 'unapprove', folder: ref.folder, paths: [ref.path] },
      { kind: 'clear', ref },
    ]),
    ...steps.map(({ entry, to, stamp }): Change => ({
      kind: 'put',
      ref: to,
      record: { ...(ledger.get(entry.ref) ?? entry.record), stamp, context: '' },
    })),
  ];
}

/** Whether the ledger is still what the steps were worked out from. */
function stillStands({ ledger }: Parts, { steps, left }: Relocation): boolean {
  const leaving = new Set([
    ...steps.map(({ entry }) => entry.record.docId),
    ...left.flatMap(({ takenBy }) => (takenBy === null ? [] : [takenBy.record.docId])),
  ]);
  const targets = new Set([...steps.map(({ to }) => refKey(to)), ...left.map(({ ref }) => refKey(ref))]);
  return steps.every(({ entry, to }) => {
    const occupant = ledger.get(to);
    const record = ledger.get(entry.ref);
    return (
      record?.docId === entry.record.docId &&
      record.sha256 === entry.record.sha256 &&
      targets.has(refKey(entry.ref)) &&
      (occupant === undefined || leaving.has(occupant.docId))
    );
  });
}
