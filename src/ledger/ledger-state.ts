import type { LedgerPort } from '../model/ports/ledger-port.ts';
import { createRecordStore } from './record-store.ts';
import type { RecordStore } from './record-store.ts';
import { createSideState } from './side-state.ts';
import type { SideState } from './side-state.ts';
import type { KnowsShared, SideChange, StoredChange, StoredRecord } from './stored-change.ts';

/** The reading half of the port: what a second process, `status` or `export` may do. */
export type LedgerReader = Omit<LedgerPort, 'commit' | 'close'>;

/** Everything as it was at one moment, readable row by row while commits go on. */
export interface Capture {
  readonly rows: Int32Array;
  readonly changes: readonly SideChange[];
  /** Lets the rows that were freed meanwhile be used again. */
  readonly release: () => void;
}

/** The ledger in memory: what lowdb holds as its data. */
export interface LedgerState {
  readonly reader: LedgerReader;
  readonly store: RecordStore;
  readonly side: SideState;
  readonly apply: (change: StoredChange) => void;
  readonly knowsShared: KnowsShared;
  /** One at a time. */
  readonly capture: () => Capture;
}

/** A ledger of nothing. */
export function createLedgerState(): LedgerState {
  const store = createRecordStore();
  const side = createSideState();
  const { table } = store;

  function put({ ref, context, shared, cells }: StoredRecord): void {
    const slash = ref.path.lastIndexOf('/');
    const place = {
      directory: store.directory(ref.folder, slash === -1 ? '' : ref.path.slice(0, slash)),
      name: ref.path.slice(slash + 1),
      contextId: store.contexts.hold(context),
      sharedId: store.shared.hold(shared),
    };
    store.put(place, cells);
  }

  const reader: LedgerReader = {
    get: (ref) => {
      const row = store.row(ref);
      return row === undefined ? undefined : table.record(row);
    },
    recordsIn: store.recordsIn,
    directories: store.directories,
    folders: store.folders,
    count: store.count,
    possibleDuplicates: table.possibleDuplicates,
    entries: store.entries,
    findByInode: (ino) => table.findByInode(ino).map((row) => table.entry(row)),
    findByDocId: (docId) => {
      const row = table.findByDocId(docId);
      return row === undefined ? undefined : table.entry(row).ref;
    },
    intents: side.intents,
    doubts: side.doubts,
    failure: side.failure,
    failures: side.failures,
    hold: side.hold,
    isApproved: side.isApproved,
    removals: side.removals,
    root: side.root,
    service: side.service,
    sentRequests: side.sentRequests,
  };

  return {
    reader,
    store,
    side,
    knowsShared: store.shared.has,
    apply: (change) => {
      if (change.kind === 'put') put(change);
      else if (change.kind === 'drop') store.drop(change.ref);
      else side.apply(change);
    },
    capture: () => {
      table.freeze();
      return { rows: store.rows(), changes: side.changes(), release: table.thaw };
    },
  };
}
