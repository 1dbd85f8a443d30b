import type { DocumentRef, FileStamp } from '../model/document.ts';
import type { LaneName } from '../lib/priority-queue.ts';

/** The code of a document that `onRemove: keep` keeps: dormant for good while its file is gone. */
export const keptCode = 'kept';

/** Where a document stands on its way. Clean documents have no task: they are in the ledger only. */
export type Phase =
  /** Waits for its turn to be looked at. */
  | 'look'
  | 'looking'
  /** It is known what has to be sent; waits for a place in the minute. */
  | 'ready'
  | 'sending'
  /** Changed a moment ago. */
  | 'settling'
  /** Its file is gone; waits for its other half. */
  | 'grace'
  /** Waits to be tried again. */
  | 'retry'
  /** Waits for another file: a sidecar, an attachment. */
  | 'paired'
  /** Refused by a rule or by the service. */
  | 'failed'
  /** Its deletion waits for a person. */
  | 'held'
  /** The service holds it and it is no longer ours to send or delete: ignored, kept, skipped now. */
  | 'dormant';

/** One document that differs from its record, or may. Mutated only through the desk. */
export interface Task {
  readonly key: string;
  readonly ref: DocumentRef;
  phase: Phase;
  /** The file was there when its directory was last listed or looked at. */
  present: boolean;
  /** The ledger has a record of this path. */
  hasRecord: boolean;
  lane: Exclude<LaneName, 'deletion'>;
  /** Newest first within a lane; milliseconds of whatever clock the lane uses. */
  at: number;
  /** What the last sweep or look saw. */
  stamp: FileStamp | null;
  context: string;
  /** Monotonic ms since when it differs. */
  readonly since: number;
  /** Monotonic ms since when it is ready, or gone. */
  phaseSince: number;
  /** Something rang while it was looked at or sent: look again afterwards. */
  again: boolean;
  /** Monotonic ms of its next step, where it waits for one. */
  due: number | null;
  attempts: number;
  code: string | null;
  message: string | null;
  /** Never in a bulk call again: one with it failed. */
  single: boolean;
  /** Tasks of equal text share a bulk call. */
  bulkKey: string | null;
  /** Ready, and what for. */
  operation: 'upload' | 'modify' | 'delete' | null;
  /** The last hash, so that the second look need not read the file again. */
  hashed: { readonly stamp: FileStamp; readonly sha256: string } | null;
  /** When its document came here from another path, monotonic ms; null: it did not, as far as one knows. */
  movedAt: number | null;
  /** The service no longer has it and it is to be uploaded anew; its record stays until that is done. */
  isLost: boolean;
  /** A failure that the ledger keeps as well. */
  recorded: boolean;
}
