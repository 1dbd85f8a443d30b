import { joinPath } from '../model/document.ts';
import type { LedgerState } from './ledger-state.ts';
import { checkCells } from './record-cells.ts';
import type { DirectoryRows } from './record-table.ts';
import { asList, asNumber, asText, ShapeError } from './shape.ts';
import { lineTags } from './snapshot-lines.ts';
import { checkShared, jsonToStored } from './stored-change.ts';
import { isValidDirectory, isValidName, isValidRef } from './valid-ref.ts';

const RECORD_HEAD = 4;

/** A row that is not taken up: nothing else is wrong with the ledger. */
export interface RejectedRow {
  readonly folder: string;
  readonly path: string;
  readonly message: string;
}

/** Puts what files hold into a state. Rows that lead out of their folder are left out and told of. */
export interface StateFiller {
  /** Told before the lines of a snapshot come: about so many. */
  readonly expect: (lines: number) => void;
  /** One line of a snapshot, or a ShapeError. */
  readonly line: (line: unknown) => void;
  /** Changes of one group of a journal, or a ShapeError. */
  readonly group: (changes: readonly unknown[]) => void;
  readonly rejected: readonly RejectedRow[];
  /** Lets go what lines shared. Call it when the snapshot is read. */
  readonly endSnapshot: () => void;
}

interface Place {
  readonly folder: string;
  readonly directory: string;
  readonly valid: boolean;
  rows: DirectoryRows | null;
}

/** A filler of an empty state. */
export function createStateFiller(state: LedgerState): StateFiller {
  const { store } = state;
  const contexts = new Map<number, number>();
  const shared = new Map<number, number>();
  const rejected: RejectedRow[] = [];
  let place: Place | null = null;

  function reject(folder: string, path: string): void {
    rejected.push({ folder, path, message: 'the path leads out of its folder' });
  }

  function record(row: readonly unknown[]): void {
    const name = asText(row[1], 'name');
    const contextId = contexts.get(asNumber(row[2], 'context'));
    const sharedId = shared.get(asNumber(row[3], 'metadata'));
    if (place === null || contextId === undefined || sharedId === undefined) {
      throw new ShapeError('a record stands before what it needs');
    }
    const cells = checkCells(row.slice(RECORD_HEAD));
    if (!place.valid || !isValidName(name)) {
      reject(place.folder, joinPath(place.directory, name));
      return;
    }
    place.rows ??= store.directory(place.folder, place.directory);
    store.contexts.holdAgain(contextId);
    store.shared.holdAgain(sharedId);
    store.put({ directory: place.rows, name, contextId, sharedId }, cells);
  }

  function change(value: unknown): void {
    const stored = jsonToStored(value, state.knowsShared);
    if ('ref' in stored && !isValidRef(stored.ref)) reject(stored.ref.folder, stored.ref.path);
    else state.apply(stored);
  }

  return {
    rejected,
    expect: store.table.reserve,
    line: (line) => {
      if (!Array.isArray(line)) {
        change(line);
        return;
      }
      const row = asList(line, 'a line');
      if (row[0] === lineTags.record) record(row);
      else if (row[0] === lineTags.directory) {
        const [folder, directory] = [asText(row[1], 'folder'), asText(row[2], 'directory')];
        place = { folder, directory, valid: isValidDirectory(folder, directory), rows: null };
      } else if (row[0] === lineTags.context) {
        contexts.set(asNumber(row[1], 'a context'), store.contexts.hold(asText(row[2], 'a context')));
      } else if (row[0] === lineTags.shared) {
        const text = checkShared(row[2], state.knowsShared);
        shared.set(asNumber(row[1], 'metadata'), store.shared.hold(text));
      } else throw new ShapeError('a line of an unknown kind');
    },
    group: (changes) => {
      for (const value of changes) change(value);
    },
    endSnapshot: () => {
      for (const id of contexts.values()) store.contexts.release(id);
      for (const id of shared.values()) store.shared.release(id);
      contexts.clear();
      shared.clear();
    },
  };
}
