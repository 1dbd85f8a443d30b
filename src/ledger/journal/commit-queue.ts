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
    const ready = new Map<Commit, readonly StoredChange[]>();
    const faults = new Map<Commit, unknown>();
    const claim = createDocIdClaims(data);
    for (const commit of group) {
      try {
        const changes = commit.changes.map((change) => toStored(change, data.shared));
        claim(changes);
        ready.set(commit, changes);
      } catch (error) {
        faults.set(commit, error);
      }
    }
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

/** Which docId each document has after some commits; null: its record is dropped. */
type DocIds = Map<string, string | null>;

/** Takes the docIds of one commit after the other; throws where two documents would have the same one. */
function createDocIdClaims({ reader }: LedgerData): (changes: readonly StoredChange[]) => void {
  /** Of the commits that were taken. */
  const docIds: DocIds = new Map();
  /** The other way round; of a docId that was given up since, who had it last. */
  const keys = new Map<string, string>();

  /** Whether a document has a docId that keeps it whatever becomes of those in `after`. */
  function isTaken(docId: string, after: DocIds): boolean {
    const recorded = reader.findByDocId(docId);
    const key = keys.get(docId) ?? (recorded === undefined ? undefined : refKey(recorded));
    if (key === undefined || after.has(key)) return false;
    const pending = docIds.get(key);
    return pending === undefined || pending === docId;
  }

  return (changes) => {
    const after: DocIds = new Map();
    for (const change of changes) {
      if (change.kind === 'put') after.set(refKey(change.ref), change.record.docId);
      else if (change.kind === 'drop') after.set(refKey(change.ref), null);
    }
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
      docIds.set(key, docId);
      if (docId !== null) keys.set(docId, key);
    }
  };
}
