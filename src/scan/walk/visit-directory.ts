import { lstatSync } from 'node:fs';

import { directoryOf, joinPath, knownInode } from '../../model/document.ts';
import { cannotBeRead, errorCode, readFaultOf } from '../../model/errors.ts';
import { packFiles } from '../../model/packed-files.ts';
import type { PackedScan } from '../../model/packed-files.ts';
import type { FolderState } from '../folder-state.ts';
import { hasLateFile } from '../companions/arrival.ts';
import { companionIn, ignoreFileName } from '../rules/classify.ts';
import { directoryFingerprint } from '../rules/fingerprint.ts';
import { defaultsName, isNearDefaults } from '../rules/sidecar-names.ts';
import { readAgain } from './directory-state.ts';
import type { DirectoryState, UnreadDirectory } from './directory-state.ts';
import { entryKey } from '../rules/entry.ts';
import { keyOf, noLook } from '../rules/settle.ts';
import type { Look } from '../rules/settle.ts';
import type { Entry } from '../rules/entry.ts';
import { markInnerLink } from './mark-inner-link.ts';
import { allOf, hiddenIn, listDirectory } from './list-directory.ts';
import type { Listing } from './list-directory.ts';
import { listDocuments } from './list-documents.ts';
import type { FoundDocuments, VisitContext } from './list-documents.ts';
import { pairEntries } from './pair-directory.ts';
import { readIgnoreFile, rulesBelow } from '../companions/read-ignore-file.ts';
import { placeBelow } from './root-identity.ts';
import { sortEntries } from '../rules/sort-entries.ts';
import type { SortedEntries } from '../rules/sort-entries.ts';

/** What came of a visit. */
export type Visit =
  | ListedVisit
  | { readonly kind: 'vanished' }
  /**
   * `shut`: what is in a directory whose rules cannot be read, directories that hold documents should they not name them,
   * and the rules above it.
   */
  | ({
      readonly kind: 'unreadable';
      readonly shut: (Pick<ListedVisit, 'packed' | 'children'> & Pick<DirectoryState, 'rules'>) | null;
    } & UnreadDirectory);

/** A directory that was listed. */
export interface ListedVisit {
  readonly kind: 'listed';
  readonly packed: PackedScan;
  readonly before: DirectoryState | undefined;
  readonly state: DirectoryState;
  /** Directories in it that may hold documents. */
  readonly children: readonly Entry[];
  /** What holds for it (rules, defaults) is not what held before: everything below has to be visited. */
  readonly inherits: boolean;
  /** Files elsewhere that became or ceased to be attachments. */
  readonly reattached: readonly string[];
}

/** Lists one directory, takes note of it in the tree, and packs what was seen. Never throws for what is on disk. */
export async function visitDirectory(
  folder: FolderState,
  path: string,
  context: VisitContext,
): Promise<Visit> {
  try {
    return await listAndNote(folder, path, context);
  } catch (error) {
    const code = errorCode(error);
    const fault = readFaultOf(code);
    if (fault === 'gone') return { kind: 'vanished' };
    if (code === undefined) throw error;
    const isPassing = fault === 'passing';
    return { kind: 'unreadable', shut: null, message: cannotBeRead('it', code), isPassing };
  }
}

