import { lettersApart } from './letters-apart.ts';
import { placeOf, readSaid } from './statement.ts';
import type { Said, ShareMode, Statement } from './statement.ts';

/** A file as it stands at one moment. */
export interface SeenFile {
  /** From the simulated disk's root: `inbox/a.pdf`. */
  readonly path: string;
  /** The same file, whatever its names and numbers are. */
  readonly identity: object;
  /** What its file system calls it: without birth times another one may have been called so before. */
  readonly number?: number;
  /** The directory that names it: one directory shown at two places is the same. */
  readonly directory: object;
  /** Its file system: a file is never moved to another one. */
  readonly device: object;
  readonly content: Buffer;
  /** The same as a text. */
  readonly text: string;
  /** When it changed, as its file system says. */
  readonly changedAt?: number;
  /** No process can read it now: below a directory without rights, or covered by a mount. */
  readonly isHidden: boolean;
  /** The directory that names it cannot be listed now, or is covered. */
  readonly isUnlisted: boolean;
  /** Nor can anybody tell that its name is that of a directory. */
  readonly isUntold?: boolean;
  /** It cannot be looked at, and no event tells when that has ended. */
  readonly isBarred?: boolean;
  /** A symbolic link, and no file. */
  readonly isLink?: boolean;
}

/** A folder that is configured: its name is the first part of a path. */
export interface JudgedFolder {
  readonly name: string;
  readonly mode: ShareMode | null;
}

/** What a file is, by section 4 of the contract. */
export type Role =
  | {
      readonly kind: 'document';
      readonly statement: Statement;
      /** Paths of what goes out with it. */
      readonly attachments: readonly string[];
      /** Why it may not go out now; null: it may. */
      readonly obstacle: Obstacle | null;
      /** What is stated for it is valid and can be seen, whatever keeps its content back. */
      readonly isStated: boolean;
    }
  | { readonly kind: 'attachment'; readonly owner: string }
  /** Listed, and not sent: its document is kept at the service. */
  | { readonly kind: 'companion' | 'ignored' }
  /** The same. `statement`: of one that is a document but for its name, or its content; null: of another type. */
  | { readonly kind: 'unfit' | 'empty'; readonly statement: Statement | null; readonly isStated: boolean }
  /** In a directory of attachments without its document: it holds no documents (contract 7.9). */
  | { readonly kind: 'unowned' }
  /** In a place that is not listed: as if it were not there. */
  | { readonly kind: 'elsewhere' };

/** Why a document may not go out. */
export interface Obstacle {
  readonly kind:
    | 'hidden'
    | 'hidden-companion'
    | 'invalid-companion'
    | 'ambiguous'
    | 'attachments'
    | 'ignore-encoding'
    | 'likely-sidecar';
  readonly words: string;
  /** It keeps back only what was not sent yet. */
  readonly isForNew?: true;
  /** The contract leaves open whether it does. */
  readonly isOpen?: true;
}

export type RoledFile = SeenFile & { readonly role: Role };

