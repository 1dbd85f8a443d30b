import {
  directoryOf,
  fileKey,
  isPerhapsSame,
  nameOf,
  refKey,
  sameFile,
  sameStat,
} from '../../model/document.ts';
import type { DocumentRef, FileIdentity } from '../../model/document.ts';
import { stemOf } from '../../model/names-and-types.ts';
import { widerMode } from '../../model/metadata/held-mode.ts';
import type {
  DirectoryRecords,
  DirectoryRef,
  LedgerEntry,
  LedgerPort,
  LedgerRecord,
} from '../../model/ports/ledger-port.ts';
import { groupBy } from '../../lib/group-by.ts';
import { SetsByKey } from '../../lib/sets-by-key.ts';
import { refOf, toEntry, toRecord } from './stored-record.ts';
import type { Directory, StoredRecord } from './stored-record.ts';

interface Folder {
  readonly directories: Map<string, Directory>;
  count: number;
}

/** All records by folder, directory and name, found by docId and inode number too. */
export class RecordStore {
  readonly #folders = new Map<string, Folder>();
  /** Made when somebody asks: of records that have become old it takes a quarter of the time. */
  #byDocId: Map<string, StoredRecord> | null = null;
  /** By `fileKeys`; made when somebody asks: most starts find nothing that has moved. */
  #byFile: SetsByKey<string | number, StoredRecord> | null = null;
  /** With `stemKeys`, once somebody has asked for one. */
  #keysOf = fileKeys;
  /** Those with an attachment in another folder: hardly any. */
  readonly #attachingElsewhere = new Set<StoredRecord>();
  /** Directories by inode number. */
  readonly #byIdentity = new SetsByKey<number, Directory>();
  /** Documents that are held more narrowly than is stated, by folder. */
  readonly #narrower = new SetsByKey<string, StoredRecord>();
  /** Of which the service may hold further copies: few. */
  readonly #doubled = new Set<StoredRecord>();

