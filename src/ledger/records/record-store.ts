import { directoryOf, nameOf, refKey, sameFile } from '../../model/document.ts';
import type { DocumentRef, FileStat, FileIdentity } from '../../model/document.ts';
import type { DirectoryRef } from '../../model/ports/ledger-port.ts';
import type { Directory, StoredRecord } from './stored-record.ts';

interface Folder {
  readonly directories: Map<string, Directory>;
  count: number;
}

/** All records by folder, directory and name, found by docId and inode number too. */
export interface RecordStore {
  readonly get: (ref: DocumentRef) => StoredRecord | undefined;
  readonly put: (folder: string, directory: string, record: StoredRecord) => void;
  readonly drop: (ref: DocumentRef) => void;
  readonly directory: (folder: string, directory: string) => Directory | undefined;
  readonly directories: (folder: string) => Iterable<string>;
  /** Says which directory holds the records of a path; null: nobody knows. Nothing where it has none. */
  readonly identify: (place: DirectoryRef, identity: FileIdentity | null) => void;
  readonly placesOf: (identity: FileIdentity) => readonly DirectoryRef[];
  readonly folders: () => readonly string[];
  readonly count: (folder: string) => number;
  /** The sum of all records. */
  readonly possibleDuplicates: () => number;
  /** Those of a directory together. */
  readonly all: () => Iterable<StoredRecord>;
  /** The same, as they are now, whatever changes later. To be read once. */
  readonly capture: () => Iterable<StoredRecord>;
  readonly findByInode: (ino: number) => readonly StoredRecord[];
  readonly findCarriers: (ref: DocumentRef, stat: FileStat) => readonly StoredRecord[];
  readonly findByDocId: (docId: string) => StoredRecord | undefined;
  /** Records that have one docId together with others. */
  readonly withSharedDocId: () => readonly StoredRecord[];
}