const types = /\.(?:pdf|html?|txt|docx?|xlsx?|pptx?|msg|eml|csv|xls[bm]|one|tsv|ods)$/i;
const neverNames = /^(?:\.|~\$)|^\.~lock\.|\.(?:tmp|part|crdownload)$/;
const unlistedDirectory = /(?:^|\/)(?:\.[^/]*|#recycle)\//;
const sidecarEnd = '.meta.json';
const listEnd = '.attachments';

/** The whole disk at one moment, read by nothing but the contract. */
export class Reading {
  readonly files = new Map<string, RoledFile>();
  /** Of two names that are one in NFC, either may stand (contract 7.3): paths, and the files that are not in `files`. */
  readonly twins = new Map<string, RoledFile>();
  /** Paths of what goes out with several documents. */
  readonly shared = new Set<string>();
  /** Paths of symbolic links. */
  readonly links = new Set<string>();
  readonly #seen = new Map<string, SeenFile>();
  /** Paths of `#seen`, by the directory that names them. */
  readonly #listed = new Map<string, string[]>();
  /** Every directory above one of them. */
  readonly #above = new Set<string>();
  readonly #paths = new Map<object, readonly string[]>();
  readonly #folders: readonly JudgedFolder[];
  readonly #said = new Map<string, Said | null>();
  /** What sidecars list, and what those of files that are there do; null: nobody has asked. */
  #bySidecars: ReadonlySet<string> | null = null;
  #byDocuments: ReadonlySet<string> | null = null;
  /** Of ignore files, by their directories. */
  readonly #lines = new Map<string, readonly string[] | null>();

  constructor(image: readonly SeenFile[], folders: readonly JudgedFolder[]) {
    this.#folders = folders.filter((folder, index) => !isShown(folder, folders.slice(0, index), image));
    const twins: SeenFile[] = [];
    // Names are compared in NFC.
    for (const file of image) {
      const path = file.path.normalize('NFC');
      if (file.isLink === true) {
        // What a mount hides, nobody can list.
        if (!isOutOfReach(path)) this.links.add(path);
      } else if (this.#seen.has(path)) twins.push({ ...file, path });
      else this.#seen.set(path, { ...file, path });
    }
    for (const path of this.#seen.keys()) {
      const [directory = '', ...outer] = above(path);
      const listed = this.#listed.get(directory);
      if (listed === undefined) this.#listed.set(directory, [path]);
      else listed.push(path);
      for (const one of [directory, ...outer]) this.#above.add(one);
    }
    const inFolders = [...this.#seen.values()].filter(({ path }) => this.#folderOf(path) !== undefined);
    const lists = this.#lists(inFolders);
    const owners = new Map<string, string>();
    for (const [owner, listed] of lists)
      for (const path of listed) {
        if (owners.has(path)) this.shared.add(path);
        owners.set(path, owner);
      }
    for (const file of inFolders)
      this.files.set(file.path, {
        ...file,
        role: this.#roleOf(file, owners.get(file.path), lists.get(file.path) ?? []),
      });
    for (const twin of twins) {
      const role = this.files.get(twin.path)?.role;
      if (role !== undefined) this.twins.set(twin.path, { ...twin, role });
    }
    for (const { identity, path } of inFolders) this.#paths.set(identity, [...this.pathsOf(identity), path]);
  }

  /** Whether two names are this one in NFC, that of a symbolic link too: either may stand (contract 7.3). */
  hasTwin(path: string): boolean {
    return this.twins.has(path) || (this.links.has(path) && this.files.has(path));
  }

  /** Files outside of the folders too, and of twins both. */
  everything(): Iterable<SeenFile> {
    return [...this.#seen.values(), ...this.twins.values()];
  }

  /** Every file in the folders, of twins both. */
  all(): readonly RoledFile[] {
    return [...this.files.values(), ...this.twins.values()];
  }

  /**
   * Whether a directory cannot be listed, or is covered: a file of its device (null: of any) could be in there, unless it
   * is one of these. What is in one that is hidden by its name is gone in any case (contract 7.25).
   */
  hidesSomethingOf(wanted: object | null, but: ReadonlySet<object>): boolean {
    const files = [...this.files.values()];
    // What a mount covers at one place may be shown at another one.
    const shown = new Set(files.filter(({ isUnlisted }) => !isUnlisted).map(({ directory }) => directory));
    return files.some(
      ({ path, isUnlisted, device, directory }) =>
        isUnlisted &&
        (wanted === null || device === wanted) &&
        !but.has(directory) &&
        !shown.has(directory) &&
        !isElsewhere(path) &&
        // What lies in a directory below one of attachments is never listed (contract 4).
        !isInList(directoryOf(path)),
    );
  }

  /** Whether the directory of a path cannot be listed, as far as something stands in it. */
  isBesideUnlisted(path: string): boolean {
    const directory = directoryOf(path);
    return [...this.files.values()].some((one) => one.isUnlisted && directoryOf(one.path) === directory);
  }

  /** Directories that a mount covers, or that are on a disk which is away. */
  covered(): ReadonlySet<object> {
    const files = [...this.files.values()].filter(({ path }) => isOutOfReach(path));
    return new Set(files.map(({ directory }) => directory));
  }

  /** Whether a mount covers a file, or it is on a disk that is away. */
  isCovered(identity: object): boolean {
    return this.pathsOf(identity).some(isOutOfReach);
  }

  /** What the own sidecar of a file says; null: it has none, or an invalid one. */
  saidOf(path: string): Said | null {
    const own = this.sidecarOf(path);
    return own === null ? null : this.said(own.path);
  }

  /** Names by which a file stands. */
  pathsOf(identity: object): readonly string[] {
    return this.#paths.get(identity) ?? [];
  }

  said(path: string): Said | null {
    const known = this.#said.get(path);
    if (known !== undefined) return known;
    const file = this.#seen.get(path);
    const said = file === undefined || file.isHidden ? null : readSaid(file.content);
    this.#said.set(path, said);
    return said;
  }

  /** The sidecar that says something of a document; null: it has none. `isAmbiguous`: it could be another's too. */
  sidecarOf(path: string): { readonly path: string; readonly isAmbiguous: boolean } | null {
    const own = `${path}${sidecarEnd}`;
    if (this.#seen.has(own)) return { path: own, isAmbiguous: false };
    const stem = stemOf(path);
    const shared = `${stem}${sidecarEnd}`;
    if (shared === own || !this.#seen.has(shared)) return null;
    const directory = directoryOf(path);
    // The only document or attachment of that stem.
    const claimants = this.#listedIn(directory).filter(
      (other) =>
        stemOf(other) === stem &&
        types.test(other) &&
        !neverNames.test(nameOf(other)) &&
        !this.isIgnored(other),
    );
    // What is no document has no sidecar by its stem.
    if (this.#seen.has(path) && !claimants.includes(path)) return null;
    return { path: shared, isAmbiguous: claimants.length > 1 };
  }

  /** What stands in a directory itself. */
  #listedIn(directory: string): readonly string[] {
    return this.#listed.get(directory) ?? [];
  }

  #folderOf(path: string): JudgedFolder | undefined {
    return this.#folders.find(({ name }) => path.startsWith(`${name}/`));
  }

  /** Which files go out with which. */
  #lists(files: readonly SeenFile[]): ReadonlyMap<string, readonly string[]> {
    const lists = new Map<string, readonly string[]>();
    const add = (owner: string, path: string) => lists.set(owner, [...(lists.get(owner) ?? []), path]);
    const isFit = (path: string) => this.#isCandidate(path) && !this.isIgnored(path);
    for (const { path } of files) {
      const directory = directoryOf(path);
      const owner = directory.slice(0, -listEnd.length);
      const isList = directory.endsWith(listEnd) && !isInList(owner);
      // Without its document it holds nothing (contract 7.9).
      if (isList && this.#seen.has(owner) && isFit(owner) && isFit(path)) add(owner, path);
      // What lies in a list is no document, which could attach something.
      const sidecar = this.#isCandidate(path) && !isInList(path) ? this.sidecarOf(path) : null;
      if (sidecar === null || sidecar.isAmbiguous) continue;
      for (const listed of this.said(sidecar.path)?.attachments ?? []) {
        const target = `${directory}/${listed}`;
        if (target !== path && this.#seen.has(target) && isFit(target)) add(path, target);
      }
    }
    return new Map(
      [...lists].map(([owner, listed]) => [owner, listed.filter((path) => !this.#isOwning(path))] as const),
    );
  }

  /** What attaches something is no attachment here; the contract leaves that open. */
  #isOwning(path: string): boolean {
    const hasOwnList = !isInList(path) && this.#above.has(`${path}${listEnd}`);
    return hasOwnList || (this.saidOf(path)?.attachments ?? []).length > 0;
  }

  #isCandidate(path: string): boolean {
    return types.test(path) && !neverNames.test(nameOf(path)) && !isElsewhere(path);
  }

  /** Whether a file that comes with such a name may become a document or say something of one. */
  static maySay(path: string): boolean {
    const name = nameOf(path);
    if (isElsewhere(path)) return false;
    return (
      name.endsWith(sidecarEnd) || name === '.ingestignore' || (types.test(name) && !neverNames.test(name))
    );
  }

  /** Whether its name is that of a document: in no place that is not listed, nor in a list of attachments. */
  static mayBeDocument(path: string): boolean {
    return types.test(path) && Reading.maySay(path) && !isInList(path);
  }

  #roleOf(file: SeenFile, owner: string | undefined, attachments: readonly string[]): Role {
    const { path, content } = file;
    const name = nameOf(path);
    if (owner !== undefined) return { kind: 'attachment', owner };
    if (isElsewhere(path)) return { kind: 'elsewhere' };
    if (isInList(path)) return { kind: 'unowned' };
    if (name.endsWith(sidecarEnd) || name === '.ingestignore') return { kind: 'companion' };
    if (neverNames.test(name) || this.isIgnored(path)) return { kind: 'ignored' };
    if (!types.test(name)) return { kind: 'unfit', statement: null, isStated: false };
    const sidecar = this.sidecarOf(path);
    const statement = this.#statementOf(path, sidecar?.path ?? null);
    const silence = this.#silenceOf(file, sidecar);
    const isStated = silence === null || silence.isForNew === true;
    if (name.split('.').length !== 2 || name.length > 255) return { kind: 'unfit', statement, isStated };
    if (content.length === 0) return { kind: 'empty', statement, isStated };
    const obstacle = this.#obstacleOf(file, sidecar, attachments) ?? silence;
    return { kind: 'document', statement, attachments, obstacle, isStated };
  }

  #obstacleOf(
    { path, isHidden }: SeenFile,
    sidecar: ReturnType<Reading['sidecarOf']>,
    attachments: readonly string[],
  ): Obstacle | null {
    if (isHidden) return { kind: 'hidden', words: 'it is out of sight' };
    if (this.#isOwning(path) && this.isListedBySidecar(path))
      return { kind: 'attachments', words: 'it may be an attachment itself', isOpen: true };
    const list = this.#listedIn(`${path}${listEnd}`).filter((one) => !this.isOutOfList(one));
    // What is in a list that cannot be read nobody can tell, whatever patterns say of it.
    const hidden =
      attachments.find((one) => this.#seen.get(one)?.isHidden === true) ??
      list.find((one) => this.#seen.get(one)?.isUnlisted === true);
    if (hidden !== undefined) return { kind: 'hidden-companion', words: `${hidden} cannot be looked at` };
    // Whether it is a file, which would be one of its attachments, nobody can tell.
    const isUntold = (one: SeenFile) =>
      one.isUntold === true && directoryOf(directoryOf(one.path)) === `${path}${listEnd}`;
    if ([...this.#seen.values()].some(isUntold))
      return {
        kind: 'hidden-companion',
        words: 'what may be an attachment cannot be looked at',
        isOpen: true,
      };
    const unfit = this.#listedIn(`${path}${listEnd}`)
      .filter((one) => !types.test(one) && !neverNames.test(nameOf(one)) && !this.isIgnored(one))
      .toSorted((one, other) => Number(one.endsWith('~')) - Number(other.endsWith('~')))[0];
    if (unfit !== undefined) {
      // Whether a backup of an editor counts among its attachments nobody says.
      const isOpen = unfit.endsWith('~');
      const words = `${unfit} is of no type that can be sent`;
      return { kind: 'attachments', words, ...(isOpen ? { isOpen } : {}) };
    }
    const empty = attachments.find((one) => this.#seen.get(one)?.content.length === 0);
    if (empty !== undefined) return { kind: 'attachments', words: `${empty} is empty` };
    if (attachments.length > 10) return { kind: 'attachments', words: 'it has more than ten attachments' };
    if (new Set(attachments.map(nameOf)).size < attachments.length)
      return { kind: 'attachments', words: 'two of its attachments have one name' };
    if (sidecar?.isAmbiguous === true) return { kind: 'ambiguous', words: 'its sidecar is ambiguous' };
    const invalid = sidecar === null ? null : this.#companionFault(sidecar.path);
    if (invalid !== null) return invalid;
    const lists = sidecar === null ? [] : (this.said(sidecar.path)?.attachments ?? []);
    const listed = lists.map((one) => `${directoryOf(path)}/${one}`);
    const ownIgnore = `${path}${listEnd}/.ingestignore`;
    if (this.#seen.get(ownIgnore)?.isHidden === true || listed.some((one) => this.isBelowUntold(one)))
      return { kind: 'hidden-companion', words: 'a list of ignored names cannot be looked at' };
    // Nothing below such a file is sent, attachments neither (contract 7.35).
    const shutList = [`${path}${listEnd}/any`, ...listed].find((one) => this.shutDirectory(one) !== null);
    if (shutList !== undefined)
      return { kind: 'ignore-encoding', words: `the ignore file beside ${shutList} is not UTF-8` };
    const missing = listed.filter((one) => !attachments.includes(one));
    if (missing.length > 0) {
      const words = 'an attachment cannot be sent';
      const isOpen = missing.every((one) => this.#isOwning(one));
      return { kind: 'attachments', words, ...(isOpen ? { isOpen } : {}) };
    }
    return null;
  }

  /** Why nobody can say what is stated for a file; null: it is certain. */
  #silenceOf({ path, isUnlisted }: SeenFile, sidecar: ReturnType<Reading['sidecarOf']>): Obstacle | null {
    if (isUnlisted) return { kind: 'hidden', words: 'it is out of sight' };
    if (sidecar?.isAmbiguous === true) return { kind: 'ambiguous', words: 'its sidecar is ambiguous' };
    const invalid = sidecar === null ? null : this.#companionFault(sidecar.path);
    if (invalid !== null) return invalid;
    for (const directory of above(path)) {
      const fault = this.#companionFault(`${directory}/${sidecarEnd}`);
      if (fault !== null) return fault;
      if (this.#seen.get(`${directory}/.ingestignore`)?.isHidden === true)
        return { kind: 'hidden', words: `${directory}/.ingestignore cannot be looked at` };
    }
    const shut = this.shutDirectory(path);
    if (shut !== null) return { kind: 'ignore-encoding', words: `${shut}/.ingestignore is not UTF-8` };
    const likely = sidecar === null ? this.#likelySidecar(path) : null;
    if (likely !== null)
      return { kind: 'likely-sidecar', words: `${likely} may be meant for it`, isForNew: true };
    return null;
  }

  /** Sidecars that can be listed and fit no file of any type beside them (contract 7.29). */
  orphanSidecars(): readonly string[] {
    // One that cannot be looked at, or whose name cannot be told, is told as that.
    const isOrphan = ({ path, role, isHidden }: RoledFile) =>
      role.kind === 'companion' &&
      !isHidden &&
      path.endsWith(sidecarEnd) &&
      !nameOf(path).startsWith('.') &&
      !this.#fitsOne(path) &&
      !this.isIgnored(path);
    return [...this.files.values()].filter(isOrphan).map(({ path }) => path);
  }

  /** Whether a sidecar belongs to a file of its directory, or to the directory. */
  #fitsOne(sidecar: string): boolean {
    const meant = sidecar.slice(0, -sidecarEnd.length);
    const isMeant = (other: string) => other !== sidecar && [other, stemOf(other)].includes(meant);
    if (!sidecar.endsWith(sidecarEnd)) return false;
    const directory = directoryOf(sidecar);
    // What cannot be looked at may be a file.
    const mayBeFile = ({ path, isUntold = false }: SeenFile) =>
      isUntold && directoryOf(directoryOf(path)) === directory && isMeant(directoryOf(path));
    // A link is listed, too (contract 7.5).
    const links = [...this.links].filter((path) => directoryOf(path) === directory);
    if (meant.endsWith('/') || [...this.#listedIn(directory), ...links].some(isMeant)) return true;
    return [...this.#seen.values()].some(mayBeFile);
  }

  /** A sidecar that fits no file, and whose name is near to a document's (contract 7.29). */
  #likelySidecar(path: string): string | null {
    const directory = directoryOf(path);
    const name = nameOf(path).toLowerCase();
    const isLikely = (sidecar: string): boolean => {
      if (!sidecar.toLowerCase().endsWith(sidecarEnd)) return false;
      const meant = nameOf(sidecar).slice(0, -sidecarEnd.length).toLowerCase();
      const isStem = [meant, stemOf(meant)].includes(stemOf(name));
      // Without a type it is named after a stem.
      const named = types.test(meant) ? [name] : [name, stemOf(name)];
      return !this.#fitsOne(sidecar) && (isStem || named.some((one) => lettersApart(meant, one) <= 2));
    };
    return this.#listedIn(directory).find(isLikely) ?? null;
  }

  #companionFault(path: string): Obstacle | null {
    const file = this.#seen.get(path);
    if (file === undefined) return null;
    if (file.isHidden) return { kind: 'hidden-companion', words: `${path} cannot be looked at` };
    return this.said(path) === null ? { kind: 'invalid-companion', words: `${path} is not valid` } : null;
  }

  #statementOf(path: string, sidecar: string | null): Statement {
    const own = sidecar === null ? null : (this.said(sidecar)?.mode ?? null);
    const folder = this.#folderOf(path);
    const name = folder?.name ?? '';
    if (own !== null)
      return { mode: own, by: 'sidecar', place: placeOf(name, directoryOf(path)), file: sidecar };
    for (const directory of above(path)) {
      const file = `${directory}/${sidecarEnd}`;
      const mode = this.said(file)?.mode ?? null;
      if (mode !== null) return { mode, by: 'directory', place: placeOf(name, directory), file };
    }
    const mode = folder?.mode ?? null;
    if (mode !== null) return { mode, by: 'folder', place: placeOf(name, ''), file: null };
    return { mode: 'DEFAULT', by: 'nobody', place: '', file: null };
  }

  /** Whether a pattern ignores whatever stands at a path. */
  isIgnored(path: string): boolean {
    return above(path).some((directory) => {
      const inside = path.slice(directory.length + 1);
      return (this.#ignoreLines(directory) ?? []).some((line) => matches(line, inside));
    });
  }

  /** Whether it lies in a directory that a pattern ignores as a whole: what moves there is gone (contract 7.25). */
  isOutOfList(path: string): boolean {
    return above(path).some((directory) => this.isIgnored(directory));
  }

  /** Whether a valid sidecar lists what stands at a path, or would stand there. */
  isListedBySidecar(path: string): boolean {
    this.#bySidecars ??= listedBy(this.#seen.keys(), (one) =>
      one.endsWith(sidecarEnd) ? this.said(one) : null,
    );
    return this.#bySidecars.has(path);
  }

  /** The same of the sidecar of a file that is there. */
  isListedByDocument(path: string): boolean {
    this.#byDocuments ??= listedBy(this.#seen.keys(), (one) =>
      this.#isCandidate(one) ? this.saidOf(one) : null,
    );
    return this.#byDocuments.has(path);
  }

  /** The nearest directory above a path whose ignore file is not UTF-8: nothing below is sent (contract 7.35). */
  shutDirectory(path: string): string | null {
    return above(path).find((directory) => this.#ignoreLines(directory) === null) ?? null;
  }

  /** Whether no directory above a path is listed, since its ignore file cannot be looked at: what lay there is not gone (4). */
  isBelowUntold(path: string): boolean {
    return above(path).some((directory) => this.#seen.get(`${directory}/.ingestignore`)?.isHidden === true);
  }

  /** Whether a file is out of sight: no directory is listed below one whose ignore file is not valid (contract 7.35). */
  isUnseen({ path, isHidden }: SeenFile): boolean {
    return isHidden || this.shutDirectory(directoryOf(path)) !== null;
  }

  /** Null: the file is not UTF-8. */
  #ignoreLines(directory: string): readonly string[] | null {
    const known = this.#lines.get(directory);
    if (known !== undefined) return known;
    const file = this.#seen.get(`${directory}/.ingestignore`);
    const lines = file === undefined ? [] : ignoreLines(file.content);
    // What cannot be looked at names nothing: whether what a sidecar lists there is ignored nobody can say.
    const told = file?.isHidden === true && lines !== null ? [] : lines;
    this.#lines.set(directory, told);
    return told;
  }
}

/** All that is listed in what is said of some paths. */
function listedBy(paths: Iterable<string>, saidOf: (path: string) => Said | null): ReadonlySet<string> {
  return new Set(
    [...paths].flatMap((path) =>
      (saidOf(path)?.attachments ?? []).map((listed) => `${directoryOf(path)}/${listed}`),
    ),
  );
}

/** Null: it is not UTF-8. */
function ignoreLines(content: Buffer): readonly string[] | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content).normalize('NFC');
    if (text.includes('\0')) return null;
    return text.split(/\r?\n|\r/).filter((line) => line !== '' && !line.startsWith('#'));
  } catch {
    return null;
  }
}

/** Whether a folder shows a directory that one before it shows too: nothing of it is sent (contract 5). */
function isShown(
  { name }: JudgedFolder,
  before: readonly JudgedFolder[],
  image: readonly SeenFile[],
): boolean {
  // What is covered is not shown.
  const directoriesOf = (folder: string) =>
    new Set(
      image
        .filter(({ path }) => path.startsWith(`${folder}/`) && !path.startsWith(`${folder}/out of reach/`))
        .map(({ directory }) => directory),
    );
  const own = before.length === 0 ? new Set<object>() : directoriesOf(name);
  return before.some((other) => [...directoriesOf(other.name)].some((directory) => own.has(directory)));
}

/** A name, `*.ending`, or `directory/`: the patterns that authors write here. */
function matches(pattern: string, path: string): boolean {
  const parts = path.split('/');
  if (pattern.endsWith('/')) return parts.slice(0, -1).includes(pattern.slice(0, -1));
  if (pattern.startsWith('*.')) return parts.some((part) => part.endsWith(pattern.slice(1)));
  return parts.includes(pattern);
}

/** Whether a directory on the way is not listed. */
function isElsewhere(path: string): boolean {
  return unlistedDirectory.test(path);
}

/** The directories above a path, the nearest first, the folder's root last. */
export function above(path: string): readonly string[] {
  const directories: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    directories.push(path.slice(0, at));
  return directories;
}

/** Whether a mount covers a path, or its disk is away. */
export function isOutOfReach(path: string): boolean {
  return path.split('/')[1] === 'out of reach';
}

/** Whether it lies in a directory of attachments, or below one (contract 7.9). */
function isInList(path: string): boolean {
  return path.includes(`${listEnd}/`);
}

function stemOf(path: string): string {
  return path.replace(/\.[^./]*$/, '');
}

export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