  /** What the ledger's readers ask of all records. */
  readonly reader = {
    get: ({ folder, path }) => recordOf(this.#directory(folder, directoryOf(path))?.records, nameOf(path)),
    recordsIn: (folder, path) => viewOf(this.#directory(folder, path)?.records ?? noRecords),
    directory: ({ folder, path }) => this.#directory(folder, path)?.identity ?? undefined,
    entries: () => entriesOf(this.all()),
    findByFile: (stat) => {
      const key = fileKey(stat);
      const isOwn = (record: StoredRecord) => fileKey(record) === key || record.rare?.standing?.ino === key;
      return [...this.#files().of(key)].filter(isOwn).map(toEntry);
    },
    findOwners: (ref, stat) => {
      const byFile = [...this.#files().of(fileKey(stat))].filter(({ rare }) =>
        rare?.attachments?.some((one) => isPerhapsSame(one.stat, stat)),
      );
      return Array.from(new Set([...this.#files().of(refKey(ref)), ...byFile]), toEntry);
    },
    findByStem: (stem) => {
      if (this.#keysOf === fileKeys) {
        this.#keysOf = (record) => [...fileKeys(record), ...stemKeys(record)];
        this.#byFile = null;
      }
      return Array.from(this.#files().of(`/${stem}`), toEntry);
    },
    findHolders: (stat) => Array.from(this.#files().of(fileKey(stat)), toEntry),
    findByDocId: (docId) => {
      const record = this.#docIds().get(docId);
      return record === undefined ? undefined : refOf(record);
    },
    directories: (folder) => this.#folders.get(folder)?.directories.keys() ?? [],
    placesOf: (identity) =>
      [...this.#byIdentity.of(identity.ino)]
        .filter((directory) => directory.identity !== null && sameFile(directory.identity, identity))
        .map(({ folder, path }) => ({ folder, path })),
    folders: () => [...this.#folders.keys()],
    attachedElsewhere: () =>
      [...this.#attachingElsewhere].flatMap(({ rare }) =>
        (rare?.attachments ?? []).flatMap(({ folder, path }) =>
          folder === undefined || path === undefined ? [] : [{ folder, path }],
        ),
      ),
    count: (folder) => this.#folders.get(folder)?.count ?? 0,
    total: () => [...this.#folders.values()].reduce((sum, { count }) => sum + count, 0),
    duplicated: () => Array.from(this.#doubled, toEntry),
    possibleDuplicates: () =>
      [...this.#doubled].reduce((sum, { rare }) => sum + (rare?.possibleDuplicates ?? 0), 0),
    narrower: (folder) => this.#narrower.of(folder).size,
    narrowerIn: (folder) => entriesOf(this.#narrower.of(folder)),
  } satisfies Partial<LedgerPort>;

  /** Gives the record that it had before. */
  put(folder: string, path: string, record: StoredRecord): StoredRecord | undefined {
    const known = this.#folders.get(folder) ?? { directories: new Map<string, Directory>(), count: 0 };
    const directory = known.directories.get(path) ?? { folder, path, records: new Map(), identity: null };
    this.#folders.set(folder, known);
    known.directories.set(path, directory);
    const before = directory.records.get(record.name);
    directory.records.set(record.name, record);
    if (before === undefined) known.count += 1;
    else this.#unindex(before, record.docId);
    record.directory = directory;
    this.#index(record);
    return before;
  }

  drop({ folder, path }: DocumentRef): void {
    const known = this.#folders.get(folder);
    const directory = known?.directories.get(directoryOf(path));
    const record = directory?.records.get(nameOf(path));
    if (known === undefined || directory === undefined || record === undefined) return;
    directory.records.delete(record.name);
    known.count -= 1;
    if (directory.records.size === 0) {
      known.directories.delete(directory.path);
      this.#identify(directory, null);
    }
    if (known.count === 0) this.#folders.delete(folder);
    this.#unindex(record, null);
  }

  #directory(folder: string, path: string): Directory | undefined {
    return this.#folders.get(folder)?.directories.get(path);
  }

  /** Says which directory holds the records of a path; null: nobody knows. Nothing where it has none. */
  identify({ folder, path }: DirectoryRef, identity: FileIdentity | null): void {
    const directory = this.#directory(folder, path);
    if (directory !== undefined) this.#identify(directory, identity);
  }

  /** Those of a directory together. */
  *all(): Generator<StoredRecord> {
    for (const { directories } of this.#folders.values()) {
      for (const { records } of directories.values()) yield* records.values();
    }
  }

  /** The same, as they are now, whatever changes later. To be read once. */
  capture(): Iterable<StoredRecord> {
    // Many small lists: one that grows to 100,000 leaves several times as much behind.
    const lists = [...this.#folders.values()].flatMap(({ directories }) =>
      Array.from(directories.values(), (directory) => [...directory.records.values()]),
    );
    return (function* records() {
      for (const list of lists) yield* list;
    })();
  }

  #files(): SetsByKey<string | number, StoredRecord> {
    if (this.#byFile !== null) return this.#byFile;
    this.#byFile = new SetsByKey();
    for (const record of this.all()) for (const key of this.#keysOf(record)) this.#byFile.add(key, record);
    return this.#byFile;
  }

  /** Records that have one docId together with others. */
  withSharedDocId(): readonly StoredRecord[] {
    if (this.#docIds().size === this.reader.total()) return [];
    const lists = groupBy([...this.all()], ({ docId }) => docId);
    return [...lists.values()].filter((records) => records.length > 1).flat();
  }

  #identify(directory: Directory, identity: FileIdentity | null): void {
    if (directory.identity !== null) this.#byIdentity.delete(directory.identity.ino, directory);
    directory.identity = identity;
    if (identity !== null) this.#byIdentity.add(identity.ino, directory);
  }

  #docIds(): Map<string, StoredRecord> {
    if (this.#byDocId !== null) return this.#byDocId;
    this.#byDocId = new Map();
    for (const record of this.all()) this.#byDocId.set(record.docId, record);
    return this.#byDocId;
  }

  #index(record: StoredRecord): void {
    const { rare, directory } = record;
    if ((rare?.possibleDuplicates ?? 0) > 0) this.#doubled.add(record);
    if (rare !== null && widerMode(rare) !== null) this.#narrower.add(directory?.folder ?? '', record);
    if (rare?.attachments?.some(({ folder }) => folder !== undefined) === true)
      this.#attachingElsewhere.add(record);
    this.#byDocId?.set(record.docId, record);
    if (this.#byFile !== null) for (const key of this.#keysOf(record)) this.#byFile.add(key, record);
  }

  /** `docId`: of the record that comes in its place. What goes and comes in a large map would have it rebuilt often. */
  #unindex(record: StoredRecord, docId: string | null): void {
    this.#doubled.delete(record);
    this.#narrower.delete(record.directory?.folder ?? '', record);
    this.#attachingElsewhere.delete(record);
    if (this.#byFile !== null) for (const key of this.#keysOf(record)) this.#byFile.delete(key, record);
    const docIds = this.#byDocId;
    if (docIds?.get(record.docId) === record && record.docId !== docId) docIds.delete(record.docId);
  }
}

function* entriesOf(records: Iterable<StoredRecord>): Generator<LedgerEntry> {
  for (const record of records) yield toEntry(record);
}

function recordOf(records: Directory['records'] | undefined, name: string): LedgerRecord | undefined {
  const record = records?.get(name);
  return record === undefined ? undefined : toRecord(record);
}

const noRecords: Directory['records'] = new Map();

function viewOf(records: Directory['records']): DirectoryRecords {
  return {
    get size() {
      return records.size;
    },
    keys: () => records.keys(),
    get: (name) => recordOf(records, name),
    rootChange: (name) => records.get(name)?.rare?.rootChange,
    match: (name, { stat, fingerprint }) => {
      const record = records.get(name);
      if (record === undefined) return 'none';
      if (!sameStat(record, stat)) return 'other';
      return record.fingerprint === fingerprint ? 'same' : 'stat';
    },
  };
}

/** What a record is found by for the stem of its file's name, as it is and as it went out last. */
function stemKeys({ name, rare }: StoredRecord): readonly string[] {
  return Array.from(new Set([name, rare?.fileName ?? name]), (one) => `/${stemOf(one)}`);
}

/** What a record's file, files that it had before and its attachments are found by, and the paths of these. */
function fileKeys(record: StoredRecord): readonly (string | number)[] {
  const { directory, rare } = record;
  if (directory === null || rare === null) return [fileKey(record)];
  const { attachments = [], heldModes = [], standing } = rare;
  const former = heldModes.flatMap(({ file }) => file ?? []);
  const files = [record, standing ?? [], former, attachments.map(({ stat }) => stat)].flat();
  const keys = new Set<string | number>(files.map(fileKey));
  for (const { path, folder = directory.folder } of attachments)
    if (path !== undefined) keys.add(refKey({ folder, path }));
  return [...keys];
}
