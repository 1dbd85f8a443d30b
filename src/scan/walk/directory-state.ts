import { readAgainMs } from '../../model/back-off.ts';
import { directoriesTo, directoryOf, joinPath, nameOf } from '../../model/document.ts';
import type { FileIdentity } from '../../model/document.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import { sidecarEnd } from '../../model/names-and-types.ts';
import { ignoreFileName } from '../rules/classify.ts';
import type { FileRules, PlacedRules } from '../rules/ignore-patterns.ts';
import type { Relations } from '../rules/relate.ts';
import { defaultsName } from '../rules/sidecar-names.ts';
import type { WatchState } from '../watch/backend.ts';

export interface SidecarList {
  /** Its stat; '' where it could not be read at the last look, and is read again at the next. */
  readonly key: string;
  /** As written. Empty for a sidecar that lists none, or is not valid. */
  readonly attachments: readonly string[];
  /** The sharing mode that it states, valid or not; absent: none, or EVERYONE. */
  readonly mode?: ShareMode | undefined;
}

/** What is remembered of one directory between scans. */
export interface DirectoryState extends FileIdentity, WatchState {
  /** The user it belongs to. */
  readonly uid: number;
  /** How many names were listed in it. */
  readonly nameCount: number;
  /** Changes when anything in it does. */
  readonly signature: number;
  /** When it was listed first, monotonic ms; -Infinity: at the start, when nobody knows how long it had stood. */
  readonly cameAt: number;
  /** When it was listed last, monotonic ms. */
  readonly listedAt: number;
  /** Its sidecars and the attachments that they list; absent: it has none. */
  readonly lists?: ReadonlyMap<string, SidecarList> | undefined;
  /** Stat of its own `.meta.json`; '' for none. */
  readonly defaultsKey: string;
  /** Stat of its own `.ingestignore`; '' for none. */
  readonly rulesKey: string;
  /** Rules that hold here, outermost first. */
  readonly rules: readonly PlacedRules[];
  /** Those of its own ignore file; absent: it has none. */
  readonly ownRules?: FileRules | undefined;
  /** The fingerprint of plain documents in it. */
  readonly fingerprint: string;
  /** Directories in it that were scanned, by name. */
  readonly children: ReadonlySet<string>;
  /** Directories of attachments that are watched with it. */
  readonly attachmentDirectories: readonly string[];
  /** Files that are attachments of its documents, in it or in those directories. */
  readonly attached: number;
  /** Names whose form on disk is not NFC. */
  readonly rawNames?: ReadonlyMap<string, string> | undefined;
  /** Places in it where files may be that nobody sees: they cannot be looked at or named, or not be listed; absent: none. */
  readonly hidden?: readonly (string | Buffer)[] | undefined;
  /** Sidecars that fit none of its files, and the document that each may be meant for, as in a listing; absent: none. */
  readonly unfit?: ReadonlyMap<string, string | null | undefined> | undefined;
  /** By document, and of those that are no document's; absent: there are none. */
  readonly pairs?: Relations['sidecars'] | undefined;
  readonly unpaired?: Relations['unpaired'] | undefined;
  /** Why it cannot be read; null: it can. */
  readonly unreadable: UnreadDirectory | null;
  /** It, or something in it, could not be read for a reason that may pass; null: all could. */
  readonly again: ReadAgain | null;
}

/** Why a directory cannot be read: then nothing in it and below is sent or deleted. */
export interface UnreadDirectory {
  readonly message: string;
  /** It may pass by itself. */
  readonly isPassing: boolean;
  /** The reason's code, where it is not that it cannot be read. */
  readonly code?: string | undefined;
}

/** What is read again by itself, though nothing changes. */
export interface ReadAgain {
  readonly message: string;
  /** In a row. */
  readonly tries: number;
  /** Monotonic ms. */
  readonly dueAt: number;
  /** A sidecar may be among it: what that lists as attachments is not known. */
  readonly hidesLists: boolean;
}

/** When something is read again that could not be read at this moment; a look ahead of its time is no further try. */
export function readAgain(
  before: ReadAgain | null,
  found: Pick<ReadAgain, 'message' | 'hidesLists'>,
  now: number,
): ReadAgain {
  if (before !== null && now < before.dueAt) return { ...before, ...found };
  const tries = (before?.tries ?? 0) + 1;
  return { ...found, tries, dueAt: now + readAgainMs(tries) };
}

export type Tree = ReturnType<typeof createTree>;

