import type { DocumentRef } from '../model/document.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/**
 * Where the file of a document that is gone from its path stands now, as something that cannot be sent: under a name that
 * breaks a rule, below a sidecar that is not valid. It was moved and not removed. Null: nowhere.
 */
export function standsUnsent({ desk, ledger }: Parts, task: Task): DocumentRef | null {
  const stamp = ledger.get(task.ref)?.stamp;
  if (stamp === undefined || stamp.ino === 0) return null;
  for (const other of desk.presentWithInode(stamp.ino)) {
    if (other === task || other.hasRecord || other.stamp?.dev !== stamp.dev) continue;
    // What the service refused is a document of its own: a hard link.
    if (other.phase === 'paired' || (other.phase === 'failed' && !other.recorded)) return other.ref;
  }
  return null;
}
