import { readSaid } from './statement.ts';
import type { Said, ShareMode, Statement } from './statement.ts';

/** A file as the judge sees it. */
export interface SeenFile {
  readonly path: string;
  readonly identity: object;
  readonly directory: object;
  readonly content: Buffer;
  readonly isHidden: boolean;
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
    }
  | { readonly kind: 'attachment'; readonly owner: string }
  /** Listed, and not sent: its document is kept at the service. */
  | { readonly kind: 'companion' | 'ignored' | 'unfit' | 'empty' }
  /** In a place that is not listed: as if it were not there. */
  | { readonly kind: 'elsewhere' };

/** Why a document may not go out. */
export interface Obstacle {
  readonly kind:
    'hidden' | 'hidden-companion' | 'invalid-companion' | 'ambiguous' | 'attachments' | 'ignore-encoding';
  readonly words: string;
}

export type RoledFile = SeenFile & { readonly role: Role };

const types = /\.(?:pdf|html?|txt|docx?|xlsx?|pptx?|msg|eml|csv|xls[bm]|one|tsv|ods)$/i;
const neverNames = /^(?:\.|~\$)|^\.~lock\.|\.(?:tmp|part|crdownload)$/;
const sidecarEnd = '.meta.json';
const listEnd = '.attachments';

/** The whole disk at one moment, read by nothing but the contract. */
export class Reading {
  readonly files = new Map<string, RoledFile>();
  readonly #seen = new Map<string, SeenFile>();
  readonly #paths = new Map<object, readonly string[]>();
  readonly #folders: readonly JudgedFolder[];
  readonly #said = new Map<string, Said | null>();

