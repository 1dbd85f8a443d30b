import { refKey, sameStamp } from '../model/document.ts';
import type { FoundDocument } from '../model/document.ts';
import type { LedgerRecord } from '../model/ports/ledger-port.ts';
import { candidates, matchMove } from '../model/moves.ts';
import type { Move } from '../model/moves.ts';
import type { MissingRecord } from '../model/operation.ts';
import { claimPaths, forgetRecord, leavePath, noMove } from './claim-paths.ts';
import type { MoveResult } from './claim-paths.ts';
import { hashOnce } from './hash-once.ts';
import type { Parts } from './parts.ts';
import { findRelocation } from './relocate.ts';
import type { Task } from './task.ts';

/**
 * Finds the record whose file a new document is, and gives it the new path: docId kept, no request. The record's old
 * path is looked at before: what still stands somewhere is never taken.
 */
export async function findMove(parts: Parts, task: Task, document: FoundDocument): Promise<MoveResult> {
  if (task.phase !== 'sending' && isBeingUploaded(parts, task, document)) return 'unclear';
  const missing = await missingFor(parts, document);
  const possible = candidates(document.stamp, missing);
  if (possible.length === 0) return findRelocation(parts, task, document);
  const sha256 = await hashOnce(parts, task, document.stamp).catch(() => '');
  if (sha256 === null) return 'unclear';
  if (sha256 === '') return noMove(parts, task);
  const still = possible.filter((one) => parts.ledger.get(one)?.docId === one.record.docId);
  const move = matchMove({ found: { ref: document.ref, stamp: document.stamp, sha256 }, missing: still });
  if (parts.ledger.get(document.ref) !== undefined) return noMove(parts, task);
  // None of those that are gone: one that stands elsewhere by now may have been pushed from its path.
  if (move === null) return findRelocation(parts, task, document);
  return commitMove(parts, task, { document, ...move });
}

/** The same file is on its way to the service under the name that it had a moment ago: soon there is a record of it. */
function isBeingUploaded({ desk }: Parts, task: Task, { stamp }: FoundDocument): boolean {
  if (stamp.ino === 0) return false;
  for (const other of desk.presentWithInode(stamp.ino)) {
    const uploads = other.phase === 'sending' && !other.hasRecord && other.stamp?.dev === stamp.dev;
    if (uploads && other !== task) return true;
  }
  return false;
}

/** Records whose file is known to be gone and that this file could be; those of its inode are looked up and looked at. */
async function missingFor(parts: Parts, { ref, stamp }: FoundDocument): Promise<readonly MissingRecord[]> {
  const found = new Map<string, MissingRecord>();
  const add = (folder: string, path: string, record: LedgerRecord | undefined) => {
    if (record !== undefined) found.set(refKey({ folder, path }), { folder, path, record });
  };
  for (const task of parts.desk.missingOfSize(stamp.size)) {
    add(task.ref.folder, task.ref.path, parts.ledger.get(task.ref));
  }
  for (const entry of parts.ledger.findByInode(stamp.ino)) {
    if (refKey(entry.ref) === refKey(ref) || found.has(refKey(entry.ref))) continue;
    const look = await parts.folder(entry.ref.folder)?.port.inspect(entry.ref.path);
    if (look?.kind === 'absent') add(entry.ref.folder, entry.ref.path, entry.record);
  }
  return [...found.values()];
}

async function commitMove(
  parts: Parts,
  mover: Task,
  { document, match, proof }: Move & { readonly document: FoundDocument },
): Promise<MoveResult> {
  const from = { folder: match.folder, path: match.path };
  const record = parts.ledger.get(from);
  const done = claimPaths(parts, mover, [from, document.ref]);
  if (done === null) return 'unclear';
  if (record?.sha256 !== match.record.sha256) {
    done();
    return 'unclear';
  }
  const came = leavePath(parts, from);
  const stamp = proof === 'edited' ? record.stamp : document.stamp;
  await parts
    .commit([
      { kind: 'drop', ref: from },
      { kind: 'put', ref: document.ref, record: { ...record, stamp, context: '' } },
      { kind: 'unapprove', folder: from.folder, paths: [from.path] },
      { kind: 'clear', ref: from },
    ])
    .finally(done);
  forgetRecord(parts, from, came);
  parts.desk.change(mover, { hasRecord: true, movedAt: parts.clock.monotonic() });
  parts.totals.moved += 1;
  parts.tell({
    ...document.ref,
    what: 'moved',
    docId: record.docId,
    message: `from ${refKey(from)}${sameStamp(stamp, document.stamp) ? '' : ', edited'}`,
  });
  return 'moved';
}
