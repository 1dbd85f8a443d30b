import { IngestdError, StoppedError, exitCodes } from '../../model/errors.ts';
import type { Change } from '../../model/ports/ledger-port.ts';
import { refKey } from '../../model/document.ts';
import type { LedgerData } from '../records/ledger-data.ts';
import { refOf } from '../records/stored-record.ts';
import { changeJson, toStored } from '../format/change-format.ts';
import type { StoredChange } from '../format/change-format.ts';

/** Makes JSON of changes durable, then calls `apply` before anything else is written. */
export type Append = (changes: readonly string[], apply: () => void) => Promise<void>;

/** Gathers commits that come together into one group with one fsync. */
export interface CommitQueue {
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  /** Takes no more commits; resolves when those that were taken are settled. */
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Ready {
  readonly waiting: Waiting;
  readonly stored: readonly StoredChange[];
}

/** A queue over `append`. A commit that fails leaves the state as it was. */
export function createCommitQueue(data: LedgerData, append: Append): CommitQueue {
  let queue: Waiting[] = [];
  let running: Promise<void> | null = null;
  let closed = false;

  async function run(): Promise<void> {
    // Calls of the same tick come into the first group.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = queue;
      queue = [];
      await commitGroup(group);
    }
    running = null;
  }

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const ready = prepare(data, group);
    if (ready.length === 0) return;
    try {
      await append(
        ready.flatMap(({ stored }) => stored.map(changeJson)),
        () => {
          for (const { stored } of ready) for (const change of stored) data.apply(change);
        },
      );
    } catch (error) {
      for (const { waiting } of ready) waiting.reject(error);
      return;
    }
    for (const { waiting } of ready) waiting.resolve();
  }

  return {
    commit: (changes) => {
      if (closed) return Promise.reject(new StoppedError('the ledger is closed'));
      if (changes.length === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        queue.push({ changes, resolve, reject });
        running ??= run();
      });
    },
    close: async () => {
      closed = true;
      await running;
    },
  };
}

/** Checks commits one by one; those that may not be are rejected alone. */
function prepare(data: LedgerData, group: readonly Waiting[]): readonly Ready[] {
  const ready: Ready[] = [];
  const pending = new Map<string, string | null>();
  for (const waiting of group) {
    try {
      const stored = waiting.changes.map((change) => toStored(change, data.shared));
      mergeDocIds(data, pending, docIdsAfter(stored));
      ready.push({ waiting, stored });
    } catch (error) {
      waiting.reject(error);
    }
  }
  return ready;
}

function mergeDocIds(data: LedgerData, pending: Map<string, string | null>, after: PendingDocIds): void {
  const double = findDouble(data, pending, after);
  if (double !== null) {
    throw new IngestdError(
      'double-doc-id',
      exitCodes.unforeseen,
      `two documents cannot have the same docId: ${double}`,
    );
  }
  for (const [key, docId] of after) pending.set(key, docId);
}

/** Which docId each document has after commits that are on their way; null: its record is dropped. */
type PendingDocIds = ReadonlyMap<string, string | null>;

/** What `changes` make of the documents they name, one after the other. */
function docIdsAfter(changes: readonly StoredChange[]): PendingDocIds {
  const after = new Map<string, string | null>();
  for (const change of changes) {
    if (change.kind === 'put') after.set(refKey(change.ref), change.record.docId);
    else if (change.kind === 'drop') after.set(refKey(change.ref), null);
  }
  return after;
}

/** A docId that two documents would have at once after `after`, which comes behind `pending`; null: none. */
function findDouble({ records }: LedgerData, pending: PendingDocIds, after: PendingDocIds): string | null {
  const taken = new Set<string>();
  for (const [key, docId] of pending) if (docId !== null && !after.has(key)) taken.add(docId);
  for (const [key, docId] of after) {
    if (docId === null) continue;
    if (taken.has(docId)) return docId;
    taken.add(docId);
    const owner = records.findByDocId(docId);
    if (owner === undefined) continue;
    const ownerKey = refKey(refOf(owner));
    if (ownerKey !== key && !after.has(ownerKey) && !pending.has(ownerKey)) return docId;
  }
  return null;
}
