import { createGathered } from '../../lib/queue/gathered.ts';
import { IngestdError, StoppedError, exitCodes } from '../../model/errors.ts';
import type { Change } from '../../model/ports/ledger-port.ts';
import { refKey } from '../../model/document.ts';
import type { LedgerData } from '../records/ledger-data.ts';
import { changeJson, toStored } from '../records/stored-change.ts';
import type { StoredChange } from '../records/stored-change.ts';

/** Makes JSON of changes durable, then calls `apply` before anything else is written. */
type Append = (changes: readonly string[], apply: () => void) => Promise<void>;

interface Commit {
  readonly changes: readonly Change[];
}

/** Gathers commits that come together into one group with one fsync. One that fails leaves the state as it was. */
export function createCommitQueue(data: LedgerData, append: Append) {
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /** Gives why commits failed; the others are durable. */
  const commitTogether = createGathered(async (group: readonly Commit[]) => {
    const { ready, faults } = prepare(data, group);
    const stored = [...ready.values()].flat();
    if (ready.size === 0) return faults;
    try {
      await append(stored.map(changeJson), () => {
        for (const change of stored) data.apply(change);
      });
    } catch (error) {
      for (const commit of ready.keys()) faults.set(commit, error);
    }
    return faults;
  });

  return {
    commit: async (changes: readonly Change[]): Promise<void> => {
      if (closed) throw new StoppedError('the ledger is closed');
      if (changes.length === 0) return;
      const commit = { changes };
      const together = commitTogether(commit);
      last = together;
      const faults = await together;
      if (faults.has(commit)) throw faults.get(commit);
    },
    /** Takes no more commits; resolves when those that were taken are settled. */
    close: async (): Promise<void> => {
      closed = true;
      await last;
    },
  };
}

/** Checks commits one by one: what is to be written of each, and why others may not be. */
function prepare(data: LedgerData, group: readonly Commit[]) {
  const ready = new Map<Commit, readonly StoredChange[]>();
  const faults = new Map<Commit, unknown>();
  const claim = createDocIdClaims(data);
  for (const commit of group) {
    try {
      const stored = commit.changes.map((change) => toStored(change, data.shared));
      claim(docIdsAfter(stored));
      ready.set(commit, stored);
    } catch (error) {
      faults.set(commit, error);
    }
  }
  return { ready, faults };
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
