import { refKey } from '../core/document.ts';
import type { DocumentRef, FileStamp, FoundDocument } from '../core/document.ts';
import type { Change, LedgerEntry } from '../core/ledger-port.ts';
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
 * Recognises documents that changed places: swaps and chains of renames, where each file in question is a recorded
 * one by inode and content, and every docId that gives up its path has found another. Then the docIds follow their
 * files in one commit, without a request. Otherwise the path keeps its docId. True when it was so.
 */
export async function findRelocation(parts: Parts, task: Task, document: FoundDocument): Promise<boolean> {
  const steps = new Map<string, Step>();
  const free = new Set<string>();
  const queue: { ref: DocumentRef; stamp: FileStamp }[] = [{ ref: task.ref, stamp: document.stamp }];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const key = refKey(place.ref);
    if (steps.has(key)) continue;
    const entry = await recordOfFile(parts, place.ref, place.stamp);
    if (entry === null || steps.size >= longestChain) return false;
    steps.set(key, { entry, to: place.ref, stamp: place.stamp });
    const source = await standingAt(parts, entry.ref);
    if (source === 'unknown') return false;
    if (source === null) free.add(refKey(entry.ref));
    else queue.push({ ref: entry.ref, stamp: source });
    const displaced = parts.ledger.get(place.ref);
    if (displaced === undefined) continue;
    const target = newPlaceOf(parts, place.ref, displaced.stamp.ino);
    if (target === null) return false;
    queue.push(target);
  }
  return steps.size > 0 && commitSteps(parts, [...steps.values()], free);
}

/** The record of the file that stands at a path now, if it is another path's, unchanged. */
async function recordOfFile(parts: Parts, ref: DocumentRef, stamp: FileStamp): Promise<LedgerEntry | null> {
  const port = parts.folder(ref.folder)?.port;
  for (const entry of parts.ledger.findByInode(stamp.ino)) {
    if (refKey(entry.ref) === refKey(ref) || entry.record.stamp.size !== stamp.size) continue;
    const sha256 = await port?.hash(ref.path, stamp).catch(() => null);
    if (sha256 === entry.record.sha256) return entry;
  }
  return null;
}

/** The stamp of the document at a path, null: nothing is there. */
async function standingAt(parts: Parts, ref: DocumentRef): Promise<FileStamp | null | 'unknown'> {
  const look = await parts.folder(ref.folder)?.port.look(ref.path);
  if (look?.kind === 'absent') return null;
  return look?.kind === 'document' ? look.document.stamp : 'unknown';
}

/** Where a file that was pushed from its path has gone: among the paths that differ. */
function newPlaceOf(
  parts: Parts,
  from: DocumentRef,
  ino: number,
): { ref: DocumentRef; stamp: FileStamp } | null {
  for (const task of parts.desk.all()) {
    if (task.present && task.stamp?.ino === ino && task.key !== refKey(from)) {
      return { ref: task.ref, stamp: task.stamp };
    }
  }
  return null;
}

async function commitSteps(
  parts: Parts,
  steps: readonly Step[],
  free: ReadonlySet<string>,
): Promise<boolean> {
  const targets = new Set(steps.map(({ to }) => refKey(to)));
  const stands = steps.every(({ entry, to }) => {
    const now = parts.ledger.get(entry.ref)?.docId === entry.record.docId;
    const left = targets.has(refKey(entry.ref)) || free.has(refKey(entry.ref));
    const occupant = parts.ledger.get(to);
    const moves = occupant === undefined || steps.some((step) => step.entry.record.docId === occupant.docId);
    return now && left && moves;
  });
  if (!stands) return false;
  const drops = steps
    .filter(({ entry }) => !targets.has(refKey(entry.ref)))
    .map(({ entry }): Change => ({ kind: 'drop', ref: entry.ref }));
  const puts = steps.map(({ entry, to, stamp }): Change => ({
    kind: 'put',
    ref: to,
    record: { ...entry.record, stamp, context: '' },
  }));
  await parts.commit([...drops, ...puts]);
  for (const { entry, to } of steps) {
    const left = parts.desk.get(entry.ref);
    if (left !== undefined && !targets.has(refKey(entry.ref))) parts.desk.close(left);
    const arrived = parts.desk.get(to);
    if (arrived !== undefined) parts.desk.change(arrived, { hasRecord: true, again: true });
    parts.totals.moved += 1;
    parts.tell({
      ...to,
      what: 'moved',
      docId: entry.record.docId,
      message: `from ${refKey(entry.ref)}`,
    });
  }
  return true;
}
