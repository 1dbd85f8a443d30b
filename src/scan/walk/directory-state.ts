import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { FileIdentity } from '../../model/document.ts';
import type { PlacedRules } from '../rules/ignore-patterns.ts';
import type { PairedSidecar } from '../rules/pair-sidecars.ts';
import type { WatchState } from '../watch/backend.ts';

/** A directory's sidecars, defaults and ignore rules as a scan saw them. */
export interface ListedCompanions {
  /** The sidecars and the attachments that they list; null for none. */
  readonly lists: ReadonlyMap<string, SidecarList> | null;
  /** Stat of its own `.meta.json`; '' for none. */
  readonly defaultsKey: string;
  /** Stat of its own `.ingestignore`; '' for none. */
  readonly rulesKey: string;
}

export interface SidecarList {
  /** Its stat, or its kind where it is no regular file. */
  readonly key: string;
  /** It was read in full and is valid as it stands. */
  readonly isValid: boolean;
  /** As written, when it was last valid. Empty for a sidecar that lists none, or never was. */
  readonly attachments: readonly string[];
}

/** What is remembered of one directory between scans. */
export interface DirectoryState extends FileIdentity, ListedCompanions, WatchState {
  /** As on disk, from the root. */
  readonly raw: string;
  /** The user it belongs to. */
  readonly uid: number;
  readonly mtimeMs: number;
  /** How many names were listed in it. */
  readonly nameCount: number;
  /** How many followed links lead here. */
  readonly links: number;
  /** Changes when anything in it does. */
  readonly signature: number;
  /** Of the files in it that came of late: their newest time, ms since 1970, and when that was first seen, monotonic ms. */
  readonly newest: { readonly timeMs: number; readonly at: number };
  /** Rules that hold here, outermost first. */
  readonly rules: readonly PlacedRules[];
  /** The fingerprint of plain documents in it. */
  readonly fingerprint: string;
  /** Directories in it that were scanned, by name. */
  readonly children: ReadonlySet<string>;
  /** Directories of attachments that are watched with it. */
  readonly attachmentDirectories: readonly string[];
  /** Files that are attachments of its documents, in it or in those directories. */
  readonly attached: number;
  /** Directories that followed links in it lead to. */
  readonly linkedFrom: readonly string[];
  /** Names whose form on disk is not NFC. */
  readonly rawNames: ReadonlyMap<string, string> | null;
  /** Names of twins, as they are on disk. */
  readonly twins: ReadonlySet<string> | null;
  /** Names that are not UTF-8, decoded as far as they are, in NFC. */
  readonly undecodable: ReadonlySet<string> | null;
  /** Sidecars that belong to none of its documents. */
  readonly unpaired: ReadonlyMap<string, 'orphan' | 'foreign'> | null;
  /** By document: the sidecar that bears its stem, or has a twin; null for none. */
  readonly unclearSidecars: ReadonlyMap<string, PairedSidecar> | null;
  /** Why it cannot be read; null: it can. */
  readonly unreadable: string | null;
}

/** The directories that are known, by path: NFC, '' for the root. */
export interface Tree {
  readonly get: (path: string) => DirectoryState | undefined;
  readonly has: (path: string) => boolean;
  readonly set: (path: string, state: DirectoryState) => void;
  /** Forgets a directory and all below; gives what they were. */
  readonly forget: (path: string) => readonly (readonly [path: string, state: DirectoryState])[];
  /** A name went from a directory at this time, monotonic ms. */
  readonly noteRemoval: (path: string, at: number) => void;
  /** When a name last went from a directory or below, monotonic ms; -Infinity: never, as far as is known. */
  readonly removedAt: (path: string) => number;
  /** Whether there is a sidecar in any directory. */
  readonly hasSidecars: () => boolean;
  /** The path itself, or the nearest known directory above. */
  readonly nearest: (path: string) => string;
  /** Where a path stands on disk, from the root. */
  readonly rawPath: (path: string) => string;
  readonly entries: () => Iterable<readonly [string, DirectoryState]>;
  readonly size: () => number;
  readonly clear: () => void;
}

export function createTree(): Tree {
  const states = new Map<string, DirectoryState>();
  const removals = new Map<string, number>();
  let withSidecars = 0;

  function put(path: string, state: DirectoryState | undefined): void {
    withSidecars += Number(hasSidecars(state)) - Number(hasSidecars(states.get(path)));
    if (state === undefined) states.delete(path);
    else states.set(path, state);
  }

  function forget(path: string, into: (readonly [string, DirectoryState])[]): void {
    const state = states.get(path);
    if (state === undefined) return;
    put(path, undefined);
    removals.delete(path);
    into.push([path, state]);
    for (const name of state.children) forget(joinPath(path, name), into);
  }

  function rawPath(path: string): string {
    const state = states.get(path);
    if (state !== undefined) return state.raw;
    if (path === '') return '';
    const directory = directoryOf(path);
    const name = nameOf(path);
    const raw = states.get(directory)?.rawNames?.get(name) ?? name;
    return joinPath(rawPath(directory), raw);
  }

  return {
    get: (path) => states.get(path),
    has: (path) => states.has(path),
    set: put,
    forget: (path) => {
      const gone: (readonly [string, DirectoryState])[] = [];
      forget(path, gone);
      return gone;
    },
    noteRemoval: (path, at) => {
      for (let place = path; ; place = directoryOf(place)) {
        removals.set(place, Math.max(removals.get(place) ?? -Infinity, at));
        if (place === '') return;
      }
    },
    removedAt: (path) => removals.get(path) ?? -Infinity,
    hasSidecars: () => withSidecars > 0,
    nearest: (path) => {
      let known = path;
      while (known !== '' && !states.has(known)) known = directoryOf(known);
      return known;
    },
    rawPath,
    entries: () => states,
    size: () => states.size,
    clear: () => {
      states.clear();
      withSidecars = 0;
      removals.clear();
    },
  };
}

/** Whether there is a sidecar in a directory. */
export function hasSidecars(state: DirectoryState | undefined): boolean {
  return state !== undefined && state.lists !== null && state.lists.size > 0;
}