async function listAndNote(folder: FolderState, path: string, context: VisitContext): Promise<Visit> {
  const { tree, observations, settings } = folder;
  // The root itself may be a link, which is neither opened nor watched as one.
  const place = placeBelow(context.realRoot, tree.rawPath(path));
  const stats = lstatSync(place);
  if (!stats.isDirectory()) return { kind: 'vanished' };
  const watched = context.watch(path, place, stats);
  const listed = await listDirectory(place, context.slice);
  const mark = (entry: Entry) => markInnerLink(entry, placeBelow(place, entry.raw), context.realRoot);
  const listing = settings.followSymlinks ? { ...listed, entries: listed.entries.map(mark) } : listed;
  const before = tree.get(path);
  const above = path === '' ? undefined : tree.get(directoryOf(path));
  const listedAt = observations.present();
  const all = allOf(listing);
  const fresh = observations.list(path, stats, all);
  const ignoreFile = companionIn(folder, listing.entries, ignoreFileName, stats.uid);
  const reading =
    ignoreFile === null ? null : readIgnoreFile(placeBelow(place, ignoreFileName), tree, before?.ownRules);
  const hasGrown = (rules: DirectoryState['rules']) =>
    hasLateFile(listing.entries, { path, rules, isNew: (name) => fresh.has(name) });
  const rulesAbove = above?.rules ?? folder.rules;
  const ownRules = reading?.kind === 'valid' ? reading.rules : undefined;
  const rules = rulesBelow(rulesAbove, path, ownRules);
  const defaults = companionIn(folder, listing.entries, defaultsName, stats.uid);
  const defaultsKey = defaults === null ? '' : entryKey(defaults);
  const fingerprint = directoryFingerprint(above?.fingerprint ?? folder.fingerprint, defaultsKey);

  const sorted = sortEntries(folder, path, { listing, rules });
  const identity = { dev: stats.dev, ino: knownInode(stats.ino), birthtimeMs: stats.birthtimeMs };
  const paired = await pairEntries(folder, path, { place, sorted });
  const directory = { path, place, rules, fingerprint, sorted, paired };
  const found = await listDocuments(folder, directory, context);
  const packed = {
    directory: path,
    cause: context.cause,
    files: packFiles(found.entries),
    skips: [...sorted.skips, ...found.skips],
    subdirectories: [...sorted.children, ...sorted.attachmentDirectories.values()].map(({ name }) => name),
    identity,
    leftOut: sorted.leftOut.map(({ name }) => name).join('/'),
    ...(found.attachments.length === 0 ? null : { attachments: found.attachments }),
  };
  if (reading?.kind === 'invalid') {
    for (const { name } of listing.entries) tree.noteStanding(joinPath(path, name), listedAt);
    if (hasGrown(rulesAbove)) tree.noteArrival(path, listedAt);
    const shut = { packed: { ...packed, isShut: true as const }, children: sorted.children, rules };
    return { ...reading, kind: 'unreadable', shut };
  }

  const hidden = [...found.hidden, ...hiddenIn(place, listing)];
  const message = paired.unread ?? found.unread ?? sorted.unread;
  const unread = message === null ? null : { message, hidesLists: paired.unread !== null };
  // What a start finds may still be coming; the root has always been there.
  const ageMs = context.cause === 'start' ? observations.ageMs(stats) : 0;
  const state: DirectoryState = {
    ...identity,
    uid: stats.uid,
    nameCount: all.length,
    signature: signatureOf(fingerprint, sorted, found),
    cameAt: before?.cameAt ?? (path === '' ? -Infinity : listedAt - ageMs),
    listedAt,
    rules,
    ownRules,
    rulesKey: ignoreFile === null ? '' : entryKey(ignoreFile),
    defaultsKey,
    fingerprint,
    children: new Set(sorted.children.map(({ name }) => name)),
    attachmentDirectories: found.attachmentDirectories,
    attached: found.attached,
    rawNames: orNone(rawNames(listing)),
    hidden: hidden.length === 0 ? undefined : hidden,
    unfit: orNone(found.unfit),
    lists: orNone(paired.lists),
    pairs: orNone(paired.sidecars),
    unpaired: orNone(paired.unpaired),
    ...watched,
    unreadable: null,
    again: unread === null ? null : readAgain(before?.again ?? null, unread, listedAt),
  };
  tree.set(path, state);
  if (before === undefined || state.nameCount > before.nameCount || (fresh.size > 0 && hasGrown(rules)))
    tree.noteArrival(path, listedAt);
  return {
    kind: 'listed',
    packed,
    before,
    state,
    children: sorted.children,
    inherits:
      before !== undefined &&
      (before.ownRules?.content !== ownRules?.content ||
        before.fingerprint !== fingerprint ||
        // Documents below may have waited for it.
        Array.from(before.unfit?.keys() ?? []).some(
          (name) => isNearDefaults(name) && !found.unfit.has(name),
        )),
    reattached: paired.changed,
  };
}

/** Most directories have none of most things: what is empty takes no memory. */
function orNone<T extends { readonly size: number }>(things: T): T | undefined {
  return things.size === 0 ? undefined : things;
}

function rawNames({ entries }: Listing): ReadonlyMap<string, string> {
  return new Map(entries.filter(({ name, raw }) => name !== raw).map(({ name, raw }) => [name, raw]));
}

/**
 * Adds up what counts in a directory, in whatever order it comes. Files that are no documents do not: one that is
 * written all the time would keep its directory in motion for ever.
 */
function signatureOf(
  fingerprint: string,
  sorted: SortedEntries,
  { skips, fingerprints }: FoundDocuments,
): number {
  let sum = sorted.skips.length + skips.length;
  const add = (name: string, look: Look) => {
    sum = (sum + (keyOf(name, look) | 0)) | 0;
  };
  for (const entries of [sorted.documents, sorted.sidecars.values(), sorted.children])
    for (const { name, stats, kind } of entries)
      if (stats !== null) add(name, kind === 'directory' ? { ...noLook, ino: stats.ino } : stats);
  for (const text of [fingerprint, ...fingerprints]) add(text, noLook);
  return sum;
}
