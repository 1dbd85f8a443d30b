import { SetsByKey } from '../../lib/sets-by-key.ts';
import { directoryOf, isAtOrBelow } from '../../model/document.ts';

/** What the sidecars of documents attach: paths from the root, by the path of the document. */
export type ListedByOwner = ReadonlyMap<string, readonly string[]>;

/** Of a directory whose sidecars attach nothing. */
export const nothingListed: ListedByOwner = new Map();

export type AttachmentLists = ReturnType<typeof createAttachmentLists>;

/** Which files are attachments because a valid sidecar lists them, and whose. */
export function createAttachmentLists() {
  const byDirectory = new Map<string, ListedByOwner>();
  /** Paths of documents, by that of the file. */
  const owners = new SetsByKey<string, string>();
  /** Of those files, by directory. */
  const places = new SetsByKey<string, string>();
  /** What documents were last sent with besides their directories, as inspections were told. */
  const sentWith = new Map<string, readonly string[]>();

  /** True for a document whose sidecar lists attachments. */
  function isOwner(path: string): boolean {
    return byDirectory.get(directoryOf(path))?.has(path) === true;
  }

  /** True for a file that a document lists, unless it lists files itself: then that has no effect. */
  function isAttachment(path: string): boolean {
    // Nearly always there are none, and a path that is looked up has to be put together first.
    return owners.size > 0 && owners.has(path) && !isOwner(path);
  }

  function add(owner: string, path: string): void {
    owners.add(path, owner);
    places.add(directoryOf(path), path);
  }

  function drop(owner: string, path: string): void {
    owners.delete(path, owner);
    if (!owners.has(path)) places.delete(directoryOf(path), path);
  }

  function set(directory: string, next: ListedByOwner): readonly string[] {
    const before = byDirectory.get(directory) ?? nothingListed;
    const touched = new Set<string>();
    for (const [owner, paths] of [...before, ...next])
      for (const path of [owner, ...paths]) touched.add(path);
    const stood = new Map([...touched].map((path) => [path, isAttachment(path)]));
    for (const [owner, paths] of before) for (const path of paths) drop(owner, path);
    for (const [owner, paths] of next) for (const path of paths) add(owner, path);
    if (next.size === 0) byDirectory.delete(directory);
    else byDirectory.set(directory, next);
    return [...touched].filter((path) => stood.get(path) !== isAttachment(path));
  }

  function learned(owner: string): readonly string[] {
    return sentWith.get(owner) ?? [];
  }

  function learn(owner: string, paths: readonly string[]): boolean {
    if (learned(owner).join('\0') === paths.join('\0')) return false;
    if (paths.length > 0) sentWith.set(owner, paths);
    else sentWith.delete(owner);
    return true;
  }

  return {
    /** Takes note of what a document was last sent with, which is its list while it has no sidecar. True: that is news. */
    learn,
    learned,
    hasLearned: () => sentWith.size > 0,
    /** Says what the documents of one directory attach now; gives the paths whose standing changed. */
    set,
    isAttachment,
    isOwner,
    ownersOf: (path: string) => owners.of(path),
    /** Whether a document lists a file in this directory, or below. */
    reaches: (directory: string): boolean =>
      Array.from(places.keys()).some((one) => isAtOrBelow(one, directory)),
    /** Directories of documents that attach a file in this one. */
    dependents: (directory: string): readonly string[] => [
      ...new Set([...places.of(directory)].flatMap((path) => [...owners.of(path)]).map(directoryOf)),
    ],
  };
}

/** Where an attachment's path in a sidecar leads. */
export type AttachmentPlace =
  | { readonly kind: 'inside'; readonly path: string }
  /** It leads out of the folder. */
  | { readonly kind: 'outside' }
  /** It leads out of the document's directory, and the folder's `attachments: below` does not allow that. */
  | { readonly kind: 'beyond' };

/** What a list attaches, from the root. */
export function placesInside(
  directory: string,
  { attachments = [] }: { readonly attachments?: readonly string[] },
  reach: 'below' | 'folder',
): readonly string[] {
  const places = attachments.map((text) => resolveAttachment(directory, text, reach));
  return places.flatMap((place) => (place.kind === 'inside' ? [place.path] : []));
}

/** Resolves a path of a sidecar's `attachments` against the document's directory. NFC; nothing is read. */
export function resolveAttachment(
  directory: string,
  text: string,
  reach: 'below' | 'folder',
): AttachmentPlace {
  if (text.startsWith('/') || text.includes('\0')) return { kind: 'outside' };
  const names = directory === '' ? [] : directory.split('/');
  for (const name of text.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return { kind: 'outside' };
  }
  if (names.length === 0) return { kind: 'outside' };
  const path = names.join('/');
  const below = directory === '' || path.startsWith(`${directory}/`);
  return reach === 'folder' || below ? { kind: 'inside', path } : { kind: 'beyond' };
}