/** The directories that are known, by path: NFC, '' for the root. */
export function createTree() {
  const states = new Map<string, DirectoryState>();
  const arrivals = new Map<string, number>();
  const arrivalsBelow = new Map<string, number>();
  const hidingLists = new Map<string, ReadAgain>();
  const missed = new Map<string, number>();
  /** By content, with the number of directories. */
  const ignoreFiles = new Map<string, { readonly rules: FileRules; directories: number }>();
  let patterns = 0;
  let withSidecars = 0;

  function countRules(rules: FileRules | undefined, by: 1 | -1): void {
    if (rules === undefined) return;
    const used = ignoreFiles.get(rules.content) ?? { rules, directories: 0 };
    if (used.directories === 0) patterns += rules.patterns;
    used.directories += by;
    ignoreFiles.set(rules.content, used);
    if (used.directories > 0) return;
    ignoreFiles.delete(rules.content);
    patterns -= rules.patterns;
  }

  /** `at`: monotonic ms. */
  function put(path: string, state: DirectoryState | undefined, at: number): void {
    const before = states.get(path);
    const standing = new Set(companionsOf(state));
    for (const name of companionsOf(before)) if (!standing.has(name)) missed.set(joinPath(path, name), at);
    for (const [document, { name, kind }] of before?.pairs ?? []) {
      const after = state?.pairs?.get(document);
      const hasLeft = after?.name !== name && name !== `${document}${sidecarEnd}`;
      if (hasLeft || (kind !== 'own' && after?.kind === 'own')) missed.set(pairsOf(joinPath(path, name)), at);
    }
    const unfit = [...(before?.unfit?.keys() ?? [])];
    if (unfit.some((name) => state?.unfit?.has(name) !== true)) missed.set(unfitIn(path), at);
    if (state?.again?.hidesLists === true) hidingLists.set(path, state.again);
    else hidingLists.delete(path);
    countRules(state?.ownRules, 1);
    countRules(before?.ownRules, -1);
    if (state?.lists !== undefined) withSidecars += 1;
    if (before?.lists !== undefined) withSidecars -= 1;
    if (state === undefined) states.delete(path);
    else states.set(path, state);
  }

  function forget(path: string, at: number): readonly (readonly [string, DirectoryState])[] {
    const state = states.get(path);
    if (state === undefined) return [];
    put(path, undefined, at);
    arrivals.delete(path);
    arrivalsBelow.delete(path);
    return [[path, state], ...[...state.children].flatMap((name) => forget(joinPath(path, name), at))];
  }

  function rawPath(path: string): string {
    if (path === '') return '';
    const directory = directoryOf(path);
    const name = nameOf(path);
    const raw = states.get(directory)?.rawNames?.get(name) ?? name;
    return joinPath(rawPath(directory), raw);
  }

  return {
    get: (path: string) => states.get(path),
    has: (path: string) => states.has(path),
    set: (path: string, state: DirectoryState): void => put(path, state, state.listedAt),
    /** Forgets a directory and all below; gives what they were. */
    forget,
    /**
     * When scans first missed a sidecar, `.meta.json` or `.ingestignore`, or last what kept a sidecar from a document
     * (`pairsOf`) or a sidecar that fitted no file (`unfitIn`), monotonic ms; -Infinity: not of late.
     */
    missedAt: (path: string) => missed.get(path) ?? -Infinity,
    /** What was missed stands at that time, in a directory that is not listed for another reason. */
    noteStanding: (path: string, at: number): void => {
      if (missed.has(path)) missed.set(path, at);
    },
    /** Nobody asks any more for what was missed before this, monotonic ms. */
    pruneMissed: (before: number): void => {
      for (const [path, at] of missed) if (at < before) missed.delete(path);
    },
    /** A name came to a directory, or a new file grew there, at this time, monotonic ms. */
    noteArrival: (path: string, at: number): void => {
      arrivals.set(path, at);
      for (const place of ['', ...directoriesTo(path), path])
        arrivalsBelow.set(place, Math.max(arrivalsBelow.get(place) ?? -Infinity, at));
    },
    /** When that last happened in a directory, monotonic ms; -Infinity: never, as far as is known. */
    arrivedAt: (path: string) => arrivals.get(path) ?? -Infinity,
    /** The same of a directory and all below it. */
    arrivedBelow: (path: string) => arrivalsBelow.get(path) ?? -Infinity,
    /** The rules of an ignore file of this content, where any directory has one. */
    rulesOf: (content: string) => ignoreFiles.get(content)?.rules,
    /** Of all ignore files, equal contents counted once. */
    patterns: () => patterns,
    /** Whether there is a sidecar in any directory. */
    hasSidecars: () => withSidecars > 0,
    /** Directories with sidecars, perhaps, that cannot be read at the moment. */
    hidingLists: (): ReadonlyMap<string, ReadAgain> => hidingLists,
    /** The path itself, or the nearest known directory above. */
    nearest: (path: string): string => {
      let known = path;
      while (known !== '' && !states.has(known)) known = directoryOf(known);
      return known;
    },
    /** Where a path stands on disk, from the root. */
    rawPath,
    entries: (): Iterable<readonly [string, DirectoryState]> => states,
    size: () => states.size,
    /** Forgets all directories. What stood in them, or was missed when they could last be listed, is missed from now on. */
    clear: (at: number): void => {
      for (const path of missed.keys()) missed.set(path, at);
      for (const path of states.keys()) put(path, undefined, at);
      arrivals.clear();
      arrivalsBelow.clear();
    },
  };
}

/** Stands among what is missed for another document of a sidecar's stem, and for its twin. */
export function pairsOf(sidecar: string): string {
  return `${sidecar}/`;
}

/** The same for the sidecars of a directory that fit no file. */
export function unfitIn(directory: string): string {
  return `${directory}//`;
}

/** What stands in a directory and has a say in what is sent from it. */
function companionsOf(state: DirectoryState | undefined): readonly string[] {
  if (state === undefined) return [];
  const { lists, defaultsKey, rulesKey, unreadable } = state;
  // An ignore file that was not valid kept everything in.
  const isRuled = rulesKey !== '' || unreadable?.isPassing === false;
  return [
    ...(lists?.keys() ?? []),
    ...(defaultsKey === '' ? [] : [defaultsName]),
    ...(isRuled ? [ignoreFileName] : []),
  ];
}
