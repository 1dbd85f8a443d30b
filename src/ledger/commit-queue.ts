import { IngestdError, StoppedError, exitCodes } from '../model/errors.ts';
import type { Change } from '../model/ports/ledger-port.ts';
import { docIdsAfter, findDouble } from './find-double.ts';
import type { PendingDocIds } from './find-double.ts';
import type { LedgerState } from './ledger-state.ts';
import { storedToJson, toStored } from './stored-change.ts';
import type { StoredChange } from './stored-change.ts';

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
export function createCommitQueue(state: LedgerState, append: Append): CommitQueue {
  let queue: Waiting[] = [];
  let running: Promise<void> | null = null;
  let closed = false;

  async function run(): Promise<void> {
    // Calls of the same turn come into the first group.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = queue;
      queue = [];
      await commitGroup(group);
    }
    running = null;
  }

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const ready = prepare(state, group);
    if (ready.length === 0) return;
    try {
      await append(
        ready.flatMap(({ stored }) => stored.map(storedToJson)),
        () => {
          for (const { stored } of ready) for (const change of stored) state.apply(change);
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
function prepare(state: LedgerState, group: readonly Waiting[]): readonly Ready[] {
  const ready: Ready[] = [];
  const pending = new Map<string, string | null>();
  for (const waiting of group) {
    try {
      const stored = waiting.changes.map((change) => toStored(change, state.knowsShared));
      mergeDocIds(state, pending, docIdsAfter(stored));
      ready.push({ waiting, stored });
    } catch (error) {
      waiting.reject(error);
    }
  }
  return ready;
}

function mergeDocIds(state: LedgerState, pending: Map<string, string | null>, after: PendingDocIds): void {
  const double = findDouble(state, pending, after);
  if (double !== null) {
    throw new IngestdError(
      'double-doc-id',
      exitCodes.unforeseen,
      `two documents cannot have one docId: ${double}`,
    );
  }
  for (const [key, docId] of after) pending.set(key, docId);
}
