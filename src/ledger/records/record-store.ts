import { directoryOf, isSameFile, nameOf, refKey, sameFile } from '../../model/document.ts';
import type { DocumentRef, FileStat, FileIdentity } from '../../model/document.ts';
import { widerMode } from '../../model/metadata/held-mode.ts';
import type { DirectoryRef } from '../../model/ports/ledger-port.ts';
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
  /** Made when somebody asks: most starts find nothing that has moved. A list only where several have the number. */
  #byInode: Map<number, StoredRecord | StoredRecord[]> | null = null;
  /** By attachment, its path or its inode number, and by the inode numbers of former files; made when somebody asks, too. */
  #owners: Map<string | number, Set<StoredRecord>> | null = null;
  /** Those with an attachment in another folder: hardly any. */
  readonly #carryingElsewhere = new Set<StoredRecord>();
  /** Directories by inode number; made when somebody asks. */
  #byIdentity: Map<number, Set<Directory>> | null = null;
  /** DocIds that came while another record had them: after a move, and in a ledger that is not right. */
  readonly #suspects = new Set<string>();
  #duplicates = 0;
  /** Documents that are held more narrowly than is stated, by folder. */
  readonly #narrower = new Map<string, number>();

  get({ folder, path }: DocumentRef): StoredRecord | undefined {
    return this.directory(folder, directoryOf(path))?.records.get(nameOf(path));
  }

  put(folder: string, path: string, record: StoredRecord): void {
    const directory = this.#open(folder, path);
    const before = directory.records.get(record.name);
    directory.records.set(record.name, record);
    if (before === undefined) (this.#folders.get(folder) as Folder).count += 1;
    else this.#unindex(before, record.docId);
    record.directory = directory;
    this.#index(record, before);
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

  directory(folder: string, path: string): Directory | undefined {
    return this.#folders.get(folder)?.directories.get(path);
  }

  directories(folder: string): Iterable<string> {
    return this.#folders.get(folder)?.directories.keys() ?? [];
  }

  /** Says which directory holds the records of a path; null: nobody knows. Nothing where it has none. */
  identify({ folder, path }: DirectoryRef, identity: FileIdentity | null): void {
    const directory = this.directory(folder, path);
    if (directory !== undefined) this.#identify(directory, identity);
  }

  placesOf(identity: FileIdentity): readonly DirectoryRef[] {
    if (this.#byIdentity === null) {
      this.#byIdentity = new Map();
      for (const { directories } of this.#folders.values())
        for (const directory of directories.values())
          if (directory.identity !== null) addTo(this.#byIdentity, directory.identity.ino, directory);
    }
    const places: DirectoryRef[] = [];
    for (const { folder, path, identity: known } of this.#byIdentity.get(identity.ino) ?? [])
      if (known !== null && sameFile(known, identity)) places.push({ folder, path });
    return places;
  }

  folders(): readonly string[] {
    return [...this.#folders.keys()];
  }

  attachedElsewhere(): readonly DocumentRef[] {
    return [...this.#carryingElsewhere].flatMap(({ rare }) =>
      (rare?.attachments ?? []).flatMap(({ folder, path }) =>
        folder === undefined || path === undefined ? [] : [{ folder, path }],
      ),
    );
  }

  count(folder: string): number {
    return this.#folders.get(folder)?.count ?? 0;
  }

  /** The sum of all records. */
  possibleDuplicates(): number {
    return this.#duplicates;
  }

  /** Documents of a folder that are held more narrowly than is stated. */
  narrower(folder: string): number {
    return this.#narrower.get(folder) ?? 0;
  }

  #countNarrower({ directory, rare }: StoredRecord, one: 1 | -1): void {
    if (rare === null || directory === null || widerMode(rare) === null) return;
    this.#narrower.set(directory.folder, this.narrower(directory.folder) + one);
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

  findByInode(ino: number): readonly StoredRecord[] {
    if (ino === 0) return [];
    if (this.#byInode === null) {
      this.#byInode = new Map();
      for (const record of this.all()) addInode(this.#byInode, record);
    }
    const found = this.#byInode.get(ino);
    return found === undefined ? [] : Array.isArray(found) ? found : [found];
  }

  findOwners(ref: DocumentRef, stat: FileStat): readonly StoredRecord[] {
    const owners = this.#ownersByKey();
    const byFile = [...(owners.get(stat.ino) ?? [])].filter(({ rare }) =>
      rare?.attachments?.some((attachment) => isSameFile(attachment.stat, stat)),
    );
    return [...new Set([...(owners.get(refKey(ref)) ?? []), ...byFile])];
  }

  /** Records of which a file of this inode number is or was the document, or is an attachment. */
  findHolders({ ino }: FileStat): readonly StoredRecord[] {
    if (ino === 0) return [];
    return [...new Set([...this.findByInode(ino), ...(this.#ownersByKey().get(ino) ?? [])])];
  }

  #ownersByKey(): ReadonlyMap<string | number, ReadonlySet<StoredRecord>> {
    if (this.#owners === null) {
      this.#owners = new Map();
      for (const record of this.all())
        for (const key of attachmentKeys(record)) addTo(this.#owners, key, record);
    }
    return this.#owners;
  }

  findByDocId(docId: string): StoredRecord | undefined {
    return this.#docIds().get(docId);
  }

  /** Records that have one docId together with others. */
  withSharedDocId(): readonly StoredRecord[] {
    this.#docIds();
    if (this.#suspects.size === 0) return [];
    const found = [...this.#suspects].map((docId) => [docId, [] as StoredRecord[]] as const);
    const lists = new Map(found);
    for (const record of this.all()) lists.get(record.docId)?.push(record);
    return [...lists.values()].filter((records) => records.length > 1).flat();
  }

  #open(folder: string, path: string): Directory {
    let known = this.#folders.get(folder);
    if (known === undefined) {
      known = { directories: new Map(), count: 0 };
      this.#folders.set(folder, known);
    }
    let directory = known.directories.get(path);
    if (directory === undefined) {
      directory = { folder, path, records: new Map(), identity: null };
      known.directories.set(path, directory);
    }
    return directory;
  }

  #identify(directory: Directory, identity: FileIdentity | null): void {
    if (directory.identity !== null) this.#byIdentity?.get(directory.identity.ino)?.delete(directory);
    directory.identity = identity;
    if (identity !== null && this.#byIdentity !== null) addTo(this.#byIdentity, identity.ino, directory);
  }

  #docIds(): Map<string, StoredRecord> {
    if (this.#byDocId !== null) return this.#byDocId;
    this.#byDocId = new Map();
    for (const record of this.all()) this.#addDocId(this.#byDocId, record, undefined);
    return this.#byDocId;
  }

  #addDocId(index: Map<string, StoredRecord>, record: StoredRecord, before: StoredRecord | undefined): void {
    const { size } = index;
    // One that comes in place of another record with the same docId is no double.
    const replaces = before !== undefined && index.get(record.docId) === before;
    index.set(record.docId, record);
    if (index.size === size && !replaces) this.#suspects.add(record.docId);
  }

  #index(record: StoredRecord, before: StoredRecord | undefined): void {
    this.#duplicates += record.rare?.possibleDuplicates ?? 0;
    this.#countNarrower(record, 1);
    if (record.rare?.attachments?.some(({ folder }) => folder !== undefined) === true)
      this.#carryingElsewhere.add(record);
    if (this.#byDocId !== null) this.#addDocId(this.#byDocId, record, before);
    if (this.#byInode !== null) addInode(this.#byInode, record);
    if (this.#owners !== null) for (const key of attachmentKeys(record)) addTo(this.#owners, key, record);
  }

  /** `docId`: of the record that comes in its place. What goes and comes in a large map would have it rebuilt often. */
  #unindex(record: StoredRecord, docId: string | null): void {
    this.#duplicates -= record.rare?.possibleDuplicates ?? 0;
    this.#countNarrower(record, -1);
    this.#carryingElsewhere.delete(record);
    if (this.#byInode !== null) removeInode(this.#byInode, record);
    if (this.#owners !== null)
      for (const key of attachmentKeys(record)) this.#owners.get(key)?.delete(record);
    const docIds = this.#byDocId;
    if (docIds?.get(record.docId) !== record || record.docId === docId) return;
    docIds.delete(record.docId);
    if (!this.#suspects.delete(record.docId)) return;
    for (const other of this.all()) {
      if (other.docId !== record.docId) continue;
      if (docIds.has(record.docId)) this.#suspects.add(record.docId);
      docIds.set(record.docId, other);
    }
  }
}

/** What a record's attachments, and the files that it had before, are found by. */
function attachmentKeys({ directory, rare }: StoredRecord): readonly (string | number)[] {
  if (directory === null || rare === null) return [];
  const { attachments = [], heldModes = [] } = rare;
  return [
    ...attachments.flatMap(({ path, folder = directory.folder, stat }) => [
      ...(path === undefined ? [] : [refKey({ folder, path })]),
      ...(stat.ino === 0 ? [] : [stat.ino]),
    ]),
    ...heldModes.flatMap(({ file }) => (file === undefined ? [] : [file.ino])),
  ];
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