/** An empty store. */
export function createRecordStore(): RecordStore {
  const folders = new Map<string, Folder>();
  /** Made when somebody asks: of records that have become old it takes a quarter of the time. */
  let byDocId: Map<string, StoredRecord> | null = null;
  /** Made when somebody asks: most starts find nothing that has moved. A list only where several have the number. */
  let byInode: Map<number, StoredRecord | StoredRecord[]> | null = null;
  /** By attachment, its path or its inode number; made when somebody asks, too. */
  let carriers: Map<string | number, Set<StoredRecord>> | null = null;
  /** Directories by inode number; made when somebody asks. */
  let byIdentity: Map<number, Set<Directory>> | null = null;
  /** DocIds that came while another record had them: after a move, and in a ledger that is not right. */
  const suspects = new Set<string>();
  let duplicates = 0;

  function open(folder: string, path: string): Directory {
    let known = folders.get(folder);
    if (known === undefined) {
      known = { directories: new Map(), count: 0 };
      folders.set(folder, known);
    }
    let directory = known.directories.get(path);
    if (directory === undefined) {
      directory = { folder, path, records: new Map(), identity: null };
      known.directories.set(path, directory);
    }
    return directory;
  }

  function identifyDirectory(directory: Directory, identity: FileIdentity | null): void {
    if (directory.identity !== null) byIdentity?.get(directory.identity.ino)?.delete(directory);
    directory.identity = identity;
    if (identity !== null && byIdentity !== null) addTo(byIdentity, identity.ino, directory);
  }

  function* all(): Generator<StoredRecord> {
    for (const { directories } of folders.values()) {
      for (const { records } of directories.values()) yield* records.values();
    }
  }

  function docIds(): Map<string, StoredRecord> {
    if (byDocId !== null) return byDocId;
    byDocId = new Map();
    for (const record of all()) addDocId(byDocId, record, undefined);
    return byDocId;
  }

  function addDocId(
    index: Map<string, StoredRecord>,
    record: StoredRecord,
    before: StoredRecord | undefined,
  ): void {
    const { size } = index;
    // One that comes in place of another record with the same docId is no double.
    const replaces = before !== undefined && index.get(record.docId) === before;
    index.set(record.docId, record);
    if (index.size === size && !replaces) suspects.add(record.docId);
  }

  function index(record: StoredRecord, before: StoredRecord | undefined): void {
    duplicates += record.rare?.possibleDuplicates ?? 0;
    if (byDocId !== null) addDocId(byDocId, record, before);
    if (byInode !== null) addInode(byInode, record);
    if (carriers !== null) for (const key of carriedKeys(record)) addTo(carriers, key, record);
  }

  /** `docId`: of the record that comes in its place. What goes and comes in a large map would have it rebuilt often. */
  function unindex(record: StoredRecord, docId: string | null): void {
    duplicates -= record.rare?.possibleDuplicates ?? 0;
    if (byInode !== null) removeInode(byInode, record);
    for (const key of carriers === null ? [] : carriedKeys(record)) carriers?.get(key)?.delete(record);
    if (byDocId?.get(record.docId) !== record || record.docId === docId) return;
    byDocId.delete(record.docId);
    if (!suspects.delete(record.docId)) return;
    for (const other of all()) {
      if (other.docId !== record.docId) continue;
      if (byDocId.has(record.docId)) suspects.add(record.docId);
      byDocId.set(record.docId, other);
    }
  }

  return {
    get: ({ folder, path }) =>
      folders.get(folder)?.directories.get(directoryOf(path))?.records.get(nameOf(path)),
    put: (folder, path, record) => {
      const directory = open(folder, path);
      const before = directory.records.get(record.name);
      directory.records.set(record.name, record);
      if (before === undefined) (folders.get(folder) as Folder).count += 1;
      else unindex(before, record.docId);
      record.directory = directory;
      index(record, before);
    },
    drop: ({ folder, path }) => {
      const known = folders.get(folder);
      const directory = known?.directories.get(directoryOf(path));
      const record = directory?.records.get(nameOf(path));
      if (known === undefined || directory === undefined || record === undefined) return;
      directory.records.delete(record.name);
      known.count -= 1;
      if (directory.records.size === 0) {
        known.directories.delete(directory.path);
        identifyDirectory(directory, null);
      }
      if (known.count === 0) folders.delete(folder);
      unindex(record, null);
    },
    directory: (folder, path) => folders.get(folder)?.directories.get(path),
    directories: (folder) => folders.get(folder)?.directories.keys() ?? [],
    identify: ({ folder, path }, identity) => {
      const directory = folders.get(folder)?.directories.get(path);
      if (directory !== undefined) identifyDirectory(directory, identity);
    },
    placesOf: (identity) => {
      if (byIdentity === null) {
        byIdentity = new Map();
        for (const { directories } of folders.values())
          for (const directory of directories.values())
            if (directory.identity !== null) addTo(byIdentity, directory.identity.ino, directory);
      }
      const places: DirectoryRef[] = [];
      for (const { folder, path, identity: known } of byIdentity.get(identity.ino) ?? [])
        if (known !== null && sameFile(known, identity)) places.push({ folder, path });
      return places;
    },
    folders: () => [...folders.keys()],
    count: (folder) => folders.get(folder)?.count ?? 0,
    possibleDuplicates: () => duplicates,
    all,
    capture: () => {
      // Many small lists: one that grows to 100,000 leaves several times as much behind.
      const lists = [...folders.values()].flatMap(({ directories }) =>
        Array.from(directories.values(), (directory) => [...directory.records.values()]),
      );
      return (function* records() {
        for (const list of lists) yield* list;
      })();
    },
    findByInode: (ino) => {
      if (ino === 0) return [];
      if (byInode === null) {
        byInode = new Map();
        for (const record of all()) addInode(byInode, record);
      }
      const found = byInode.get(ino);
      return found === undefined ? [] : Array.isArray(found) ? found : [found];
    },
    findCarriers: (ref, stat) => {
      if (carriers === null) {
        carriers = new Map();
        for (const record of all()) for (const key of carriedKeys(record)) addTo(carriers, key, record);
      }
      const byFile = [...(carriers.get(stat.ino) ?? [])].filter(({ rare }) =>
        rare?.attachments?.some((attachment) => sameFile(attachment.stat, stat)),
      );
      return [...new Set([...(carriers.get(refKey(ref)) ?? []), ...byFile])];
    },
    findByDocId: (docId) => docIds().get(docId),
    withSharedDocId: () => {
      docIds();
      if (suspects.size === 0) return [];
      const found = [...suspects].map((docId) => [docId, [] as StoredRecord[]] as const);
      const lists = new Map(found);
      for (const record of all()) lists.get(record.docId)?.push(record);
      return [...lists.values()].filter((records) => records.length > 1).flat();
    },
  };
}

/** What a record's attachments are found by. */
function carriedKeys({ directory, rare }: StoredRecord): readonly (string | number)[] {
  if (directory === null || rare?.attachments === undefined) return [];
  const { folder } = directory;
  return rare.attachments.flatMap(({ path, stat }) => [
    ...(path === undefined ? [] : [refKey({ folder, path })]),
    ...(stat.ino === 0 ? [] : [stat.ino]),
  ]);
}

function addTo<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([value]));
  else known.add(value);
}

function addInode(index: Map<number, StoredRecord | StoredRecord[]>, record: StoredRecord): void {
  if (record.ino === 0) return;
  const found = index.get(record.ino);
  if (found === undefined) index.set(record.ino, record);
  else if (Array.isArray(found)) found.push(record);
  else index.set(record.ino, [found, record]);
}

function removeInode(index: Map<number, StoredRecord | StoredRecord[]>, record: StoredRecord): void {
  const found = index.get(record.ino);
  if (found === record) index.delete(record.ino);
  else if (Array.isArray(found)) {
    const left = found.filter((other) => other !== record);
    if (left.length === 0) index.delete(record.ino);
    else index.set(record.ino, left);
  }
}
