import { lstatSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';

import { directoryOf, joinPath } from '../../model/document.ts';
import { errorCode } from '../../model/errors.ts';
import { noteCompanions } from '../rules/companion-grace.ts';
import { directoryContext } from '../rules/fingerprint.ts';
import { pairEntries, stemSidecars } from '../rules/directory-claims.ts';
import { readRules, rulesName } from '../rules/directory-rules.ts';
import type { Entry } from './entry.ts';
import { stampKey } from './entry.ts';
import { followLink } from './follow-link.ts';
import type { Ground } from '../ground.ts';
import { listDirectory } from './list-directory.ts';
import type { Listing } from './list-directory.ts';
import { defaultsName } from '../rules/pair-sidecars.ts';
import { packSightings } from './packed-scan.ts';
import type { PackedSweep } from './packed-scan.ts';
import { sightDocuments } from './list-documents.ts';
import { signatureOf } from './signature.ts';
import { sortEntries } from './sort-entries.ts';
import type { DirectoryState, PlacedRules } from './directory-state.ts';
import type { Visitor, WatchState } from './visitor.ts';

/** What came of a visit. */
export type Visit =
  | {
      readonly kind: 'listed';
      readonly packed: PackedSweep;
      readonly before: DirectoryState | undefined;
      readonly state: DirectoryState;
      /** Directories in it that may hold documents. */
      readonly children: readonly Entry[];
      /** What holds for it (rules, defaults) is not what held before: everything below has to be visited. */
      readonly inherits: boolean;
      /** Files elsewhere that became or ceased to be attachments. */
      readonly claimed: readonly string[];
    }
  | { readonly kind: 'vanished' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Chains of followed links end here: links that lead to each other would multiply. */
const maxLinks = 2;

/** Lists one directory, takes note of it in the tree, and packs what was seen. Never throws for what is on disk. */
export async function visitDirectory(ground: Ground, path: string, visitor: Visitor): Promise<Visit> {
  const absolute = ground.absolute(ground.tree.rawPath(path));
  const before = ground.tree.get(path);
  try {
    const links = linksTo(ground, path, absolute);
    const stats = path === '' || links > 0 ? statSync(absolute) : lstatSync(absolute);
    if (!stats.isDirectory()) return { kind: 'vanished' };
    const watched = visitor.watch(path, absolute, stats);
    const listing = await listDirectory(absolute, visitor.slice);
    return await readListing(ground, path, { visitor, absolute, stats, before, watched, links, listing });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'vanished' };
    if (code === undefined) throw error;
    return { kind: 'unreadable', message: `it cannot be read (${code})` };
  }
}

interface Read {
  readonly visitor: Visitor;
  readonly absolute: string;
  readonly stats: Stats;
  readonly before: DirectoryState | undefined;
  readonly watched: WatchState;
  readonly links: number;
  readonly listing: Listing;
}

async function readListing(ground: Ground, path: string, read: Read): Promise<Visit> {
  const { visitor, absolute, stats, before, watched, links } = read;
  const above = path === '' ? undefined : ground.tree.get(directoryOf(path));
  const listing = ground.settings.followSymlinks ? follow(ground, path, read) : read.listing;
  const rulesKey = keyOf(listing, rulesName);
  const rules = rulesFor(path, absolute, above?.rules ?? ground.rules, rulesKey);
  if (typeof rules === 'string') return { kind: 'unreadable', message: rules };
  const defaultsKey = keyOf(listing, defaultsName);
  const context = directoryContext(above?.context ?? ground.context, defaultsKey);

  const sorted = sortEntries(path, listing, rules);
  const children = sorted.children.filter(({ name }) => joinPath(path, name) !== ground.excluded);
  const paired = pairEntries(ground, path, absolute, sorted);
  const seen = await sightDocuments(ground, {
    path,
    absolute,
    rules,
    context,
    listing,
    sorted,
    paired,
    visitor,
  });

  const state: DirectoryState = {
    raw: ground.tree.rawPath(path),
    dev: stats.dev,
    ino: stats.ino,
    links,
    signature: signatureOf(context, sorted, seen),
    rules,
    rulesKey,
    defaultsKey,
    context,
    children: new Set(children.map(({ name }) => name)),
    attachmentDirectories: seen.attachmentDirectories,
    attached: seen.attached,
    linkedFrom: linkedFrom(listing),
    rawNames: rawNames(listing),
    twins: seen.twins,
    lists: paired.lists,
    stemSidecars: stemSidecars(paired),
    ...watched,
    unreadable: null,
  };
  ground.tree.set(path, state);
  if (before !== undefined) noteCompanions(ground, path, before, state);
  const subdirectories = sorted.subdirectories;
  return {
    kind: 'listed',
    packed: {
      directory: path,
      cause: visitor.cause,
      ...packSightings(seen.sightings),
      skips: [...sorted.skips, ...seen.skips],
      subdirectories,
      device: stats.dev,
    },
    before,
    state,
    children,
    inherits: before !== undefined && (before.rulesKey !== rulesKey || before.context !== context),
    claimed: paired.changed,
  };
}

/** How many followed links lead to a directory. */
function linksTo(ground: Ground, path: string, absolute: string): number {
  if (path === '' || !ground.settings.followSymlinks) return 0;
  const above = ground.tree.get(directoryOf(path))?.links ?? 0;
  return above + (lstatSync(absolute).isSymbolicLink() ? 1 : 0);
}

function follow(ground: Ground, path: string, { visitor, absolute, listing, stats, links }: Read): Listing {
  const entries = listing.entries.map((entry) => {
    if (entry.kind !== 'link') return entry;
    const followed = followLink(entry, `${absolute}/${entry.raw}`, visitor.realRoot);
    if (followed.kind !== 'directory' || followed.stats === null) return followed;
    const target = followed.stats;
    const circle = isAbove(ground, path, target) || (target.dev === stats.dev && target.ino === stats.ino);
    return circle || links >= maxLinks ? entry : followed;
  });
  return { ...listing, entries };
}

function isAbove(ground: Ground, path: string, { dev, ino }: Stats): boolean {
  for (let at = path; at !== ''; at = directoryOf(at)) {
    const above = ground.tree.get(directoryOf(at));
    if (above?.dev === dev && above.ino === ino) return true;
  }
  return false;
}

function keyOf({ entries }: Listing, name: string): string {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined || entry.kind === 'directory' || entry.kind === 'other') return '';
  return entry.kind === 'file' && entry.stats !== null ? stampKey(entry.stats) : entry.kind;
}

function rulesFor(
  path: string,
  absolute: string,
  above: readonly PlacedRules[],
  key: string,
): readonly PlacedRules[] | string {
  if (key === '') return above;
  const own = readRules(path, `${absolute}/${rulesName}`);
  return own.kind === 'valid' ? [...above, own.rules] : own.message;
}

function rawNames({ entries }: Listing): ReadonlyMap<string, string> | null {
  const differing = entries.filter(({ name, raw }) => name !== raw);
  return differing.length === 0 ? null : new Map(differing.map(({ name, raw }) => [name, raw]));
}

function linkedFrom({ entries }: Listing): readonly string[] {
  const directories = entries.flatMap((entry) => (entry.linkedFrom === null ? [] : [entry.linkedFrom]));
  return directories.length === 0 ? [] : [...new Set(directories)];
}
