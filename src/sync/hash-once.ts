import { sameStamp } from '../model/document.ts';
import type { FileStamp } from '../model/document.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

/** The hash of the task's file; not read again while its stamp is the same. Null: it is another file by now. */
export async function hashOnce(parts: Parts, task: Task, stamp: FileStamp): Promise<string | null> {
  if (task.hashed !== null && sameStamp(task.hashed.stamp, stamp)) return task.hashed.sha256;
  const sha256 = (await parts.folder(task.ref.folder)?.port.hash(task.ref.path, stamp)) ?? null;
  if (sha256 !== null) parts.desk.change(task, { hashed: { stamp, sha256 } });
  return sha256;
}