  constructor(image: readonly SeenFile[], folders: readonly JudgedFolder[]) {
    this.#folders = folders;
    // Names are compared in NFC.
    for (const file of image) {
      const path = file.path.normalize('NFC');
      if (!this.#seen.has(path)) this.#seen.set(path, { ...file, path });
    }
    const inFolders = [...this.#seen.values()].filter(({ path }) => this.#folderOf(path) !== undefined);
    const lists = this.#lists(inFolders);
    const owners = new Map(
      [...lists].flatMap(([owner, listed]) => listed.map((path) => [path, owner] as const)),
    );
    for (const file of inFolders)
      this.files.set(file.path, {
        ...file,
        role: this.#roleOf(file, owners.get(file.path), lists.get(file.path) ?? []),
      });
    for (const { identity, path } of inFolders) this.#paths.set(identity, [...this.pathsOf(identity), path]);
  }

  /** Files outside of the folders too. */
  everything(): Iterable<SeenFile> {
    return this.#seen.values();
  }

  /** Files with two names: not those of a directory that is shown twice. */
  links(): readonly object[] {
    const isOneName = (paths: readonly string[]) => {
      const names = paths.map((path) => ({ name: nameOf(path), directory: this.files.get(path)?.directory }));
      return names.every(
        ({ name, directory }) => name === names[0]?.name && directory === names[0]?.directory,
      );
    };
    return [...this.#paths]
      .filter(([, paths]) => paths.length > 1 && !isOneName(paths))
      .map(([identity]) => identity);
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
    const stem = path.replace(/\.[^./]*$/, '');
    const shared = `${stem}${sidecarEnd}`;
    if (shared === own || !this.#seen.has(shared)) return null;
    const directory = directoryOf(path);
    const claimants = [...this.#seen.keys()].filter(
      (other) =>
        directoryOf(other) === directory && other.replace(/\.[^./]*$/, '') === stem && types.test(other),
    );
    return { path: shared, isAmbiguous: claimants.length > 1 };
  }

  #folderOf(path: string): JudgedFolder | undefined {
    return this.#folders.find(({ name }) => path.startsWith(`${name}/`));
  }

  /** Which files go out with which. */
  #lists(files: readonly SeenFile[]): ReadonlyMap<string, readonly string[]> {
    const lists = new Map<string, readonly string[]>();
    const add = (owner: string, path: string) => lists.set(owner, [...(lists.get(owner) ?? []), path]);
    const isFit = (path: string) =>
      types.test(path) && !neverNames.test(nameOf(path)) && !this.#isIgnored(path);
    for (const { path } of files) {
      const directory = directoryOf(path);
      const owner = directory.slice(0, -listEnd.length);
      if (directory.endsWith(listEnd) && this.#seen.has(owner) && isFit(path)) add(owner, path);
      const sidecar = this.#isCandidate(path) ? this.sidecarOf(path) : null;
      if (sidecar === null || sidecar.isAmbiguous) continue;
      for (const listed of this.said(sidecar.path)?.attachments ?? []) {
        const target = `${directory}/${listed}`;
        if (target !== path && this.#seen.has(target) && isFit(target)) add(path, target);
      }
    }
    return lists;
  }

  #isCandidate(path: string): boolean {
    return types.test(path) && !neverNames.test(nameOf(path)) && !isElsewhere(path);
  }

  #roleOf(file: SeenFile, owner: string | undefined, attachments: readonly string[]): Role {
    const { path, content } = file;
    const name = nameOf(path);
    if (owner !== undefined) return { kind: 'attachment', owner };
    if (isElsewhere(path)) return { kind: 'elsewhere' };
    if (name.endsWith(sidecarEnd) || name === '.ingestignore') return { kind: 'companion' };
    if (neverNames.test(name) || this.#isIgnored(path)) return { kind: 'ignored' };
    if (!types.test(name) || name.split('.').length !== 2 || name.length > 255) return { kind: 'unfit' };
    if (content.length === 0) return { kind: 'empty' };
    const sidecar = this.sidecarOf(path);
    return {
      kind: 'document',
      statement: this.#statementOf(path, sidecar?.path ?? null),
      attachments,
      obstacle: this.#obstacleOf(file, sidecar, attachments),
    };
  }

  #obstacleOf(
    { path, isHidden }: SeenFile,
    sidecar: ReturnType<Reading['sidecarOf']>,
    attachments: readonly string[],
  ): Obstacle | null {
    if (isHidden) return { kind: 'hidden', words: 'it is out of sight' };
    const hidden = attachments.find((one) => this.#seen.get(one)?.isHidden === true);
    if (hidden !== undefined) return { kind: 'hidden-companion', words: `${hidden} cannot be looked at` };
    if (attachments.length > 10) return { kind: 'attachments', words: 'it has more than ten attachments' };
    if (new Set(attachments.map(nameOf)).size < attachments.length)
      return { kind: 'attachments', words: 'two of its attachments have one name' };
    if (sidecar?.isAmbiguous === true) return { kind: 'ambiguous', words: 'its sidecar is ambiguous' };
    const invalid = sidecar === null ? null : this.#companionFault(sidecar.path);
    if (invalid !== null) return invalid;
    const lists = sidecar === null ? [] : (this.said(sidecar.path)?.attachments ?? []);
    const listed = lists.map((one) => `${directoryOf(path)}/${one}`);
    if (listed.some((one) => !attachments.includes(one)))
      return { kind: 'attachments', words: 'an attachment cannot be sent' };
    for (const directory of above(path)) {
      const fault = this.#companionFault(`${directory}/${sidecarEnd}`);
      if (fault !== null) return fault;
      if (this.#ignoreLines(directory) === null)
        return { kind: 'ignore-encoding', words: `${directory}/.ingestignore is not UTF-8` };
    }
    return null;
  }

  #companionFault(path: string): Obstacle | null {
    const file = this.#seen.get(path);
    if (file === undefined) return null;
    if (file.isHidden) return { kind: 'hidden-companion', words: `${path} cannot be looked at` };
    return this.said(path) === null ? { kind: 'invalid-companion', words: `${path} is not valid` } : null;
  }

  #statementOf(path: string, sidecar: string | null): Statement {
    const own = sidecar === null ? null : (this.said(sidecar)?.mode ?? null);
    if (own !== null) return { mode: own, by: 'sidecar', place: directoryOf(path) };
    for (const place of above(path)) {
      const mode = this.said(`${place}/${sidecarEnd}`)?.mode ?? null;
      if (mode !== null) return { mode, by: 'directory', place };
    }
    const folder = this.#folderOf(path);
    const place = folder?.name ?? '';
    if (folder?.mode !== null && folder?.mode !== undefined)
      return { mode: folder.mode, by: 'folder', place };
    return { mode: 'DEFAULT', by: 'nobody', place: '' };
  }

  #isIgnored(path: string): boolean {
    return above(path).some((directory) => {
      const inside = path.slice(directory.length + 1);
      return (this.#ignoreLines(directory) ?? []).some((line) => matches(line, inside));
    });
  }

  /** Null: the file is not UTF-8 (contract 7.35). */
  #ignoreLines(directory: string): readonly string[] | null {
    const file = this.#seen.get(`${directory}/.ingestignore`);
    if (file === undefined) return [];
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(file.content);
      if (text.includes('\0')) return null;
      return text.split(/\r?\n|\r/).filter((line) => line !== '' && !line.startsWith('#'));
    } catch {
      return null;
    }
  }
}

/** A name, `*.ending`, or `directory/`: the patterns that authors write here. */
function matches(pattern: string, path: string): boolean {
  const parts = path.split('/');
  if (pattern.endsWith('/')) return parts.slice(0, -1).includes(pattern.slice(0, -1));
  if (pattern.startsWith('*.')) return path.endsWith(pattern.slice(1));
  return parts.includes(pattern);
}

/** Whether a directory on the way is not listed. */
function isElsewhere(path: string): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((name) => name.startsWith('.') || name.endsWith(listEnd) || name === '#recycle');
}

/** The directories above a path, the nearest first, the folder's root last. */
function above(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
}

export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
