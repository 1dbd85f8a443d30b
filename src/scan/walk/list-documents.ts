import { joinPath } from '../../model/document.ts';
import type { Skip } from '../../model/document.ts';
import { isDocumentType } from '../../model/name-rules.ts';
import { printable } from '../../lib/printable.ts';
import { attachmentKeys, listAttachments } from '../rules/attachment-directory.ts';
import { documentContext } from '../rules/fingerprint.ts';
import type { PairedEntries } from '../rules/directory-claims.ts';
import type { Entry } from './entry.ts';
import { stampKey } from './entry.ts';
import type { Ground } from '../ground.ts';
import { lstatKey } from './lstat-key.ts';
import type { Listing } from './list-directory.ts';
import type { NamedSighting } from './packed-scan.ts';
import { printableTwin } from '../../lib/printable-bytes.ts';
import type { SortedEntries } from './sort-entries.ts';
import { isTransient } from '../rules/transient-names.ts';
import { isIgnored } from './directory-state.ts';
import type { PlacedRules } from './directory-state.ts';
import type { Visitor } from './visitor.ts';

/** A directory that was listed, sorted and paired. */
export interface Sight {
  readonly path: string;
  readonly absolute: string;
  readonly rules: readonly PlacedRules[];
  readonly context: string;
  readonly listing: Listing;
  readonly sorted: SortedEntries;
  readonly paired: PairedEntries;
  readonly visitor: Visitor;
}

/** The documents of a directory, as a sweep tells of them. */
export interface Sightings {
  readonly sightings: readonly NamedSighting[];
  readonly skips: readonly Skip[];
  /** Contexts other than the directory's. */
  readonly contexts: readonly string[];
  readonly attachmentDirectories: readonly string[];
  /** Files that are attachments and were left out. */
  readonly attached: number;
  readonly twins: ReadonlyMap<string, string> | null;
}

/** Turns a directory's entries into sightings, each with its context. Attachments are left out. */
export async function sightDocuments(ground: Ground, sight: Sight): Promise<Sightings> {
  const { path, context, sorted, paired } = sight;
  const sightings: NamedSighting[] = [];
  const skips: Skip[] = paired.orphans.map((name) => ({
    path: printable(joinPath(path, name)),
    code: 'orphan-sidecar',
    message: 'a sidecar without its document',
  }));
  const contexts: string[] = [];
  const found = { directories: [] as string[], files: 0 };
  const plain = sorted.sidecars.size === 0 && sorted.attachmentDirectories.size === 0;
  for (const { name, stats } of sorted.documents) {
    if (stats === null) continue;
    const file = joinPath(path, name);
    if (ground.claims.isAttachment(file)) {
      found.files += 1;
      continue;
    }
    if (stats.size === 0) {
      skips.push({ path: printable(file), code: 'empty-file', message: emptyMessage });
      continue;
    }
    ground.observations.see(file, stats);
    const own = plain ? context : await contextOf(ground, sight, name, found);
    if (own !== context) contexts.push(own);
    sightings.push({ name, stamp: stats, context: own });
  }
  const twins = twinsOf(sight);
  for (const { stats, raw } of twins) {
    if (stats !== null) sightings.push({ name: printableTwin(raw), stamp: stats, context });
  }
  return {
    sightings,
    skips,
    contexts,
    attachmentDirectories: found.directories,
    attached: found.files,
    twins: twins.length === 0 ? null : new Map(twins.map(({ raw }) => [printableTwin(raw), raw])),
  };
}

/** Why an empty file is not sent. */
export const emptyMessage = 'the file is empty';

async function contextOf(
  ground: Ground,
  sight: Sight,
  name: string,
  found: { readonly directories: string[]; files: number },
): Promise<string> {
  const { path, absolute, rules, sorted, paired, visitor } = sight;
  const attachments: (readonly [string, string])[] = [];
  const directory = sorted.attachmentDirectories.get(name);
  if (directory !== undefined && directory.stats !== null) {
    const place = { path: joinPath(path, directory.name), absolute: `${absolute}/${directory.raw}`, rules };
    visitor.watch(place.path, place.absolute, directory.stats);
    found.directories.push(place.path);
    const listing = await listAttachments(place, visitor.slice);
    if (listing.kind !== 'unreadable') found.files += listing.files.length;
    attachments.push(...attachmentKeys(place.path, listing));
  }
  const sidecar = paired.sidecars.get(name);
  const listed = sidecar === undefined ? undefined : paired.lists?.get(sidecar.name);
  attachments.push(...listedKeys(ground, path, listed?.attachments ?? []));
  const entry = sidecar === undefined ? undefined : sorted.sidecars.get(sidecar.name);
  return documentContext(sight.context, {
    sidecar:
      sidecar === undefined || entry === undefined ? null : { kind: sidecar.kind, key: entryKey(entry) },
    attachments,
  });
}

/** Paths and stamps of attachments that a sidecar lists, for the document's context. */
export function listedKeys(
  ground: Ground,
  directory: string,
  listed: readonly string[],
): readonly (readonly [string, string])[] {
  return listed.map((text) => [text, lstatKey(ground, directory, text)] as const);
}

/** What of a sidecar goes into the document's context. */
function entryKey({ kind, stats }: Pick<Entry, 'kind' | 'stats'>): string {
  return kind === 'file' && stats !== null ? stampKey(stats) : kind;
}

/** Twins of documents. They are told of under a printable name, so that they can be shown as failed. */
function twinsOf({ path, rules, listing }: Sight): readonly Entry[] {
  const twins = listing.twins.filter(
    ({ name, kind }) =>
      kind === 'file' &&
      isDocumentType(name) &&
      !isTransient(name) &&
      !isIgnored(rules, joinPath(path, name), false),
  );
  if (twins.length === 0) return twins;
  const names = new Set(listing.entries.map(({ name }) => name));
  return twins.filter(({ raw }) => !names.has(printableTwin(raw)));
}
