import { IngestdError, StoppedError, exitCodes } from '../../model/errors.ts';
import type { Change } from '../../model/ports/ledger-port.ts';
import { refKey } from '../../model/document.ts';
import type { LedgerData } from '../records/ledger-data.ts';
import { refOf } from '../records/stored-record.ts';
import { changeJson, toStored } from '../records/stored-change.ts';
import type { StoredChange } from '../records/stored-change.ts';

/** Makes JSON of changes durable, then calls `apply` before anything else is written. */
type Append = (changes: readonly string[], apply: () => void) => Promise<void>;

interface Waiting {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Ready {
  readonly waiting: Waiting;
  readonly stored: readonly StoredChange[];
}

/** Gathers commits that come together into one group with one fsync. One that fails leaves the state as it was. */
export function createCommitQueue(data: LedgerData, append: Append) {
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
    commit: (changes: readonly Change[]): Promise<void> => {
      if (closed) return Promise.reject(new StoppedError('the ledger is closed'));
      if (changes.length === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        queue.push({ changes, resolve, reject });
        running ??= run();
      });
    },
    /** Takes no more commits; resolves when those that were taken are settled. */
    close: async (): Promise<void> => {
      closed = true;
      await running;
    },
  };
}

/** Checks commits one by one; those that may not be are rejected alone. */
function prepare(data: LedgerData, group: readonly Waiting[]): readonly Ready[] {
  const ready: Ready[] = [];
  const pending = createPendingDocIds();
  for (const waiting of group) {
    try {
      const stored = waiting.changes.map((change) => toStored(change, data.shared));
      pending.merge(data, docIdsAfter(stored));
      ready.push({ waiting, stored });
    } catch (error) {
      waiting.reject(error);
    }
  }
  return ready;
}

/** Which docId each document has after some commits; null: its record is dropped. */
type DocIds = ReadonlyMap<string, string | null>;

/** What `changes` make of the documents they name, one after the other. */
function docIdsAfter(changes: readonly StoredChange[]): DocIds {
  const after = new Map<string, string | null>();
  for (const change of changes) {
    if (change.kind === 'put') after.set(refKey(change.ref), change.record.docId);
    else if (change.kind === 'drop') after.set(refKey(change.ref), null);
  }
  return after;
}

/** DocIds of commits that are on their way. `merge` adds those of one more, or throws where it may not be. */
function createPendingDocIds(): { readonly merge: (data: LedgerData, after: DocIds) => void } {
  const docIds = new Map<string, string | null>();
  /** The other way round. */
  const keys = new Map<string, string>();

  /** A docId that two documents would have at once after `after`; null: none. */
  function findDouble({ records }: LedgerData, after: DocIds): string | null {
    const taken = new Set<string>();
    for (const [key, docId] of after) {
      if (docId === null) continue;
      const pendingKey = keys.get(docId);
      if (taken.has(docId) || (pendingKey !== undefined && !after.has(pendingKey))) return docId;
      taken.add(docId);
      const owner = records.findByDocId(docId);
      if (owner === undefined) continue;
      const ownerKey = refKey(refOf(owner));
      if (ownerKey !== key && !after.has(ownerKey) && !docIds.has(ownerKey)) return docId;
    }
    return null;
  }

  return {
    merge: (data, after) => {
      const double = findDouble(data, after);
      if (double !== null) {
        const message = `two documents cannot have the same docId: ${double}`;
        throw new IngestdError('double-doc-id', exitCodes.unforeseen, message);
      }
      for (const key of after.keys()) {
        const before = docIds.get(key);
        if (typeof before === 'string') keys.delete(before);
      }
      for (const [key, docId] of after) {
        docIds.set(key, docId);
        if (docId !== null) keys.set(docId, key);
      }
    },
  };
}
