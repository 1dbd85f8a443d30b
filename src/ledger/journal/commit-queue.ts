import { IngestdError, StoppedError, exitCodes } from '../../model/errors.ts';
import type { Change } from '../../model/ports/ledger-port.ts';
import { refKey } from '../../model/document.ts';
import type { LedgerData } from '../records/ledger-data.ts';
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
  const claim = createDocIdClaims(data);
  for (const waiting of group) {
    try {
      const stored = waiting.changes.map((change) => toStored(change, data.shared));
      claim(docIdsAfter(stored));
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

/** Takes the docIds of one commit after the other; throws where two documents would have the same one. */
function createDocIdClaims({ reader }: LedgerData): (after: DocIds) => void {
  /** Of the commits that were taken. */
  const docIds = new Map<string, string | null>();
  /** The other way round. */
  const keys = new Map<string, string>();

  /** Whether a document has a docId that keeps it whatever becomes of those in `after`. */
  function isTaken(docId: string, after: DocIds): boolean {
    const recorded = reader.findByDocId(docId);
    const key = keys.get(docId) ?? (recorded === undefined ? undefined : refKey(recorded));
    if (key === undefined || after.has(key)) return false;
    const pending = docIds.get(key);
    return pending === undefined || pending === docId;
  }

  return (after) => {
    const claimed = new Set<string>();
    for (const docId of after.values()) {
      if (docId === null) continue;
      if (claimed.has(docId) || isTaken(docId, after)) {
        const message = `two documents cannot have the same docId: ${docId}`;
        throw new IngestdError('double-doc-id', exitCodes.unforeseen, message);
      }
      claimed.add(docId);
    }
    for (const [key, docId] of after) {
      const before = docIds.get(key) ?? null;
      if (before !== null && !claimed.has(before)) keys.delete(before);
      docIds.set(key, docId);
      if (docId !== null) keys.set(docId, key);
    }
  };
}
